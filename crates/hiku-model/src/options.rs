//! The options of a tokenizer as the section `TOKN` holds them. Not responsible for carrying them
//! out.
//!
//! | offset | content |
//! |---|---|
//! | 0 | kind: 0 Unigram, 1 `WordPiece` (u32) |
//! | 4 | flags (u32), see [`flag`] |
//! | 8 | id of the unknown piece, `u32::MAX` for none |
//! | 12 | most characters of a word, `WordPiece` only (u32) |
//! | 16 | score of an unknown character, Unigram only (f64) |
//! | 24 | the character that stands for a space, Unigram only (u32) |
//! | 28 | number of steps (u32), then each: code (u32), two strings (u32 length, UTF-8) |

use crate::format::{read_text, read_u32, read_u64, write_text};

/// The bits of the flags.
pub(crate) mod flag {
    /// Runs of spaces count as one, after the character map.
    pub(crate) const COLLAPSE_SPACES: u32 = 1;
    /// The space mark is put before the text (and before each word, with [`SPLIT_WHITESPACE`]).
    pub(crate) const PREPEND: u32 = 1 << 1;
    /// Each space mark begins a new word, for which the best pieces are sought alone.
    pub(crate) const SPLIT_AT_MARK: u32 = 1 << 2;
    /// White space ends a word and is dropped.
    pub(crate) const SPLIT_WHITESPACE: u32 = 1 << 3;
    /// Control characters are dropped (BERT).
    pub(crate) const CLEAN: u32 = 1 << 4;
    /// Each Chinese character is a word (BERT).
    pub(crate) const SPLIT_CHINESE: u32 = 1 << 5;
    /// Accents are dropped (BERT).
    pub(crate) const STRIP_ACCENTS: u32 = 1 << 6;
    /// Letters are made small (BERT).
    pub(crate) const LOWERCASE: u32 = 1 << 7;
}

/// The kind of a tokenizer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Pieces with scores; the sequence with the best sum wins.
    Unigram,
    /// The longest piece from the left wins.
    WordPiece,
}

/// A step of normalisation that is done on the whole text before the rest. The built-in model
/// has none: its normaliser is the character map and [`flag::COLLAPSE_SPACES`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// Applies the character map.
    Charsmap,
    /// Replaces a string by another.
    Replace(String, String),
    /// Replaces each run of white space by a string.
    ReplaceRuns(RunKind, String),
    /// Removes white space at the left end.
    StripLeft,
    /// Removes white space at the right end.
    StripRight,
    /// Makes letters small.
    Lowercase,
    /// Puts a string before a text that is not empty.
    Prepend(String),
}

/// Which runs [`Step::ReplaceRuns`] replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunKind {
    /// Two or more spaces: the expression ` {2,}`.
    TwoSpaces,
    /// One or more characters of white space: the expression `\s+`.
    WhiteSpace,
}

/// All options of a tokenizer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Options {
    pub(crate) kind: Kind,
    pub(crate) flags: u32,
    pub(crate) unknown: Option<u32>,
    pub(crate) longest_word: u32,
    pub(crate) unknown_score: f64,
    pub(crate) mark: char,
    pub(crate) steps: Vec<Step>,
}

impl Default for Options {
    /// A Unigram tokenizer that does nothing to its text.
    fn default() -> Self {
        Options {
            kind: Kind::Unigram,
            flags: 0,
            unknown: None,
            longest_word: 0,
            unknown_score: 0.0,
            mark: '▁',
            steps: Vec::new(),
        }
    }
}

impl Options {
    /// Whether a flag is set.
    pub(crate) fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// Writes the section.
    pub(crate) fn write(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let numbers =
            [self.kind as u32, self.flags, self.unknown.unwrap_or(u32::MAX), self.longest_word];
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend_from_slice(&self.unknown_score.to_le_bytes());
        bytes.extend_from_slice(&(self.mark as u32).to_le_bytes());
        bytes.extend_from_slice(&(self.steps.len() as u32).to_le_bytes());
        for step in &self.steps {
            let (code, first, second) = step.encode();
            bytes.extend_from_slice(&code.to_le_bytes());
            write_text(&mut bytes, first);
            write_text(&mut bytes, second);
        }
        bytes
    }

    /// Reads the section; nothing when it is damaged.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let kind = match read_u32(bytes, 0)? {
            0 => Kind::Unigram,
            1 => Kind::WordPiece,
            _ => return None,
        };
        let unknown = read_u32(bytes, 8)?;
        let mut steps = Vec::new();
        let mut offset = 32;
        for _ in 0..read_u32(bytes, 28)? {
            let code = read_u32(bytes, offset)?;
            offset += 4;
            let first = read_text(bytes, &mut offset)?;
            let second = read_text(bytes, &mut offset)?;
            steps.push(Step::decode(code, first, second)?);
        }
        Some(Options {
            kind,
            flags: read_u32(bytes, 4)?,
            unknown: (unknown != u32::MAX).then_some(unknown),
            longest_word: read_u32(bytes, 12)?,
            unknown_score: f64::from_bits(read_u64(bytes, 16)?),
            mark: char::from_u32(read_u32(bytes, 24)?)?,
            steps,
        })
    }
}

impl Step {
    fn encode(&self) -> (u32, &str, &str) {
        match self {
            Step::Charsmap => (0, "", ""),
            Step::Replace(from, to) => (1, from, to),
            Step::ReplaceRuns(RunKind::TwoSpaces, to) => (2, to, ""),
            Step::ReplaceRuns(RunKind::WhiteSpace, to) => (3, to, ""),
            Step::StripLeft => (4, "", ""),
            Step::StripRight => (5, "", ""),
            Step::Lowercase => (6, "", ""),
            Step::Prepend(text) => (7, text, ""),
        }
    }

    fn decode(code: u32, first: &str, second: &str) -> Option<Self> {
        Some(match code {
            0 => Step::Charsmap,
            1 if !first.is_empty() => Step::Replace(first.to_owned(), second.to_owned()),
            2 => Step::ReplaceRuns(RunKind::TwoSpaces, first.to_owned()),
            3 => Step::ReplaceRuns(RunKind::WhiteSpace, first.to_owned()),
            4 => Step::StripLeft,
            5 => Step::StripRight,
            6 => Step::Lowercase,
            7 => Step::Prepend(first.to_owned()),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> Options {
        Options {
            kind: Kind::Unigram,
            flags: flag::PREPEND | flag::SPLIT_AT_MARK,
            unknown: Some(3),
            longest_word: 100,
            unknown_score: -30.25,
            mark: '▁',
            steps: vec![
                Step::Charsmap,
                Step::Replace("。".into(), " 。 ".into()),
                Step::ReplaceRuns(RunKind::WhiteSpace, " ".into()),
                Step::ReplaceRuns(RunKind::TwoSpaces, "▁".into()),
                Step::StripLeft,
                Step::StripRight,
                Step::Lowercase,
                Step::Prepend("x".into()),
            ],
        }
    }

    #[test]
    fn options_come_back() {
        assert_eq!(Options::read(&options().write()), Some(options()));
    }

    #[test]
    fn cut_options_are_refused() {
        let bytes = options().write();
        for length in 0..bytes.len() {
            assert_eq!(Options::read(&bytes[..length]), None, "at {length}");
        }
    }
}
