//! What the normaliser must do with each character of the basic plane: two bits a character,
//! computed once by the converter, so that most of a text is copied without a look at grapheme
//! clusters. Not responsible for the replacements themselves.

use unicode_segmentation::UnicodeSegmentation;

use crate::charsmap::Charsmap;

/// Size in bytes of the table: 65,536 characters, two bits each.
pub(crate) const TABLE_BYTES: usize = 0x1_0000 / 4;

/// What a character needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Class {
    /// Stays as it is and begins no word.
    Plain = 0,
    /// Is replaced, or begins a word; stands alone between other characters.
    Special = 1,
    /// Becomes exactly one space; stands alone between other characters.
    Space = 2,
    /// May form one grapheme cluster with its neighbours, so that clusters must be looked at.
    /// Characters beyond the basic plane count as such too.
    Joining = 3,
}

/// The table, read from the file's bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Classes<'a>(pub(crate) &'a [u8; TABLE_BYTES]);

impl Classes<'_> {
    /// The class of a character.
    #[inline]
    pub(crate) fn of(self, character: char) -> Class {
        let code = character as usize;
        if code > 0xFFFF {
            return Class::Joining;
        }
        match (self.0[code / 4] >> (2 * (code % 4))) & 3 {
            0 => Class::Plain,
            1 => Class::Special,
            2 => Class::Space,
            _ => Class::Joining,
        }
    }
}

/// Makes the table. `begins_word` tells which unmapped characters are not to be copied blindly.
pub(crate) fn build(charsmap: Option<Charsmap<'_>>, begins_word: impl Fn(char) -> bool) -> Vec<u8> {
    let mut table = vec![0; TABLE_BYTES];
    for character in '\0'..='\u{FFFF}' {
        let class = classify(charsmap, &begins_word, character);
        let code = character as usize;
        table[code / 4] |= (class as u8) << (2 * (code % 4));
    }
    table
}

fn classify(
    charsmap: Option<Charsmap<'_>>,
    begins_word: &impl Fn(char) -> bool,
    character: char,
) -> Class {
    let mut buffer = [0; 4];
    let text = character.encode_utf8(&mut buffer);
    let replacement = charsmap.and_then(|map| map.replacement(text.as_bytes()));
    if charsmap.is_some() && joins(character) {
        Class::Joining
    } else if replacement == Some(" ") || (replacement.is_none() && character == ' ') {
        Class::Space
    } else if replacement.is_some() || begins_word(character) {
        Class::Special
    } else {
        Class::Plain
    }
}

/// Whether a character can be part of a cluster with one of the characters that never join each
/// other: a letter, precomposed Hangul of both kinds, a pictograph, an Indic consonant, a line
/// feed. Between two characters for which this is false there is always a boundary (UAX #29).
fn joins(character: char) -> bool {
    ["a", "가", "각", "❤", "क", "\n"].iter().any(|probe| {
        [format!("{character}{probe}"), format!("{probe}{character}")]
            .iter()
            .any(|pair| pair.graphemes(true).count() == 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joining_characters_are_found() {
        for character in
            "\r\u{301}\u{3099}\u{FF9E}\u{200D}\u{FE0F}\u{1100}\u{1161}\u{11A8}\u{94D}\u{600}\u{E33}"
                .chars()
        {
            assert!(joins(character), "{character:?}");
        }
        for character in "a1 \n\t#©❤가각クくﾀ漢、。\u{3000}！Яאब".chars() {
            assert!(!joins(character), "{character:?}");
        }
    }

    #[test]
    fn the_table_holds_what_was_classified() {
        let table = build(None, |character| character == '▁');
        let classes = Classes(table.as_slice().try_into().unwrap());
        let cases = [
            ('a', Class::Plain),
            (' ', Class::Space),
            ('▁', Class::Special),
            ('😀', Class::Joining),
        ];
        for (character, class) in cases {
            assert_eq!(classes.of(character), class, "{character:?}");
        }
    }
}
