//! Terms of a run of Japanese characters.
//!
//! No dictionary decides where words end. Strong terms come from what a run shows by itself (kanji
//! that stand together, katakana that stand together), weak ones from everything, so that any part
//! of a word is found:
//!
//! ```text
//! 設定ファイルの場所   strong  設定  ファイル  場所
//!                      weak    設 定 場 所  設定 定ふ ふぁ ぁい いる るの の場 場所
//! ```

use rustc_hash::FxHashMap;

use super::{Class, TermNumber, Terms};
use crate::text::{Script, fold_kana};

/// A katakana run of at least this many characters loses its final long mark: コンピューター is
/// コンピュータ, and コピー stays.
const LONG_MARK_MIN_CHARACTERS: usize = 4;

/// Remembers numbers of n-grams by their characters, which is cheaper than by their text.
#[derive(Debug, Default)]
pub(super) struct JapaneseCache {
    grams: FxHashMap<(Class, char, char), TermNumber>,
    characters: Vec<(char, Script)>,
}

/// Second character of a unigram in the cache's keys.
const NONE: char = '\0';

impl JapaneseCache {
    pub(super) fn analyze(&mut self, run: &str, terms: &mut Terms, out: &mut Vec<TermNumber>) {
        let mut characters = std::mem::take(&mut self.characters);
        characters.clear();
        characters.extend(run.chars().map(|character| (character, Script::of(character))));
        self.strong(&characters, terms, out);
        self.weak(&characters, terms, out);
        self.characters = characters;
    }

    fn strong(&mut self, run: &[(char, Script)], terms: &mut Terms, out: &mut Vec<TermNumber>) {
        for same in run.chunk_by(|a, b| a.1 == b.1) {
            match same[0].1 {
                Script::Han if same.len() == 1 => {
                    out.push(self.gram(Class::Strong, same[0].0, NONE, terms));
                }
                Script::Han => {
                    for pair in same.windows(2) {
                        out.push(self.gram(Class::Strong, pair[0].0, pair[1].0, terms));
                    }
                }
                Script::Katakana => out.push(terms.number(Class::Strong, &katakana(same))),
                _ => {}
            }
        }
    }

    fn weak(&mut self, run: &[(char, Script)], terms: &mut Terms, out: &mut Vec<TermNumber>) {
        for (character, script) in run {
            if *script == Script::Han {
                out.push(self.gram(Class::Kanji, *character, NONE, terms));
            }
        }
        for pair in run.windows(2) {
            let (first, second) = (fold_kana(pair[0].0), fold_kana(pair[1].0));
            out.push(self.gram(Class::Bigram, first, second, terms));
        }
        if let Some((last, script)) = run.last()
            && (*script != Script::Han || run.len() == 1)
        {
            out.push(self.gram(Class::Bigram, fold_kana(*last), NONE, terms));
        }
    }

    fn gram(&mut self, class: Class, first: char, second: char, terms: &mut Terms) -> TermNumber {
        *self.grams.entry((class, first, second)).or_insert_with(|| {
            let mut text = String::from(first);
            if second != NONE {
                text.push(second);
            }
            terms.number(class, &text)
        })
    }
}

/// A katakana run as a term.
fn katakana(run: &[(char, Script)]) -> String {
    let trimmed = match run {
        [head @ .., ('ー', _)] if run.len() >= LONG_MARK_MIN_CHARACTERS => head,
        _ => run,
    };
    let text: String = trimmed.iter().map(|(character, _)| character).collect();
    super::cut(&text).to_owned()
}
