//! By meaning: a first pass over one-bit sketches of all pieces, then exact cosines of the notes
//! that it kept. A note's score is that of its best piece.

use super::snapshot::{Document, Snapshot};
use crate::embed::vectors::{SignTable, dot, hamming, sketch};
use crate::embed::{Embedder, TokenWeights, mean};
use crate::error::Result;
use crate::store::Store;

/// Pieces whose exact cosines are looked at, for each note that may be shown.
const PIECES_A_HIT: usize = 10;
/// Pieces whose exact cosines are looked at, at least.
const MIN_PIECES: usize = 600;
/// Pieces that the pass by sign distance keeps for each one that is looked at exactly.
const FIRST_PASS_FACTOR: usize = 12;

/// Pieces of a note that the first pass did not keep whose exact cosines are looked at.
const PIECES_OF_A_NOTE: usize = 3;
/// Distance of pieces that may not be found: beyond any sketch.
const FORBIDDEN: u16 = u16::MAX;

/// A query as a vector.
#[derive(Debug, Clone)]
pub struct QueryVector {
    /// Unit vector.
    pub values: Vec<f32>,
    sketch: Vec<u64>,
    signs: SignTable,
}

impl QueryVector {
    /// Embeds a query; `None` where the model knows none of its words.
    pub fn new(embedder: &dyn Embedder, weights: &TokenWeights, text: &str) -> Option<Self> {
        let mut tokens = Vec::new();
        embedder.tokenize(text, &mut tokens);
        let mut values = vec![0f32; embedder.dimensions()];
        if !mean(embedder, weights, &tokens, &mut values) {
            return None;
        }
        let (sketch, signs) = (sketch(&values), SignTable::new(&values));
        Some(QueryVector { values, sketch, signs })
    }
}

/// Exact cosines of one note's pieces.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NoteCosines {
    /// Cosine of each piece with its title.
    pub combined: Vec<f32>,
    /// Cosine of each piece alone.
    pub alone: Vec<f32>,
}

impl NoteCosines {
    /// The best combined cosine; 0 where there is no piece.
    pub fn best(&self) -> f64 {
        self.combined.iter().copied().reduce(f32::max).map_or(0.0, f64::from)
    }
}

/// What the first pass found.
#[derive(Debug, Default)]
pub struct Near {
    /// The nearest pieces, by document ascending.
    pub pieces: Vec<(Document, u32)>,
    /// Distance of every piece, segment by segment.
    distances: Vec<Vec<u16>>,
}

/// What dense retrieval works with.
pub struct DenseQuery<'d> {
    /// The file.
    pub store: &'d Store,
    /// The state.
    pub snapshot: &'d Snapshot,
    /// Notes' vectors in memory, if they were preloaded.
    pub cache: Option<&'d VectorCache>,
    /// The query.
    pub query: &'d QueryVector,
    /// Weight of the title's vector against the piece's.
    pub title_weight: f32,
}

/// All notes' vectors in memory, by note id: title, norms, pieces as stored.
pub type VectorCache = rustc_hash::FxHashMap<i64, [Box<[u8]>; 3]>;

impl DenseQuery<'_> {
    /// The pieces that seem nearest by their sketches, by document ascending; enough for `limit`
    /// hits. First by sign distance, which is fastest, then by estimated dot product.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub fn candidates(&self, allowed: &[bool], limit: usize) -> Result<Near> {
        let distances = self.distances(allowed)?;
        let wanted = MIN_PIECES.max(limit * PIECES_A_HIT);
        let bound = self.bound(&distances, wanted * FIRST_PASS_FACTOR);
        let mut estimates = Vec::with_capacity(wanted * FIRST_PASS_FACTOR * 2);
        for (segment, distances) in distances.iter().enumerate() {
            self.estimate(segment, distances, bound, &mut estimates)?;
        }
        if estimates.len() > wanted {
            estimates.select_nth_unstable_by(wanted - 1, |a, b| b.1.total_cmp(&a.1));
            let last = estimates[wanted - 1].1;
            estimates.retain(|(_, estimate)| estimate.total_cmp(&last).is_ge());
        }
        let mut pieces: Vec<_> = estimates.into_iter().map(|(piece, _)| piece).collect();
        pieces.sort_unstable();
        Ok(Near { pieces, distances })
    }

    /// The sign distance within which at least `wanted` pieces lie.
    fn bound(&self, distances: &[Vec<u16>], wanted: usize) -> u16 {
        let mut histogram = vec![0usize; self.query.sketch.len() * 64 + 1];
        for distance in distances.iter().flatten() {
            if let Some(count) = histogram.get_mut(*distance as usize) {
                *count += 1;
            }
        }
        let mut kept = 0;
        let bound = histogram.iter().position(|count| {
            kept += count;
            kept >= wanted
        });
        bound.unwrap_or(histogram.len() - 1) as u16
    }

    /// Distances of all pieces of each segment; [`FORBIDDEN`] for documents that may not be found.
    fn distances(&self, allowed: &[bool]) -> Result<Vec<Vec<u16>>> {
        let mut all = Vec::with_capacity(self.snapshot.segments.len());
        for (segment, columns) in self.snapshot.segments.iter().enumerate() {
            let starts = &self.snapshot.piece_starts[segment];
            let pieces = starts.last().map_or(0, |end| *end as usize);
            let mut distances = Vec::with_capacity(pieces);
            self.sketches(segment, |part| hamming(&self.query.sketch, part, &mut distances))?;
            if distances.len() != pieces {
                return Err(self.store.missing_sketches());
            }
            let base = self.snapshot.bases[segment] as usize;
            for (ordinal, allowed) in allowed[base..base + columns.notes.len()].iter().enumerate() {
                if !allowed {
                    let own = starts[ordinal] as usize..starts[ordinal + 1] as usize;
                    distances[own].fill(FORBIDDEN);
                }
            }
            all.push(distances);
        }
        Ok(all)
    }

    /// Calls `each` with the sketches of a segment, some whole ones at a time.
    fn sketches(&self, segment: usize, mut each: impl FnMut(&[u8])) -> Result<()> {
        match &self.snapshot.sketches {
            Some(kept) => each(&kept[segment]),
            None => self.store.sketches(self.snapshot.segments[segment].segment_id, each)?,
        }
        Ok(())
    }

    /// Estimates the dot products of the pieces within `bound`.
    fn estimate(
        &self,
        segment: usize,
        distances: &[u16],
        bound: u16,
        estimates: &mut Vec<((Document, u32), f32)>,
    ) -> Result<()> {
        let starts = &self.snapshot.piece_starts[segment];
        let base = self.snapshot.bases[segment];
        let length = self.query.sketch.len() * 8;
        let (mut ordinal, mut first) = (0, 0);
        self.sketches(segment, |part| {
            let count = part.len() / length.max(1);
            let own = distances.get(first..first + count).unwrap_or_default();
            for (at, _) in own.iter().enumerate().filter(|(_, distance)| **distance <= bound) {
                let piece = (first + at) as u32;
                while starts[ordinal + 1] <= piece {
                    ordinal += 1;
                }
                let estimate = self.query.signs.estimate(&part[at * length..(at + 1) * length]);
                let key = (base + ordinal as Document, piece - starts[ordinal]);
                estimates.push((key, estimate));
            }
            first += count;
        })
    }

    /// The pieces of a document with the nearest sketches, [`PIECES_OF_A_NOTE`] at most.
    pub fn nearest_pieces(&self, near: &Near, document: Document) -> Vec<(Document, u32)> {
        let (segment, ordinal) = self.snapshot.place(document);
        let starts = &self.snapshot.piece_starts[segment];
        let own = starts[ordinal] as usize..starts[ordinal + 1] as usize;
        let distances = &near.distances[segment][own];
        let mut pieces: Vec<u32> = (0..distances.len() as u32).collect();
        if pieces.len() > PIECES_OF_A_NOTE {
            pieces.select_nth_unstable_by_key(PIECES_OF_A_NOTE, |piece| {
                (distances[*piece as usize], *piece)
            });
            pieces.truncate(PIECES_OF_A_NOTE);
        }
        pieces.into_iter().map(|piece| (document, piece)).collect()
    }

    /// Exact cosine of the best of some pieces of a document; 0 where there is none.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub fn best_of(&self, document: Document, wanted: &[(Document, u32)]) -> Result<f64> {
        let best = self.with_vectors(document, |title, norms, pieces| {
            let with_title = self.title_part(title);
            let (norms, length) = (norms.as_chunks::<4>().0, 4 + self.query.values.len());
            let of = |piece: usize| {
                let bytes = pieces.get(piece * length..(piece + 1) * length)?;
                let norm = f32::from_le_bytes(*norms.get(piece)?);
                let (scale, steps) = split(bytes);
                Some((scale * dot(&self.query.values, steps) + with_title) * norm)
            };
            wanted.iter().filter_map(|(_, piece)| of(*piece as usize)).reduce(f32::max)
        })?;
        Ok(best.flatten().map_or(0.0, f64::from))
    }

    /// Exact cosines of all of a document's pieces.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub fn cosines(&self, document: Document) -> Result<NoteCosines> {
        let compare =
            |title: &[u8], norms: &[u8], pieces: &[u8]| self.compare(title, norms, pieces);
        Ok(self.with_vectors(document, compare)?.unwrap_or_default())
    }

    fn with_vectors<T>(
        &self,
        document: Document,
        read: impl FnOnce(&[u8], &[u8], &[u8]) -> T,
    ) -> Result<Option<T>> {
        let note_id = self.snapshot.note_id(document);
        match self.cache.and_then(|cache| cache.get(&note_id)) {
            Some([title, norms, pieces]) => Ok(Some(read(title, norms, pieces))),
            None => self.store.vectors(note_id, read),
        }
    }

    /// What the title adds to the dot product of each piece.
    fn title_part(&self, title: &[u8]) -> f32 {
        let (scale, steps) = split(title);
        if steps.len() == self.query.values.len() {
            self.title_weight * scale * dot(&self.query.values, steps)
        } else {
            0.0
        }
    }

    fn compare(&self, title: &[u8], norms: &[u8], pieces: &[u8]) -> NoteCosines {
        let query = &self.query.values;
        let with_title = self.title_part(title);
        let mut cosines = NoteCosines::default();
        let norms = norms.as_chunks::<4>().0;
        for (piece, norm) in pieces.chunks_exact(4 + query.len()).zip(norms) {
            let (scale, steps) = split(piece);
            let alone = scale * dot(query, steps);
            cosines.alone.push(alone);
            cosines.combined.push((alone + with_title) * f32::from_le_bytes(*norm));
        }
        cosines
    }
}

/// Scale and steps of a stored piece.
fn split(piece: &[u8]) -> (f32, &[u8]) {
    match piece.split_first_chunk::<4>() {
        Some((scale, steps)) => (f32::from_le_bytes(*scale), steps),
        None => (0.0, &[]),
    }
}
