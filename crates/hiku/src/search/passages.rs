//! The passages of a hit: which chunks of a note to show, with their lines and text.

use crate::retrieve::NoteCosines;
use crate::scrub::Scrubber;
use crate::snippet::Snippeter;
use crate::store::{ChunkLayout, DocumentRow, Layout};
use crate::text::sanitize;

use super::types::Passage;

/// Passages of a note beside the best that are shown at most. A hit is to say where to look, not to
/// replace the note.
const MORE_PASSAGES: usize = 2;
/// A further passage is shown when its score is at least this share of the best one's.
const MORE_SHARE: f64 = 0.85;

/// A chunk's scores.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ChunkScore {
    pub(super) number: usize,
    /// Lexical share of the fused score.
    pub(super) lexical: f64,
    /// Dense share of the fused score.
    pub(super) dense: f64,
}

impl ChunkScore {
    pub(super) fn total(self) -> f64 {
        self.lexical + self.dense
    }
}

/// Scores of all chunks, best first; equal ones in the note's order.
///
/// `lexical` holds a score for each chunk, on the scale of `ideal`; a chunk that is missing in it
/// or in `cosines` has 0. A chunk's dense score is that of its best piece.
pub(super) fn rank_chunks(
    layout: &Layout,
    lexical: &[f64],
    ideal: f64,
    cosines: Option<&NoteCosines>,
    lexical_share: f64,
) -> Vec<ChunkScore> {
    let mut piece = 0;
    let mut scores: Vec<ChunkScore> = layout
        .chunks
        .iter()
        .enumerate()
        .map(|(number, chunk)| {
            let pieces = piece..piece + chunk.pieces;
            piece = pieces.end;
            let near = cosines
                .and_then(|cosines| cosines.combined.get(pieces)?.iter().copied().reduce(f32::max));
            let word = lexical.get(number).copied().unwrap_or(0.0);
            ChunkScore {
                number,
                lexical: if ideal > 0.0 { lexical_share * word / ideal } else { 0.0 },
                dense: (1.0 - lexical_share) * near.map_or(0.0, |near| f64::from(near.max(0.0))),
            }
        })
        .collect();
    scores.sort_by(|a, b| b.total().total_cmp(&a.total()));
    scores
}

/// The chunks to show of a note's hit.
pub(super) fn chosen(scores: &[ChunkScore]) -> &[ChunkScore] {
    let best = scores.first().map_or(0.0, |score| score.total());
    let fits = |score: &&ChunkScore| score.total() > 0.0 && score.total() >= best * MORE_SHARE;
    let count = 1 + scores.iter().skip(1).take(MORE_PASSAGES).take_while(fits).count();
    &scores[..count.min(scores.len())]
}

/// Makes passages of a document's chunks.
pub(super) struct PassageMaker<'m> {
    pub(super) scrubber: &'m Scrubber,
    pub(super) snippeter: Snippeter,
}

impl PassageMaker<'_> {
    /// The passage of one chunk.
    pub(super) fn passage(&self, note_id: i64, document: &DocumentRow, number: usize) -> Passage {
        let Some(chunk) = document.layout.chunks.get(number) else {
            return empty(note_id, number);
        };
        let text = document.text.get(chunk.span.clone()).unwrap_or_default();
        let scrubbed = self.scrubber.scrub(text.trim_end());
        let text = sanitize(&scrubbed.text).into_owned();
        Passage {
            chunk_id: chunk_id(note_id, number),
            headings: clean_headings(chunk),
            line_start: chunk.line_start,
            line_end: chunk.line_end,
            snippet: self.snippeter.snippet(&text),
            text,
        }
    }
}

/// A note without any chunk: its title is all there is.
fn empty(note_id: i64, number: usize) -> Passage {
    Passage {
        chunk_id: chunk_id(note_id, number),
        headings: Vec::new(),
        line_start: 1,
        line_end: 1,
        text: String::new(),
        snippet: String::new(),
    }
}

fn chunk_id(note_id: i64, number: usize) -> String {
    format!("{note_id}.{number}")
}

fn clean_headings(chunk: &ChunkLayout) -> Vec<String> {
    chunk.headings.iter().map(|heading| sanitize(heading).into_owned()).collect()
}
