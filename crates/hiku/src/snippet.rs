//! The line to show of a passage: where most of the query's weight stands, on one line, bounded.
//! Pure; the text it gets is redacted already.

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use crate::text::{floor_boundary, sanitize};
use crate::tokenize::{CHAIN_MARK, WHOLE_MARK};

/// Longest snippet in characters. About two lines of a terminal; the whole passage is in the answer
/// as well.
pub(crate) const MAX_SNIPPET_CHARACTERS: usize = 160;
/// A line longer than this many bytes is weighed in windows of this length. So that a paragraph on
/// one line is shown where the query stands in it.
const WINDOW_BYTES: usize = 360;
/// What a heading line counts against text: it names its section, and the text below says more.
const HEADING_SHARE: f64 = 0.75;

/// Finds where a query stands in texts: by the letters of its terms, not by analysing the text, so
/// that many passages cost little.
#[derive(Debug)]
pub(crate) struct Snippeter {
    /// `None` where the query has no term.
    finder: Option<AhoCorasick>,
    weights: Vec<f64>,
}

impl Snippeter {
    /// Looks for terms, each with its weight. Terms that cannot be looked for are left out.
    pub(crate) fn new<'t>(terms: impl Iterator<Item = (&'t str, f64)>) -> Self {
        let (letters, weights): (Vec<&str>, Vec<f64>) =
            terms.map(|(term, weight)| (letters(term), weight)).unzip();
        let finder = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(&letters)
            .ok();
        Snippeter { finder: finder.filter(|_| !letters.is_empty()), weights }
    }

    /// The best line of `text` for the query.
    ///
    /// Of equal lines the first; where no term stands in the text, its first line that is not
    /// blank. Each term counts once a line, so that a line with two words of the query beats one
    /// that repeats one of them.
    pub(crate) fn snippet(&self, text: &str) -> String {
        let mut best = (f64::NEG_INFINITY, "");
        for line in text.lines().flat_map(windows) {
            if line.trim().is_empty() {
                continue;
            }
            let weight = self.weigh(line);
            let weight =
                if line.trim_start().starts_with('#') { weight * HEADING_SHARE } else { weight };
            if weight > best.0 {
                best = (weight, line);
            }
        }
        one_line(best.1)
    }

    /// Weight of the distinct terms in a line.
    fn weigh(&self, line: &str) -> f64 {
        let Some(finder) = &self.finder else { return 0.0 };
        let mut found: Vec<usize> =
            finder.find_overlapping_iter(line).map(|found| found.pattern().as_usize()).collect();
        found.sort_unstable();
        found.dedup();
        found.into_iter().map(|pattern| self.weights[pattern]).sum()
    }
}

/// The letters by which a term is found in text: a stem's final `i` may be written `y`.
fn letters(term: &str) -> &str {
    let term = term.trim_start_matches([char::from(WHOLE_MARK), char::from(CHAIN_MARK)]);
    match term.strip_suffix('i') {
        Some(stem) if stem.len() > 2 && stem.is_ascii() => stem,
        _ => term,
    }
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
        let snippeter = Snippeter::new(terms.iter().map(|term| (*term, 1.0)));
        assert_eq!(snippeter.snippet(text), expected);
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
        check("we study\nnothing", &["studi"], "we study");
        check("a\nuse std::Flat_Map here", &["=flat_map"], "use std::Flat_Map here");
        check("", &[], "");
    }

    #[test]
    fn long_lines_are_cut_on_characters() {
        let long = "あ".repeat(1_000);
        let shown = Snippeter::new([].into_iter()).snippet(&long);
        assert!(shown.chars().count() <= MAX_SNIPPET_CHARACTERS);
    }

    #[test]
    fn nothing_that_steers_a_terminal_is_shown() {
        check("a\x1B[31mred\u{202E} text", &["red"], "ared text");
    }
}
