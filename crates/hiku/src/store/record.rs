//! The two records of a note that are not searched by SQL: what is known of it (attributes) and
//! where its chunks stand (layout). LEB128 numbers and length-prefixed texts, in the order of the
//! fields; a first number tells the version.

use std::ops::Range;

use crate::postings::{Reader, write_bytes, write_number};

/// Version of both records.
const VERSION: u64 = 1;

/// What is known of a note beside its text. Its links are not repeated here: they stand in the
/// text, and as terms in the term index.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Attributes {
    /// Aliases.
    pub aliases: Vec<String>,
    /// Tags without `#`.
    pub tags: Vec<String>,
    /// `type`; empty where it has none.
    pub note_type: String,
    /// Encoding where it was not UTF-8; empty otherwise.
    pub encoding: String,
    /// Warnings, (1-based line, message).
    pub warnings: Vec<(usize, String)>,
    /// Redacted credentials, (rule, count).
    pub redactions: Vec<(String, usize)>,
    /// True where the title was given from outside and the text has no front matter.
    pub given_title: bool,
}

/// Where one chunk stands.
///
/// Stored text and file differ where something was redacted; spans of both are kept, so that lines
/// are those of the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ChunkLayout {
    /// Bytes in the stored (redacted) text.
    pub span: Range<usize>,
    /// Bytes at its start that repeat the chunk before.
    pub overlap: usize,
    /// Bytes in the file as decoded.
    pub original: Range<usize>,
    /// First line in the file, 1-based.
    pub line_start: usize,
    /// Last line in the file, 1-based.
    pub line_end: usize,
    /// Heading path.
    pub headings: Vec<String>,
    /// Vector pieces of this chunk.
    pub pieces: usize,
}

/// All chunks of a note, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Layout {
    /// The chunks.
    pub chunks: Vec<ChunkLayout>,
}

fn put(out: &mut Vec<u8>, number: usize) {
    write_number(out, number as u64);
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    write_bytes(out, text.as_bytes());
}

fn put_list<T>(out: &mut Vec<u8>, items: &[T], each: impl Fn(&mut Vec<u8>, &T)) {
    put(out, items.len());
    for item in items {
        each(out, item);
    }
}

fn take(reader: &mut Reader<'_>) -> Option<usize> {
    usize::try_from(reader.number()?).ok()
}

fn take_text(reader: &mut Reader<'_>) -> Option<String> {
    reader.text().map(str::to_owned)
}

fn take_list<'b, T>(
    reader: &mut Reader<'b>,
    mut each: impl FnMut(&mut Reader<'b>) -> Option<T>,
) -> Option<Vec<T>> {
    let count = take(reader)?;
    let mut items = Vec::with_capacity(count.min(1 << 12));
    for _ in 0..count {
        items.push(each(reader)?);
    }
    Some(items)
}

impl Attributes {
    /// The record's bytes.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        write_number(&mut out, VERSION);
        put_list(&mut out, &self.aliases, |out, alias| put_text(out, alias));
        put_list(&mut out, &self.tags, |out, tag| put_text(out, tag));
        put_text(&mut out, &self.note_type);
        put_text(&mut out, &self.encoding);
        put_list(&mut out, &self.warnings, |out, (line, message)| {
            put(out, *line);
            put_text(out, message);
        });
        put_list(&mut out, &self.redactions, |out, (rule, count)| {
            put_text(out, rule);
            put(out, *count);
        });
        put(&mut out, usize::from(self.given_title));
        out
    }

    /// Reads a record; `None` where it is damaged.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let reader = &mut Reader::new(bytes);
        if reader.number()? != VERSION {
            return None;
        }
        Some(Attributes {
            aliases: take_list(reader, take_text)?,
            tags: take_list(reader, take_text)?,
            note_type: take_text(reader)?,
            encoding: take_text(reader)?,
            warnings: take_list(reader, |r| Some((take(r)?, take_text(r)?)))?,
            redactions: take_list(reader, |r| Some((take_text(r)?, take(r)?)))?,
            given_title: take(reader)? == 1,
        })
    }
}

impl Layout {
    /// The record's bytes. Heading paths share their texts with the chunk before.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        write_number(&mut out, VERSION);
        put(&mut out, self.chunks.len());
        let mut previous: &[String] = &[];
        for chunk in &self.chunks {
            for number in [
                chunk.span.start,
                chunk.span.len(),
                chunk.overlap,
                chunk.original.start,
                chunk.original.len(),
                chunk.line_start,
                chunk.line_end.saturating_sub(chunk.line_start),
                chunk.pieces,
            ] {
                put(&mut out, number);
            }
            let shared = chunk
                .headings
                .iter()
                .zip(previous)
                .take_while(|(here, above)| here == above)
                .count();
            put(&mut out, shared);
            put_list(&mut out, &chunk.headings[shared..], |out, heading| put_text(out, heading));
            previous = &chunk.headings;
        }
        out
    }

    /// Reads a record; `None` where it is damaged.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let reader = &mut Reader::new(bytes);
        if reader.number()? != VERSION {
            return None;
        }
        let mut previous: Vec<String> = Vec::new();
        let chunks = take_list(reader, |reader| {
            let mut numbers = [0usize; 8];
            for number in &mut numbers {
                *number = take(reader)?;
            }
            let [start, length, overlap, original, original_length, line, more_lines, pieces] =
                numbers;
            let shared = take(reader)?;
            let mut headings = previous.get(..shared)?.to_vec();
            headings.append(&mut take_list(reader, take_text)?);
            previous.clone_from(&headings);
            Some(ChunkLayout {
                span: start..start.checked_add(length)?,
                overlap,
                original: original..original.checked_add(original_length)?,
                line_start: line,
                line_end: line.checked_add(more_lines)?,
                headings,
                pieces,
            })
        })?;
        Some(Layout { chunks })
    }
}
