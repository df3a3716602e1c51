//! What of a note's file is text: its bytes decoded, without control sequences and without data
//! that nobody reads, and the way back to the file's own text. Parses no Markdown and redacts
//! nothing.

mod data;

use std::borrow::Cow;

use crate::text::{Cuts, clean};
use crate::vault::decode;

use data::without_data;

/// A note's text.
#[derive(Debug, Clone)]
pub(crate) struct Document<'b> {
    /// The text of the file, as decoded. Lines and offsets that are shown are of this one.
    original: Cow<'b, str>,
    /// The text that everything is made of, where it differs.
    text: Option<String>,
    /// What was taken out, in the order in which it was done.
    cuts: [Cuts; 2],
    /// Name of the encoding where it was not UTF-8.
    pub(crate) encoding: Option<&'static str>,
    /// True where bytes could not be read and became U+FFFD.
    pub(crate) lossy: bool,
}

impl<'b> Document<'b> {
    /// Reads a note's bytes.
    pub(crate) fn read(bytes: &'b [u8]) -> Self {
        let decoded = decode(bytes);
        let cleaned = clean(&decoded.text);
        let (rest, data) = without_data(&cleaned.text);
        let text = match (rest, &cleaned.text) {
            (Cow::Owned(text), _) => Some(text),
            (Cow::Borrowed(_), Cow::Owned(text)) => Some(text.clone()),
            (Cow::Borrowed(_), Cow::Borrowed(_)) => None,
        };
        Document {
            text,
            cuts: [cleaned.cuts, data],
            original: decoded.text,
            encoding: decoded.encoding,
            lossy: decoded.lossy,
        }
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
