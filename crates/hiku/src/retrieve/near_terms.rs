//! Words that no note holds, read as the nearest word that some note holds: a slip of the finger
//! must not cost a query its rarest word. Looks terms up; weighs and scores nothing.
//!
//! Two terms are near by optimal string alignment distance (Damerau 1964: one insertion, deletion,
//! replacement or swap of neighbours counts 1, and no part is edited twice) and share their first
//! character, which few slips touch and which keeps the look-up to one stretch of the sorted terms.
//! That stretch costs a warm search about 1 ms in 13,922 notes where a word is in no note (p95 2.2 to
//! 3.2 ms over questions of another field), and nothing where all are.

use rustc_hash::FxHashMap;

use super::lexical::{QueryTerm, TermLists};
use super::snapshot::Snapshot;
use crate::error::Result;
use crate::postings::{SCORED, split_key, term_key};
use crate::store::Store;
use crate::text::Script;
use crate::tokenize::Class;

/// A shorter Latin term has too many neighbours: of the words of four letters in an English
/// dictionary most have one.
const MIN_LATIN: usize = 5;
/// The same for a katakana term, whose characters are syllables.
const MIN_KATAKANA: usize = 4;
/// From this many characters a term may differ in two places.
const TWO_EDITS_FROM: usize = 9;

/// True for a term that may be a misspelt word: strong, typed by the user as it stands, and of
/// letters of one script.
fn may_be_misspelt(term: &QueryTerm) -> bool {
    let length = term.text.chars().count();
    let is_latin = || term.text.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_katakana = || term.text.chars().all(|c| Script::of(c) == Script::Katakana);
    term.class == Class::Strong
        && !term.is_bonus
        && !term.is_prefix
        && ((length >= MIN_LATIN && is_latin()) || (length >= MIN_KATAKANA && is_katakana()))
}

/// For a term that no living note holds in a scored field, the nearest one that some note's body
/// holds, with its lists. `lists` are those of `term`.
///
/// Of equally near ones the one that most notes hold, then the first by text.
///
/// # Errors
/// `Corrupt` and `Io`.
pub(super) fn nearest(
    store: &Store,
    snapshot: &Snapshot,
    term: &QueryTerm,
    lists: &TermLists,
) -> Result<Option<(String, TermLists)>> {
    if !may_be_misspelt(term) || is_held(store, snapshot, lists)? {
        return Ok(None);
    }
    let mut near = neighbours(store, snapshot, &term.text)?;
    near.sort_unstable();
    let mut found: Option<(usize, usize, String, TermLists)> = None;
    for (distance, text) in near {
        if found.as_ref().is_some_and(|(best, ..)| *best < distance) {
            break;
        }
        let asked = QueryTerm { text, ..term.clone() };
        let lists = TermLists::find(store, snapshot, &asked)?;
        let frequency = lists.frequency(store, snapshot)?;
        if frequency > found.as_ref().map_or(0, |(_, most, ..)| *most) {
            found = Some((distance, frequency, asked.text, lists));
        }
    }
    Ok(found.map(|(_, _, text, lists)| (text, lists)))
}

/// Whether a living document has the term in a scored field. Lists of a segment may be of dead
/// documents alone, and an answer must not depend on when those are swept out.
fn is_held(store: &Store, snapshot: &Snapshot, lists: &TermLists) -> Result<bool> {
    let mut found = Vec::new();
    for field in SCORED {
        lists.collect(store, snapshot, field, &mut found)?;
        if !found.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// All terms near to `text`, with their distances, each once.
fn neighbours(store: &Store, snapshot: &Snapshot, text: &str) -> Result<Vec<(usize, String)>> {
    let wanted = Word::new(text);
    let most = if wanted.characters.len() >= TWO_EDITS_FROM { 2 } else { 1 };
    let first = text.chars().next().map(String::from).unwrap_or_default();
    let prefix = term_key(Class::Strong, &first);
    let mut seen: FxHashMap<String, usize> = FxHashMap::default();
    for columns in &snapshot.segments {
        store.term_lists(columns.segment_id, &prefix, |key, _| {
            let Some((_, _, term)) = split_key(key) else { return };
            let Ok(term) = std::str::from_utf8(term) else { return };
            if wanted.may_be_within(term, most) && !seen.contains_key(term) {
                let distance = distance(&wanted.characters, &Word::new(term).characters);
                if distance <= most {
                    seen.insert(term.to_owned(), distance);
                }
            }
        })?;
    }
    Ok(seen.into_iter().map(|(term, distance)| (distance, term)).collect())
}

/// A term as its characters, with a mark for each that it has.
struct Word {
    characters: Vec<char>,
    /// Bit `c mod 64` for each character.
    marks: u64,
}

impl Word {
    fn new(text: &str) -> Self {
        Word { characters: text.chars().collect(), marks: marks(text) }
    }

    /// False where `other` is certainly more than `most` edits away: each edit changes the length
    /// by at most one and takes or brings at most one character each.
    fn may_be_within(&self, other: &str, most: usize) -> bool {
        let difference = (self.marks ^ marks(other)).count_ones() as usize;
        difference <= most * 2 && self.characters.len().abs_diff(other.chars().count()) <= most
    }
}

fn marks(text: &str) -> u64 {
    text.chars().fold(0, |marks, character| marks | 1 << (character as u32 % 64))
}

/// Optimal string alignment distance.
fn distance(a: &[char], b: &[char]) -> usize {
    let width = b.len() + 1;
    let (mut before, mut above) = (vec![0; width], (0..width).collect::<Vec<_>>());
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1; width];
        for (j, y) in b.iter().enumerate() {
            let replaced = above[j] + usize::from(x != y);
            row[j + 1] = replaced.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        (before, above) = (above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(a: &str, b: &str) -> usize {
        distance(&Word::new(a).characters, &Word::new(b).characters)
    }

    #[test]
    fn an_edit_is_one_insertion_deletion_replacement_or_swap() {
        for (a, b, expected) in [
            ("", "", 0),
            ("", "ab", 2),
            ("receiv", "receiv", 0),
            ("reciev", "receiv", 1),
            ("javascrpt", "javascript", 1),
            ("javvascript", "javascript", 1),
            ("ca", "abc", 3),
            ("ケンサク", "ケンサグ", 1),
        ] {
            assert_eq!(between(a, b), expected, "{a} {b}");
            assert_eq!(between(b, a), expected, "{b} {a}");
        }
    }

    #[test]
    fn what_is_ruled_out_unread_is_too_far() {
        let words = ["abcde", "abced", "abcd", "axcde", "vwxyz", "abcdefg", "edcba", "aabcde"];
        for a in words {
            for b in words {
                let near = Word::new(a).may_be_within(b, 1);
                assert!(near || between(a, b) > 1, "{a} {b}");
            }
        }
    }

    #[test]
    fn short_words_and_forms_that_nobody_typed_are_left_alone() {
        let term = |text: &str, class, is_bonus| QueryTerm {
            class,
            text: text.to_owned(),
            is_prefix: false,
            is_bonus,
            instead_of: None,
        };
        let check = |text: &str, expected: bool| {
            assert_eq!(may_be_misspelt(&term(text, Class::Strong, false)), expected, "{text}");
        };
        check("reciev", true);
        check("recv", false);
        check("=reciev", false);
        check("2026a", false);
        check("インタフェス", true);
        check("ケンサ", false);
        check("検索機能", false);
        assert!(!may_be_misspelt(&term("reciev", Class::Strong, true)));
        assert!(!may_be_misspelt(&term("reciev", Class::Kanji, false)));
    }
}
