//! The library's one error type and its kinds. Imports no sibling module; knows nothing of
//! exit codes or wording for a terminal, which are the binary's.
//!
//! Fields carry what happened, so that a caller can word it anew; `Display` is one English sentence
//! without a full stop. Work over many notes returns a value and a list of what went wrong, and no
//! error for a single note.

use std::io;
use std::path::{Path, PathBuf};

/// Result of the library's fallible calls.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What sort of failure an [`Error`] is: callers choose their reaction (and exit code) by it.
///
/// | kind | what a caller does |
/// |---|---|
/// | `User` | says what is wrong with the request |
/// | `Io` | says what the system refused; trying again may help |
/// | `Corrupt`, `Incompatible` | rebuilds: the index is a cache of the vault |
/// | `Busy` | waits, or answers from the index as it is |
/// | `Internal` | reports a fault of this library |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request itself is wrong: a vault that is not there, a bad glob, a limit out of range.
    User,
    /// The operating system refused a read or a write.
    Io,
    /// The index file is damaged, foreign or missing and must be rebuilt.
    Corrupt,
    /// The index file or model has another format than this program reads.
    Incompatible,
    /// Another process holds the writer lock.
    Busy,
    /// A bug in this library.
    Internal,
}

/// Everything that can go wrong in the library, with its context as fields.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The vault folder does not exist or is not a folder.
    #[error("vault {} {problem}", path.display())]
    Vault {
        /// The folder as it was given.
        path: PathBuf,
        /// What is wrong with it, as a predicate ("does not exist").
        problem: &'static str,
    },
    /// A file could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried, as a verb phrase without the path ("open the index").
        action: &'static str,
        /// The operating system's answer.
        source: io::Error,
    },
    /// There is no index file yet.
    #[error("there is no index at {}", path.display())]
    IndexMissing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// The index file is damaged.
    #[error("the index {} is damaged: {detail}", path.display())]
    IndexDamaged {
        /// The index file.
        path: PathBuf,
        /// What was found wrong.
        detail: String,
    },
    /// The file is an `SQLite` file, or any other file, that Hiku did not make.
    #[error("{} is not an index that Hiku made", path.display())]
    IndexForeign {
        /// The file.
        path: PathBuf,
    },
    /// No index can stand where one was asked for.
    #[error("there can be no index at {}: {problem}", path.display())]
    IndexPlace {
        /// The place.
        path: PathBuf,
        /// What stands there, as a clause ("it is a folder, and an index is a file").
        problem: &'static str,
    },
    /// The index is that of another vault.
    #[error("the index {} is not of the vault {}, but of another", path.display(), vault.display())]
    OtherVault {
        /// The index file.
        path: PathBuf,
        /// The vault that it was to be used for.
        vault: PathBuf,
    },
    /// The index was written by a newer (or an older, no longer readable) Hiku.
    #[error("the index {} has format {found}; this program reads format {supported}", path.display())]
    IndexFormat {
        /// The index file.
        path: PathBuf,
        /// The format version in the file.
        found: i64,
        /// The format version that this build reads.
        supported: i64,
    },
    /// The index was made with another embedding model than the one in use.
    #[error("the index {} was made with model {found}, and the model in use is {wanted}", path.display())]
    ModelChanged {
        /// The index file.
        path: PathBuf,
        /// The model recorded in the index.
        found: String,
        /// The model in use.
        wanted: String,
    },
    /// Another process is writing the index.
    #[error("another process is writing the index {}{}", path.display(), holder.as_deref().map(|h| format!(" ({h})")).unwrap_or_default())]
    Busy {
        /// The index file.
        path: PathBuf,
        /// Who holds the lock, as far as the lock file says.
        holder: Option<String>,
    },
    /// A number is outside its range.
    #[error("{name} is {value}, and must be {minimum} to {maximum}")]
    OutOfRange {
        /// The setting's name.
        name: &'static str,
        /// What was given.
        value: u64,
        /// The least that is allowed.
        minimum: u64,
        /// The most that is allowed.
        maximum: u64,
    },
    /// A path pattern cannot be read.
    #[error("cannot read the path pattern {pattern:?}: {detail}")]
    Pattern {
        /// The pattern as it was given.
        pattern: String,
        /// What is wrong with it.
        detail: String,
    },
    /// A note that was asked for is not in the vault, or a path leads out of it.
    #[error("{path:?} {problem}")]
    Note {
        /// The path as it was given.
        path: String,
        /// What is wrong, as a predicate ("is not a note of this vault").
        problem: &'static str,
    },
    /// A name that several notes have.
    #[error("{name:?} is the name of several notes: {}", paths.join(", "))]
    NoteAmbiguous {
        /// The name as it was given.
        name: String,
        /// The notes' paths.
        paths: Vec<String>,
    },
    /// A heading that was asked for is not in the note.
    #[error("{path:?} has no heading {heading:?}")]
    NoHeading {
        /// The note's path.
        path: String,
        /// The heading as it was given.
        heading: String,
    },
    /// A range of lines that was asked for begins past the note's end, or ends before it begins.
    #[error("{path:?} has {lines} lines, and no lines {start} to {end}")]
    NoLines {
        /// The note's path.
        path: String,
        /// First line that was asked for, 1-based.
        start: usize,
        /// Last line that was asked for, 1-based.
        end: usize,
        /// Lines in the note.
        lines: usize,
    },
    /// The embedding model cannot be used.
    #[error("cannot use the model {}: {detail}", path.display())]
    Model {
        /// The model's folder or name.
        path: PathBuf,
        /// What is wrong with it.
        detail: String,
    },
    /// A signal that was required is missing.
    #[error("the {signal} signal is missing: {reason}")]
    SignalMissing {
        /// The signal's name.
        signal: &'static str,
        /// Why it did not run.
        reason: String,
    },
    /// The run was cancelled before anything could be done.
    #[error("stopped before anything was done")]
    Cancelled,
    /// `SQLite` refused for a reason that is none of the above.
    #[error("cannot {action} in the index {}: {source}", path.display())]
    Sqlite {
        /// The index file.
        path: PathBuf,
        /// What was tried, as a verb phrase.
        action: &'static str,
        /// `SQLite`'s answer, boxed so that the public face names no `SQLite` type.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// An invariant of this library does not hold.
    #[error("internal fault: {detail}")]
    Internal {
        /// What was expected and not found.
        detail: String,
    },
}

impl Error {
    /// The kind of this error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::Vault { .. }
            | Error::IndexPlace { .. }
            | Error::OtherVault { .. }
            | Error::OutOfRange { .. }
            | Error::Pattern { .. }
            | Error::Note { .. }
            | Error::NoteAmbiguous { .. }
            | Error::NoHeading { .. }
            | Error::NoLines { .. }
            | Error::Model { .. }
            | Error::SignalMissing { .. }
            | Error::Cancelled => ErrorKind::User,
            Error::Io { .. } | Error::Sqlite { .. } => ErrorKind::Io,
            Error::IndexMissing { .. }
            | Error::IndexDamaged { .. }
            | Error::IndexForeign { .. } => ErrorKind::Corrupt,
            Error::IndexFormat { .. } | Error::ModelChanged { .. } => ErrorKind::Incompatible,
            Error::Busy { .. } => ErrorKind::Busy,
            Error::Internal { .. } => ErrorKind::Internal,
        }
    }

    /// Wraps an I/O error with the file and what was tried.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// let cause = std::io::Error::other("no");
    /// let error = hiku::Error::io(Path::new("/i.hiku"), "open the index", cause);
    /// assert_eq!(error.to_string(), "cannot open the index /i.hiku: no");
    /// assert_eq!(error.kind(), hiku::ErrorKind::Io);
    /// ```
    pub fn io(path: &Path, action: &'static str, source: io::Error) -> Self {
        Error::Io { path: path.to_path_buf(), action, source }
    }
}
