//! Hiku: local hybrid retrieval over Markdown vaults.
//!
//! An [`Index`] is one file that holds what is known of a vault: term lists for search by word,
//! vectors for search by meaning, and the notes' texts without their credentials. [`Index::update`]
//! makes it and brings it to the state of a folder; [`Index::search`] answers a [`SearchRequest`].
//!
//! The library prints nothing, reads no environment variable, opens no connection and writes
//! nothing but the index file and its companions (`-wal`, `-shm`, `.lock`). The same request to the
//! same index gives the same response, to the last bit of a score.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use hiku::vault::Folder;
//! use hiku::{Index, SearchRequest, Settings, SilentProgress, UpdateOptions};
//!
//! # fn main() -> hiku::Result<()> {
//! # let vault = testkit::TestVault::new("//- soup.md\n# Onion soup\n\nCut the onions.\n");
//! # let (notes, file) = (vault.root(), vault.index());
//! let settings = Settings::default();
//! let folder = Folder::open(&notes, &settings.vault)?;
//! let stop = AtomicBool::new(false);
//! Index::update(&folder, &file, &settings, UpdateOptions::default(), &SilentProgress, &stop)?;
//!
//! let index = Index::open(&file, &settings)?;
//! let response = index.search(&SearchRequest::new("onions"))?;
//! assert_eq!(response.hits[0].path, "soup.md");
//! assert_eq!(response.hits[0].passages[0].line_start, 1);
//! # Ok(())
//! # }
//! ```

pub mod chunk;
mod documents;
pub mod embed;
mod error;
mod fuse;
mod graph;
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
pub use indexer::{
    Change, Mend, Progress, SilentProgress, Stale, StaleReason, UpdateOptions, UpdateReport,
};
pub use inspect::{NoteLink, NoteLinks, Problem, Status, StoredChunk, StoredNote};
pub use ranking::{NoteId, RankingOptions, Score};
pub use read::{ReadNote, Selection, read_note};
pub use search::{
    Condition, Contribution, Filters, Fusion, Grouping, Hit, MAX_LIMIT, MAX_QUERY_CHARACTERS, Mode,
    Omitted, Passage, SearchRequest, SearchResponse, Signal, SignalState, TermReport,
};
pub use settings::{MissingModel, Settings};

/// An index file, open for reading. Cheap to open; sees the state of the last publication when
/// each call begins. Readers never wait for a writer.
///
/// May be shared between threads: its searches run one after another, and each sees one published
/// state from beginning to end. `settings` must name the model that the index was made with, else
/// the dense signal is unavailable; of the rest, only `ranking` and `scrub` matter to a search.
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
    /// Notes whose time of modification and size are as recorded are not read again. Changes are
    /// published in batches, each in one transaction: a process that dies leaves the last published
    /// state. A rebuild of an index that is there is published at once, and the old state answers
    /// until then.
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

    /// Makes sure that this is the index of the vault in the folder `root` (canonical): made there,
    /// or of a vault that was moved there, of whose notes at least half are found.
    ///
    /// # Errors
    /// Kind `User` when it is another vault's; `Corrupt` and `Io` from the file.
    pub fn confirm_vault(&self, root: &Path) -> Result<()> {
        self.searcher.confirm_vault(root)
    }

    /// Loads what makes later searches fast in a process that lives on.
    ///
    /// Takes up to 56 MiB for vectors, where they all fit into that, beside their sketches; a
    /// process that asks one question is faster without.
    ///
    /// # Errors
    /// Kinds `Corrupt` and `Io`.
    pub fn preload(&self) -> Result<()> {
        self.searcher.preload()
    }

    /// Answers a question.
    ///
    /// Does not look at the vault: [`Index::update`] before it is what makes an answer current. A
    /// query without words lists the notes that its filters let through, the newest first, with
    /// score 0; one without words and filters gives no hits.
    ///
    /// # Errors
    /// Kind `User` for a query or limit out of range, a malformed filter, or a missing signal under
    /// `strict`; `Corrupt` and `Io` from the file.
    pub fn search(&self, request: &SearchRequest) -> Result<SearchResponse> {
        self.searcher.search(request)
    }

    /// Answers a question like [`Index::search`], from the vault as it is now: each hit's file is
    /// looked at, and read where its times or size differ from what is recorded. A note that is gone
    /// gives its place to the next one, unless the whole vault shows nothing, as an unmounted one
    /// does. A note that holds another text by now is indexed anew, alone, and the question asked
    /// again; where that cannot be, since another process writes or the disk refuses, or without
    /// `rereads`, the hit is marked [`Hit::stale`].
    ///
    /// What is new and what changed so that it would be found now is not seen: [`Index::update`]
    /// before it sees that. Looking at ten hits takes well under a millisecond.
    ///
    /// # Errors
    /// As [`Index::search`].
    pub fn search_current(
        &self,
        request: &SearchRequest,
        folder: &vault::Folder,
        rereads: bool,
    ) -> Result<SearchResponse> {
        self.searcher.search_current(request, folder, rereads)
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
    /// Reads the whole file, so that it takes longer the larger the index is. Alike faults are
    /// counted in one [`Problem`], so the list stays short whatever is wrong.
    ///
    /// # Errors
    /// Kind `Io`; faults of the index itself are the result.
    pub fn check(&self) -> Result<Vec<Problem>> {
        inspect::check(&self.path, self.searcher.settings(), inspect::Depth::Parts)
    }

    /// Checks as [`Index::check`] does, and then makes chunks, terms, links and vectors of every
    /// note again from its stored text and compares them with those of the index.
    ///
    /// Takes about as long as making the index on one core. Needs the settings that the index was
    /// made with; where they differ, that is the one problem.
    ///
    /// # Errors
    /// Kind `Io`; faults of the index itself are the result.
    pub fn check_deep(&self) -> Result<Vec<Problem>> {
        inspect::check(&self.path, self.searcher.settings(), inspect::Depth::Texts)
    }

    /// In what the index is behind its vault: notes that were added, changed or removed since, by
    /// their bytes. That is no fault; [`Index::update`] brings it up to date.
    ///
    /// # Errors
    /// Kinds `User` and `Io` from the vault; `Corrupt` and `Io` from the file.
    pub fn stale(&self, source: &dyn vault::Source) -> Result<Vec<(Change, String)>> {
        inspect::stale(&self.path, source)
    }

    /// All that the index holds of one note, by its path in any Unicode spelling.
    ///
    /// # Errors
    /// Kind `User` when it is not in the index; `Corrupt` and `Io` from the file.
    pub fn stored(&self, path: &str) -> Result<StoredNote> {
        inspect::stored(&self.path, path)
    }

    /// The links of a note and those to it, by its path or a name that only it has.
    ///
    /// # Errors
    /// Kind `User` when it is not in the index; `Corrupt` and `Io` from the file.
    pub fn links(&self, name: &str) -> Result<NoteLinks> {
        inspect::links(&self.path, name)
    }
}
