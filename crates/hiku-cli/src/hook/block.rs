//! The text that is put before the agent: passages with their sources, fenced as data, within a
//! limit on tokens that counts every line of it. Chooses no passages.

use hiku::text::estimate_tokens;
use hiku::{Hit, Passage};

use crate::messages::Messages;
use crate::render::{CONTEXT_TITLE, fenced_passage};

/// Least tokens of a passage's text: less says nothing that its heading does not.
const MIN_PASSAGE_TOKENS: usize = 16;

/// A block that grows passage by passage.
#[derive(Debug)]
pub(super) struct Block {
    text: String,
    has_passage: bool,
    max_tokens: usize,
    messages: Messages,
}

impl Block {
    /// A block with its first lines.
    pub(super) fn new(max_tokens: usize, messages: Messages) -> Self {
        let text = format!("{CONTEXT_TITLE}\n\n{}\n", messages.hook_notice());
        Block { text, has_passage: false, max_tokens, messages }
    }

    /// Adds a passage, cut around its snippet to what fits when `more` others are to follow. False
    /// where nothing of it fits.
    pub(super) fn add(&mut self, hit: &Hit, passage: &Passage, more: usize) -> bool {
        let left = self.max_tokens.saturating_sub(estimate_tokens(&self.text));
        let shown = |passage: &Passage| shown(hit, passage, self.messages);
        let frame = estimate_tokens(&shown(&Passage { text: String::new(), ..passage.clone() }));
        // The best passage gets twice the share of each that follows.
        let share = if more == 0 { left } else { left * 2 / (more + 2) };
        let mut budget = share.saturating_sub(frame);
        while budget >= MIN_PASSAGE_TOKENS {
            let whole = shown(&around_snippet(passage, budget));
            if estimate_tokens(&self.text) + estimate_tokens(&whole) < self.max_tokens {
                self.text.push_str(&whole);
                self.has_passage = true;
                return true;
            }
            budget = budget * 9 / 10;
        }
        false
    }

    /// The whole text; `None` without a passage.
    pub(super) fn finish(self) -> Option<String> {
        self.has_passage.then_some(self.text)
    }
}

fn shown(hit: &Hit, passage: &Passage, messages: Messages) -> String {
    let mut out = Vec::new();
    // Memory takes all that is written.
    let _ = fenced_passage(&mut out, hit, passage, messages);
    String::from_utf8(out).unwrap_or_default()
}

/// The passage's lines around its snippet, as many as fit, with the line numbers that are theirs.
fn around_snippet(passage: &Passage, budget: usize) -> Passage {
    if estimate_tokens(&passage.text) <= budget {
        return passage.clone();
    }
    let lines: Vec<&str> = passage.text.lines().collect();
    let at = line_of_snippet(&lines, &passage.snippet);
    // Headings stand above the passage already.
    let is_text = |line: &&str| !line.starts_with('#') && !line.trim().is_empty();
    let at = lines[at..].iter().position(is_text).map_or(at, |further| at + further);
    let (mut start, mut end) = (at, at + 1);
    let cost = |start: usize, end: usize| estimate_tokens(&lines[start..end].join("\n"));
    // What follows a line explains it more often than what stands before it.
    while end < lines.len() && cost(start, end + 1) <= budget {
        end += 1;
    }
    while start > 0 && cost(start - 1, end) <= budget {
        start -= 1;
    }
    let text = cut_to_tokens(&lines[start..end].join("\n"), budget);
    // Line numbers can only be told where each line of the text is one of the file.
    let is_exact = passage.line_end + 1 - passage.line_start.min(passage.line_end) == lines.len();
    let (line_start, line_end) = if is_exact {
        (passage.line_start + start, passage.line_start + end - 1)
    } else {
        (passage.line_start, passage.line_end)
    };
    Passage { text, line_start, line_end, ..passage.clone() }
}

fn line_of_snippet(lines: &[&str], snippet: &str) -> usize {
    let beginning: String = snippet.trim_matches(['…', ' ']).chars().take(24).collect();
    lines.iter().position(|line| line.contains(&beginning)).unwrap_or(0)
}

/// Longer text never costs less, so that the end is found by halving.
fn cut_to_tokens(text: &str, budget: usize) -> String {
    if estimate_tokens(text) <= budget {
        return text.to_owned();
    }
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let fitting = ends.partition_point(|end| estimate_tokens(&text[..*end]) < budget);
    let end = fitting.checked_sub(1).map_or(0, |last| ends[last]);
    format!("{}…", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{hit, passage};

    fn block(max_tokens: usize, texts: &[String]) -> Option<String> {
        let mut block = Block::new(max_tokens, Messages::default());
        for (number, text) in texts.iter().enumerate() {
            let found = hit("a/b.md", "B", vec![passage(text)]);
            block.add(&found, &found.passages[0], texts.len() - number - 1);
        }
        block.finish()
    }

    #[test]
    fn no_block_is_longer_than_asked() {
        let texts: Vec<String> = ["a word ", "日本語の文。", "```\n", "x\n\n", "`````` "]
            .map(|text| text.repeat(900))
            .to_vec();
        for max_tokens in [100, 140, 500, 2_000] {
            let text = block(max_tokens, &texts).expect("a block");
            assert!(estimate_tokens(&text) <= max_tokens, "{max_tokens}: {text}");
            assert!(estimate_tokens(&text) > max_tokens / 2, "{max_tokens}: {text}");
        }
        assert_eq!(block(500, &[]), None);
        assert_eq!(block(40, &texts), None);
    }

    #[test]
    fn what_is_cut_is_around_the_snippet_with_its_lines() {
        let lines: Vec<String> = (0..90).map(|number| format!("line {number} of it")).collect();
        let mut passage = passage(&lines.join("\n"));
        (passage.line_start, passage.line_end) = (11, 100);
        passage.snippet = "line 50 of it".to_owned();
        let cut = around_snippet(&passage, 20);
        assert_eq!(
            cut.text,
            "line 50 of it\nline 51 of it\nline 52 of it\nline 53 of it\nline 54 of it"
        );
        assert_eq!((cut.line_start, cut.line_end), (61, 65));
        passage.line_end = 40;
        assert_eq!(around_snippet(&passage, 20).line_start, 11);
    }
}
