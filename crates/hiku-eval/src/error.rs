//! What can go wrong with a judged set. Imports no sibling module.

use std::io;
use std::path::PathBuf;

/// An error with its context as fields.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file of the set cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The operating system's answer.
        source: io::Error,
    },
    /// A line of the set is not what the layout asks for.
    #[error("{}:{line}: {detail}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, 1-based.
        line: usize,
        /// What is wrong with it.
        detail: String,
    },
    /// The corpus has no documents.
    #[error("{} has no documents", path.display())]
    Empty {
        /// The corpus file.
        path: PathBuf,
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
