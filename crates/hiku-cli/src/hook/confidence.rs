//! Whether what was found fits the prompt: a few plain figures of an answer, weighed into one
//! number from 0 to 1. Pure. How the weights came about is told in `docs/recall.md`.

use hiku::{RankingOptions, SearchResponse};

use super::prompts::{Reference, reference};

/// Hits that may carry the evidence: those that a block shows.
const HITS: usize = 3;

/// What speaks for an answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Evidence {
    /// What the prompt refers to.
    reference: Reference,
    /// How many of the rarest words the best hit matches, or the like of it in commoner ones: its
    /// BM25 score over what one occurrence of a word of a single note can give at most. From 0. It
    /// does not grow with the vault, as words of a larger one are rarer and commoner alike.
    matched: f64,
    /// How much of the question the vault has words for, by weight, 0 to 1, less what a vault of
    /// its size knows of any question.
    known: f64,
}

/// What a reference to something past adds, in logits. These five were fitted by logistic
/// regression on the sample prompts, asked of the sample vault (counted twice), of the same among
/// 13,922 other notes, and of 103 notes that answer none of them; `BIAS` was then set so that at a
/// confidence of 0.5 at most one in ten of the prompts that deserve nothing gets something.
const PAST: f64 = 3.95;
/// What a reference to own affairs adds.
const OWN: f64 = 1.59;
/// What each step of `ln(1 + matched)` adds.
const MATCHED: f64 = 3.24;
/// What a vault adds that knows every word of the question, against one that knows none.
const KNOWN: f64 = 3.59;
/// What speaks against any answer.
const BIAS: f64 = -5.23;
/// Beyond this many matched words more of them say nothing new.
const MOST_MATCHED: f64 = 4.0;
/// What a vault knows of any question grows by this with the logarithm of its notes.
const KNOWN_BY_SIZE: f64 = 0.08;
/// Notes of the vault at which nothing is taken off.
const KNOWN_AT_NOTES: f64 = 74.0;

impl Evidence {
    /// The evidence of an answer to a prompt.
    pub(super) fn of(response: &SearchResponse, options: &RankingOptions, prompt: &str) -> Self {
        let notes = response.notes.max(1) as f64;
        let rarest = (1.0 + (notes + 0.5) / 0.5).ln() * (options.bm25_k1 + 1.0);
        let by_word = |hit: &hiku::Hit| {
            let own = hit.contributions.iter().find(|one| one.signal == "lexical");
            own.map_or(0.0, |own| own.score)
        };
        let best = response.hits.iter().take(HITS).map(by_word).fold(0.0, f64::max);
        let size = KNOWN_BY_SIZE * (notes / KNOWN_AT_NOTES).ln();
        Evidence {
            reference: reference(prompt),
            matched: best / rarest,
            known: known(response, options) - size,
        }
    }

    /// How sure it is that the hits fit: 0 to 1, 0 where no word matches.
    pub(super) fn confidence(&self) -> f64 {
        if self.matched <= 0.0 {
            return 0.0;
        }
        let reference = match self.reference {
            Reference::Past => PAST,
            Reference::Own => OWN,
            Reference::None => 0.0,
        };
        let matched = self.matched.min(MOST_MATCHED).ln_1p();
        let logit = BIAS + reference + MATCHED * matched + KNOWN * self.known;
        1.0 / (1.0 + (-logit).exp())
    }
}

/// The share of the question's weight in terms that some note holds.
fn known(response: &SearchResponse, options: &RankingOptions) -> f64 {
    let weight = |class: &str| if class == "strong" { 1.0 } else { options.weak_weight };
    let sum = |only_known: bool| -> f64 {
        let terms = response.terms.iter();
        let counted = terms.filter(|term| !only_known || term.document_frequency > 0);
        counted.map(|term| weight(term.class) * term.idf).sum()
    };
    let all = sum(false);
    if all > 0.0 { sum(true) / all } else { 0.0 }
}

#[cfg(test)]
impl Evidence {
    /// Reference (0 to 2), matched words, known share: for fitting.
    pub(super) fn features(&self) -> [f64; 3] {
        [f64::from(self.reference as u8), self.matched, self.known]
    }
}
