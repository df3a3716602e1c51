//! Value types that every ranking step shares: ids, scores and the settings that weigh signals.
//! Holds numbers, no procedure.

use std::cmp::Ordering;

/// Identity of a note in one index file. Stays the same while the note is edited or moved.
/// Says nothing in another index file of the same vault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NoteId(pub i64);

/// A relevance score; higher is better. Only scores of one signal may be compared.
///
/// BM25 is at least 0 and has no upper bound; a cosine is -1 to 1; a fused score is 0 to about 1
/// under convex fusion and at most a few hundredths under reciprocal rank fusion.
pub type Score = f64;

/// Orders by score, best first; equal scores by path, so that the order does not depend on how
/// the index came about.
///
/// `total_cmp`, so that even a NaN, which no formula here gives, would have a place.
pub(crate) fn best_first(a: (Score, &str), b: (Score, &str)) -> Ordering {
    b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1))
}

/// BM25's share of one term, its idf left out: `tf * (k1 + 1) / (tf + k1 * (1 - b + b * length /
/// mean length))` (Robertson & Zaragoza 2009, equation 3.15). `length_ratio` is the document's
/// length over the mean one.
///
/// 1 for one occurrence in a document of mean length; at most `k1 + 1` (2.2 by default) however
/// often the term stands there; 0.55 for one occurrence in a document of three times the mean
/// length.
pub(crate) fn bm25_saturation(count: f64, length_ratio: f64, k1: f64, b: f64) -> f64 {
    count * (k1 + 1.0) / (count + k1 * (1.0 - b + b * length_ratio))
}

/// Lucene's idf, `ln(1 + (N - n + 0.5) / (n + 0.5))`, which is never negative.
///
/// Of 1,000 documents: 6.5 for a term of one, 2.3 for one of a hundred, 0.0005 for one of all.
pub(crate) fn idf(documents: usize, frequency: usize) -> f64 {
    let (documents, frequency) = (documents as f64, frequency as f64);
    (1.0 + (documents - frequency + 0.5).max(0.0) / (frequency + 0.5)).ln()
}

/// SQLite FTS5's idf, `ln((N - n + 0.5) / (n + 0.5))` and at least 1e-6 (sqlite.org/fts5.html,
/// section 5.1.1): a term in more than half of the rows hardly counts.
pub(crate) fn fts5_idf(rows: usize, hits: usize) -> f64 {
    let (rows, hits) = (rows as f64, hits as f64);
    ((rows - hits + 0.5) / (hits + 0.5)).ln().max(1e-6)
}

/// How the signals are weighed. The defaults are the measured ones: docs/quality.md has a row for
/// each, with the values beside it, on eight judged sets.
///
/// Only `title_vector_weight` is part of what is stored; the rest counts when a question is asked,
/// and may differ from one search to the next. Values out of range are not refused here: the binary
/// checks what it reads from files.
///
/// ```
/// let options = hiku::RankingOptions { lexical_share: 0.8, ..Default::default() };
/// assert_eq!((options.bm25_k1, options.rrf_k), (0.9, 60.0));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct RankingOptions {
    /// BM25's term frequency saturation. Default 0.9: the usual 1.2 (Robertson & Zaragoza 2009)
    /// costs .007 and .004 on questions to paragraphs (jaquad, jsquad), .006 on link texts, .004 on
    /// names, .003 on claims, and gains nothing elsewhere. 0 counts a term once however often it
    /// stands there; the larger, the longer more of it counts.
    pub bm25_k1: f64,
    /// BM25's length normalisation, 0 to 1. Default 0.75 (Robertson & Zaragoza 2009): 0.6 costs
    /// .008 on names and .004 on changes, and gains .012 on link texts; 0, which pays no regard to
    /// length, costs .034 over six sets.
    pub bm25_b: f64,
    /// Weight of weak terms (single kanji, bigrams across scripts) against strong ones. Default
    /// 0.2: 0.3 costs .011 on changes' subjects; 0 gains .018 there, costs .005 to .019 on link
    /// texts, questions and titles, and makes a substring of a Japanese word unfindable by word.
    pub weak_weight: f64,
    /// Weight of a term that stands for a word which no note holds and is nearest to it in
    /// spelling, 0 to 1. Default 1.0: with one word of each query misspelt, hybrid nDCG@10 is .023
    /// (scifact) to .23 (cpprefjp-ident) above that without, more than at 0.4, 0.6 and 0.8; queries
    /// as they are change by at most .004, upwards. 0 looks for none.
    pub near_term_weight: f64,
    /// Weight of the title field against the body. Default 0.5: 0.65 costs .007 on claims, 0.4 is
    /// within noise, 0 costs .011 over six sets and .048 on changes' subjects. File name, aliases
    /// and the first heading of level 1 count as title.
    pub title_weight: f64,
    /// Weight of the headings field against the body. Default 0: headings are part of the
    /// body, and 0.2 is within noise of that.
    pub heading_weight: f64,
    /// Weight of the context field (type, tags, folders) against the body. Default 0.3, the
    /// founding documents' weight for it; 0 costs .027 on names.
    pub context_weight: f64,
    /// Share of the lexical signal in convex fusion where the index knows every word of the query,
    /// 0 to 1. Default 0.72; its measurement is told at `fuse::lexical_share`. The dense signal has
    /// the rest; where only one signal runs it has all.
    pub lexical_share: f64,
    /// Share of the lexical signal where the index knows no word of the query, 0 to 1; between the
    /// two, in proportion to the known share of the query's weight. Default 0.5: 0.4 brings
    /// nothing. Above `lexical_share` it counts as that.
    pub lexical_share_unknown: f64,
    /// Weight of the title's unit vector in a piece's vector, 0 to 2. Default 1.0; part of the
    /// index's identity, since the vectors' sketches depend on it. 1 makes a title as heavy as the
    /// text; 0.5 costs .06 and 0 costs .36 where questions are titles in another language.
    pub title_vector_weight: f64,
    /// Rank constant of reciprocal rank fusion. Default 60 (Cormack, Clarke & Büttcher 2009).
    /// The larger, the less the first ranks stand out.
    pub rrf_k: f64,
    /// Weight of the lexical list in reciprocal rank fusion. Default 1.
    pub rrf_lexical_weight: f64,
    /// Weight of the dense list in reciprocal rank fusion. Default 1.
    pub rrf_dense_weight: f64,
    /// How many notes each list hands to reciprocal rank fusion. Default 100. A note beyond it in
    /// one list is as if it were not in that list.
    pub rrf_pool: usize,
}

impl Default for RankingOptions {
    fn default() -> Self {
        RankingOptions {
            bm25_k1: 0.9,
            bm25_b: 0.75,
            weak_weight: 0.2,
            near_term_weight: 1.0,
            title_weight: 0.5,
            heading_weight: 0.0,
            context_weight: 0.3,
            lexical_share: 0.72,
            lexical_share_unknown: 0.5,
            title_vector_weight: 1.0,
            rrf_k: 60.0,
            rrf_lexical_weight: 1.0,
            rrf_dense_weight: 1.0,
            rrf_pool: 100,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_saturates_and_long_documents_count_less() {
        for (count, ratio, expected) in [
            (1.0, 1.0, 1.0),
            (2.0, 1.0, 4.4 / 3.2),
            (1.0, 2.0, 2.2 / (1.0 + 1.2 * 1.75)),
            (0.0, 1.0, 0.0),
        ] {
            assert!((bm25_saturation(count, ratio, 1.2, 0.75) - expected).abs() < 1e-12);
        }
        assert!((idf(10, 2) - (1.0f64 + 8.5 / 2.5).ln()).abs() < 1e-12);
        assert!((idf(10, 0) - (1.0f64 + 10.5 / 0.5).ln()).abs() < 1e-12);
        assert!((fts5_idf(10, 2) - (8.5f64 / 2.5).ln()).abs() < 1e-12);
        assert!((fts5_idf(10, 9) - 1e-6).abs() < 1e-12);
    }
}
