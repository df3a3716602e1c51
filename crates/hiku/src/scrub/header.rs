//! Detectors of credentials in protocol headers: `Authorization` with its schemes, and cookies
//! that carry a session.

use std::ops::Range;

use super::find::{Finds, Telling};
use super::value;

/// Shortest token behind a scheme, in bytes.
const TOKEN_BYTES: usize = 14;
/// Shortest session identifier in a cookie, in bytes: PHP's, the shortest in wide use.
const SESSION_BYTES: usize = 26;
/// Longest header, in bytes.
const HEADER_BYTES: usize = 4_096;

/// Passwords with which manuals show Basic authentication.
const ILLUSTRATIONS: &[&str] =
    &["opensesame", "world", "admin", "root", "toor", "guest", "demo", "passw0rd", "letmein"];

/// Adds the token behind the word "bearer" at `hit`.
pub(super) fn bearer(text: &[u8], hit: &Range<usize>, finds: &mut Finds) {
    let at = hit.end + separators(&text[hit.end..], b": ");
    if at > hit.end {
        token(text, at, "bearer-token", finds);
    }
}

/// Adds the user and password, in Base64, behind the word "basic" at `hit`.
pub(super) fn basic(text: &[u8], hit: &Range<usize>, finds: &mut Finds) {
    let length =
        text[hit.end..].iter().take(HEADER_BYTES).take_while(|&&byte| is_base64(byte)).count();
    let span = hit.end..hit.end + length;
    let decoded = decode(&text[span.clone()]);
    let Some(colon) = decoded.iter().position(|&byte| byte == b':') else { return };
    let readable = decoded.iter().all(|byte| (0x20..0x7f).contains(byte));
    let password = &decoded[colon + 1..];
    let illustrates = ILLUSTRATIONS.iter().any(|word| password == word.as_bytes());
    if readable && colon > 0 && !illustrates && !value::is_placeholder(password) {
        finds.add_as(Telling::Form, "basic-auth-header", span);
    }
}

/// Adds what follows `Authorization` at `hit`, with any scheme (`Token`, `SSWS`, none) but `Basic`
/// and `Bearer`, which have detectors of their own.
pub(super) fn authorization(text: &[u8], hit: &Range<usize>, finds: &mut Finds) {
    let at = hit.end + separators(&text[hit.end..], b"\"' :=");
    if at == hit.end {
        return;
    }
    let word = text[at..].iter().take(20).take_while(|byte| byte.is_ascii_alphabetic()).count();
    let scheme = &text[at..at + word];
    if scheme.eq_ignore_ascii_case(b"basic") || scheme.eq_ignore_ascii_case(b"bearer") {
        return;
    }
    let at = if text.get(at + word) == Some(&b' ') { at + word + 1 } else { at };
    token(text, at, "authorization-header", finds);
}

fn token(text: &[u8], at: usize, rule: &'static str, finds: &mut Finds) {
    let is_token = |byte: &&u8| byte.is_ascii_alphanumeric() || b"._~+/=-".contains(byte);
    let length = text[at..].iter().take(HEADER_BYTES).take_while(is_token).count();
    let token = &text[at..at + length];
    let dots = token.iter().rev().take_while(|&&byte| byte == b'.').count();
    let token = &token[..length - dots];
    if token.len() >= TOKEN_BYTES && value::is_random(token) && !value::is_placeholder(token) {
        finds.add(rule, at..at + token.len());
    }
}

/// Adds the sessions of the cookies behind the word at `hit`.
pub(super) fn cookies(text: &[u8], hit: &Range<usize>, finds: &mut Finds) {
    let start = hit.end + separators(&text[hit.end..], b"\"' :=,`");
    if start == hit.end {
        return;
    }
    let line = text[start..].iter().take(HEADER_BYTES).take_while(|&&byte| byte != b'\n').count();
    let mut at = start;
    for pair in text[start..start + line].split(|byte| b"; \"'`,".contains(byte)) {
        if let Some(equals) = pair.iter().position(|&byte| byte == b'=') {
            let (name, session) = (&pair[..equals], &pair[equals + 1..]);
            if session.len() >= SESSION_BYTES && names_session(name) && is_session(session) {
                finds.add("session-cookie", at + equals + 1..at + pair.len());
            }
        }
        at += pair.len() + 1;
    }
}

fn names_session(name: &[u8]) -> bool {
    if value::contains_ignoring_case(name, b"csrf") || value::contains_ignoring_case(name, b"xsrf")
    {
        return false;
    }
    let parts = ["sess", "sid", "auth", "token", "jwt", "login", "remember", "user", "_id"];
    parts.iter().any(|part| value::contains_ignoring_case(name, part.as_bytes()))
}

fn is_session(session: &[u8]) -> bool {
    value::is_random(session) && !value::is_placeholder(session)
}

fn separators(text: &[u8], accepted: &[u8]) -> usize {
    text.iter().take(4).take_while(|byte| accepted.contains(byte)).count()
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// The bytes of a Base64 text; what is not a digit ends it.
fn decode(text: &[u8]) -> Vec<u8> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let digits: Vec<u8> = text.iter().map_while(|&byte| digit(byte)).collect();
    let mut decoded = Vec::with_capacity(digits.len() * 3 / 4);
    for group in digits.chunks(4) {
        let bits = group.iter().fold(0u32, |bits, &digit| bits << 6 | u32::from(digit));
        let bits = bits << (6 * (4 - group.len()));
        decoded.extend_from_slice(&bits.to_be_bytes()[1..group.len().max(1)]);
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn base64() {
        let cases = [("QWxhZGRpbjpvcGVu", "Aladdin:open"), ("YWI=", "ab"), ("YQ", "a"), ("", "")];
        for (text, expected) in cases {
            assert_eq!(decode(text.as_bytes()), expected.as_bytes(), "{text}");
        }
    }
}
