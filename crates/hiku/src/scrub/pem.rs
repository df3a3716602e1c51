//! Detector of private keys in PEM armour, over several lines, in quoted or escaped strings, and
//! cut off before their end.

use std::ops::Range;

use super::find::{Finds, Telling};
use super::value;

/// Longest header line, in bytes.
const HEADER_BYTES: usize = 120;
/// Longest key, in bytes: an RSA key of 16,384 bits takes about 12,500.
const KEY_BYTES: usize = 32 * 1024;
/// Shortest run of Base64 digits that is a key and not an illustration, in bytes.
const BODY_BYTES: usize = 24;

/// Adds the key whose `-----BEGIN` is at `hit`.
pub(super) fn detect(text: &[u8], hit: &Range<usize>, finds: &mut Finds) {
    let header = &text[hit.end..text.len().min(hit.end + HEADER_BYTES)];
    let Some(dashes) = position(header, b"-----") else { return };
    if !value::contains_ignoring_case(&header[..dashes], b"private key") {
        return;
    }
    let body = hit.end + dashes + 5;
    let rest = &text[body..text.len().min(body + KEY_BYTES)];
    let (length, end) = end_of_key(rest).unwrap_or_else(|| {
        let length = body_length(rest);
        (length, length)
    });
    let end = body + end;
    if longest_run(&rest[..length]) >= BODY_BYTES {
        finds.add_as(Telling::Form, "private-key", hit.start..end);
    }
}

/// Length of the body and where the footer ends, if only a key's characters stand before it.
fn end_of_key(rest: &[u8]) -> Option<(usize, usize)> {
    let footer = position(rest, b"-----END")?;
    let line = &rest[footer + 8..rest.len().min(footer + 8 + HEADER_BYTES)];
    let dashes = position(line, b"-----")?;
    let body = &rest[..footer];
    (body_length(body) + 3 >= body.len() || position(body, b"-----").is_none())
        .then_some((footer, footer + 8 + dashes + 5))
}

/// Length of the lines that look like a key's, the quotation marks and escapes of string literals
/// included.
fn body_length(rest: &[u8]) -> usize {
    let mut length = 0;
    for line in rest.split_inclusive(|&byte| byte == b'\n') {
        if !is_key_line(line) {
            break;
        }
        length += line.len();
    }
    let trailing = rest[..length].iter().rev().take_while(|byte| byte.is_ascii_whitespace());
    length - trailing.count()
}

fn is_key_line(line: &[u8]) -> bool {
    let trimmed = line.trim_ascii();
    let is_field = |name: &&[u8]| trimmed.starts_with(name);
    let fields: [&[u8]; 4] = [b"Proc-Type:", b"DEK-Info:", b"Version:", b"Comment:"];
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=\\\"',. ".contains(byte);
    trimmed.is_empty()
        || fields.iter().any(is_field)
        || (trimmed.iter().all(allowed) && longest_word(trimmed) >= trimmed.len() / 2)
}

fn longest_word(line: &[u8]) -> usize {
    line.split(u8::is_ascii_whitespace).map(<[u8]>::len).max().unwrap_or(0)
}

fn longest_run(body: &[u8]) -> usize {
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/';
    body.split(|&byte| !is_digit(byte)).map(<[u8]>::len).max().unwrap_or(0)
}

fn position(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}
