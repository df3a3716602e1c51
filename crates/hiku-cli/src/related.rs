//! The notes around a note: those it links to, those that link to it, and those that are like it, for
//! `hiku related` and the tool of the same name.

use std::collections::HashSet;

use hiku::{Hit, Index, NoteLink, NoteLinks, SearchRequest, SearchResponse};

/// Most notes of each list.
pub(crate) const MAX_RELATED: usize = 50;
/// Notes of each list where no limit is given.
pub(crate) const DEFAULT_RELATED: usize = 10;
/// Characters of a note's beginning that are searched for beside its title: enough to say what it
/// is about, and few enough that its words still count.
const OPENING_CHARACTERS: usize = 400;

/// The notes around a note.
#[derive(Debug)]
pub(crate) struct Around {
    /// Links and backlinks, whole.
    pub(crate) links: NoteLinks,
    /// The note's tags.
    pub(crate) tags: Vec<String>,
    /// Notes like it, best first, without itself.
    pub(crate) similar: Vec<Hit>,
}

/// What is around the note that `name` means, with up to `limit` notes like it, which `ask` finds.
/// Links to one note are told once, those to no note last.
///
/// # Errors
/// As [`Index::links`] and [`Index::search`].
pub(crate) fn around(
    index: &Index,
    ask: impl Fn(&SearchRequest) -> hiku::Result<SearchResponse>,
    name: &str,
    limit: usize,
) -> hiku::Result<Around> {
    let mut links = index.links(name)?;
    keep_each_once(&mut links.links);
    let note = index.stored(&links.path)?;
    if limit == 0 {
        return Ok(Around { links, tags: note.tags, similar: Vec::new() });
    }
    let opening = note.chunks.first().map_or("", |chunk| chunk.text.as_str());
    let query = format!("{}\n{}", beginning(&note.title), beginning(opening));
    let request = SearchRequest { plain: true, limit: limit + 1, ..SearchRequest::new(query) };
    let mut similar = ask(&request)?.hits;
    similar.retain(|hit| hit.path != links.path);
    similar.truncate(limit);
    Ok(Around { links, tags: note.tags, similar })
}

impl Around {
    /// The tags that a note like it has too.
    pub(crate) fn shared_tags<'h>(&self, hit: &'h Hit) -> Vec<&'h str> {
        hit.tags.iter().filter(|tag| self.tags.contains(tag)).map(String::as_str).collect()
    }
}

fn beginning(text: &str) -> String {
    text.chars().take(OPENING_CHARACTERS).collect()
}

/// Keeps the first link to each note, and to each target that is none.
fn keep_each_once(links: &mut Vec<NoteLink>) {
    let mut seen = HashSet::new();
    links.retain(|link| {
        seen.insert((link.path.clone(), link.path.is_none().then(|| link.written.clone())))
    });
    // Targets that are no notes crowd nothing out.
    links.sort_by_key(|link| link.path.is_none());
}
