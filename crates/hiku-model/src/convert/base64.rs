//! Decodes the base64 in which tokenizer files hold the character map (RFC 4648, section 4). Not
//! an encoder.

/// Decodes standard base64; nothing when a character is foreign.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut held) = (0u32, 0);
    for character in text.trim_end_matches('=').bytes() {
        bits = (bits << 6) | value(character)?;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    Some(bytes)
}

fn value(character: u8) -> Option<u32> {
    Some(u32::from(match character {
        b'A'..=b'Z' => character - b'A',
        b'a'..=b'z' => character - b'a' + 26,
        b'0'..=b'9' => character - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vectors_of_the_rfc() {
        let cases =
            [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYmE=", "fooba")];
        for (text, expected) in cases {
            assert_eq!(decode(text), Some(expected.as_bytes().to_vec()));
        }
        assert_eq!(decode("+/8="), Some(vec![0xFB, 0xFF]));
        assert_eq!(decode("Zm 9v"), None);
    }
}
