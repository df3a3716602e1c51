//! Text without what steers a terminal, before anything is made of it: an escape sequence is not
//! words. Keeps the way back to the text as it was.

use std::borrow::Cow;

use super::{Cuts, skip_escape};

/// A text without escape sequences and control characters.
#[derive(Debug, Clone)]
pub(crate) struct Cleaned<'t> {
    /// The text; borrowed where nothing had to go.
    pub(crate) text: Cow<'t, str>,
    /// Where something was taken out.
    pub(crate) cuts: Cuts,
}

/// Takes escape sequences and control characters out; of the latter line breaks and tabs stay, and
/// those that part words (zero bytes, form feeds and their like) become a blank.
pub(crate) fn clean(text: &str) -> Cleaned<'_> {
    if !text.as_bytes().chunks(64).any(may_hold_controls) || !text.chars().any(is_taken_out) {
        return Cleaned { text: Cow::Borrowed(text), cuts: Cuts::default() };
    }
    let mut clean = String::with_capacity(text.len());
    let mut cuts = Cuts::default();
    let mut characters = text.chars().peekable();
    let mut read = 0;
    while let Some(character) = characters.next() {
        let mut length = character.len_utf8();
        if is_taken_out(character) {
            length += skip_escape(character, &mut characters);
            match character {
                '\0' | '\x0B' | '\x0C' => clean.push(' '),
                // A blank as long as what it stands for: every offset leads back to a character.
                '\u{85}' => clean.push('\u{A0}'),
                _ => {}
            }
        } else {
            clean.push(character);
        }
        read += length;
        cuts.record(clean.len(), read - clean.len());
    }
    Cleaned { text: Cow::Owned(clean), cuts }
}

fn is_taken_out(character: char) -> bool {
    character.is_control() && !matches!(character, '\n' | '\r' | '\t')
}

/// A quick look at some bytes before the slow one; without a branch, so that it runs on many at
/// once.
fn may_hold_controls(bytes: &[u8]) -> bool {
    let found = bytes.iter().fold(0u8, |found, byte| {
        let no_blank =
            u8::from(*byte != b'\n') & u8::from(*byte != b'\r') & u8::from(*byte != b'\t');
        let control = u8::from(*byte < 0x20) & no_blank;
        // 0xC2 begins U+0080 to U+009F, among others.
        found | control | u8::from(*byte == 0x7F) | u8::from(*byte == 0xC2)
    });
    found != 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn escapes_leave_no_letters_and_separators_a_blank() {
        for (text, expected) in [
            ("plain é 日本\r\n\ttext\n", "plain é 日本\r\n\ttext\n"),
            ("\u{FEFF}a « b", "\u{FEFF}a « b"),
            ("a \x1B[1;31mred\x1B[0m b", "a red b"),
            ("x\x1B]8;;https://evil.example/\x07link\x1B]8;;\x1B\\y", "xlinky"),
            ("\x1B]0;a title\n next line", "\n next line"),
            ("a\u{9B}31mred\u{9D}2;t\x07b", "aredb"),
            ("a\x1BPq#0;2\x1B\\b", "ab"),
            ("a\x1BPlain", "aPlain"),
            ("one\0two\x0Cthree\u{85}four", "one two three\u{A0}four"),
            ("be\x07l\x08l\x7F", "bell"),
            ("\x1B", ""),
        ] {
            assert_eq!(clean(text).text, expected, "{text:?}");
        }
    }

    #[test]
    fn offsets_lead_back_before_what_was_taken_out() {
        let text = "ab\x1B[1mcd\x07\x07e\u{85}f";
        let cleaned = clean(text);
        assert_eq!(cleaned.text, "abcde\u{A0}f");
        let back: Vec<_> = (0..=8).map(|offset| cleaned.cuts.original_offset(offset)).collect();
        assert_eq!(back, [0, 1, 2, 7, 8, 11, 12, 13, 14]);
        assert_eq!(text.len(), 14);
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: testkit::cases(),
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn any_text_is_clean_once_and_leads_back(
            text in "([a-c日\u{85}\u{9B}]|\x1B|\\[|\\]|[0-9;m]|\n|\r\n|\x07|\0|\x1B\\[1m|\\PC){0,40}"
        ) {
            let cleaned = clean(&text);
            prop_assert!(!cleaned.text.chars().any(is_taken_out));
            prop_assert_eq!(&clean(&cleaned.text).text, &cleaned.text);
            let breaks = |text: &str| text.matches('\n').count();
            prop_assert_eq!(breaks(&cleaned.text), breaks(&text));
            let mut last = 0;
            for (offset, character) in cleaned.text.char_indices() {
                let back = cleaned.cuts.original_offset(offset);
                prop_assert!(back >= last && text.is_char_boundary(back));
                last = back;
                // What stands there, behind what was taken out, is the character itself or became
                // it.
                prop_assert!(character.is_whitespace() || text[back..].contains(character));
            }
            let end = cleaned.cuts.original_offset(cleaned.text.len());
            prop_assert!(end <= text.len() && end >= last);
        }
    }
}
