//! What an update of the index was asked to do and did. Plain data.

use std::collections::BTreeMap;
use std::path::Path;

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
    /// Remove notes from the index even where the loss looks like an accident.
    /// More than half of over 20 notes. Has no
    /// effect on notes that are merely hidden by what cannot be read.
    pub prune: bool,
    /// What to do about a file that cannot be used.
    pub mend: Mend,
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
