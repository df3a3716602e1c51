//! BERT's normaliser and pre-tokenizer: turns a text into words. Not responsible for cutting words
//! into pieces.
//!
//! The rules are those of `BertNormalizer` and `BertPreTokenizer` of the `tokenizers` crate, each
//! character for itself; what they know of Unicode is in `data/bert.characters`, made by the
//! example `bert_characters`. One thing is left out: the canonical order of the few combining
//! marks that are not dropped with the accents, such as U+302E.

use std::sync::OnceLock;

use crate::format::read_u32;
use crate::options::{Options, flag};

/// What the rules know of Unicode.
static CHARACTERS: &[u8] = include_bytes!("../data/bert.characters");

/// Pairs of numbers, in ascending order of the first.
type Pairs = &'static [[u8; 8]];

/// The tables of the file.
struct Characters {
    dropped: Pairs,
    punctuation: Pairs,
    decompositions: Pairs,
    texts: &'static [u8],
}

impl Characters {
    fn get() -> &'static Characters {
        static TABLES: OnceLock<Characters> = OnceLock::new();
        TABLES.get_or_init(|| {
            let (dropped, rest) = split(CHARACTERS);
            let (punctuation, rest) = split(rest);
            let (decompositions, texts) = split(rest);
            Characters { dropped, punctuation, decompositions, texts }
        })
    }

    fn is_dropped(&self, character: char) -> bool {
        contains(self.dropped, character)
    }

    fn is_punctuation(&self, character: char) -> bool {
        contains(self.punctuation, character)
    }

    /// The canonical decomposition without marks, if it is not the character itself.
    fn decomposition(&self, character: char) -> Option<&'static str> {
        let code = character as u32;
        let index = self.decompositions.binary_search_by_key(&code, |pair| half(*pair, 0)).ok()?;
        let start = index.checked_sub(1).map_or(0, |before| half(self.decompositions[before], 4));
        let end = half(self.decompositions[index], 4);
        std::str::from_utf8(self.texts.get(start as usize..end as usize)?).ok()
    }
}

/// Takes a counted list of pairs off the front.
fn split(bytes: &'static [u8]) -> (Pairs, &'static [u8]) {
    let count = read_u32(bytes, 0).unwrap_or_default() as usize;
    let (pairs, rest) = bytes[4..].split_at(8 * count);
    (pairs.as_chunks().0, rest)
}

/// One number of a pair, at a byte offset.
fn half(pair: [u8; 8], offset: usize) -> u32 {
    read_u32(&pair, offset).unwrap_or_default()
}

/// Whether a character lies in one of the ranges.
fn contains(ranges: Pairs, character: char) -> bool {
    let code = character as u32;
    let after = ranges.partition_point(|range| half(*range, 0) <= code);
    after.checked_sub(1).is_some_and(|index| code <= half(ranges[index], 4))
}

/// Gives all words of a text to `sink`; `word` is a buffer.
pub(crate) fn words(options: &Options, text: &str, word: &mut Vec<u8>, sink: impl FnMut(&[u8])) {
    word.clear();
    let mut words = Words { options, characters: Characters::get(), word, sink };
    for character in text.chars() {
        if character.is_ascii_alphanumeric() {
            words.push_plain(character);
        } else {
            words.clean(character);
        }
    }
    words.finish_word();
}

struct Words<'a, S> {
    options: &'a Options,
    characters: &'static Characters,
    word: &'a mut Vec<u8>,
    sink: S,
}

impl<S: FnMut(&[u8])> Words<'_, S> {
    /// Pushes an ASCII letter or digit.
    fn push_plain(&mut self, character: char) {
        let small = self.options.has(flag::LOWERCASE);
        let character = if small { character.to_ascii_lowercase() } else { character };
        self.word.push(character as u8);
    }

    /// Drops what is dropped, and sets Chinese characters apart.
    fn clean(&mut self, character: char) {
        if self.options.has(flag::CLEAN) && self.characters.is_dropped(character) {
            return;
        }
        let apart = self.options.has(flag::SPLIT_CHINESE) && is_chinese(character);
        if apart {
            self.finish_word();
        }
        self.strip(character);
        if apart {
            self.finish_word();
        }
    }

    /// Takes accents off.
    fn strip(&mut self, character: char) {
        if !self.options.has(flag::STRIP_ACCENTS) || character.is_ascii() {
            return self.lower(character);
        }
        if let Some(parts) = hangul(character) {
            return parts.into_iter().flatten().for_each(|part| self.lower(part));
        }
        match self.characters.decomposition(character) {
            Some(text) => text.chars().for_each(|part| self.lower(part)),
            None => self.lower(character),
        }
    }

    fn lower(&mut self, character: char) {
        if self.options.has(flag::LOWERCASE) {
            character.to_lowercase().for_each(|small| self.push(small));
        } else {
            self.push(character);
        }
    }

    /// Pushes a normalised character.
    fn push(&mut self, character: char) {
        if character.is_whitespace() {
            self.finish_word();
            return;
        }
        let apart = self.characters.is_punctuation(character);
        if apart {
            self.finish_word();
        }
        self.word.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        if apart {
            self.finish_word();
        }
    }

    fn finish_word(&mut self) {
        if !self.word.is_empty() {
            (self.sink)(self.word);
            self.word.clear();
        }
    }
}

/// The blocks of Chinese characters that BERT sets apart (its `_is_chinese_char`).
fn is_chinese(character: char) -> bool {
    matches!(
        character as u32,
        0x4E00..=0x9FFF
            | 0x3400..=0x4DBF
            | 0x2_0000..=0x2_A6DF
            | 0x2_A700..=0x2_B73F
            | 0x2_B740..=0x2_B81F
            | 0x2_B920..=0x2_CEAF
            | 0xF900..=0xFAFF
            | 0x2_F800..=0x2_FA1F
    )
}

/// The letters of a Hangul syllable (The Unicode Standard, section 3.12).
fn hangul(character: char) -> Option<[Option<char>; 3]> {
    let index = (character as u32).checked_sub(0xAC00).filter(|index| *index < 11_172)?;
    let (lead, vowel, tail) = (index / 588, index % 588 / 28, index % 28);
    let tail = if tail == 0 { None } else { char::from_u32(0x11A7 + tail) };
    Some([char::from_u32(0x1100 + lead), char::from_u32(0x1161 + vowel), tail])
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: u32 = flag::CLEAN | flag::SPLIT_CHINESE | flag::STRIP_ACCENTS | flag::LOWERCASE;

    fn check(flags: u32, text: &str, expected: &[&str]) {
        let options = Options { flags, ..Options::default() };
        let mut found = Vec::new();
        let sink = |word: &[u8]| found.push(String::from_utf8(word.to_vec()).unwrap());
        words(&options, text, &mut Vec::new(), sink);
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn words_are_split_cleaned_and_made_small() {
        check(ALL, "", &[]);
        check(ALL, " Don't  PANIC!\n", &["don", "'", "t", "panic", "!"]);
        check(ALL, "a\0b\u{200B}c\u{FFFD}d", &["abcd"]);
        check(ALL, "Café É e\u{301}", &["cafe", "e", "e"]);
        check(ALL, "東京とは、が", &["東", "京", "とは", "、", "か"]);
        check(ALL, "각", &["\u{1100}\u{1161}\u{11A8}"]);
    }

    #[test]
    fn what_is_not_asked_for_is_not_done() {
        check(0, "Café\u{200B}東京", &["Café\u{200B}東京"]);
        check(flag::LOWERCASE, "CAFÉ", &["café"]);
        check(flag::STRIP_ACCENTS, "CAFÉ", &["CAFE"]);
    }
}
