//! The links of one note and the links to it. Links stand in the stored texts; which notes may link
//! to a note is looked up by its name, and each of them is read to see what its links mean.

use std::path::Path;

use rustc_hash::FxHashMap;

use super::{NoteLink, NoteLinks, stored};
use crate::error::Result;
use crate::graph::Resolver;
use crate::indexer::{link_key, stored_note};
use crate::markdown::{Link, LinkKind};
use crate::read::resolve;
use crate::retrieve::{Snapshot, linking_to};
use crate::store::{DocumentRow, Store};
use crate::text::LineIndex;

/// Notes that are read for links to a note, at most: each takes some tenths of a millisecond, and
/// nobody reads a list of more.
const MAX_LINKING_NOTES: usize = 1_000;

/// The links of the note that `name` means, and those to it.
///
/// # Errors
/// `User` when no note or more than one has that name; `Corrupt` and `Io`.
pub(crate) fn links(path: &Path, name: &str) -> Result<NoteLinks> {
    let store = Store::open(path)?;
    store.begin_view()?;
    let mut notes: Vec<(String, i64)> = Vec::new();
    store.for_each_note(|note_id, path, _| notes.push((path.to_owned(), note_id)))?;
    let view = View {
        store: &store,
        resolver: Resolver::new(notes.iter().map(|(path, _)| path.as_str())),
        ids: notes.iter().map(|(path, note_id)| (path.as_str(), *note_id)).collect(),
        paths: notes.iter().map(|(path, note_id)| (*note_id, path.as_str())).collect(),
    };
    let path = resolve(name, &notes.iter().map(|(path, _)| path.as_str()))?;
    let found = view.links_of(path)?;
    store.end_view()?;
    Ok(found)
}

/// One published state with its paths.
struct View<'v> {
    store: &'v Store,
    resolver: Resolver<'v>,
    ids: FxHashMap<&'v str, i64>,
    paths: FxHashMap<i64, &'v str>,
}

impl View<'_> {
    fn links_of(&self, path: &str) -> Result<NoteLinks> {
        let note_id = self.ids.get(path).copied().ok_or_else(|| self.store.missing_note())?;
        let document = self.store.document(note_id)?;
        let (backlinks, unread) = self.links_to(path)?;
        Ok(NoteLinks {
            path: path.to_owned(),
            title: document.title.clone(),
            links: self.links_from(path, &document)?,
            backlinks,
            unread,
        })
    }

    /// The links that stand in a note, but for those to URLs and to its own headings.
    fn links_from(&self, path: &str, document: &DocumentRow) -> Result<Vec<NoteLink>> {
        let lines = LineIndex::new(&document.text);
        let written = stored_note(document).links;
        let inside = written
            .into_iter()
            .filter(|link| link.kind != LinkKind::External && !link.target.is_empty());
        inside.map(|link| self.link_from(path, &link, &lines)).collect()
    }

    fn link_from(&self, path: &str, link: &Link, lines: &LineIndex) -> Result<NoteLink> {
        let target = self.target(path, link);
        Ok(NoteLink {
            title: target.map_or(Ok(String::new()), |path| self.title(path))?,
            path: target.map(str::to_owned),
            written: stored::written(link),
            line: lines.line(link.span.start),
            is_embed: link.kind == LinkKind::Embed,
        })
    }

    fn target(&self, source: &str, link: &Link) -> Option<&str> {
        self.resolver.resolve(&link.target, source, link.kind == LinkKind::Markdown)
    }

    fn title(&self, path: &str) -> Result<String> {
        match self.ids.get(path) {
            Some(note_id) => Ok(self.store.attributes(*note_id)?.0),
            None => Ok(String::new()),
        }
    }

    /// The first link to a note in each note that has one, by path, and how many notes were too
    /// many to be read.
    fn links_to(&self, wanted: &str) -> Result<(Vec<NoteLink>, usize)> {
        let snapshot = Snapshot::load(self.store)?;
        let documents = linking_to(self.store, &snapshot, &link_key(wanted))?;
        let unread = documents.len().saturating_sub(MAX_LINKING_NOTES);
        let mut found = Vec::new();
        for document in documents.into_iter().take(MAX_LINKING_NOTES) {
            let note_id = snapshot.note_id(document);
            let Some(path) = self.paths.get(&note_id).filter(|path| **path != wanted) else {
                continue;
            };
            let document = self.store.document(note_id)?;
            let links = stored_note(&document).links;
            let is_meant = |link: &&Link| {
                link.kind != LinkKind::External && self.target(path, link) == Some(wanted)
            };
            if let Some(link) = links.iter().find(is_meant) {
                found.push(NoteLink {
                    path: Some((*path).to_owned()),
                    written: stored::written(link),
                    line: LineIndex::new(&document.text).line(link.span.start),
                    is_embed: link.kind == LinkKind::Embed,
                    title: document.title,
                });
            }
        }
        found.sort_by(|a, b| a.path.cmp(&b.path));
        Ok((found, unread))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspect::tests::indexed;

    const NOTES: &str = "//- a/home.md\n# Home\n\nSee [[Plan#Part|the plan]], ![[picture.png]], \
        [web](https://example.org), [[#Own]] and [next](next.md).\n\n[[absent]]\n\
        //- plan.md\n# The plan\n\nBack to [[home]], and again [[a/home]].\n\
        //- a/next.md\nNothing here.\n//- b/home.md\n# Other\n\nAlone.\n\
        //- b/x.md\nTo [[home]] beside me.\n//- c/table.md\n| x |\n|---|\n| [[a/home\\|there]] |\n";

    fn links_of(name: &str) -> NoteLinks {
        links(&indexed(NOTES).index(), name).expect("links")
    }

    fn shown(links: &[NoteLink]) -> Vec<String> {
        let path = |link: &NoteLink| link.path.clone().unwrap_or_else(|| "-".to_owned());
        links.iter().map(|link| format!("{}:{} {}", path(link), link.line, link.written)).collect()
    }

    #[test]
    fn links_say_where_they_lead() {
        let found = links_of("a/home");
        assert_eq!((found.path.as_str(), found.title.as_str()), ("a/home.md", "Home"));
        let expected =
            ["plan.md:3 Plan#Part", "-:3 picture.png", "a/next.md:3 next.md", "-:5 absent"];
        assert_eq!(shown(&found.links), expected);
        assert_eq!((found.links[0].title.as_str(), found.links[1].is_embed), ("The plan", true));
    }

    #[test]
    fn backlinks_are_of_the_note_that_is_meant() {
        let of_first = links_of("a/home");
        assert_eq!(shown(&of_first.backlinks), ["c/table.md:3 a/home", "plan.md:3 home"]);
        let of_second = links_of("b/home");
        assert_eq!(shown(&of_second.backlinks), ["b/x.md:1 home"]);
        assert_eq!((of_second.backlinks[0].title.as_str(), of_second.unread), ("x", 0));
        assert!(links_of("table").backlinks.is_empty());
    }

    #[test]
    fn a_note_that_is_not_there_is_an_error() {
        let error = links(&indexed(NOTES).index(), "absent").expect_err("no such note");
        assert_eq!(error.kind(), crate::ErrorKind::User, "{error}");
    }
}
