//! Token weights from a vault's own counts.

use super::TokenId;

/// How much each token counts in a mean: the square root of its inverse document frequency in the
/// vault, `sqrt(ln(1 + (N - n + 0.5) / (n + 0.5)))` with n of N notes holding the token. A rare
/// token says more about a text than a frequent one; the root, since the model's own vectors carry
/// part of that already (full IDF measured worse).
///
/// Of 1,000 notes: 2.8 for a token that no note holds, 2.5 for one of a single note, 1.5 for one of
/// a hundred, 0.02 for one of all.
#[derive(Debug, Clone, PartialEq)]
pub struct TokenWeights {
    notes: u32,
    counts: Vec<u32>,
    weights: Vec<f32>,
}

impl TokenWeights {
    /// Weights from the number of notes that hold each token, out of `notes`. `counts` is indexed
    /// by token id; a count above `notes` counts as `notes`.
    pub fn new(notes: u32, counts: Vec<u32>) -> Self {
        TokenWeights { notes, counts, weights: Vec::new() }
    }

    /// Computes all weights now: worth it for many texts, and a waste for one query.
    #[must_use]
    pub fn computed(mut self) -> Self {
        self.weights = self.counts.iter().map(|count| weight(self.notes, *count)).collect();
        self
    }

    /// The weight of a token; one beyond the vocabulary counts as never seen.
    pub fn of(&self, token: TokenId) -> f32 {
        match self.weights.get(token as usize) {
            Some(weight) => *weight,
            None => weight(self.notes, self.counts.get(token as usize).copied().unwrap_or(0)),
        }
    }

    /// Notes that were counted.
    pub fn notes(&self) -> u32 {
        self.notes
    }

    /// For each token, how many of the notes hold it.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }
}

fn weight(notes: u32, count: u32) -> f32 {
    let (notes, count) = (f64::from(notes), f64::from(count.min(notes)));
    (1.0 + (notes - count + 0.5) / (count + 0.5)).ln().sqrt() as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_the_root_of_the_inverse_document_frequency() {
        let weights = TokenWeights::new(100, vec![0, 1, 50, 100]);
        for (token, expected) in [
            (0, (1.0 + 100.5 / 0.5f64).ln().sqrt()),
            (1, (1.0 + 99.5 / 1.5f64).ln().sqrt()),
            (2, (1.0 + 50.5 / 50.5f64).ln().sqrt()),
            (3, (1.0 + 0.5 / 100.5f64).ln().sqrt()),
            (9, (1.0 + 100.5 / 0.5f64).ln().sqrt()),
        ] {
            for weights in [&weights, &weights.clone().computed()] {
                assert!((f64::from(weights.of(token)) - expected).abs() < 1e-6, "{token}");
            }
        }
    }
}
