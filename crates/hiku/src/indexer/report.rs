//! What an update of the index was asked to do and did. Plain data.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use crate::error::Error;
use crate::vault::Skipped;

/// How to bring an index to its vault's state.
///
/// By default: read what changed, write it, and keep what vanished by the half.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UpdateOptions {
    /// Rebuild from nothing.
    /// The old state answers until the new one is published.
    pub full: bool,
    /// Compare and report, write nothing.
    /// Reads only what it needs to tell a change from a touched file
    /// and a move from a new note; computes no vectors.
    pub dry_run: bool,
    /// Remove notes from the index even where the loss looks like an accident: all notes of a folder
    /// that shows none, or more than half of over 20 notes. Has no effect on notes that are merely
    /// hidden by what cannot be read.
    pub prune: bool,
    /// What to do about a file that cannot be used.
    pub mend: Mend,
    /// How long it may take, for an update that somebody waits for. Changed notes are read from the
    /// newest on; what does not fit is put off and named in [`UpdateReport::pending`]. A few are
    /// always read, so that each run gets on. For a vault of up to 20,000 notes: a larger one has
    /// it once for every 20,000 begun. Bounds neither a rebuild nor the first filling of an index.
    /// Default: no limit. Zero looks at nothing.
    pub budget: Option<Duration>,
}

/// What to do about an index file that cannot be used. Mending keeps it beside the index under
/// another name and makes a new one; a dry run never does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mend {
    /// Fail.
    #[default]
    Never,
    /// Mend an index that is damaged, or of an older format.
    Damaged,
    /// The same, and look at every record first, damage having been met.
    Suspected,
    /// Mend whatever cannot be used: damaged, of another format, no index at all.
    Anything,
}

/// What happened to one note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// It is new.
    Added,
    /// Its content differs.
    Changed,
    /// It has another path and the same content.
    Moved,
    /// It is gone from the vault.
    Removed,
}

/// What an update did, or under `dry_run` would do.
///
/// Lists are complete: what is shown of them is the caller's.
#[derive(Debug, Clone, Default)]
pub struct UpdateReport {
    /// Notes in the index afterwards; in a dry run those of the vault, the skipped ones left out.
    pub notes: usize,
    /// Chunks in the index afterwards.
    pub chunks: usize,
    /// Every note that changed, by path; for a move the new path.
    pub changes: Vec<(Change, String)>,
    /// Notes whose vectors were computed; moved and copied ones cost none.
    pub embedded: usize,
    /// Notes that have no vectors since the model is missing; counted only then.
    pub unembedded: usize,
    /// Files that could not be notes, with reasons.
    pub skipped: Vec<Skipped>,
    /// Notes that are in the index, were not seen in the vault, and were kept: a folder above them
    /// cannot be read, or so great a loss looks like an unmounted or emptied folder.
    pub kept: usize,
    /// How many of the kept ones only because they, or a folder above them, could not be read. They
    /// stay until it can, also under `prune`.
    pub hidden: usize,
    /// Notes that are new or changed and were put off when the budget was spent, by path.
    pub pending: Vec<String>,
    /// True where the budget was spent before the whole vault was looked at: what changed in the rest
    /// is not known, and no note counts as gone.
    pub unfinished: bool,
    /// Then, the notes of the index that were not looked at, by path.
    pub unseen: Vec<String>,
    /// Per note, what could not be read as meant: (path, 1-based line, message).
    pub warnings: Vec<(String, usize, String)>,
    /// Per note and rule, how many credentials were redacted.
    pub redactions: BTreeMap<(String, String), usize>,
    /// Why everything was rebuilt or re-embedded, where it was.
    pub rebuilt: Option<&'static str>,
    /// True where the run was stopped early; what was published stays good.
    pub interrupted: bool,
    /// Generation of the index afterwards.
    pub generation: i64,
}

impl UpdateReport {
    /// How many notes underwent `change`.
    pub fn count(&self, change: Change) -> usize {
        self.changes.iter().filter(|(kind, _)| *kind == change).count()
    }

    /// What of the vault the index may not have as it is now, after an update with a budget.
    pub fn stale(&self) -> Option<Stale> {
        if self.pending.is_empty() && !self.unfinished {
            return None;
        }
        let paths: Vec<&str> =
            self.pending.iter().chain(&self.unseen).map(String::as_str).collect();
        Some(Stale {
            why: if self.unfinished { StaleReason::Unseen } else { StaleReason::Pending },
            notes: paths.len(),
            parts: parts(&paths),
        })
    }
}

/// Parts of a vault that are named, at most.
const MAX_PARTS: usize = 5;

/// What of the vault an answer may not have as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stale {
    /// Why.
    pub why: StaleReason,
    /// Notes that are known to be concerned: changed and not read, or not looked at. 0 where nothing
    /// is known.
    pub notes: usize,
    /// Where most of them are: up to five paths of folders, each with a `/` at its end, or of notes.
    pub parts: Vec<String>,
}

/// Why an answer may not have all of the vault as it is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StaleReason {
    /// The time was spent, and these new or changed notes were not read.
    Pending,
    /// The time was spent before all notes were looked at, and these may have changed; new ones may
    /// have come.
    Unseen,
    /// Another process writes the index.
    Busy,
    /// The index could not be written.
    Failed,
}

impl Stale {
    /// Nothing more than a reason is known.
    pub fn because(why: StaleReason) -> Self {
        Stale { why, notes: 0, parts: Vec::new() }
    }
}

/// Where most of the paths are: the folders and notes one step below the folder that they share.
fn parts(paths: &[&str]) -> Vec<String> {
    let shared = shared_folder(paths);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for path in paths {
        let end = path[shared..].find('/').map_or(path.len(), |at| shared + at + 1);
        *counts.entry(&path[..end]).or_default() += 1;
    }
    let mut parts: Vec<_> = counts.into_iter().collect();
    parts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    parts.into_iter().take(MAX_PARTS).map(|(part, _)| part.to_owned()).collect()
}

/// Bytes of the longest folder path, with its `/`, that all paths begin with.
fn shared_folder(paths: &[&str]) -> usize {
    let Some(first) = paths.first() else { return 0 };
    let ends = first.match_indices('/').map(|(at, _)| at + 1);
    let is_shared = |end: &usize| paths.iter().all(|path| path.starts_with(&first[..*end]));
    ends.take_while(is_shared).last().unwrap_or(0)
}

/// Hears how far an update is. Called from several threads.
pub trait Progress: Sync {
    /// A stage begins: its name and how many notes it will treat.
    /// `index` or `embed`; one update may
    /// have both.
    fn begin(&self, _stage: &'static str, _notes: usize) {}
    /// `notes` more are done, `bytes` of text in them.
    fn advance(&self, _notes: usize, _bytes: u64) {}
    /// An unusable index was set aside as `kept`, and is made anew.
    fn mended(&self, _cause: &Error, _kept: &Path) {}
    /// All stages are over.
    fn finish(&self) {}
}

/// Hears nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct SilentProgress;

impl Progress for SilentProgress {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_with_most_notes_are_named_below_what_they_share() {
        let check = |paths: &[&str], expected: &[&str]| assert_eq!(parts(paths), expected);
        check(&[], &[]);
        check(&["a.md"], &["a.md"]);
        check(&["b/c/a.md"], &["b/c/a.md"]);
        check(&["b/a.md", "bc/d/a.md", "bc/e/a.md", "z.md"], &["bc/", "b/", "z.md"]);
        check(&["v/a/1.md", "v/b/1.md", "v/b/x/2.md"], &["v/b/", "v/a/"]);
        check(&["1", "2", "3", "4", "5", "6"], &["1", "2", "3", "4", "5"]);
    }

    #[test]
    fn an_update_that_came_to_its_end_leaves_nothing_stale() {
        assert_eq!(UpdateReport::default().stale(), None);
        let pending = vec!["a/b.md".to_owned()];
        let late = UpdateReport { pending, ..UpdateReport::default() };
        let stale = |why, parts: &[&str]| {
            let parts: Vec<String> = parts.iter().map(|part| (*part).to_owned()).collect();
            Some(Stale { why, notes: parts.len(), parts })
        };
        assert_eq!(late.stale(), stale(StaleReason::Pending, &["a/b.md"]));
        let unseen = vec!["c.md".to_owned()];
        let cut = UpdateReport { unfinished: true, unseen, ..late };
        assert_eq!(cut.stale(), stale(StaleReason::Unseen, &["a/", "c.md"]));
    }
}
