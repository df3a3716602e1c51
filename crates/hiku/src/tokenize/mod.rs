//! Text to index terms, strong and weak: stems, identifiers whole and in parts, Japanese runs and
//! n-grams. The same text gives the same terms at index and at query time. Knows nothing of
//! fields, notes or scores.
//!
//! The scheme, for NFKC text:
//! - **Words** (letters, digits, `_`): a plain word gives its lower-case Snowball stem. A word of
//!   several camel, snake or digit parts gives `=whole` in lower case and the stem of each part.
//!   Words joined by `::`, `.`, `-`, `/` without blanks, or ending in `++` or `#`, also give the
//!   whole chain, marked `~`.
//! - **Japanese**: strong are the bigrams inside a kanji run (a lone kanji as itself) and a
//!   katakana run whole, its final long mark left out. Weak are every kanji, every bigram of the
//!   whole Japanese run with katakana folded to hiragana, and the run's last kana.
//!
//! | text | strong | weak |
//! |---|---|---|
//! | `Running` | `run` | |
//! | `_rrf_fuse` | `=_rrf_fuse`, `rrf`, `fuse` | |
//! | `requestAnimationFrame` | `=requestanimationframe`, `request`, `anim`, `frame` | |
//! | `std::flat_map` | `std`, `=flat_map`, `flat`, `map`, `~std::flat_map` | |
//! | `権限の設計` | `権限`, `設計` | `権` `限` `設` `計`, `権限` `限の` `の設` `設計` |
//! | `コンピューター` | `コンピュータ` | the pairs of `こんぴゅーたー`, and its last kana |
//!
//! Classes are counted apart: a kanji is in far more notes than a word, and one idf for both would
//! make either worthless.

mod japanese;
mod words;

use rustc_hash::FxHashMap;

/// Version of the scheme; part of the index's identity. Raise it whenever some text gives other
/// terms than before: an index of another version is rebuilt.
pub(crate) const TOKENIZER_VERSION: u32 = 1;

/// Longest term in bytes; a longer word is cut, at index and query time alike. 21 Japanese
/// characters. Base64 and hashes would otherwise fill the index with terms that nobody types.
pub(crate) const MAX_TERM_BYTES: usize = 64;

/// The three kinds of terms, each with lengths and document frequencies of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub(crate) enum Class {
    /// Words, identifiers, kanji bigrams inside kanji runs, katakana runs.
    Strong = 0,
    /// Single kanji.
    Kanji = 1,
    /// Bigrams of whole Japanese runs, and their last kana.
    Bigram = 2,
}

impl Class {
    /// All classes, in the order of their numbers.
    pub(crate) const ALL: [Class; 3] = [Class::Strong, Class::Kanji, Class::Bigram];

    /// Name for reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Class::Strong => "strong",
            Class::Kanji => "kanji",
            Class::Bigram => "bigram",
        }
    }
}

/// Mark of an identifier kept whole.
pub(crate) const WHOLE_MARK: u8 = b'=';
/// Mark of a chain of words kept whole.
pub(crate) const CHAIN_MARK: u8 = b'~';

/// Number of a term inside one [`Analyzer`], dense from 0.
pub(crate) type TermNumber = u32;

/// Turns texts into term numbers, remembering the terms it has seen. Not shared between threads:
/// each worker has its own.
///
/// Numbers mean nothing outside of their analyzer. Remembering costs memory for each different
/// term, which is why a long-lived searcher replaces its analyzer from time to time.
#[derive(Debug, Default)]
pub(crate) struct Analyzer {
    terms: Terms,
    words: words::WordCache,
    japanese: japanese::JapaneseCache,
}

impl Analyzer {
    /// Makes an analyzer that has seen nothing.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Appends the numbers of the terms of `text`, in order of appearance, repeats included. Any
    /// text is accepted; text without letters gives no terms.
    pub(crate) fn analyze(&mut self, text: &str, out: &mut Vec<TermNumber>) {
        let normal = crate::text::nfkc(text);
        let mut rest = normal.as_ref();
        while let Some(run) = next_run(&mut rest) {
            match run {
                Run::Japanese(run) => self.japanese.analyze(run, &mut self.terms, out),
                Run::Words(run) => self.words.analyze(run, &mut self.terms, out),
            }
        }
    }

    /// Class and text of a term; the text carries the mark of wholes and chains.
    pub(crate) fn term(&self, number: TermNumber) -> (Class, &str) {
        self.terms.get(number)
    }

    /// The number of a term that stands for itself: a tag, a type, a link target.
    pub(crate) fn verbatim(&mut self, text: &str) -> TermNumber {
        self.terms.number(Class::Strong, cut(text))
    }

    /// How many terms it has seen.
    pub(crate) fn seen(&self) -> usize {
        self.terms.list.len()
    }
}

/// At most [`MAX_TERM_BYTES`] of a text, on a character boundary.
fn cut(text: &str) -> &str {
    &text[..crate::text::floor_boundary(text, MAX_TERM_BYTES)]
}

/// All terms seen, numbered.
#[derive(Debug, Default)]
struct Terms {
    numbers: FxHashMap<(Class, Box<str>), TermNumber>,
    list: Vec<(Class, Box<str>)>,
}

impl Terms {
    fn number(&mut self, class: Class, text: &str) -> TermNumber {
        let next = self.list.len() as TermNumber;
        let key: (Class, Box<str>) = (class, text.into());
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.list.push((class, text.into()));
        }
        number
    }

    fn get(&self, number: TermNumber) -> (Class, &str) {
        let (class, text) = &self.list[number as usize];
        (*class, text)
    }
}

/// A stretch of text that one of the two analyses takes whole.
enum Run<'t> {
    /// Japanese characters only.
    Japanese(&'t str),
    /// Anything without Japanese characters.
    Words(&'t str),
}

/// Cuts the next run off the front of `rest`.
fn next_run<'t>(rest: &mut &'t str) -> Option<Run<'t>> {
    let text = *rest;
    let first = text.chars().next()?;
    let japanese = crate::text::Script::of(first).is_japanese();
    let end = if japanese {
        text.find(|c| !crate::text::Script::of(c).is_japanese())
    } else {
        find_japanese(text)
    };
    let (run, tail) = text.split_at(end.unwrap_or(text.len()));
    *rest = tail;
    Some(if japanese { Run::Japanese(run) } else { Run::Words(run) })
}

/// Where the first Japanese character stands; passes ASCII by byte, since most text is.
fn find_japanese(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] < 0x80 {
            at += 1;
            continue;
        }
        let character = text[at..].chars().next()?;
        if crate::text::Script::of(character).is_japanese() {
            return Some(at);
        }
        at += character.len_utf8();
    }
    None
}

#[cfg(test)]
mod tests;
