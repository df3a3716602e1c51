//! Detector of tokens with a vendor's prefix that no rule knows yet: `prefix_`, then a long run
//! of capitals, small letters and digits in random order. Hexadecimal runs are left alone: they
//! are far more often the hashes in file names.

use std::ops::Range;

use super::find::Finds;
use super::value;

/// Shortest random run, in bytes: most vendors issue 30 to 40 letters and digits.
const RUN_BYTES: usize = 28;
/// Longest random run, in bytes.
const LONGEST_RUN_BYTES: usize = 512;
/// Shortest and longest prefix, in bytes.
const PREFIX_BYTES: Range<usize> = 2..25;

/// Adds the token whose underscore is at `hit`.
pub(super) fn detect(text: &[u8], hit: &Range<usize>, finds: &mut Finds) {
    let rest = &text[hit.end..];
    let run = rest.iter().take(LONGEST_RUN_BYTES).take_while(|byte| byte.is_ascii_alphanumeric());
    let length = run.count();
    if length < RUN_BYTES || !is_token_run(&rest[..length]) {
        return;
    }
    let before = text[..hit.start].iter().rev().take(PREFIX_BYTES.end);
    let prefix = before.take_while(|&&byte| byte.is_ascii_alphanumeric() || byte == b'_').count();
    let start = hit.start - prefix;
    let starts_path = start > 0 && matches!(text[start - 1], b'/' | b'.' | b'-' | b'$');
    let ends_path = rest.get(length) == Some(&b'.')
        && rest.get(length + 1).is_some_and(u8::is_ascii_alphanumeric);
    let named = PREFIX_BYTES.contains(&prefix) && text[start].is_ascii_alphabetic();
    if named && !starts_path && !ends_path {
        finds.add("prefixed-token", start..hit.end + length);
    }
}

fn is_token_run(run: &[u8]) -> bool {
    run.iter().any(u8::is_ascii_uppercase)
        && run.iter().any(u8::is_ascii_lowercase)
        && run.iter().filter(|byte| byte.is_ascii_digit()).count() >= 2
        && value::is_random(run)
        && !value::is_placeholder(run)
}
