//! All vectors of an index in memory, in the order of documents and pieces, for a process that
//! answers many queries.

use super::dense::Comparer;
use super::sketches::Near;
use super::snapshot::{Document, Snapshot};
use crate::error::Result;
use crate::store::Store;

/// Bytes of a stored norm.
const NORM_BYTES: usize = 4;
/// Bytes of a stored vector beside its dimensions.
const SCALE_BYTES: usize = 4;

/// The vectors of one generation.
#[derive(Debug, Default)]
pub(crate) struct VectorCache {
    segments: Vec<SegmentVectors>,
    vector_bytes: usize,
}

/// Titles by document, norms and pieces by piece; zeros where a document is dead or has none.
#[derive(Debug, Default)]
struct SegmentVectors {
    titles: Vec<u8>,
    norms: Vec<u8>,
    pieces: Vec<u8>,
}

impl VectorCache {
    /// Bytes that the vectors of a state take.
    pub(crate) fn bytes_needed(snapshot: &Snapshot, dimensions: usize) -> usize {
        let pieces: usize = snapshot
            .piece_starts
            .iter()
            .filter_map(|starts| starts.last())
            .map(|n| *n as usize)
            .sum();
        (pieces + snapshot.documents) * (dimensions + SCALE_BYTES) + pieces * NORM_BYTES
    }

    /// Reads all vectors.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn load(store: &Store, snapshot: &Snapshot, dimensions: usize) -> Result<Self> {
        let vector_bytes = dimensions + SCALE_BYTES;
        let mut cache = VectorCache { segments: Vec::new(), vector_bytes };
        for (columns, starts) in snapshot.segments.iter().zip(&snapshot.piece_starts) {
            let pieces = starts.last().map_or(0, |end| *end as usize);
            let mut vectors = SegmentVectors {
                titles: vec![0; columns.notes.len() * vector_bytes],
                norms: vec![0; pieces * NORM_BYTES],
                pieces: vec![0; pieces * vector_bytes],
            };
            for (document, note_id) in columns.notes.iter().enumerate() {
                if columns.dead[document] {
                    continue;
                }
                let first = starts[document] as usize;
                store.vectors(*note_id, |title, norms, pieces| {
                    put(&mut vectors.titles, document * vector_bytes, title);
                    put(&mut vectors.norms, first * NORM_BYTES, norms);
                    put(&mut vectors.pieces, first * vector_bytes, pieces);
                })?;
            }
            cache.segments.push(vectors);
        }
        Ok(cache)
    }

    /// Cosine of the best near piece of each document that has one.
    pub(crate) fn best_of_near(
        &self,
        snapshot: &Snapshot,
        comparer: Comparer<'_>,
        near: &Near,
    ) -> Vec<(Document, f64)> {
        let best = |pieces: &[(Document, u32)]| {
            let vectors = self.of(snapshot, pieces[0].0);
            vectors.map_or(0.0, |[title, norms, all]| comparer.best(title, norms, all, pieces))
        };
        near.pieces.chunk_by(|a, b| a.0 == b.0).map(|own| (own[0].0, best(own))).collect()
    }

    /// Title, norms and pieces of a document.
    pub(crate) fn of(&self, snapshot: &Snapshot, document: Document) -> Option<[&[u8]; 3]> {
        let (segment, ordinal) = snapshot.place(document);
        let vectors = self.segments.get(segment)?;
        let starts = snapshot.piece_starts.get(segment)?;
        let (first, end) = (*starts.get(ordinal)? as usize, *starts.get(ordinal + 1)? as usize);
        let bytes = self.vector_bytes;
        Some([
            vectors.titles.get(ordinal * bytes..(ordinal + 1) * bytes)?,
            vectors.norms.get(first * NORM_BYTES..end * NORM_BYTES)?,
            vectors.pieces.get(first * bytes..end * bytes)?,
        ])
    }
}

fn put(target: &mut [u8], at: usize, bytes: &[u8]) {
    if let Some(place) = target.get_mut(at..at + bytes.len()) {
        place.copy_from_slice(bytes);
    }
}
