//! Terms of text that is not Japanese: stems, identifiers whole and in parts, chains.

use std::ops::Range;

use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::FxHashMap;

use super::{CHAIN_MARK, Class, MAX_TERM_BYTES, TermNumber, Terms, WHOLE_MARK, cut};
use crate::text::Script;

/// Once this many words are remembered, new ones are analysed each time: a vault of generated
/// text must not fill the memory.
const MAX_CACHED_WORDS: usize = 1 << 20;

/// Remembers which terms a word gives, so that each different word is analysed once.
///
/// Texts repeat few words over and over: looking one up is far cheaper than stemming it.
pub(super) struct WordCache {
    stemmer: Stemmer,
    known: FxHashMap<Box<str>, Range<u32>>,
    numbers: Vec<TermNumber>,
    scratch: String,
}

impl Default for WordCache {
    fn default() -> Self {
        WordCache {
            stemmer: Stemmer::create(Algorithm::English),
            known: FxHashMap::default(),
            numbers: Vec::new(),
            scratch: String::new(),
        }
    }
}

impl std::fmt::Debug for WordCache {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("WordCache")
            .field("known", &self.known.len())
            .finish_non_exhaustive()
    }
}

impl WordCache {
    pub(super) fn analyze(&mut self, run: &str, terms: &mut Terms, out: &mut Vec<TermNumber>) {
        let mut at = 0;
        while let Some(word) = next_word(run, at) {
            let chain = chain_end(run, &word);
            let mut part = word;
            loop {
                self.word(&run[part.clone()], terms, out);
                at = part.end;
                match next_word(run, at) {
                    Some(next) if next.end <= chain.end => part = next,
                    _ => break,
                }
            }
            if chain.end > chain.start {
                at = chain.end;
                self.chain(&run[chain], terms, out);
            }
        }
    }

    /// Terms of one word, from memory where it was seen before.
    fn word(&mut self, word: &str, terms: &mut Terms, out: &mut Vec<TermNumber>) {
        if let Some(range) = self.known.get(word) {
            out.extend_from_slice(&self.numbers[range.start as usize..range.end as usize]);
            return;
        }
        let start = out.len();
        self.expand(word, terms, out);
        if self.known.len() < MAX_CACHED_WORDS {
            let from = self.numbers.len() as u32;
            self.numbers.extend_from_slice(&out[start..]);
            self.known.insert(word.into(), from..self.numbers.len() as u32);
        }
    }

    fn expand(&mut self, word: &str, terms: &mut Terms, out: &mut Vec<TermNumber>) {
        let parts = parts(word);
        if parts.len() == 1 && !word.contains('_') {
            out.push(self.stem(word, terms));
            return;
        }
        out.push(self.marked(WHOLE_MARK, word, terms));
        for part in parts {
            out.push(self.stem(&word[part], terms));
        }
    }

    fn stem(&mut self, word: &str, terms: &mut Terms) -> TermNumber {
        let lower = word.to_lowercase();
        let lower = cut(&lower);
        if lower.bytes().all(|byte| byte.is_ascii_lowercase()) {
            terms.number(Class::Strong, &self.stemmer.stem(lower))
        } else {
            terms.number(Class::Strong, lower)
        }
    }

    fn marked(&mut self, mark: u8, word: &str, terms: &mut Terms) -> TermNumber {
        self.scratch.clear();
        self.scratch.push(char::from(mark));
        self.scratch.extend(word.chars().flat_map(char::to_lowercase));
        terms.number(Class::Strong, cut(&self.scratch))
    }

    fn chain(&mut self, chain: &str, terms: &mut Terms, out: &mut Vec<TermNumber>) {
        if chain.len() <= MAX_TERM_BYTES {
            out.push(self.marked(CHAIN_MARK, chain, terms));
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The next word of `run` at or behind `from`.
fn next_word(run: &str, from: usize) -> Option<Range<usize>> {
    let start = word_edge(run, from, true)?;
    let end = word_edge(run, start, false).unwrap_or(run.len());
    Some(start..end)
}

/// First offset at or behind `from` whose character is (or is not) part of a word.
fn word_edge(run: &str, from: usize, wanted: bool) -> Option<usize> {
    let bytes = run.as_bytes();
    let mut at = from;
    while at < bytes.len() {
        let (is, length) = if bytes[at] < 0x80 {
            (is_word(bytes[at]), 1)
        } else {
            let character = run[at..].chars().next()?;
            (Script::of(character) == Script::Word, character.len_utf8())
        };
        if is == wanted {
            return Some(at);
        }
        at += length;
    }
    None
}

/// The chain that starts with `word`: empty where the word stands alone.
fn chain_end(run: &str, word: &Range<usize>) -> Range<usize> {
    let bytes = run.as_bytes();
    let mut end = word.end;
    loop {
        let joint = match bytes.get(end) {
            Some(b'.' | b'-' | b'/') => 1,
            Some(b':') if bytes.get(end + 1) == Some(&b':') => 2,
            _ => break,
        };
        match next_word(run, end + joint) {
            Some(next) if next.start == end + joint => end = next.end,
            _ => break,
        }
    }
    let suffix = match bytes.get(end) {
        Some(b'+') if bytes.get(end + 1) == Some(&b'+') => 2,
        Some(b'#') if !bytes.get(end + 1).copied().is_some_and(is_word) => 1,
        _ => 0,
    };
    if end == word.end && suffix == 0 { end..end } else { word.start..end + suffix }
}

/// What a character is to the cutting of a word into parts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Letter {
    Underscore,
    Digit,
    Capital,
    Small,
}

impl Letter {
    fn of(character: char) -> Self {
        match character {
            '_' => Letter::Underscore,
            c if c.is_numeric() => Letter::Digit,
            c if c.is_uppercase() => Letter::Capital,
            _ => Letter::Small,
        }
    }
}

/// Camel, snake and digit parts of a word, underscores left out.
fn parts(word: &str) -> Vec<Range<usize>> {
    let letters: Vec<(usize, Letter)> =
        word.char_indices().map(|(at, character)| (at, Letter::of(character))).collect();
    let mut parts = Vec::with_capacity(1);
    let mut start = 0;
    for (number, (at, letter)) in letters.iter().enumerate() {
        let next = letters.get(number + 1).map(|(_, next)| *next);
        let before = number.checked_sub(1).map(|before| letters[before].1);
        if before.is_some_and(|before| is_cut(before, *letter, next)) {
            parts.push(start..*at);
            start = *at;
        }
    }
    parts.push(start..word.len());
    parts.retain(|part| !word[part.clone()].starts_with('_'));
    parts
}

/// True where a new part starts: at an underscore's edges, between digits and letters, at a capital
/// behind a small letter, and at the last of several capitals that a small letter follows.
fn is_cut(before: Letter, here: Letter, next: Option<Letter>) -> bool {
    use Letter::{Capital, Digit, Small, Underscore};
    match (before, here) {
        (Underscore, Underscore) | (Digit, Digit) | (Small | Capital, Small) => false,
        (Capital, Capital) => next == Some(Small),
        _ => true,
    }
}
