//! Two rankings become one: convex combination of scores, or reciprocal rank fusion. Pure; each
//! contribution is kept, and a candidate's contributions add up to its score.
//!
//! With the defaults, for a note of BM25 6 under an ideal of 12 (rank 1) and cosine 0.5 (rank 3):
//!
//! ```text
//! convex      0.72 * 6 / 12 + 0.28 * 0.5 = 0.360 + 0.140 = 0.500
//! reciprocal  1 / (60 + 1)  + 1 / (60 + 3) = 0.01639 + 0.01587 = 0.03227
//! ```
//!
//! Convex fusion sees how good a match is, reciprocal rank fusion only that it is better than the
//! next; so the first can tell a query that nothing answers from one that much does.

use crate::ranking::{RankingOptions, Score};

/// What the signals say of one candidate.
///
/// The default is a candidate of which no signal says anything.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Evidence {
    /// BM25 score; 0 where no word matches.
    pub lexical: Score,
    /// 1-based rank by word, if it is in that list.
    pub lexical_rank: Option<u32>,
    /// Cosine; 0 where it has no vector.
    pub dense: Score,
    /// 1-based rank by meaning, if it is in that list.
    pub dense_rank: Option<u32>,
}

/// A candidate's fused score, as the sum of two shares.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Fused {
    /// What the lexical signal adds.
    pub lexical: Score,
    /// What the dense signal adds.
    pub dense: Score,
}

impl Fused {
    /// The score.
    pub(crate) fn score(self) -> Score {
        self.lexical + self.dense
    }
}

/// `share * lexical / ideal + (1 - share) * max(0, cosine)`, the shares renormalised where only one
/// signal runs. No normalisation by the result list: a poor match counts little by itself. On 18
/// judged sets of the prototype it was above reciprocal rank fusion on all of them.
///
/// The share is [`lexical_share`]'s. The lexical part is 0 where the query has no term. A
/// cosine below 0 counts as 0: that two texts have nothing to do with each other is no evidence
/// against one. Bruch, Gai & Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval" (2023),
/// compare the two families and normalisations at length.
pub(crate) fn convex(evidence: Evidence, ideal: Score, lexical_share: f64) -> Fused {
    let lexical = if ideal > 0.0 { lexical_share * evidence.lexical / ideal } else { 0.0 };
    Fused { lexical, dense: (1.0 - lexical_share) * evidence.dense.max(0.0) }
}

/// The lexical signal's share for a query: `unknown + known * (all - unknown)` with `known` the
/// share of the query's weight that is of words in the index, `all` and `unknown` the options of
/// that name. The query so says which half to trust: a question in another language than the notes
/// has words that none of them holds, and what few do match are names and numbers. Over eight
/// judged sets the fused ranking is then at most 0.01 of nDCG@10 below the better half. Sets whose
/// questions repeat the text would have more for words (0.77 to 0.8); in a vault of two languages,
/// where other notes know the words of a question, and for paraphrases less is better (sample
/// vault, across languages: .67 at 0.7, .62 at 0.77): 0.72 is between them.
pub(crate) fn lexical_share(known: f64, options: &RankingOptions) -> f64 {
    let all = options.lexical_share;
    let unknown = options.lexical_share_unknown.min(all);
    unknown + known * (all - unknown)
}

/// `weight / (k + rank)` for each list that holds the candidate, ranks from 1 (Cormack, Clarke &
/// Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods",
/// 2009).
pub(crate) fn reciprocal(evidence: Evidence, options: &RankingOptions) -> Fused {
    let part = |weight: f64, rank: Option<u32>| {
        rank.map_or(0.0, |rank| weight / (options.rrf_k + f64::from(rank)))
    };
    Fused {
        lexical: part(options.rrf_lexical_weight, evidence.lexical_rank),
        dense: part(options.rrf_dense_weight, evidence.dense_rank),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVIDENCE: Evidence =
        Evidence { lexical: 6.0, lexical_rank: Some(1), dense: 0.5, dense_rank: Some(3) };

    #[test]
    fn convex_adds_the_share_of_the_ideal_and_of_the_cosine() {
        let fused = convex(EVIDENCE, 12.0, 0.65);
        assert!((fused.score() - (0.65 * 0.5 + 0.35 * 0.5)).abs() < 1e-12);
        let opposite = Evidence { dense: -0.9, ..EVIDENCE };
        assert!((convex(opposite, 12.0, 0.65).score() - 0.325).abs() < 1e-12);
        assert!(convex(EVIDENCE, 0.0, 0.65).lexical.abs() < 1e-12);
    }

    #[test]
    fn words_count_less_where_the_index_does_not_know_them() {
        let options = |all, unknown| RankingOptions {
            lexical_share: all,
            lexical_share_unknown: unknown,
            ..RankingOptions::default()
        };
        for (known, all, unknown, share) in
            [(1.0, 0.8, 0.5, 0.8), (0.0, 0.8, 0.5, 0.5), (0.5, 0.8, 0.4, 0.6), (0.0, 0.3, 0.5, 0.3)]
        {
            let found = lexical_share(known, &options(all, unknown));
            assert!((found - share).abs() < 1e-12, "{known} {all} {unknown}: {found}");
        }
    }

    #[test]
    fn reciprocal_ranks_start_at_one_and_absent_lists_add_nothing() {
        let options = RankingOptions::default();
        let fused = reciprocal(EVIDENCE, &options);
        assert!((fused.score() - (1.0 / 61.0 + 1.0 / 63.0)).abs() < 1e-12);
        let absent = Evidence { dense_rank: None, ..EVIDENCE };
        assert!((reciprocal(absent, &options).score() - 1.0 / 61.0).abs() < 1e-12);
    }
}
