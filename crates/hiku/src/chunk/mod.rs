//! A parsed note to chunks: by H2, then H3, then paragraphs, then sentences. Pure and
//! deterministic; knows nothing of files, redaction or storage.
//!
//! What is cut how, with the default sizes:
//!
//! | a section of | becomes |
//! |---|---|
//! | fewer than 30 characters | part of the next section under the same parent, else of the one before |
//! | 30 to 2,000 characters | one chunk |
//! | more, with headings below | its parts by the next level of headings, each by the same rules |
//! | more, without | parts: whole blocks, else sentences or lines, else anything |
//!
//! Each part but the first begins with up to 200 characters of the end of the part before it. A
//! section begins at a heading of level 2 or 1, or at the level that the note has instead.

mod link_lists;
mod outline;
mod pieces;
mod sentences;
mod split;
mod structured;
#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::markdown::Note;
use outline::{Blocks, Outline};
pub(crate) use pieces::PIECES_VERSION;
pub use pieces::{lead_in, pieces};
use sentences::is_longer;
pub use structured::index_text;

/// Sizes that steer the cutting, all in characters (Unicode scalar values).
///
/// Out of range they do no harm: a limit of 0 counts as 1. What the binary accepts is in
/// docs/config.md. Part of the index's identity: another value makes the next update rebuild
/// everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkOptions {
    /// A section shorter than this joins its neighbour. Default 30 (founding rule, not measured).
    pub min_characters: usize,
    /// No chunk's own text is longer than this. Default 2,000 (founding rule); 1,000 moves no
    /// judged set by more than .002 (docs/quality.md).
    pub max_characters: usize,
    /// How much of the end of one part of a cut section is repeated at the start of the next, at
    /// most, whole sentences; and of one piece in the vector of the next. Default 200
    /// (founding rule); for its reader: no judged set moves by more than .003 without.
    pub overlap_characters: usize,
    /// Longest piece that gets a vector of its own. Default 500, range 100 to 2,000; 1,000 is
    /// within noise, 250 gains .009 across languages and makes more vectors (docs/quality.md).
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
///
/// Its number among the note's chunks, from 0, is its identity inside the note.
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
///
/// `text` must be what `note` was parsed from; spans are bytes of it.
///
/// ```
/// use hiku::chunk::{ChunkOptions, chunk};
///
/// let text = "## Morning\nInstalled gitleaks, and told everybody so.\n\n## Evening\n\
///             Soup again, this time with more butter.\n";
/// let note = hiku::markdown::parse(text);
/// let chunks = chunk(&note, text, &ChunkOptions::default());
/// let first: Vec<&str> = chunks.iter().map(|chunk| chunk.headings[0].as_str()).collect();
/// assert_eq!(first, ["Morning", "Evening"]);
/// assert!(text[chunks[1].span.clone()].starts_with("## Evening\nSoup"));
/// ```
pub fn chunk(note: &Note, text: &str, options: &ChunkOptions) -> Vec<Chunk> {
    let outline = Outline::new(note, text);
    let level = section_level(&outline);
    let mut chunks = Vec::new();
    for blocks in link_lists::remaining(&outline) {
        for section in outline.joined(outline.cut(&blocks, level), options.min_characters) {
            push_section(&outline, &section, level, options, &mut chunks);
        }
    }
    chunks
}

/// The level whose headings begin a section, with all above it: 2, or what the note has instead.
fn section_level(outline: &Outline<'_>) -> u8 {
    outline.next_level(&(0..outline.note.blocks.len()), 1).unwrap_or(1)
}

/// Adds a section: whole if it fits, else by the next level of headings below, else in parts.
fn push_section(
    outline: &Outline<'_>,
    section: &Blocks,
    level: u8,
    options: &ChunkOptions,
    chunks: &mut Vec<Chunk>,
) {
    if !is_longer(outline.source(section), options.max_characters) {
        return chunks.push(whole(outline, section));
    }
    let below = outline.next_level(section, level).unwrap_or(level);
    for part in outline.joined(outline.cut(section, below), options.min_characters) {
        if is_longer(outline.source(&part), options.max_characters) {
            push_parts(outline, &part, options, chunks);
        } else {
            chunks.push(whole(outline, &part));
        }
    }
}

fn whole(outline: &Outline<'_>, blocks: &Blocks) -> Chunk {
    Chunk { span: outline.span(blocks), overlap: 0, headings: outline.path(blocks) }
}

fn push_parts(
    outline: &Outline<'_>,
    section: &Blocks,
    options: &ChunkOptions,
    chunks: &mut Vec<Chunk>,
) {
    for part in split::parts(outline, section, options) {
        chunks.push(Chunk {
            span: part.span,
            overlap: part.overlap,
            headings: outline.path(&(part.block..section.end)),
        });
    }
}

/// `title | type | tags | heading path`, empty parts left out.
///
/// ```
/// let line = hiku::chunk::context_line(
///     "Session design",
///     None,
///     &["auth".to_owned(), "project".to_owned()],
///     &["Clocks".to_owned(), "Idle".to_owned()],
/// );
/// assert_eq!(line, "Session design | auth, project | Clocks > Idle");
/// ```
pub fn context_line(
    title: &str,
    note_type: Option<&str>,
    tags: &[String],
    headings: &[String],
) -> String {
    let tags = tags.join(", ");
    let headings = headings.join(" > ");
    let parts = [title, note_type.unwrap_or_default(), &tags, &headings];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.trim().is_empty()).collect();
    parts.join(" | ")
}
