//! Bytes to text: UTF-8 first, then UTF-16 by its mark, then the legacy encodings that Japanese
//! and western vaults hold. Never fails; says what it did.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::Encoding;

/// How many bytes the guess of a legacy encoding looks at. A longer look costs time and changed
/// nothing on the notes it was tried on.
const GUESS_BYTES: usize = 64 << 10;

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
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Decoded { text: Cow::Borrowed(text), encoding: None, lossy: false };
    }
    let encoding = match Encoding::for_bom(bytes) {
        Some((encoding, _)) => encoding,
        None => guess(bytes),
    };
    let (text, used, lossy) = encoding.decode(bytes);
    let name = if used == encoding_rs::UTF_8 { None } else { Some(used.name()) };
    Decoded { text, encoding: name, lossy }
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
