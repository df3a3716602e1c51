//! Value types that every ranking step shares: ids, scores and the settings that weigh signals.
//! Holds numbers, no procedure.

use std::cmp::Ordering;

/// Identity of a note in one index file. Stays the same while the note is edited or moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NoteId(pub i64);

/// A relevance score; higher is better. Only scores of one signal may be compared.
pub type Score = f64;

/// Orders by score, best first; equal scores by path, so that the order does not depend on how
/// the index came about.
pub(crate) fn best_first(a: (Score, &str), b: (Score, &str)) -> Ordering {
    b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1))
}

/// How the signals are weighed. The defaults are the measured ones.
#[derive(Debug, Clone, PartialEq)]
pub struct RankingOptions {
    /// BM25's term frequency saturation. Default 1.2 (Robertson & Zaragoza 2009).
    pub bm25_k1: f64,
    /// BM25's length normalisation, 0 to 1. Default 0.75 (Robertson & Zaragoza 2009).
    pub bm25_b: f64,
    /// Weight of weak terms (single kanji, bigrams across scripts) against strong ones. Default 0.2.
    pub weak_weight: f64,
    /// Weight of the title field against the body. Default 0.5.
    pub title_weight: f64,
    /// Weight of the headings field against the body. Default 0: headings are part of the body.
    pub heading_weight: f64,
    /// Weight of the context field (type, tags, folders) against the body. Default 0.3, the
    /// founding documents' weight for it.
    pub context_weight: f64,
    /// Share of the lexical signal in convex fusion, 0 to 1. Default 0.65.
    pub lexical_share: f64,
    /// Weight of the title's unit vector in a piece's vector, 0 to 2. Default 1.0; part of the
    /// index's identity, since the vectors' sketches depend on it.
    pub title_vector_weight: f64,
    /// Rank constant of reciprocal rank fusion. Default 60 (Cormack, Clarke & Büttcher 2009).
    pub rrf_k: f64,
    /// Weight of the lexical list in reciprocal rank fusion. Default 1.
    pub rrf_lexical_weight: f64,
    /// Weight of the dense list in reciprocal rank fusion. Default 1.
    pub rrf_dense_weight: f64,
    /// How many notes each list hands to reciprocal rank fusion. Default 100.
    pub rrf_pool: usize,
}

impl Default for RankingOptions {
    fn default() -> Self {
        RankingOptions {
            bm25_k1: 1.2,
            bm25_b: 0.75,
            weak_weight: 0.2,
            title_weight: 0.5,
            heading_weight: 0.0,
            context_weight: 0.3,
            lexical_share: 0.65,
            title_vector_weight: 1.0,
            rrf_k: 60.0,
            rrf_lexical_weight: 1.0,
            rrf_dense_weight: 1.0,
            rrf_pool: 100,
        }
    }
}
