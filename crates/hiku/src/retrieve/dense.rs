//! By meaning, second half: exact cosines of the notes that the first pass kept. A note's score is
//! that of its best piece.
//!
//! The cosine of query q with piece p under title t of weight w is `q · (p + w t) / |p + w t|`. The
//! denominator does not depend on the query and is stored; p and t are stored apart, so that a
//! renamed note costs one new vector.

use super::cache::VectorCache;
use super::snapshot::{Document, Snapshot};
use crate::embed::vectors::{SignTable, dot, sketch};
use crate::embed::{Embedder, TokenWeights, mean};
use crate::error::Result;
use crate::store::Store;

/// A query as a vector.
#[derive(Debug, Clone)]
pub(crate) struct QueryVector {
    /// Unit vector.
    pub values: Vec<f32>,
    /// Its signs.
    pub(super) sketch: Vec<u64>,
    /// What it says of stored sketches.
    pub(super) signs: SignTable,
}

impl QueryVector {
    /// Embeds a query; `None` where the model knows none of its words.
    pub(crate) fn new(embedder: &dyn Embedder, weights: &TokenWeights, text: &str) -> Option<Self> {
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

/// Exact cosines of one note's pieces. In the order of the pieces, chunk after chunk; -1 to 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct NoteCosines {
    /// Cosine of each piece with its title.
    pub combined: Vec<f32>,
    /// Cosine of each piece alone.
    pub alone: Vec<f32>,
}

/// Compares a query with stored vectors; reads nothing, so that any thread may.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Comparer<'q> {
    /// The query.
    pub query: &'q QueryVector,
    /// Weight of the title's vector against the piece's.
    pub title_weight: f32,
}

impl Comparer<'_> {
    /// What the title adds to the dot product of each piece.
    fn title_part(&self, title: &[u8]) -> f32 {
        let (scale, steps) = split(title);
        if steps.len() == self.query.values.len() {
            self.title_weight * scale * dot(&self.query.values, steps)
        } else {
            0.0
        }
    }

    /// Cosine of the best of some of a note's pieces; 0 where there is none.
    pub(crate) fn best(
        &self,
        title: &[u8],
        norms: &[u8],
        pieces: &[u8],
        wanted: &[(Document, u32)],
    ) -> f64 {
        let with_title = self.title_part(title);
        let (norms, length) = (norms.as_chunks::<4>().0, 4 + self.query.values.len());
        let of = |piece: usize| {
            let bytes = pieces.get(piece * length..(piece + 1) * length)?;
            let norm = f32::from_le_bytes(*norms.get(piece)?);
            let (scale, steps) = split(bytes);
            Some((scale * dot(&self.query.values, steps) + with_title) * norm)
        };
        let best = wanted.iter().filter_map(|(_, piece)| of(*piece as usize)).reduce(f32::max);
        best.map_or(0.0, f64::from)
    }
}

/// What dense retrieval works with.
pub(crate) struct DenseQuery<'d> {
    /// The file.
    pub store: &'d Store,
    /// The state.
    pub snapshot: &'d Snapshot,
    /// All vectors in memory, if they were preloaded.
    pub cache: Option<&'d VectorCache>,
    /// The query.
    pub query: &'d QueryVector,
    /// Weight of the title's vector against the piece's.
    pub title_weight: f32,
}

impl DenseQuery<'_> {
    /// For each document of some pieces, given by document, the exact cosine of the best of them; 0
    /// where it has no vectors.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn best_of(&self, pieces: &[(Document, u32)]) -> Result<Vec<(Document, f64)>> {
        let comparer = self.comparer();
        if let Some(cache) = self.cache {
            return Ok(cache.best_of(self.snapshot, comparer, pieces));
        }
        let best = |own: &[(Document, u32)]| {
            let best = self.with_vectors(own[0].0, |title, norms, pieces| {
                comparer.best(title, norms, pieces, own)
            })?;
            Ok((own[0].0, best.unwrap_or(0.0)))
        };
        pieces.chunk_by(|a, b| a.0 == b.0).map(best).collect()
    }

    fn comparer(&self) -> Comparer<'_> {
        Comparer { query: self.query, title_weight: self.title_weight }
    }

    /// Exact cosines of all of a document's pieces.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn cosines(&self, document: Document) -> Result<NoteCosines> {
        let compare =
            |title: &[u8], norms: &[u8], pieces: &[u8]| self.compare(title, norms, pieces);
        Ok(self.with_vectors(document, compare)?.unwrap_or_default())
    }

    fn with_vectors<T>(
        &self,
        document: Document,
        read: impl FnOnce(&[u8], &[u8], &[u8]) -> T,
    ) -> Result<Option<T>> {
        match self.cache {
            Some(cache) => Ok(cache.of(self.snapshot, document).map(|[t, n, p]| read(t, n, p))),
            None => self.store.vectors(self.snapshot.note_id(document), read),
        }
    }

    fn compare(&self, title: &[u8], norms: &[u8], pieces: &[u8]) -> NoteCosines {
        let query = &self.query.values;
        let with_title = self.comparer().title_part(title);
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
