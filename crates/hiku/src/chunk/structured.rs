//! The text that is indexed for JSON and YAML: one `key.path: values` line a path instead of
//! brackets and keys over and over, so that a word's frequency says something about the content.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write;
use std::ops::Range;

use crate::markdown::json;
use crate::markdown::yaml::{self, Value};
use crate::markdown::{BlockKind, Note};

/// Longest block that is read, in bytes; longer ones are data, not text.
const MAX_BYTES: usize = 1 << 18;
/// How many times longer than its source the flat form may become through repeated paths. Deep
/// nesting repeats the same keys in each path; beyond this the source itself says more.
const MAX_GROWTH: usize = 4;

/// The text that is indexed for a stretch of a note: JSON and YAML code blocks (and a whole text
/// that is one) as `key.path: value` lines, everything else as it is. Values with the same path
/// stand on one line, joined by commas; list items have their list's path. A block that the span
/// covers only in part, or that does not parse, is left as it is.
///
/// ```
/// use hiku::chunk::index_text;
///
/// let text = "```json\n{\"server\": {\"port\": 80, \"names\": [\"a\", \"b\"]}}\n```\n";
/// let note = hiku::markdown::parse(text);
/// let flat = index_text(&note, text, 0..text.len());
/// assert!(flat.contains("server.port: 80") && flat.contains("server.names: a, b"));
/// ```
pub fn index_text<'t>(note: &Note, text: &'t str, span: Range<usize>) -> Cow<'t, str> {
    let mut out = String::new();
    let mut copied = span.start;
    let first = note.blocks.partition_point(|block| block.span.start < span.start);
    for block in note.blocks[first..].iter().take_while(|block| block.span.end <= span.end) {
        let BlockKind::Code { language: Some(language) } = &block.kind else {
            continue;
        };
        if let Some(flat) = flat_block(language, &text[block.span.clone()]) {
            out.push_str(&text[copied..block.span.start]);
            out.push_str(&flat);
            copied = block.span.end;
        }
    }
    if copied > span.start {
        out.push_str(&text[copied..span.end]);
        return Cow::Owned(out);
    }
    let whole = span.start <= note.body_start && text[span.end..].trim().is_empty();
    match if whole { flat_json(&text[span.clone()]) } else { None } {
        Some(flat) => Cow::Owned(flat),
        None => Cow::Borrowed(&text[span]),
    }
}

fn flat_block(language: &str, block: &str) -> Option<String> {
    let content = fenced_content(block)?;
    match language {
        "json" | "jsonc" | "json5" => flat_json(content),
        "yaml" | "yml" => flat(&read_yaml(content)?, content.len()),
        _ => None,
    }
}

fn flat_json(content: &str) -> Option<String> {
    if content.len() > MAX_BYTES {
        return None;
    }
    flat(&json::read(content).ok()?, content.len())
}

fn read_yaml(content: &str) -> Option<Value> {
    if content.len() > MAX_BYTES {
        return None;
    }
    yaml::read(content).ok().filter(|value| matches!(value, Value::Map(_) | Value::List(_)))
}

/// What is between a fence's first line and its last.
fn fenced_content(block: &str) -> Option<&str> {
    let (_, rest) = block.split_once('\n')?;
    let last = rest.rfind('\n').map_or(0, |at| at + 1);
    let closes = rest[last..].trim_start().starts_with(['`', '~']);
    Some(if closes { &rest[..last] } else { rest })
}

/// `None` if the paths would make the flat form much longer than the source.
fn flat(value: &Value, source_bytes: usize) -> Option<String> {
    let limit = source_bytes * MAX_GROWTH + 256;
    let mut lines: Vec<(String, String)> = Vec::new();
    let mut index: HashMap<String, usize> = HashMap::new();
    let mut bytes = 0;
    yaml::scalars(value, &mut String::new(), &mut |path, text| {
        bytes += text.len() + 2;
        if bytes > limit {
            return;
        }
        if let Some(line) = index.get(path) {
            let values = &mut lines[*line].1;
            values.push_str(", ");
            values.push_str(text);
        } else {
            bytes += path.len();
            index.insert(path.to_owned(), lines.len());
            lines.push((path.to_owned(), text.to_owned()));
        }
    });
    (bytes <= limit).then(|| written(&lines))
}

fn written(lines: &[(String, String)]) -> String {
    let mut out = String::new();
    for (path, values) in lines {
        let values = values.replace(['\n', '\r'], " ");
        let separator = if path.is_empty() { "" } else { ": " };
        let line = format_args!("{path}{separator}{}", values.trim()).to_string();
        let _ = writeln!(out, "{line}");
    }
    out.truncate(out.trim_end().len());
    out
}
