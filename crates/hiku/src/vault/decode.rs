//! Bytes to text: UTF-8 first, then UTF-16 by its mark or by what it looks like, then the legacy
//! encodings that Japanese and western vaults hold. Never fails; says what it did.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

/// How many bytes the guess of a legacy encoding looks at. A longer look costs time and changed
/// nothing on the notes it was tried on.
const GUESS_BYTES: usize = 64 << 10;

/// How many bytes are looked at to tell UTF-16 without a mark; even.
const UTF16_BYTES: usize = 4 << 10;
/// Share of the 16-bit units that must be of scripts and signs that notes hold, in percent: of other
/// bytes, read so, some are of rare scripts or none.
const UTF16_PLAUSIBLE: usize = 95;
/// Share of the units that must be ASCII, kana or paired surrogates, in percent. Bytes of ASCII text, read as UTF-16, are
/// kanji; those of `Shift_JIS` too.
const UTF16_PLAIN: usize = 10;

/// A note's text and how it came about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded<'b> {
    /// The text; a UTF-8 byte order mark is still in front.
    pub text: Cow<'b, str>,
    /// Name of the encoding where it was not UTF-8.
    pub encoding: Option<&'static str>,
    /// True where bytes could not be read and became U+FFFD.
    pub lossy: bool,
}

/// Decodes a note.
pub fn decode(bytes: &[u8]) -> Decoded<'_> {
    let utf8 = std::str::from_utf8(bytes).ok();
    // Latin text in UTF-16 is valid UTF-8 with a zero byte at each other place.
    let unmarked =
        || if utf8.is_none() || holds_zeros(bytes) { unmarked_utf16(bytes) } else { None };
    let encoding = match Encoding::for_bom(bytes) {
        Some((encoding, _)) => Some(encoding).filter(|_| utf8.is_none()),
        None => unmarked(),
    };
    let encoding = match (encoding, utf8) {
        (Some(encoding), _) => encoding,
        (None, Some(text)) => {
            return Decoded { text: Cow::Borrowed(text), encoding: None, lossy: false };
        }
        (None, None) => guess(bytes),
    };
    let (text, used, lossy) = encoding.decode(bytes);
    let name = if used == encoding_rs::UTF_8 { None } else { Some(used.name()) };
    Decoded { text, encoding: name, lossy }
}

fn holds_zeros(bytes: &[u8]) -> bool {
    bytes[..bytes.len().min(UTF16_BYTES)].contains(&0)
}

/// The byte order of UTF-16 without a mark, told by its first units: nearly all must be plausible,
/// and enough of them plain, since any two bytes are some character.
fn unmarked_utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    let sample = &bytes[..bytes.len().min(UTF16_BYTES)];
    let units: Vec<[u8; 2]> = sample.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect();
    let plain_if = |unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = units.iter().map(|pair| unit(*pair)).collect();
        let plausible = units.iter().filter(|unit| is_plausible(**unit)).count();
        let plain = units.iter().filter(|unit| is_plain(**unit)).count() + 2 * pairs(&units);
        let enough = |count: usize, percent: usize| count * 100 >= units.len() * percent;
        (enough(plausible, UTF16_PLAUSIBLE) && enough(plain, UTF16_PLAIN)).then_some(plain)
    };
    let (little, big) = (plain_if(u16::from_le_bytes), plain_if(u16::from_be_bytes));
    match little.max(big) {
        None | Some(0) => None,
        _ if little >= big => Some(UTF_16LE),
        _ => Some(UTF_16BE),
    }
}

/// How many surrogates stand in pairs, as they do in emoji.
fn pairs(units: &[u16]) -> usize {
    let is_pair =
        |pair: &&[u16]| (0xD800..0xDC00).contains(&pair[0]) && (0xDC00..0xE000).contains(&pair[1]);
    units.windows(2).filter(is_pair).count()
}

/// ASCII text and kana.
fn is_plain(unit: u16) -> bool {
    matches!(unit, 0x09 | 0x0A | 0x0D | 0x20..=0x7E | 0x3040..=0x30FF)
}

/// What notes hold: European scripts, punctuation and signs, kana, kanji, hangul, wide forms, and
/// surrogates, of which emoji are made.
fn is_plausible(unit: u16) -> bool {
    is_plain(unit)
        || matches!(unit, 0xA0..=0x52F | 0x1E00..=0x27BF | 0x3000..=0x30FF | 0x3200..=0x9FFF
            | 0xAC00..=0xDFFF | 0xF900..=0xFAFF | 0xFE0F | 0xFEFF | 0xFF00..=0xFFEF)
}

/// A file that is UTF-8 but for some damaged bytes is read as UTF-8 with losses: a legacy guess
/// would garble all of it.
fn guess(bytes: &[u8]) -> &'static Encoding {
    let damaged = String::from_utf8_lossy(bytes);
    let bad = damaged.matches('\u{FFFD}').count();
    let good = damaged.chars().filter(|c| !c.is_ascii() && *c != '\u{FFFD}').count();
    if good > bad * 4 {
        return encoding_rs::UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(&bytes[..bytes.len().min(GUESS_BYTES)], true);
    detector.guess(None, Utf8Detection::Deny)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legacy_japanese_and_utf16_are_read() {
        let text = "これは文字コードの検査に使う日本語の文章です。検索できること。";
        for encoding in [encoding_rs::SHIFT_JIS, encoding_rs::EUC_JP] {
            let (bytes, _, _) = encoding.encode(text);
            let decoded = decode(&bytes);
            assert_eq!((decoded.text.as_ref(), decoded.lossy), (text, false), "{encoding:?}");
            assert_eq!(decoded.encoding, Some(encoding.name()));
        }
        let mut utf16 = vec![0xFF, 0xFE];
        utf16.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
        assert_eq!(decode(&utf16).text, text);
    }

    #[test]
    fn utf16_without_a_mark_is_known_in_either_order() {
        for text in [
            "Plain text of a note.\n",
            "# 見出し\n\nこれは日本語の文章です。\r\n",
            "これは改行のない文",
            "Emoji 👩‍💻 and é, plus “quotes”",
            "👩‍💻👩‍💻👩‍💻",
            "ok",
        ] {
            let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
            for (bytes, name) in [(little, "UTF-16LE"), (big, "UTF-16BE")] {
                let decoded = decode(&bytes);
                assert_eq!((decoded.text.as_ref(), decoded.encoding), (text, Some(name)));
                assert!(!decoded.lossy);
            }
        }
    }

    #[test]
    fn other_bytes_are_no_utf16() {
        for text in
            ["zero\0byte, and then some more text", "a\0b\0", "日本\0語の文章です", "", "\0\0\0\0"]
        {
            let decoded = decode(text.as_bytes());
            let is_utf16 = text == "a\0b\0";
            assert_eq!(decoded.encoding.is_some(), is_utf16, "{text:?}: {decoded:?}");
        }
        let text = "カタカナとひらがなと漢字、0から9まで。 0000 0000\n".repeat(20);
        for encoding in [encoding_rs::SHIFT_JIS, encoding_rs::EUC_JP] {
            let (bytes, ..) = encoding.encode(&text);
            assert_eq!(decode(&bytes).encoding, Some(encoding.name()));
        }
        let (latin, ..) = encoding_rs::WINDOWS_1252.encode("Café, naïve, Größe, señor, garçon. \n");
        assert_eq!(decode(&latin).encoding, Some("windows-1252"));
    }

    #[test]
    fn one_bad_byte_does_not_garble_the_rest() {
        let mut bytes = "日本語の長い文章がここにあります。".as_bytes().to_vec();
        bytes.insert(9, 0xFF);
        let decoded = decode(&bytes);
        assert!(decoded.lossy && decoded.text.contains("長い文章"), "{decoded:?}");
    }

    #[test]
    fn utf8_is_borrowed() {
        assert!(matches!(decode("é".as_bytes()).text, Cow::Borrowed("é")));
    }
}
