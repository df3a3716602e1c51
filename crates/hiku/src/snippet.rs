//! The line to show of a passage: where most of the query's weight stands, on one line, bounded.
//! Pure; the text it gets is redacted already.

use rustc_hash::FxHashMap;

use crate::text::{floor_boundary, sanitize};
use crate::tokenize::Analyzer;

/// Longest snippet in characters.
pub const MAX_SNIPPET_CHARACTERS: usize = 160;
/// A line longer than this many bytes is weighed in windows of this length.
const WINDOW_BYTES: usize = 360;

/// The best line of `text` for a query whose terms weigh `weights` (by term text).
pub fn snippet(analyzer: &mut Analyzer, text: &str, weights: &FxHashMap<String, f64>) -> String {
    let mut best = (f64::NEG_INFINITY, "");
    let mut numbers = Vec::new();
    for line in text.lines().flat_map(windows) {
        if line.trim().is_empty() {
            continue;
        }
        numbers.clear();
        analyzer.analyze(line, &mut numbers);
        numbers.sort_unstable();
        numbers.dedup();
        let weight_of = |number: &u32| weights.get(analyzer.term(*number).1).copied();
        let weight: f64 = numbers.iter().filter_map(weight_of).sum();
        // A heading names its section; among equals the text below it says more.
        let weight = if line.trim_start().starts_with('#') { weight * 0.75 } else { weight };
        if weight > best.0 {
            best = (weight, line);
        }
    }
    one_line(best.1)
}

/// Parts of a line, each at most [`WINDOW_BYTES`] long, on character boundaries.
fn windows(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = if rest.len() <= WINDOW_BYTES { rest.len() } else { break_at(rest) };
        let (window, tail) = rest.split_at(end);
        rest = tail;
        Some(window)
    })
}

/// Where to break a long line: behind the last sentence end or blank that fits.
fn break_at(text: &str) -> usize {
    let end = floor_boundary(text, WINDOW_BYTES);
    let head = &text[..end];
    head.rfind(['。', '！', '？'])
        .map(|at| at + '。'.len_utf8())
        .or_else(|| head.rfind(' ').map(|at| at + 1))
        .filter(|at| *at > WINDOW_BYTES / 3)
        .unwrap_or(end)
}

/// Text on one line without markup at its start, cut to the limit with an ellipsis.
fn one_line(line: &str) -> String {
    let line = sanitize(line.trim());
    let bare = line.trim_start_matches(['#', '>', ' ', '\t']);
    let bare = bare.strip_prefix("- ").or_else(|| bare.strip_prefix("* ")).unwrap_or(bare);
    let mut out = String::new();
    for word in bare.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    if let Some((at, _)) = out.char_indices().nth(MAX_SNIPPET_CHARACTERS) {
        out.truncate(at);
        out.pop();
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, terms: &[&str], expected: &str) {
        let weights = terms.iter().map(|term| ((*term).to_owned(), 1.0)).collect();
        assert_eq!(snippet(&mut Analyzer::new(), text, &weights), expected);
    }

    #[test]
    fn the_line_with_most_of_the_query_is_shown() {
        check(
            "# Alpha beta\n\nnothing here\n- alpha and beta\n",
            &["alpha", "beta"],
            "alpha and beta",
        );
        check("一行目\n認証の失敗を扱う。\n三行目", &["認証", "失敗"], "認証の失敗を扱う。");
        check("only\nlines", &["absent"], "only");
        check("", &[], "");
    }

    #[test]
    fn long_lines_are_cut_on_characters() {
        let long = "あ".repeat(1_000);
        let shown = snippet(&mut Analyzer::new(), &long, &FxHashMap::default());
        assert!(shown.chars().count() <= MAX_SNIPPET_CHARACTERS);
    }

    #[test]
    fn nothing_that_steers_a_terminal_is_shown() {
        check("a\x1B[31mred\u{202E} text", &["red"], "ared text");
    }
}
