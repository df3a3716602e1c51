//! A parsed note to chunks: by H2, then H3, then paragraphs, then sentences. Pure and
//! deterministic; knows nothing of files, redaction or storage.

use std::borrow::Cow;
use std::ops::Range;

use crate::markdown::Note;

/// Sizes that steer the cutting, all in characters (Unicode scalar values).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkOptions {
    /// A section shorter than this joins its neighbour. Default 30 (founding rule).
    pub min_characters: usize,
    /// No chunk's own text is longer than this. Default 2,000 (founding rule).
    pub max_characters: usize,
    /// How much of the end of one part of a cut section is repeated at the start of the next, at
    /// most; whole sentences. Default 200.
    pub overlap_characters: usize,
    /// Longest piece that gets a vector of its own. Default 500, range 100 to 2,000.
    pub piece_characters: usize,
}

impl Default for ChunkOptions {
    fn default() -> Self {
        ChunkOptions {
            min_characters: 30,
            max_characters: 2_000,
            overlap_characters: 200,
            piece_characters: 500,
        }
    }
}

/// A passage of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Byte range in the parsed text, on character boundaries. Chunks are in order; a chunk starts
    /// inside its predecessor only by the overlap of a cut section.
    pub span: Range<usize>,
    /// Bytes at the start of `span` that repeat the end of the previous chunk.
    pub overlap: usize,
    /// Texts of the headings above and at its start, outermost first.
    pub headings: Vec<String>,
}

/// Cuts a parsed note into chunks. Every non-blank part of the body outside link-list sections is
/// covered; a note with any text outside them has at least one chunk.
pub fn chunk(_note: &Note, _text: &str, _options: &ChunkOptions) -> Vec<Chunk> {
    Vec::new()
}

/// `title | type | tags | heading path`, empty parts left out.
pub fn context_line(
    title: &str,
    note_type: Option<&str>,
    tags: &[String],
    headings: &[String],
) -> String {
    let _ = (note_type, tags, headings);
    title.to_owned()
}

/// The text that is indexed for a stretch of a note: JSON and YAML code blocks (and a whole text
/// that is one) as `key.path: value` lines, everything else as it is.
pub fn index_text<'t>(_note: &Note, text: &'t str, span: Range<usize>) -> Cow<'t, str> {
    Cow::Borrowed(&text[span])
}

/// Cuts text into pieces of at most `max_characters`, packed greedily from sentences; a longer
/// sentence is cut. Blank pieces are left out.
pub fn pieces(_text: &str, _max_characters: usize) -> Vec<&str> {
    Vec::new()
}
