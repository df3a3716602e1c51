//! Hiku: local hybrid retrieval over Markdown vaults.

pub mod chunk;
pub mod embed;
mod error;
mod fuse;
mod indexer;
mod inspect;
pub mod markdown;
mod platform;
mod postings;
mod query;
mod ranking;
mod read;
mod retrieve;
pub mod scrub;
mod search;
mod settings;
mod snippet;
mod store;
pub mod text;
mod tokenize;
pub mod vault;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use search::Searcher;

pub use error::{Error, ErrorKind, Result};
pub use indexer::{Change, Mend, Progress, SilentProgress, UpdateOptions, UpdateReport};
pub use inspect::{Problem, Status, StoredChunk, StoredNote};
pub use ranking::{NoteId, RankingOptions, Score};
pub use read::{ReadNote, Selection, read_note};
pub use search::{
    Condition, Contribution, Filters, Fusion, Grouping, Hit, MAX_LIMIT, MAX_QUERY_CHARACTERS, Mode,
    Omitted, Passage, SearchRequest, SearchResponse, Signal, SignalState, TermReport,
};
pub use settings::{MissingModel, Settings};

/// An index file, open for reading. Cheap to open; sees the state of the last publication when
/// each call begins. Readers never wait for a writer.
#[derive(Debug)]
pub struct Index {
    path: PathBuf,
    searcher: Searcher,
}

impl Index {
    /// Opens an index for reading.
    ///
    /// # Errors
    /// Kinds `Corrupt` (missing, damaged, foreign), `Incompatible` (another format), `Io`.
    pub fn open(path: &Path, settings: &Settings) -> Result<Self> {
        let searcher = Searcher::open(path, settings)?;
        Ok(Index { path: path.to_path_buf(), searcher })
    }

    /// Brings the index at `path` to the state of `source`, making it if it is missing. One writer
    /// at a time; `stop` set to true ends the run after the batch at hand.
    ///
    /// # Errors
    /// Kinds `User` (no vault), `Busy` (another writer), `Corrupt` or `Incompatible` (unusable
    /// file), `Io` (disk full, read-only folder).
    pub fn update(
        source: &dyn vault::Source,
        path: &Path,
        settings: &Settings,
        options: UpdateOptions,
        progress: &dyn Progress,
        stop: &AtomicBool,
    ) -> Result<UpdateReport> {
        indexer::update(source, path, settings, options, progress, stop)
    }

    /// Deletes the index at `path` with all that belongs to it, the unusable copies that were kept
    /// beside it included. False where there was none.
    ///
    /// # Errors
    /// Kinds `Busy` (another process writes it), `User` (no index can stand there), `Io`.
    pub fn remove(path: &Path) -> Result<bool> {
        store::remove(path)
    }

    /// Makes sure that this is the index of the vault in the folder `root` (canonical): made there, or
    /// of a vault that was moved there, of whose notes at least half are found.
    ///
    /// # Errors
    /// Kind `User` when it is another vault's; `Corrupt` and `Io` from the file.
    pub fn confirm_vault(&self, root: &Path) -> Result<()> {
        self.searcher.confirm_vault(root)
    }

    /// Loads what makes later searches fast in a process that lives on.
    ///
    /// # Errors
    /// Kinds `Corrupt` and `Io`.
    pub fn preload(&self) -> Result<()> {
        self.searcher.preload()
    }

    /// Answers a question.
    ///
    /// # Errors
    /// Kind `User` for a query or limit out of range, a malformed filter, or a missing signal under
    /// `strict`; `Corrupt` and `Io` from the file.
    pub fn search(&self, request: &SearchRequest) -> Result<SearchResponse> {
        self.searcher.search(request)
    }

    /// The index at a glance.
    ///
    /// # Errors
    /// Kinds `Corrupt` and `Io`.
    pub fn status(&self) -> Result<Status> {
        inspect::status(&self.path)
    }

    /// Checks the file's integrity and that its parts agree.
    ///
    /// # Errors
    /// Kind `Io`; faults of the index itself are the result.
    pub fn check(&self) -> Result<Vec<Problem>> {
        inspect::check(&self.path, self.searcher.settings())
    }

    /// All that the index holds of one note, by its path in any Unicode spelling.
    ///
    /// # Errors
    /// Kind `User` when it is not in the index; `Corrupt` and `Io` from the file.
    pub fn stored(&self, path: &str) -> Result<StoredNote> {
        inspect::stored(&self.path, path)
    }
}
