//! What can go wrong with judged sets, golden files, runs and figures. Imports no sibling module.

use std::io;
use std::path::PathBuf;

/// An error with its context as fields.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The operating system's answer.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The operating system's answer.
        source: io::Error,
    },
    /// A line of a file is not what the layout asks for.
    #[error("{}:{line}: {detail}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, 1-based.
        line: usize,
        /// What is wrong with it.
        detail: String,
    },
    /// A file holds nothing of what it is for.
    #[error("{} has no {what}", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// What it lacks: `documents`, `queries`, `judgements`, `answers` or, of an index, `notes`.
        what: &'static str,
    },
    /// A metric's name is not known.
    #[error("{name:?} is no metric; there are {known}")]
    Metric {
        /// The name as it was given.
        name: String,
        /// The names that are known.
        known: &'static str,
    },
    /// Two sets of figures cannot be compared.
    #[error("the two have no {what} in common")]
    NothingInCommon {
        /// What they should share: `queries` or `metrics`.
        what: &'static str,
    },
    /// The library refused.
    #[error("{}{source}", query.as_deref().map(|id| format!("query {id}: ")).unwrap_or_default())]
    Library {
        /// The query that was being answered, if one was.
        query: Option<String>,
        /// The library's answer.
        source: hiku::Error,
    },
}

impl From<hiku::Error> for Error {
    fn from(source: hiku::Error) -> Self {
        Error::Library { query: None, source }
    }
}
