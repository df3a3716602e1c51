//! A parsed note to chunks: by H2, then H3, then paragraphs, then sentences. Pure and
//! deterministic; knows nothing of files, redaction or storage.

mod json;
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkOptions {
    /// A section shorter than this joins its neighbour. Default 30 (founding rule).
    pub min_characters: usize,
    /// No chunk's own text is longer than this. Default 2,000 (founding rule).
    pub max_characters: usize,
    /// How much of the end of one part of a cut section is repeated at the start of the next, at
    /// most, whole sentences; and of one piece in the vector of the next. Default 200.
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
