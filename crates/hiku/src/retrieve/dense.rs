//! By meaning: a first pass over one-bit sketches of all pieces, then exact cosines of the notes
//! that it kept. A note's score is that of its best piece.

use super::snapshot::{Document, Snapshot};
use crate::embed::vectors::{dot, hamming, sketch};
use crate::embed::{Embedder, TokenWeights, mean};
use crate::error::Result;
use crate::store::Store;

/// Pieces that the first pass keeps, for each note that may be shown.
const PIECES_A_HIT: usize = 10;
/// Pieces that the first pass keeps at least.
const MIN_PIECES: usize = 1_000;

/// A query as a vector.
#[derive(Debug, Clone)]
pub struct QueryVector {
    /// Unit vector.
    pub values: Vec<f32>,
    sketch: Vec<u64>,
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
        let sketch = sketch(&values);
        Some(QueryVector { values, sketch })
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
    /// Documents whose pieces have the nearest sketches, ascending, each once; enough for `limit`
    /// hits.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub fn candidates(&self, allowed: &[bool], limit: usize) -> Result<Vec<Document>> {
        let wanted = MIN_PIECES.max(limit * PIECES_A_HIT);
        let farthest = self.query.sketch.len() * 64;
        let nearest = self.nearest(allowed)?;
        let mut histogram = vec![0usize; farthest + 1];
        for distance in nearest.iter().map(|(_, distance)| *distance) {
            histogram[distance as usize] += 1;
        }
        let mut kept = 0;
        let bound = histogram.iter().position(|count| {
            kept += count;
            kept >= wanted
        });
        let bound = bound.unwrap_or(farthest) as u16;
        let mut documents: Vec<Document> = nearest
            .into_iter()
            .filter(|(_, distance)| *distance <= bound)
            .map(|(document, _)| document)
            .collect();
        documents.dedup();
        Ok(documents)
    }

    /// For each piece of an allowed document: the document and the distance of their sketches.
    fn nearest(&self, allowed: &[bool]) -> Result<Vec<(Document, u16)>> {
        let mut nearest = Vec::new();
        let mut distances = Vec::new();
        for (segment, columns) in self.snapshot.segments.iter().enumerate() {
            distances.clear();
            let mut measure = |part: &[u8]| hamming(&self.query.sketch, part, &mut distances);
            match &self.snapshot.sketches {
                Some(kept) => measure(&kept[segment]),
                None => self.store.sketches(columns.segment_id, measure)?,
            }
            nearest.reserve(distances.len());
            let mut rest = distances.as_slice();
            for (document, pieces) in (self.snapshot.bases[segment]..).zip(&columns.piece_counts) {
                let Some((own, more)) = rest.split_at_checked(*pieces as usize) else {
                    return Err(self.store.missing_sketches());
                };
                rest = more;
                if allowed[document as usize] {
                    nearest.extend(own.iter().map(|distance| (document, *distance)));
                }
            }
        }
        Ok(nearest)
    }

    /// Exact cosines of a document's pieces.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub fn cosines(&self, document: Document) -> Result<NoteCosines> {
        let note_id = self.snapshot.note_id(document);
        if let Some([title, norms, pieces]) = self.cache.and_then(|cache| cache.get(&note_id)) {
            return Ok(self.compare(title, norms, pieces));
        }
        let compare =
            |title: &[u8], norms: &[u8], pieces: &[u8]| self.compare(title, norms, pieces);
        Ok(self.store.vectors(note_id, compare)?.unwrap_or_default())
    }

    fn compare(&self, title: &[u8], norms: &[u8], pieces: &[u8]) -> NoteCosines {
        let query = &self.query.values;
        let (title_scale, title_steps) = split(title);
        let with_title = if title_steps.len() == query.len() {
            self.title_weight * title_scale * dot(query, title_steps)
        } else {
            0.0
        };
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
