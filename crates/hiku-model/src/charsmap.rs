//! `SentencePiece`'s precompiled character map: a trie in the layout of darts-clone and the
//! replacements that it points to. Not responsible for which stretches of a text are looked up.
//!
//! A unit of the trie is a u32: bits 0–7 the label, bit 8 whether a value follows, bit 9 whether
//! the offset is shifted by 8, bits 10–30 the offset; a value unit has bit 31 set and the value in
//! bits 0–30. Source: the header `darts.h` of darts-clone, and `normalizer.cc` of `SentencePiece`.

/// The character map, read from the file's bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Charsmap<'a> {
    units: &'a [[u8; 4]],
    replacements: &'a [u8],
}

impl<'a> Charsmap<'a> {
    /// Joins the two sections of a map.
    pub(crate) fn new(trie: &'a [u8], replacements: &'a [u8]) -> Self {
        Charsmap { units: trie.as_chunks().0, replacements }
    }

    /// Splits a map as tokenizer files hold it: length of the trie, the trie, the replacements.
    pub(crate) fn split(blob: &[u8]) -> Option<(&[u8], &[u8])> {
        let length = crate::format::read_u32(blob, 0)? as usize;
        let trie = blob.get(4..length.checked_add(4)?)?;
        Some((trie, &blob[4 + length..]))
    }

    /// The replacement for the *shortest* mapped prefix of the text, or nothing when no prefix is
    /// mapped. The Hugging Face implementation takes the shortest one too, and replaces the whole
    /// stretch by it; equal results need the same.
    pub(crate) fn replacement(&self, text: &[u8]) -> Option<&'a str> {
        let start = self.value_of_prefix(text)?;
        let tail = self.replacements.get(start..)?;
        let end = tail.iter().position(|byte| *byte == 0).unwrap_or(tail.len());
        std::str::from_utf8(&tail[..end]).ok()
    }

    /// The value of the shortest mapped prefix.
    fn value_of_prefix(&self, text: &[u8]) -> Option<usize> {
        let mut place = offset(self.unit(0)?);
        for &byte in text {
            if byte == 0 {
                return None;
            }
            place ^= byte as usize;
            let unit = self.unit(place)?;
            if unit & 0x8000_00FF != u32::from(byte) {
                return None;
            }
            place ^= offset(unit);
            if unit & 0x100 != 0 {
                return Some((self.unit(place)? & 0x7FFF_FFFF) as usize);
            }
        }
        None
    }

    fn unit(&self, index: usize) -> Option<u32> {
        self.units.get(index).map(|bytes| u32::from_le_bytes(*bytes))
    }
}

/// The distance from a unit to its children.
fn offset(unit: u32) -> usize {
    ((unit >> 10) << ((unit & 0x200) >> 6)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StaticModel;

    #[test]
    fn the_built_in_map_is_compatibility_composition_with_cleaning() {
        let blob = StaticModel::builtin().character_map().unwrap();
        let (trie, replacements) = Charsmap::split(&blob).unwrap();
        let map = Charsmap::new(trie, replacements);
        let cases = [
            ("Ａ", Some("A")),
            ("ｶ", Some("カ")),
            ("が", None),
            ("か\u{3099}", Some("が")),
            ("㍿", Some("株式会社")),
            ("\t", Some(" ")),
            ("\r\n", Some(" ")),
            ("\u{200B}", Some(" ")),
            ("\u{1}", Some("")),
            ("\0", None),
            ("a", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(map.replacement(text.as_bytes()), expected, "{text:?}");
        }
    }

    #[test]
    fn a_damaged_map_gives_nothing_and_does_not_panic() {
        let blob = StaticModel::builtin().character_map().unwrap();
        let (trie, replacements) = Charsmap::split(&blob).unwrap();
        for length in (0..trie.len()).step_by(4_099) {
            let map = Charsmap::new(&trie[..length], &replacements[..length.min(9)]);
            for character in ['a', 'Ａ', '\u{3099}', '㍿'] {
                map.replacement(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
        assert!(Charsmap::split(&[9, 0, 0, 0, 1]).is_none());
        assert!(Charsmap::split(&[255; 4]).is_none());
    }
}
