//! The `WordPiece` tokenizer: takes the longest piece from the left, again and again. Not
//! responsible for finding words, see [`crate::bert`].
//!
//! Schuster & Nakajima, *Japanese and Korean Voice Search*, ICASSP 2012, as BERT uses it: pieces
//! inside a word begin with `##`; a word that cannot be cut whole, or is too long, is unknown.

use std::ops::Range;

use crate::trie::{Place, Trie};

/// What the vocabulary puts before a piece that does not begin a word.
pub(crate) const INNER_PREFIX: &str = "##";

/// The pieces, read from the file's bytes.
pub(crate) struct WordPiece<'a> {
    trie: Trie<'a>,
    inner: Option<Place>,
    longest_word: usize,
}

impl<'a> WordPiece<'a> {
    /// Makes the tokenizer; longer words, in characters, are unknown.
    pub(crate) fn new(trie: Trie<'a>, longest_word: usize) -> Self {
        WordPiece { trie, inner: trie.walk(INNER_PREFIX.as_bytes()), longest_word }
    }

    /// Gives the pieces of a word with their spans to `sink`; tells whether the whole word could
    /// be cut. If not, what was given is to be forgotten.
    pub(crate) fn cut(&self, word: &[u8], mut sink: impl FnMut(u32, Range<usize>)) -> bool {
        let characters = word.iter().filter(|byte| **byte & 0xC0 != 0x80).count();
        if characters > self.longest_word {
            return false;
        }
        let mut start = 0;
        while start < word.len() {
            let place = if start == 0 { Some(self.trie.root()) } else { self.inner };
            let Some((id, end)) = place.and_then(|place| self.longest(word, start, place)) else {
                return false;
            };
            sink(id, start..end);
            start = end;
        }
        true
    }

    /// Appends the pieces of a word as the vocabulary spells them.
    pub(crate) fn spell(&self, word: &[u8], pieces: &mut Vec<String>) {
        let first = pieces.len();
        let whole = self.cut(word, |_, span| {
            let prefix = if span.start == 0 { "" } else { INNER_PREFIX };
            pieces.push(format!("{prefix}{}", String::from_utf8_lossy(&word[span])));
        });
        if !whole {
            pieces.truncate(first);
        }
    }

    /// The longest piece at a place of the word.
    fn longest(&self, word: &[u8], start: usize, mut place: Place) -> Option<(u32, usize)> {
        let mut found = None;
        for (index, &byte) in word[start..].iter().enumerate() {
            let Some((next, piece)) = self.trie.step(place, byte) else { break };
            place = next;
            found = piece.map(|id| (id, start + index + 1)).or(found);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trie;

    fn check(word: &str, expected: &[&str]) {
        let pieces: [(&[u8], u32); 5] =
            [(b"##b", 4), (b"##bc", 3), (b"a", 0), (b"ab", 1), (b"abcd", 2)];
        let bytes = trie::build(pieces.into()).unwrap();
        let mut found = Vec::new();
        WordPiece::new(Trie::new(&bytes), 6).spell(word.as_bytes(), &mut found);
        assert_eq!(found, expected, "{word}");
    }

    #[test]
    fn the_longest_piece_from_the_left_wins() {
        check("a", &["a"]);
        check("abbc", &["ab", "##bc"]);
        check("abcd", &["abcd"]);
        check("abb", &["ab", "##b"]);
    }

    #[test]
    fn a_word_that_cannot_be_cut_whole_or_is_too_long_is_unknown() {
        check("abc", &[]);
        check("b", &[]);
        check("x", &[]);
        check("abbbbb", &["ab", "##b", "##b", "##b", "##b"]);
        check("abbbbbb", &[]);
    }
}
