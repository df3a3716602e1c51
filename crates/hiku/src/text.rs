//! Unicode work on plain strings: NFKC and NFC, kana folding, scripts, sanitising for display,
//! line numbers and a token estimate. Pure; knows nothing of notes or terms.

mod clean;
mod cuts;

use std::borrow::Cow;
use std::iter::Peekable;
use std::str::Chars;

use icu_normalizer::ComposingNormalizer;

pub(crate) use clean::clean;
pub(crate) use cuts::Cuts;

/// The script classes that decide how a run of text becomes terms.
///
/// ```
/// use hiku::text::Script;
///
/// let scripts = ['鍵', 'か', 'カ', 'ー', 'k', '_', '、'].map(Script::of);
/// use Script::{Han, Hiragana, Katakana, Other, Word};
/// assert_eq!(scripts, [Han, Hiragana, Katakana, Katakana, Word, Word, Other]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Script {
    /// Kanji, with the iteration marks 々 and 〆.
    Han,
    /// Hiragana.
    Hiragana,
    /// Katakana, with the long mark ー.
    Katakana,
    /// Any other letter, digit or underscore.
    Word,
    /// Everything else: blanks, punctuation, symbols.
    Other,
}

impl Script {
    /// The script of one character of NFKC text. Half-width katakana and full-width letters do not
    /// occur in it.
    pub fn of(character: char) -> Self {
        match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => Script::Word,
            '\0'..='\x7F' | '・' => Script::Other,
            '々'
            | '〆'
            | '\u{3400}'..='\u{9FFF}'
            | '\u{F900}'..='\u{FAFF}'
            | '\u{20000}'..='\u{323AF}' => Script::Han,
            '\u{3041}'..='\u{309F}' => Script::Hiragana,
            '\u{30A1}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}' => Script::Katakana,
            _ if character.is_alphanumeric() || is_combining(character) => Script::Word,
            _ => Script::Other,
        }
    }

    /// True for the scripts that are written without blanks between words here.
    pub fn is_japanese(self) -> bool {
        matches!(self, Script::Han | Script::Hiragana | Script::Katakana)
    }
}

/// Marks that belong to the letter before them, so that a word in a script with vowel signs stays
/// one run.
fn is_combining(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36F}' | '\u{591}'..='\u{5C7}' | '\u{64B}'..='\u{65F}'
        | '\u{900}'..='\u{903}' | '\u{93A}'..='\u{94F}' | '\u{E31}' | '\u{E34}'..='\u{E3A}'
        | '\u{E47}'..='\u{E4E}')
}

/// NFKC form; borrowed where the text has it already.
///
/// Half-width katakana become full-width and full-width letters half-width, `㍿` becomes
/// `株式会社`: a text may grow, up to 18 times. Used wherever texts are compared or cut into terms,
/// and never for what is shown.
pub fn nfkc(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    ComposingNormalizer::new_nfkc().normalize(text)
}

/// NFC form; borrowed where the text has it already.
///
/// The form in which paths are compared: some file systems give names in NFD, where `が` is two
/// characters.
pub fn nfc(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    ComposingNormalizer::new_nfc().normalize(text)
}

/// Katakana to hiragana, by the fixed distance between the two blocks of Unicode. `ヷ` to `ヺ` have
/// no hiragana and stay, and so does the long mark.
pub fn fold_kana(character: char) -> char {
    match character {
        'ァ'..='ヶ' => char::from_u32(u32::from(character) - 0x60).unwrap_or(character),
        _ => character,
    }
}

/// The form in which names, tags and phrases are compared: NFKC, lower case, katakana as hiragana,
/// runs of blanks as one blank.
///
/// ```
/// use hiku::text::fold;
///
/// assert_eq!(fold("  ＦＯＯ\u{3000}Bar "), "foo bar");
/// assert_eq!(fold("ｶﾀｶﾅ"), fold("かたかな"));
/// ```
pub fn fold(text: &str) -> String {
    let normal = nfkc(text);
    let mut folded = String::with_capacity(normal.len());
    let mut blank = true;
    for character in normal.chars() {
        if character.is_whitespace() {
            if !blank {
                folded.push(' ');
            }
            blank = true;
        } else {
            folded.extend(fold_kana(character).to_lowercase());
            blank = false;
        }
    }
    if folded.ends_with(' ') {
        folded.pop();
    }
    folded
}

/// Estimated tokens of a text for a language model: a quarter token for each Latin character, one
/// for each Japanese character. Founding rule: 4 characters a token; for Japanese, byte-pair
/// vocabularies need about one token a character.
///
/// Characters below U+2E80 count a quarter, so that Cyrillic or Greek is underestimated. Rounded up
/// once, over the whole text.
///
/// ```
/// use hiku::text::estimate_tokens;
///
/// assert_eq!(estimate_tokens("four"), 1);
/// assert_eq!(estimate_tokens("fours"), 2);
/// assert_eq!(estimate_tokens("鍵の管理"), 4);
/// ```
pub fn estimate_tokens(text: &str) -> usize {
    let mut quarters = 0usize;
    for character in text.chars() {
        quarters += if (character as u32) < 0x2E80 { 1 } else { 4 };
    }
    quarters.div_ceil(4)
}

/// True for characters that must not reach a terminal or an agent: controls but for line break and
/// tab, and the invisible marks that reorder or hide text.
fn is_unsafe(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        '\0'..='\x1F' | '\x7F'..='\u{9F}' => true,
        _ => matches!(character, '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{2060}'..='\u{2064}'
            | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{206F}' | '\u{FEFF}'
            | '\u{E0000}'..='\u{E007F}'),
    }
}

/// True for bytes that an unsafe character begins with, among others: a quick look before the slow
/// one.
fn may_be_unsafe(byte: u8) -> bool {
    let control = byte < 0x20 && byte != b'\n' && byte != b'\t';
    control || matches!(byte, 0x7F | 0xC2 | 0xE2 | 0xEF | 0xF3)
}

/// Text that is safe to show: terminal escape sequences, control characters and reordering marks
/// left out, CRLF as LF. Borrowed where nothing had to go.
///
/// Joiners and variation selectors stay: emoji and kanji need them. Applied to its own output it
/// changes nothing.
///
/// ```
/// use hiku::text::sanitize;
///
/// assert_eq!(sanitize("a\u{1b}[31mb\r\n\u{202e}c"), "ab\nc");
/// ```
pub fn sanitize(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(may_be_unsafe) || !text.chars().any(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if is_unsafe(character) {
            skip_escape(character, &mut characters);
        } else {
            clean.push(character);
        }
    }
    Cow::Owned(clean)
}

/// Passes over the rest of what `first` begins, where it begins an escape sequence (ECMA-48), and
/// gives its length in bytes: CSI to its final byte, OSC to BEL, ST or the line's end, other
/// strings to ST on their line, a choice of letters its one character. Anything that is not of that
/// form stays.
fn skip_escape(first: char, rest: &mut Peekable<Chars<'_>>) -> usize {
    let kind = match first {
        '\x1B' => rest.peek().copied(),
        '\u{9B}' => Some('['),
        '\u{9D}' => Some(']'),
        '\u{90}' => Some('P'),
        _ => None,
    };
    // The two-letter form has its second letter still before it.
    let lead = usize::from(first == '\x1B');
    let mut ahead = rest.clone();
    let mut length = ahead.by_ref().take(lead).map(char::len_utf8).sum();
    match kind {
        Some('[') => length += skip_control(&mut ahead),
        Some(']') => length += skip_string(&mut ahead, true),
        Some('P' | 'X' | '^' | '_') => match skip_string(&mut ahead, false) {
            0 => return 0,
            string => length += string,
        },
        Some('(' | ')') => {
            length += ahead.next_if(char::is_ascii_alphanumeric).map_or(0, char::len_utf8);
        }
        _ => return 0,
    }
    *rest = ahead;
    length
}

/// Parameters of a control sequence and its final byte.
fn skip_control(rest: &mut Peekable<Chars<'_>>) -> usize {
    let mut length = 0;
    while rest.next_if(|c| ('\x20'..='\x3F').contains(c)).is_some() {
        length += 1;
    }
    length + usize::from(rest.next_if(|c| ('\x40'..='\x7E').contains(c)).is_some())
}

/// A string to its end on the same line; without one 0, or where it is open, to the line's end.
fn skip_string(rest: &mut Peekable<Chars<'_>>, is_open: bool) -> usize {
    let mut length = 0;
    while let Some(character) = rest.next_if(|c| *c != '\n') {
        length += character.len_utf8();
        match character {
            '\x1B' if is_open || rest.peek() == Some(&'\\') => {
                return length + usize::from(rest.next_if_eq(&'\\').is_some());
            }
            '\x07' if is_open => return length,
            '\u{9C}' => return length,
            _ => {}
        }
    }
    if is_open { length } else { 0 }
}

/// Finds line numbers of byte offsets that are asked for in any order.
///
/// ```
/// let lines = hiku::text::LineIndex::new("a\nbc\n");
/// assert_eq!((lines.line(0), lines.line(2), lines.line(3)), (1, 2, 2));
/// assert_eq!((lines.start(2), lines.start(9)), (Some(2), None));
/// assert_eq!(lines.lines("a\nbc\n"), 2);
/// ```
#[derive(Debug, Clone)]
pub struct LineIndex {
    starts: Vec<usize>,
}

impl LineIndex {
    /// Notes where each line of `text` starts; lines end at `\n`.
    pub fn new(text: &str) -> Self {
        let mut starts = vec![0];
        starts.extend(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at + 1));
        LineIndex { starts }
    }

    /// 1-based line that holds the byte at `offset`.
    pub fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset).max(1)
    }

    /// Number of lines; text that ends in a line break has no empty line behind it. `text` must be
    /// the one that was indexed.
    pub fn lines(&self, text: &str) -> usize {
        self.starts.len() - usize::from(text.ends_with('\n') || text.is_empty())
    }

    /// Byte offset at which the 1-based `line` starts, if there is such a line.
    pub fn start(&self, line: usize) -> Option<usize> {
        self.starts.get(line.checked_sub(1)?).copied()
    }
}

/// The largest character boundary of `text` at or below `offset`.
pub fn floor_boundary(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_joins_width_case_and_kana() {
        for (text, folded) in [
            ("ｶﾞｷﾞｸﾞ①㍿Ａ", "がぎぐ1株式会社a"),
            ("カタカナ ひらがな", "かたかな ひらがな"),
            ("  Two\t blanks ", "two blanks"),
            ("コンピューター", "こんぴゅーたー"),
        ] {
            assert_eq!(fold(text), folded, "{text}");
        }
    }

    #[test]
    fn scripts_split_where_terms_do() {
        use Script::{Han, Hiragana, Katakana, Other, Word};
        let scripts = |text: &str| text.chars().map(Script::of).collect::<Vec<_>>();
        assert_eq!(
            scripts("再々はカー・aé_9-"),
            [Han, Han, Hiragana, Katakana, Katakana, Other, Word, Word, Word, Word, Other]
        );
    }

    #[test]
    fn nothing_that_steers_a_terminal_survives() {
        for (text, clean) in [
            ("a\x1B[31mred\x1B[0m", "ared"),
            ("a\x1B]8;;http://x\x07link\x1B]8;;\x1B\\b", "alinkb"),
            ("a\u{202E}b\u{200B}c\r\nd\te", "abc\nd\te"),
            ("日本語 👨‍👩‍👧", "日本語 👨‍👩‍👧"),
        ] {
            assert_eq!(sanitize(text), clean, "{text:?}");
        }
    }

    #[test]
    fn the_quick_look_misses_nothing() {
        for character in (0..=0x10_FFFF).filter_map(char::from_u32).filter(|c| is_unsafe(*c)) {
            assert!(character.to_string().bytes().any(may_be_unsafe), "{character:?}");
        }
    }

    #[test]
    fn tokens_count_japanese_characters_whole() {
        assert_eq!(estimate_tokens("abcdefgh"), 2);
        assert_eq!(estimate_tokens("検索する"), 4);
        assert_eq!(estimate_tokens(""), 0);
    }

    #[test]
    fn lines_are_counted_from_one() {
        let text = "a\nbc\n\nd";
        let lines = LineIndex::new(text);
        let numbers: Vec<_> = (0..=text.len()).map(|at| lines.line(at)).collect();
        assert_eq!(numbers, [1, 1, 2, 2, 2, 3, 4, 4]);
        assert_eq!((lines.lines(text), LineIndex::new("a\n").lines("a\n")), (4, 1));
    }
}
