//! The Unigram tokenizer: cuts each word into the pieces whose scores have the largest sum. Not
//! responsible for normalising or for finding words, see [`crate::words`].
//!
//! Kudo, *Subword Regularization*, ACL 2018, section 3.2; the search is Viterbi's. Sums are made in
//! the order and the precision (f64) of the `tokenizers` crate, so that equal sums fall alike.

use crate::scratch::Node;
use crate::trie::Trie;

/// The pieces and their scores, read from the file's bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unigram<'a> {
    pub(crate) trie: Trie<'a>,
    pub(crate) scores: &'a [[u8; 8]],
    pub(crate) unknown_score: f64,
}

/// The id that marks an unknown character inside the search.
pub(crate) const UNKNOWN: u32 = u32::MAX;

impl Unigram<'_> {
    /// Appends the ids of a word's pieces; unknown characters give none.
    pub(crate) fn cut(&self, word: &[u8], nodes: &mut Vec<Node>, ids: &mut Vec<u32>) {
        self.search(word, nodes);
        let first = ids.len();
        let mut end = word.len();
        while end > 0 {
            let node = nodes[end];
            if node.id != UNKNOWN {
                ids.push(node.id);
            }
            end = node.start as usize;
        }
        ids[first..].reverse();
    }

    /// Appends the starts and the ends of a word's pieces, known ones only.
    pub(crate) fn spans(&self, word: &[u8], nodes: &mut Vec<Node>) -> Vec<std::ops::Range<usize>> {
        self.search(word, nodes);
        let mut spans = Vec::new();
        let mut end = word.len();
        while end > 0 {
            let start = nodes[end].start as usize;
            if nodes[end].id != UNKNOWN {
                spans.push(start..end);
            }
            end = start;
        }
        spans.reverse();
        spans
    }

    /// Finds the best last piece for each end in the word.
    fn search(&self, word: &[u8], nodes: &mut Vec<Node>) {
        nodes.clear();
        nodes.resize(word.len() + 1, Node::EMPTY);
        let mut start = 0;
        while start < word.len() {
            let so_far = nodes[start].score;
            let character = character_length(word[start]);
            let mut alone = false;
            let mut place = self.trie.root();
            for (index, &byte) in word[start..].iter().enumerate() {
                let Some((next, piece)) = self.trie.step(place, byte) else { break };
                place = next;
                if let Some(id) = piece {
                    let score = f64::from_le_bytes(self.scores[id as usize]) + so_far;
                    offer(&mut nodes[start + index + 1], start, id, score);
                    alone |= index + 1 == character;
                }
            }
            if !alone {
                let score = self.unknown_score + so_far;
                offer(&mut nodes[start + character], start, UNKNOWN, score);
            }
            start += character;
        }
    }
}

/// Takes a piece as the last one before a place if it is the first or has the larger sum.
#[inline]
fn offer(node: &mut Node, start: usize, id: u32, score: f64) {
    if node.start == Node::UNREACHED || score > node.score {
        *node = Node { score, start: start as u32, id };
    }
}

/// Length in bytes of the UTF-8 character that begins with this byte.
#[inline]
fn character_length(first: u8) -> usize {
    match first {
        0..0x80 => 1,
        0x80..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trie;

    /// Pieces by id with their scores; ids are positions here.
    fn check(pieces: &[(&str, f64)], word: &str, expected: &[&str]) {
        let mut sorted: Vec<(&[u8], u32)> =
            pieces.iter().zip(0..).map(|((piece, _), id)| (piece.as_bytes(), id)).collect();
        sorted.sort_unstable();
        let bytes = trie::build(sorted).unwrap();
        let scores: Vec<[u8; 8]> = pieces.iter().map(|(_, score)| score.to_le_bytes()).collect();
        let unigram = Unigram { trie: Trie::new(&bytes), scores: &scores, unknown_score: -100.0 };
        let (mut nodes, mut ids) = (Vec::new(), vec![77]);
        unigram.cut(word.as_bytes(), &mut nodes, &mut ids);
        let found: Vec<&str> = ids[1..].iter().map(|id| pieces[*id as usize].0).collect();
        assert_eq!(found, expected, "{word}");
        let spans = unigram.spans(word.as_bytes(), &mut nodes);
        let spelled: Vec<&str> = spans.into_iter().map(|span| &word[span]).collect();
        assert_eq!(spelled, expected, "{word}");
    }

    #[test]
    fn the_best_sum_wins_not_the_longest_piece() {
        let pieces = [("a", -1.0), ("b", -1.0), ("ab", -3.0), ("abc", -2.0), ("c", -9.0)];
        check(&pieces, "", &[]);
        check(&pieces, "ab", &["a", "b"]);
        check(&pieces, "abc", &["abc"]);
        check(&pieces, "abab", &["a", "b", "a", "b"]);
    }

    #[test]
    fn of_equal_sums_the_longer_last_piece_wins() {
        check(&[("a", -1.0), ("b", -1.0), ("ab", -2.0)], "ab", &["ab"]);
    }

    #[test]
    fn unknown_characters_are_left_out_whole() {
        let pieces = [("a", -1.0), ("猫が", -1.0)];
        check(&pieces, "a猫a", &["a", "a"]);
        check(&pieces, "猫が😀\0猫", &["猫が"]);
    }
}
