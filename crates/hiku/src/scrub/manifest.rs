//! Detector of the values in a Kubernetes `Secret` written as YAML. Only the values are finds, so
//! that the manifest's names stay readable.

use std::ops::Range;

use super::find::Finds;
use super::value;

/// Longest manifest, in bytes before and behind its `kind`.
const MANIFEST_BYTES: usize = 4_096;
/// Shortest value, in bytes.
const VALUE_BYTES: usize = 4;

/// Adds the values of the manifest whose `kind: Secret` is at `hit`.
pub(super) fn detect(text: &[u8], hit: &Range<usize>, finds: &mut Finds) {
    let manifest = around(text, hit);
    let mut data_indent = None;
    let mut at = manifest.start;
    for line in text[manifest].split_inclusive(|&byte| byte == b'\n') {
        let indent = line.iter().take_while(|&&byte| byte == b' ').count();
        let content = line[indent..].trim_ascii_end();
        match data_indent {
            _ if content == b"data:" || content == b"stringData:" => data_indent = Some(indent),
            Some(outer) if indent > outer => entry(line, at, finds),
            _ if !content.is_empty() => data_indent = None,
            _ => {}
        }
        at += line.len();
    }
}

fn entry(line: &[u8], at: usize, finds: &mut Finds) {
    let Some(colon) = line.iter().position(|&byte| byte == b':') else { return };
    let rest = &line[colon + 1..];
    let is_edge = |byte: &u8| byte.is_ascii_whitespace() || b"\"'".contains(byte);
    let Some(start) = rest.iter().position(|byte| !is_edge(byte)) else { return };
    let end = rest.iter().rposition(|byte| !is_edge(byte)).map_or(start, |last| last + 1);
    let credential = &rest[start..end];
    if credential.len() >= VALUE_BYTES && !value::is_placeholder(credential) {
        let offset = at + colon + 1;
        finds.add("kubernetes-secret-yaml", offset + start..offset + end);
    }
}

/// From the document's start to its end: `---`, a code fence, or the limit.
fn around(text: &[u8], hit: &Range<usize>) -> Range<usize> {
    let before = &text[hit.start.saturating_sub(MANIFEST_BYTES)..hit.start];
    let behind = &text[hit.end..text.len().min(hit.end + MANIFEST_BYTES)];
    let is_border = |part: &[u8]| part == b"\n---" || part == b"\n```";
    let start = before.windows(4).rposition(is_border).map_or(0, |at| at + 4);
    let end = behind.windows(4).position(is_border).unwrap_or(behind.len());
    hit.start - before.len() + start..hit.end + end
}
