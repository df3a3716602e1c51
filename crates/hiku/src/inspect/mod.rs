//! Looking into an index: its status, its faults, and everything it holds of one note. Plain data
//! out; changes nothing.

mod check;
mod links;
mod stale;
mod status;
mod stored;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use check::{Depth, check};
pub(crate) use links::links;
pub(crate) use stale::stale;
pub(crate) use status::status;
pub(crate) use stored::stored;

/// An index at a glance.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Status {
    /// Notes.
    pub notes: usize,
    /// Chunks.
    pub chunks: usize,
    /// Vector pieces.
    pub pieces: usize,
    /// Segments of the term index.
    pub segments: usize,
    /// Grows by one with each published change.
    pub generation: i64,
    /// Id of the embedding model; empty without one.
    pub model: String,
    /// Format version of the file.
    pub format: i64,
    /// Version of the terms.
    pub tokenizer: u32,
    /// Version of the credential rules.
    pub rules: u32,
    /// Size of the file and its write-ahead log in bytes.
    pub bytes: u64,
    /// Notes that the token weights were counted in; compared with `notes` it tells their age.
    pub epoch_notes: usize,
    /// Files skipped by the last update, (path, reason).
    pub skipped: Vec<(String, String)>,
    /// Warnings of the notes that are indexed now, (path, line, message).
    pub warnings: Vec<(String, usize, String)>,
    /// Notes that are not in UTF-8, (encoding, notes), by encoding.
    pub encodings: Vec<(String, usize)>,
    /// Credentials redacted in the notes that are indexed now, (rule, count, notes).
    pub redactions: Vec<(String, usize, usize)>,
}

/// A fault that a check of the index found.
///
/// Message and remedy are for people; programs count problems.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong, one sentence without a full stop.
    pub message: String,
    /// What to do about it.
    /// Ends in a command, `hiku index` or `hiku index --full`, without the flags that name
    /// the place, which the library does not know.
    pub remedy: &'static str,
}

/// All that the index holds of one note.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StoredNote {
    /// Identity in this index.
    pub note_id: i64,
    /// Path as on disk.
    pub path: String,
    /// Title in use.
    pub title: String,
    /// Aliases.
    pub aliases: Vec<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// `type`, if any.
    pub note_type: Option<String>,
    /// Date used by filters, `YYYY-MM-DD`.
    pub date: String,
    /// Content hash, hexadecimal.
    /// The first 128 bits of BLAKE3 over the file's bytes.
    pub hash: String,
    /// Redacted credentials, (rule, count).
    pub redactions: Vec<(String, usize)>,
    /// Warnings, (line, message).
    pub warnings: Vec<(usize, String)>,
    /// Links as written, (kind, target, line); the kinds are `wiki`, `embed`, `markdown`,
    /// `external`.
    pub links: Vec<(String, String, usize)>,
    /// Chunks in order.
    pub chunks: Vec<StoredChunk>,
    /// Body terms with class and count, by class then term.
    pub terms: Vec<(&'static str, String, u32)>,
    /// Id of the model whose vectors are stored; empty without.
    pub model: String,
}

/// A link between two notes of the vault.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NoteLink {
    /// The note at its other end: the one that it leads to, or for a link to a note the one that it
    /// stands in. `None` for a target that is no note of the index.
    pub path: Option<String>,
    /// That note's title; empty without one.
    pub title: String,
    /// Target and heading as they are written in the link.
    pub written: String,
    /// The line that it stands in, 1-based.
    pub line: usize,
    /// True for `![[target]]`, which shows the target in place.
    pub is_embed: bool,
}

/// The links of a note, resolved by Obsidian's rules. Links to URLs, and to the note's own headings,
/// are not among them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NoteLinks {
    /// The note's path as on disk.
    pub path: String,
    /// Its title.
    pub title: String,
    /// The links that stand in it, in their order.
    pub links: Vec<NoteLink>,
    /// The first link to it of each note that has one, by that note's path.
    pub backlinks: Vec<NoteLink>,
    /// Notes that hold a link of that name and were too many to be read; 0 below 1,000.
    pub unread: usize,
}

/// A chunk as it is stored.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StoredChunk {
    /// `title | type | tags | heading path`.
    pub context: String,
    /// First line in the file, 1-based.
    pub line_start: usize,
    /// Last line in the file, 1-based.
    pub line_end: usize,
    /// Byte range in the file as read (after decoding).
    pub bytes: std::ops::Range<usize>,
    /// The text, redacted.
    pub text: String,
    /// Vector pieces of this chunk.
    pub pieces: usize,
}
