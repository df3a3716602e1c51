//! All vectors and sketches of an index in memory, in the order of documents and pieces, for a
//! process that answers many queries.

use std::hint::black_box;

use super::dense::Comparer;
use super::memory::LargeBytes;
use super::sketches::leading_words;
use super::snapshot::{Document, Snapshot};
use crate::error::{Error, Result};
use crate::store::Store;

/// Bytes of a stored norm.
const NORM_BYTES: usize = 4;
/// Bytes of a stored vector beside its dimensions.
const SCALE_BYTES: usize = 4;
/// Bytes that the processor reads from memory at once.
const CACHE_LINE_BYTES: usize = 64;

/// The vectors of one generation: titles by document, all else by piece; zeros where a document is
/// dead or has none.
#[derive(Debug)]
pub(crate) struct VectorCache {
    titles: LargeBytes,
    norms: LargeBytes,
    pieces: LargeBytes,
    vector_bytes: usize,
    /// The sketches in two rows, so that a pass over the first part of each reads no more.
    pub(super) leading: LargeBytes,
    pub(super) trailing: LargeBytes,
}

impl VectorCache {
    /// Bytes that the vectors of a state take.
    pub(crate) fn bytes_needed(snapshot: &Snapshot, dimensions: usize) -> usize {
        let pieces = snapshot.pieces();
        (pieces + snapshot.documents) * (dimensions + SCALE_BYTES) + pieces * NORM_BYTES
    }

    /// Reads all vectors and sketches.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn load(store: &Store, snapshot: &Snapshot, dimensions: usize) -> Result<Self> {
        let vector_bytes = dimensions + SCALE_BYTES;
        let words = dimensions.div_ceil(64);
        let (length, leading) = (words * 8, leading_words(words) * 8);
        let pieces = snapshot.pieces();
        let zeroed = |length| {
            let failed = |source| Error::io(store.path(), "reserve memory for", source);
            LargeBytes::zeroed(length).map_err(failed)
        };
        let mut cache = VectorCache {
            titles: zeroed(snapshot.documents * vector_bytes)?,
            norms: zeroed(pieces * NORM_BYTES)?,
            pieces: zeroed(pieces * vector_bytes)?,
            vector_bytes,
            leading: zeroed(pieces * leading)?,
            trailing: zeroed(pieces * (length - leading))?,
        };
        let mut document = 0;
        for columns in &snapshot.segments {
            cache.read_sketches(store, columns.segment_id, snapshot, document, length, leading)?;
            for (note_id, dead) in columns.notes.iter().zip(&columns.dead) {
                let first = snapshot.pieces_of(document).start;
                if !dead {
                    store.vectors(*note_id, |title, norms, pieces| {
                        put(&mut cache.titles, document as usize * vector_bytes, title);
                        put(&mut cache.norms, first * NORM_BYTES, norms);
                        put(&mut cache.pieces, first * vector_bytes, pieces);
                    })?;
                }
                document += 1;
            }
        }
        Ok(cache)
    }

    /// Reads the sketches of a segment, the first of which belongs to the first piece of
    /// `document`.
    fn read_sketches(
        &mut self,
        store: &Store,
        segment_id: i64,
        snapshot: &Snapshot,
        document: Document,
        length: usize,
        leading: usize,
    ) -> Result<()> {
        let mut piece = snapshot.pieces_of(document).start;
        store.sketches(segment_id, |part| {
            for sketch in part.chunks_exact(length.max(1)) {
                let (first, rest) = sketch.split_at(leading);
                put(&mut self.leading, piece * leading, first);
                put(&mut self.trailing, piece * (length - leading), rest);
                piece += 1;
            }
        })
    }

    /// For each document of some pieces, given by document, the cosine of the best of them.
    pub(crate) fn best_of(
        &self,
        snapshot: &Snapshot,
        comparer: Comparer<'_>,
        pieces: &[(Document, u32)],
    ) -> Vec<(Document, f64)> {
        self.touch(snapshot, pieces);
        let best = |pieces: &[(Document, u32)]| {
            let vectors = self.of(snapshot, pieces[0].0);
            vectors.map_or(0.0, |[title, norms, all]| comparer.best(title, norms, all, pieces))
        };
        pieces.chunk_by(|a, b| a.0 == b.0).map(|own| (own[0].0, best(own))).collect()
    }

    /// Reads a byte of every cache line of some pieces and their titles. The pieces lie far apart:
    /// these reads, which depend on nothing, wait for memory all at once, where the dot products
    /// would wait one after the other.
    fn touch(&self, snapshot: &Snapshot, pieces: &[(Document, u32)]) {
        let mut sum = 0u8;
        for (document, piece) in pieces {
            let Some([title, _, all]) = self.of(snapshot, *document) else { continue };
            let at = *piece as usize * self.vector_bytes;
            let own = all.get(at..at + self.vector_bytes).unwrap_or_default();
            for line in title.chunks(CACHE_LINE_BYTES).chain(own.chunks(CACHE_LINE_BYTES)) {
                sum = sum.wrapping_add(line[0]);
            }
        }
        black_box(sum);
    }

    /// Title, norms and pieces of a document.
    pub(crate) fn of(&self, snapshot: &Snapshot, document: Document) -> Option<[&[u8]; 3]> {
        let (own, bytes) = (snapshot.pieces_of(document), self.vector_bytes);
        let title = document as usize * bytes;
        Some([
            self.titles.get(title..title + bytes)?,
            self.norms.get(own.start * NORM_BYTES..own.end * NORM_BYTES)?,
            self.pieces.get(own.start * bytes..own.end * bytes)?,
        ])
    }
}

fn put(target: &mut [u8], at: usize, bytes: &[u8]) {
    if let Some(place) = target.get_mut(at..at + bytes.len()) {
        place.copy_from_slice(bytes);
    }
}
