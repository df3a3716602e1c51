//! Holds the hits of an answer against the vault as it is now: a note that is gone is no hit, one
//! that changed is read anew, or said to be stale. Ranks nothing.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::{ErrorKind, Result};
use crate::indexer::{has_hash, same, update_notes};
use crate::store::{NoteRow, Store};
use crate::vault::{Folder, Look, ScanEntry, VaultPath};

use super::searcher::Searcher;
use super::types::{Hit, SearchRequest, SearchResponse};

/// Identities of notes.
pub(super) type NoteIds = FxHashSet<i64>;

/// What became of a note since it was indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// Nothing.
    Same,
    /// It is another text now, or cannot be read.
    Stale,
    /// It is no note any more.
    Gone,
}

/// What was seen of the notes among the hits so far.
#[derive(Debug, Default)]
pub(super) struct Sight {
    seen: FxHashMap<i64, Seen>,
    /// Notes that are gone.
    pub(super) gone: NoteIds,
}

impl Sight {
    /// Looks at the hits' notes and marks the stale ones. True where one is gone.
    pub(super) fn look_at(
        &mut self,
        hits: &mut [Hit],
        store: &Store,
        see: &mut dyn FnMut(&NoteRow) -> Seen,
    ) -> Result<bool> {
        let before = self.gone.len();
        for hit in hits {
            let seen = match self.seen.get(&hit.note_id) {
                Some(seen) => *seen,
                None => see(&store.note(hit.note_id)?.ok_or_else(|| store.missing_note())?),
            };
            self.seen.insert(hit.note_id, seen);
            hit.stale = seen == Seen::Stale;
            if seen == Seen::Gone {
                self.gone.insert(hit.note_id);
            }
        }
        Ok(self.gone.len() > before)
    }
}

impl Searcher {
    /// Answers a question from the vault as it is now; see [`crate::Index::search_current`].
    ///
    /// # Errors
    /// See [`crate::Index::search`].
    pub(crate) fn search_current(
        &self,
        request: &SearchRequest,
        folder: &Folder,
        rereads: bool,
    ) -> Result<SearchResponse> {
        let mut view = View::of(folder);
        let response = self.search_seen(request, &mut |row| view.see(row))?;
        if view.changed.is_empty() || !rereads {
            return Ok(response);
        }
        match update_notes(folder, &self.path(), self.settings(), view.changed) {
            Ok(true) => {
                let mut view = View::of(folder);
                self.search_seen(request, &mut |row| view.see(row))
            }
            Err(error) if error.kind() == ErrorKind::Corrupt => Err(error),
            Ok(false) | Err(_) => Ok(response),
        }
    }
}

/// A vault as it is looked at for one answer.
struct View<'v> {
    folder: &'v Folder,
    /// Whether the vault shows anything at all; asked once, when a note is missed.
    shows_any: Option<bool>,
    /// Notes that hold another text than is indexed.
    changed: Vec<(i64, ScanEntry)>,
}

impl<'v> View<'v> {
    fn of(folder: &'v Folder) -> Self {
        View { folder, shows_any: None, changed: Vec::new() }
    }

    /// Looks at a note's file, and reads it where its times or size are not as recorded.
    fn see(&mut self, row: &NoteRow) -> Seen {
        let Some(path) = VaultPath::new(&row.path) else { return Seen::Gone };
        let entry = match self.folder.look(&path) {
            Look::Here(entry) if same(row, &entry) => return Seen::Same,
            Look::Here(entry) => entry,
            // All at once is more likely an unmounted folder than the end of every note.
            Look::Gone if self.shows_any() => return Seen::Gone,
            Look::Gone | Look::Unknown => return Seen::Stale,
        };
        match self.folder.read_seen(&path) {
            Some(bytes) if has_hash(row, &bytes) => return Seen::Same,
            Some(_) => self.changed.push((row.note_id, entry)),
            None => {}
        }
        Seen::Stale
    }

    fn shows_any(&mut self) -> bool {
        *self.shows_any.get_or_insert_with(|| self.folder.shows_any())
    }
}
