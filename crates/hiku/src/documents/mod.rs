//! What of a note's file is text: its bytes decoded, a canvas or base as Markdown, without control
//! sequences and without data that nobody reads, and the way back to the file's own text. Parses no
//! Markdown and redacts nothing.

mod base;
mod canvas;
mod data;

use std::borrow::Cow;

use crate::markdown::{self, Note};
use crate::text::{Cuts, clean};
use crate::vault::{NoteKind, VaultPath, decode};

use data::without_data;

/// A note's text.
#[derive(Debug, Clone)]
pub(crate) struct Document<'b> {
    /// The text of the file, as decoded, or what was written of it as Markdown. Lines and offsets
    /// that are shown are of this one.
    original: Cow<'b, str>,
    /// The text that everything is made of, where it differs.
    text: Option<String>,
    /// What was taken out, in the order in which it was done.
    cuts: [Cuts; 2],
    /// Name of the encoding where it was not UTF-8.
    pub(crate) encoding: Option<&'static str>,
    /// True where bytes could not be read and became U+FFFD.
    pub(crate) lossy: bool,
    /// True where the text was written of another format. It has no front matter, and its title is
    /// its file's name.
    pub(crate) is_written: bool,
}

/// A file that is not what its extension says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Malformed {
    /// What is wrong, as a phrase.
    pub(crate) reason: &'static str,
    /// The same as the predicate of a sentence.
    pub(crate) problem: &'static str,
    /// 1-based line at which it ceases to be readable.
    pub(crate) line: usize,
}

impl<'b> Document<'b> {
    /// Reads the bytes of the note at `path`.
    ///
    /// # Errors
    /// For a canvas or base that is none.
    pub(crate) fn read(path: &VaultPath, bytes: &'b [u8]) -> Result<Self, Malformed> {
        let decoded = decode(bytes);
        let written = written(path.kind(), &decoded.text)?;
        let is_written = written.is_some();
        let original = written.map_or(decoded.text, Cow::Owned);
        let cleaned = clean(&original);
        let (rest, data) = without_data(&cleaned.text);
        let text = match (rest, &cleaned.text) {
            (Cow::Owned(text), _) => Some(text),
            (Cow::Borrowed(_), Cow::Owned(text)) => Some(text.clone()),
            (Cow::Borrowed(_), Cow::Borrowed(_)) => None,
        };
        Ok(Document {
            text,
            cuts: [cleaned.cuts, data],
            original,
            encoding: decoded.encoding,
            lossy: decoded.lossy,
            is_written,
        })
    }

    /// Parses a text that was made of [`Self::text`].
    pub(crate) fn parse(&self, text: &str) -> Note {
        if self.is_written { markdown::parse_body(text) } else { markdown::parse(text) }
    }

    /// The text that everything is made of. It has the line breaks of the file's.
    pub(crate) fn text(&self) -> &str {
        self.text.as_deref().unwrap_or(&self.original)
    }

    /// The file's text, as decoded.
    pub(crate) fn original(&self) -> &str {
        &self.original
    }

    /// Byte offset in [`Self::original`] that corresponds to `offset` in [`Self::text`].
    pub(crate) fn original_offset(&self, offset: usize) -> usize {
        self.cuts.iter().rev().fold(offset, |offset, cuts| cuts.original_offset(offset))
    }
}

/// The Markdown of a file in another format; `None` for what is Markdown itself.
fn written(kind: NoteKind, text: &str) -> Result<Option<String>, Malformed> {
    let (written, reason, problem) = match kind {
        NoteKind::Markdown => return Ok(None),
        NoteKind::Canvas => {
            (canvas::markdown(text), "not a readable JSON Canvas", "is not a readable JSON Canvas")
        }
        NoteKind::Base => {
            (base::markdown(text), "not a readable base (YAML)", "is not a readable base (YAML)")
        }
    };
    written.map(Some).map_err(|line| Malformed { reason, problem, line })
}
