//! Whether notes, vectors, title vectors, norms and sketches agree.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Findings, Parts, UPDATE};
use crate::error::Result;
use crate::store::{NoteRow, PlacementSizes, VectorSizes};

/// Bytes of a stored vector before its steps: its scale.
const SCALE_BYTES: usize = 4;
/// Bytes of a norm.
const NORM_BYTES: usize = 4;

/// All vectors of an index by what they belong to.
struct Vectors {
    by_id: FxHashMap<i64, VectorSizes>,
    placements: FxHashMap<i64, PlacementSizes>,
    /// Bytes of a stored vector; 0 where the index has none.
    vector_bytes: usize,
}

/// With a model every note has vectors, a title vector and norms, in the number that its layout and
/// the term index say; nothing is left over, and without a model there is nothing at all.
pub(super) fn vectors(parts: &mut Parts<'_>, findings: &mut Findings) -> Result<()> {
    let placements = parts.store.placement_sizes()?;
    let vectors = Vectors {
        by_id: parts.store.vector_sizes()?.into_iter().map(|v| (v.vector_id, v)).collect(),
        vector_bytes: placements.first().map_or(0, |placement| placement.title),
        placements: placements.into_iter().map(|p| (p.note_id, p)).collect(),
    };
    let with_model = parts.store.meta_text("model")?.is_some_and(|model| !model.is_empty());
    for row in &parts.notes {
        let fault = if with_model && row.vector_id.is_none() {
            let what = "a note has no vectors yet: the model was missing when it was indexed";
            findings.add_with(UPDATE, what, &row.path);
            None
        } else if with_model {
            fault_of(row, &vectors, parts)
        } else {
            row.vector_id.map(|_| "a note has vectors though the index has no model")
        };
        if let Some(what) = fault {
            findings.add(what, &row.path);
        }
    }
    left_over(parts, &vectors, findings);
    sketches(parts, vectors.vector_bytes, findings)
}

fn fault_of(row: &NoteRow, vectors: &Vectors, parts: &Parts<'_>) -> Option<&'static str> {
    let Some(own) = row.vector_id.and_then(|vector_id| vectors.by_id.get(&vector_id)) else {
        return Some("a note's vectors are missing");
    };
    if own.hash != row.hash {
        return Some("a note's vectors are those of another text");
    }
    let Some(placement) = vectors.placements.get(&row.note_id) else {
        return Some("a note's title vector is missing");
    };
    if placement.title != vectors.vector_bytes || placement.title <= SCALE_BYTES {
        return Some("title vectors differ in length");
    }
    let columns = parts.segment(row.segment_id);
    let in_segment = columns.and_then(|columns| columns.piece_counts.get(row.ordinal as usize));
    let in_layout = parts.layout_pieces.get(&row.note_id);
    let pieces = own.pieces / vectors.vector_bytes;
    let agree = own.pieces % vectors.vector_bytes == 0
        && placement.norms == pieces * NORM_BYTES
        && in_segment.is_none_or(|counted| *counted as usize == pieces)
        && in_layout.is_none_or(|counted| *counted == pieces);
    (!agree).then_some("a note's vectors, norms, chunks and term index disagree on its pieces")
}

fn left_over(parts: &Parts<'_>, vectors: &Vectors, findings: &mut Findings) {
    let used: FxHashSet<i64> = parts.notes.iter().filter_map(|row| row.vector_id).collect();
    let mut unused: Vec<&i64> = vectors.by_id.keys().filter(|id| !used.contains(id)).collect();
    unused.sort_unstable();
    for vector_id in unused {
        findings.add("vectors belong to no note", format_args!("vectors {vector_id}"));
    }
    let mut strays: Vec<&i64> =
        vectors.placements.keys().filter(|id| !parts.by_id.contains_key(id)).collect();
    strays.sort_unstable();
    for note_id in strays {
        findings.add("a title vector belongs to no note", format_args!("note {note_id}"));
    }
}

/// Each segment has a sketch of one bit a dimension, in whole words, for each piece.
fn sketches(parts: &Parts<'_>, vector_bytes: usize, findings: &mut Findings) -> Result<()> {
    let sketch_bytes = vector_bytes.saturating_sub(SCALE_BYTES).div_ceil(64) * 8;
    for columns in &parts.segments {
        let mut bytes = 0;
        parts.store.sketches(columns.segment_id, |part| bytes += part.len())?;
        let pieces: usize = columns.piece_counts.iter().map(|count| *count as usize).sum();
        if bytes != pieces * sketch_bytes {
            findings.add(
                "a segment has more or fewer sketches than pieces",
                format_args!("segment {}", columns.segment_id),
            );
        }
    }
    Ok(())
}
