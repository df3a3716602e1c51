//! The JSON form of the notes around a note.

use std::path::Path;

use hiku::{Hit, NoteLink};
use serde::Serialize;

use super::SCHEMA;
use crate::related::Around;

/// An answer of `hiku related --json`.
#[derive(Debug, Serialize)]
pub(crate) struct RelatedAnswer<'a> {
    /// Version of this form; raised when a field changes its meaning or goes away.
    schema: u32,
    /// The vault's folder, absolute.
    vault: String,
    /// The note, relative to the vault.
    path: &'a str,
    title: &'a str,
    /// Without `#`.
    tags: &'a [String],
    /// The notes it links to, in the order of its text; then targets that are no notes.
    links: Vec<LinkForm<'a>>,
    /// The notes that link to it, by path, each with its first link.
    backlinks: Vec<LinkForm<'a>>,
    /// Notes like it, best first.
    similar: Vec<SimilarForm<'a>>,
    /// Links and backlinks that are not in the lists.
    omitted: usize,
}

#[derive(Debug, Serialize)]
struct LinkForm<'a> {
    /// The other note; `null` for a target that is no note.
    path: Option<&'a str>,
    title: &'a str,
    /// The target as it is written, heading included.
    written: &'a str,
    /// 1-based, in the note that holds the link.
    line: usize,
    embed: bool,
}

#[derive(Debug, Serialize)]
struct SimilarForm<'a> {
    path: &'a str,
    title: &'a str,
    /// As a search's.
    score: f64,
    /// The tags that both have.
    shared_tags: Vec<&'a str>,
}

impl<'a> RelatedAnswer<'a> {
    /// The JSON form of what is around a note, each list up to `limit`.
    pub(crate) fn new(around: &'a Around, limit: usize, vault: &Path) -> Self {
        let note = &around.links;
        let first = |links: &'a [NoteLink]| links.iter().take(limit).map(LinkForm::new).collect();
        let left_out = |links: &[NoteLink]| links.len().saturating_sub(limit);
        let similar = |hit: &'a Hit| SimilarForm {
            path: &hit.path,
            title: &hit.title,
            score: hit.score,
            shared_tags: around.shared_tags(hit),
        };
        RelatedAnswer {
            schema: SCHEMA,
            vault: vault.to_string_lossy().into_owned(),
            path: &note.path,
            title: &note.title,
            tags: &around.tags,
            links: first(&note.links),
            backlinks: first(&note.backlinks),
            similar: around.similar.iter().map(similar).collect(),
            omitted: left_out(&note.links) + left_out(&note.backlinks) + note.unread,
        }
    }
}

impl<'a> LinkForm<'a> {
    fn new(link: &'a NoteLink) -> Self {
        LinkForm {
            path: link.path.as_deref(),
            title: &link.title,
            written: &link.written,
            line: link.line,
            embed: link.is_embed,
        }
    }
}
