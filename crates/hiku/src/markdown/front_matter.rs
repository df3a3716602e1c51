//! Front matter: where it stands and what its keys say. Cut off here and not by the Markdown
//! parser, because the parser takes a `---` block in the middle of a note for metadata too.
//! Whatever cannot be read is reported and never costs the body.

use std::ops::Range;

use super::lines;
use super::tags::TagSet;
use super::yaml::{self, Value};
use super::{Diagnostic, Note};

/// Where a front matter stands, as byte ranges of the text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// From the opening fence to the end of the closing one, its line break left out.
    pub(super) span: Range<usize>,
    /// What is between the fences.
    pub(super) inner: Range<usize>,
    /// Where the body begins.
    pub(super) body_start: usize,
}

/// What stands at the start of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// No `---` line.
    Body,
    /// A `---` line that no other closes.
    Unclosed,
    /// A front matter.
    Cut(Cut),
}

/// Looks for a front matter at byte `start`.
pub(super) fn find(text: &str, start: usize) -> Start {
    let mut lines = lines_from(text, start);
    let Some(opening) = lines.next().filter(|line| is_fence(&text[line.clone()], &["---"])) else {
        return Start::Body;
    };
    let inner_start = opening.end;
    if !text[opening].ends_with('\n') {
        return Start::Body;
    }
    let Some(closing) = lines.find(|line| is_fence(&text[line.clone()], &["---", "..."])) else {
        return Start::Unclosed;
    };
    let end = closing.start + text[closing.clone()].trim_end().len();
    Start::Cut(Cut { span: start..end, inner: inner_start..closing.start, body_start: closing.end })
}

/// Line ranges, line breaks included.
fn lines_from(text: &str, start: usize) -> impl Iterator<Item = Range<usize>> {
    let mut at = start;
    text[start..].split_inclusive('\n').map(move |line| {
        let begin = at;
        at += line.len();
        begin..at
    })
}

fn is_fence(line: &str, fences: &[&str]) -> bool {
    fences.contains(&line.trim_end())
}

/// Reads a front matter into the note. `false` if it is none: prose between two rules.
pub(super) fn read(text: &str, cut: &Cut, note: &mut Note, tags: &mut TagSet) -> bool {
    let source = &text[cut.inner.clone()];
    let lines = lines::read(source);
    let entries = if lines.certain {
        lines.entries
    } else {
        match yaml::read(source) {
            Ok(Value::Map(entries)) => restored(entries, &lines.entries),
            Ok(Value::Null) => lines.entries,
            Ok(_) => return false,
            Err(_) if lines.foreign > lines.entries.len() => return false,
            Err(refusal) => {
                note.diagnostics.push(Diagnostic {
                    line: text[..cut.inner.start].matches('\n').count() + refusal.line,
                    message: "front matter is not valid YAML and was read line by line".to_owned(),
                });
                lines.entries
            }
        }
    };
    for (key, value) in &entries {
        apply(key, value, note, tags);
    }
    true
}

/// Adds `tags: #a #b`, which YAML takes for a comment, from the line reader's entries.
fn restored(
    mut entries: Vec<(String, Value)>,
    from_lines: &[(String, Value)],
) -> Vec<(String, Value)> {
    for (key, value) in &mut entries {
        if *value == Value::Null
            && is_one_of(key, &["tags", "tag"])
            && let Some((_, line)) = from_lines.iter().find(|(other, _)| other == key)
        {
            *value = line.clone();
        }
    }
    entries
}

fn is_one_of(key: &str, names: &[&str]) -> bool {
    names.iter().any(|name| key.eq_ignore_ascii_case(name))
}

fn apply(key: &str, value: &Value, note: &mut Note, tags: &mut TagSet) {
    if is_one_of(key, &["title"]) {
        note.title = note.title.take().or_else(|| first_scalar(value));
    } else if is_one_of(key, &["type"]) {
        let shown = first_scalar(value).map(|text| shown_text(&text).to_owned());
        note.note_type = note.note_type.take().or(shown);
    } else if is_one_of(key, &["aliases", "alias"]) {
        note.aliases.extend(parts(value, |text| text.split(',').collect()));
    } else if is_one_of(key, &["tags", "tag"]) {
        for tag in parts(value, |text| text.split([',', ' ', '\t', '\n', '、']).collect()) {
            tags.add(tag.trim_start_matches('#').trim_matches('/'), &mut note.tags);
        }
    }
    let mut path = key.to_owned();
    yaml::scalars(value, &mut path, &mut |path, text| {
        if !text.trim().is_empty() {
            note.fields.push((path.to_owned(), text.trim().to_owned()));
        }
    });
}

fn first_scalar(value: &Value) -> Option<String> {
    let mut found = None;
    yaml::scalars(value, &mut String::new(), &mut |_, text| {
        if found.is_none() && !text.trim().is_empty() {
            found = Some(text.trim().to_owned());
        }
    });
    found
}

/// What a value that is nothing but one link shows; other text as it is.
fn shown_text(text: &str) -> &str {
    match text.strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]")) {
        Some(inner) if !inner.contains("[[") => inner.rsplit('|').next().unwrap_or(inner).trim(),
        _ => text,
    }
}

/// The texts of a list, or of a scalar cut by `split`.
fn parts(value: &Value, split: impl Fn(&str) -> Vec<&str>) -> Vec<String> {
    let mut texts = Vec::new();
    match value {
        Value::Scalar(text) => texts.extend(split(text).into_iter().map(str::to_owned)),
        other => {
            yaml::scalars(other, &mut String::new(), &mut |_, text| texts.push(text.to_owned()));
        }
    }
    texts.iter().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).collect()
}
