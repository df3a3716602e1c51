//! By meaning, first half: which pieces seem near, by their one-bit sketches. Reads no vectors.
//!
//! Three sieves, each finer and over fewer pieces, for a limit of 10 hits:
//!
//! 1. sign distance (Hamming) over all pieces keeps the nearest 2,400, with all that tie;
//! 2. the estimated dot product of the query with their signs keeps 300 of them;
//! 3. exact cosines of those, in `dense`.

use super::dense::QueryVector;
use super::snapshot::{Document, Snapshot};
use crate::embed::vectors::hamming;
use crate::error::{Error, Result};
use crate::store::Store;

/// Pieces whose exact cosines are looked at, for each note that may be shown.
/// Notes have several near pieces, and only the
/// best counts.
const PIECES_A_HIT: usize = 10;
/// Pieces whose exact cosines are looked at, at least.
const MIN_PIECES: usize = 300;
/// Pieces that the pass by sign distance keeps for each one that is looked at exactly.
const FIRST_PASS_FACTOR: usize = 8;

/// Pieces of a note that the first pass did not keep whose exact cosines are looked at.
const PIECES_OF_A_NOTE: usize = 3;
/// Distance of pieces that may not be found: beyond any sketch.
const FORBIDDEN: u16 = u16::MAX;

/// What the first pass found.
#[derive(Debug, Default)]
pub(crate) struct Near {
    /// The nearest pieces, by document ascending.
    pub pieces: Vec<(Document, u32)>,
    /// Distance of every piece, segment by segment.
    distances: Vec<Vec<u16>>,
}

impl Near {
    /// The pieces of a document with the nearest sketches, [`PIECES_OF_A_NOTE`] at most.
    pub(crate) fn of(&self, snapshot: &Snapshot, document: Document) -> Vec<(Document, u32)> {
        let (segment, ordinal) = snapshot.place(document);
        let starts = &snapshot.piece_starts[segment];
        let own = starts[ordinal] as usize..starts[ordinal + 1] as usize;
        let distances = &self.distances[segment][own];
        let mut pieces: Vec<u32> = (0..distances.len() as u32).collect();
        if pieces.len() > PIECES_OF_A_NOTE {
            pieces.select_nth_unstable_by_key(PIECES_OF_A_NOTE, |piece| {
                (distances[*piece as usize], *piece)
            });
            pieces.truncate(PIECES_OF_A_NOTE);
        }
        pieces.into_iter().map(|piece| (document, piece)).collect()
    }
}

/// The first pass over a state's sketches.
pub(crate) struct FirstPass<'f> {
    /// The state.
    pub snapshot: &'f Snapshot,
    /// The query.
    pub query: &'f QueryVector,
    /// The file, where the sketches are not kept in memory.
    pub store: Option<&'f Store>,
}

impl FirstPass<'_> {
    /// The pieces that seem nearest by their sketches, by document ascending; enough for `limit`
    /// hits. First by sign distance, which is fastest, then by estimated dot product.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn run(&self, allowed: &[bool], limit: usize) -> Result<Near> {
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
            let mut distances = vec![FORBIDDEN; pieces];
            if self.measure(segment, &mut distances)? != pieces {
                return Err(Error::Internal {
                    detail: "a segment has fewer sketches than pieces".to_owned(),
                });
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

    /// Measures the distances of a segment's pieces; gives how many there are. Kept sketches are
    /// passed over by all cores.
    fn measure(&self, segment: usize, distances: &mut [u16]) -> Result<usize> {
        let length = self.query.sketch.len() * 8;
        if let Some(kept) = &self.snapshot.sketches {
            hamming(&self.query.sketch, &kept[segment], distances);
            return Ok(kept[segment].len() / length.max(1));
        }
        let mut first = 0;
        self.sketches(segment, |part| {
            if let Some(distances) = distances.get_mut(first..) {
                hamming(&self.query.sketch, part, distances);
            }
            first += part.len() / length.max(1);
        })?;
        Ok(first)
    }

    /// Calls `each` with the sketches of a segment, some whole ones at a time.
    fn sketches(&self, segment: usize, mut each: impl FnMut(&[u8])) -> Result<()> {
        match (&self.snapshot.sketches, self.store) {
            (Some(kept), _) => each(&kept[segment]),
            (None, Some(store)) => {
                store.sketches(self.snapshot.segments[segment].segment_id, each)?;
            }
            (None, None) => {}
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
}
