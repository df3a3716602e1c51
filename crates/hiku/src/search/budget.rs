//! Keeps an answer within the limit on its tokens, and says what was left out. Ranks nothing.

use crate::text::estimate_tokens;

use super::types::{Hit, Omitted, SearchRequest};

/// Cuts a text to an estimated number of tokens, on a character boundary. Longer text never costs
/// less, so that the end is found by halving.
fn cut_to_tokens(text: &mut String, budget: usize) {
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let fitting = ends.partition_point(|end| estimate_tokens(&text[..*end]) <= budget);
    text.truncate(fitting.checked_sub(1).map_or(0, |last| ends[last]));
}

/// Cuts the hits to the token budget and says what is left out.
pub(super) fn omit(hits: &mut Vec<Hit>, matching: usize, request: &SearchRequest) -> Omitted {
    let mut why = if matching > hits.len() { "limit" } else { "" };
    if let Some(budget) = request.max_tokens {
        let mut left = budget;
        for (number, hit) in hits.iter_mut().enumerate() {
            let fitting = hit.passages.iter().take_while(|passage| {
                let cost = estimate_tokens(&passage.text);
                let fits = cost <= left;
                left -= if fits { cost } else { 0 };
                fits
            });
            let kept = fitting.count();
            if kept < hit.passages.len() {
                why = "max_tokens";
            }
            if kept == 0 && number == 0 {
                // The best passage is cut to fit: nothing would look as if nothing were found.
                hit.passages.truncate(1);
                if let Some(best) = hit.passages.first_mut() {
                    cut_to_tokens(&mut best.text, left);
                }
                hits.truncate(1);
                break;
            }
            hit.passages.truncate(kept);
            if kept == 0 && number > 0 {
                hits.truncate(number);
                break;
            }
        }
    }
    Omitted { count: matching.saturating_sub(hits.len()), why }
}
