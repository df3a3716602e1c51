//! A line reader for front matter: `key: value`, `key: [a, b]` and `- item` lists, nothing that
//! needs a YAML grammar. It reads most real front matter many times faster than a YAML parser, says
//! whether a YAML parser would read the same, and never fails, so it is also what is left when the
//! text is not YAML at all.

use std::collections::HashSet;

use super::yaml::Value;

/// Longest key in bytes; a longer one is prose with a colon.
const MAX_KEY_BYTES: usize = 200;

/// What the line reader made of a front matter.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Lines {
    /// The entries in order; a key can occur twice.
    pub(super) entries: Vec<(String, Value)>,
    /// Whether YAML gives exactly `entries`. `false` says only that this reader cannot tell.
    pub(super) certain: bool,
    /// Lines that are neither blank, comment, key, list item nor continuation.
    pub(super) foreign: usize,
}

/// Reads the lines between the fences.
pub(super) fn read(source: &str) -> Lines {
    let mut reader = Reader { out: Lines { certain: true, ..Lines::default() }, list_indent: None };
    for line in source.lines() {
        reader.line(line.strip_suffix('\r').unwrap_or(line));
    }
    if reader.out.certain {
        let mut keys = HashSet::new();
        reader.out.certain = reader.out.entries.iter().all(|(key, _)| keys.insert(key.as_str()));
    }
    reader.out
}

struct Reader {
    out: Lines,
    /// Indent of the list that is being read.
    list_indent: Option<usize>,
}

impl Reader {
    fn line(&mut self, line: &str) {
        if line.contains(uncertain_character) {
            self.doubt();
        }
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            return;
        }
        let indent = line.len() - line.trim_start().len();
        if let Some(item) = list_item(trimmed) {
            self.item(indent, item);
        } else if indent == 0 {
            self.top(trimmed);
        } else {
            self.nested(trimmed);
        }
    }

    fn doubt(&mut self) {
        self.out.certain = false;
    }

    fn top(&mut self, line: &str) {
        self.list_indent = None;
        let Some((key, rest)) = key_and_rest(line) else {
            self.out.foreign += 1;
            return self.doubt();
        };
        if !is_certain_key(key) {
            self.doubt();
        }
        let (value, certain) = read_value(rest, is_tag_key(key));
        if !certain {
            self.doubt();
        }
        self.out.entries.push((unquoted(key).to_owned(), value));
    }

    fn item(&mut self, indent: usize, item: &str) {
        if *self.list_indent.get_or_insert(indent) != indent {
            self.doubt();
        }
        let (value, certain) = read_value(item, false);
        let certain = certain && matches!(value, Value::Scalar(_));
        match self.out.entries.last_mut() {
            Some((_, Value::List(items))) if !items.is_empty() => items.push(value),
            Some((_, slot @ Value::Null)) => *slot = Value::List(vec![value]),
            _ => {
                self.out.foreign += 1;
                return self.doubt();
            }
        }
        if !certain {
            self.doubt();
        }
    }

    /// An indented line: a key below the last one, or more of its text. One level is kept.
    fn nested(&mut self, line: &str) {
        self.doubt();
        let Some((_, last)) = self.out.entries.last_mut() else {
            self.out.foreign += 1;
            return;
        };
        match (last, key_and_rest(line)) {
            (slot @ Value::Null, Some((key, rest))) => {
                *slot = Value::Map(vec![(unquoted(key).to_owned(), read_value(rest, false).0)]);
            }
            (Value::Map(entries), Some((key, rest))) => {
                entries.push((unquoted(key).to_owned(), read_value(rest, false).0));
            }
            (Value::Scalar(text), _) => {
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(line);
            }
            (slot @ Value::Null, None) => *slot = Value::Scalar(line.to_owned()),
            _ => self.out.foreign += 1,
        }
    }
}

/// Characters that YAML treats as breaks or refuses, or that are blank here and not in YAML.
fn uncertain_character(character: char) -> bool {
    character != ' '
        && (character.is_control()
            || character.is_whitespace()
            || matches!(character, '\u{feff}' | '\u{fffe}' | '\u{ffff}'))
}

fn list_item(line: &str) -> Option<&str> {
    match line.strip_prefix('-')? {
        "" => Some(""),
        rest => rest.strip_prefix([' ', '\t']).map(str::trim),
    }
}

/// Splits at the first colon that a blank or the line's end follows.
fn key_and_rest(line: &str) -> Option<(&str, &str)> {
    let colon = line
        .match_indices(':')
        .map(|(at, _)| at)
        .find(|at| line[at + 1..].starts_with([' ', '\t']) || at + 1 == line.len())?;
    let key = line[..colon].trim_end();
    (!key.is_empty() && key.len() <= MAX_KEY_BYTES).then(|| (key, line[colon + 1..].trim()))
}

fn is_certain_key(key: &str) -> bool {
    let mut characters = key.chars();
    characters.next().is_some_and(char::is_alphabetic)
        && characters.all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ' '))
        && !is_null(key)
}

fn is_tag_key(key: &str) -> bool {
    key.eq_ignore_ascii_case("tags") || key.eq_ignore_ascii_case("tag")
}

/// A value and whether YAML reads the same. A hash sign begins a comment in YAML, but behind
/// `tags:` it was meant as a tag.
fn read_value(text: &str, keep_hash: bool) -> (Value, bool) {
    if text.is_empty() || is_null(text) {
        return (Value::Null, true);
    }
    if let Some(inner) = plainly_quoted(text) {
        return (Value::Scalar(inner.to_owned()), true);
    }
    if let Some(list) = flow_list(text) {
        return list;
    }
    if is_certain_plain(text) {
        return (Value::Scalar(text.to_owned()), true);
    }
    if matches!(text.trim_end_matches(['+', '-']), "|" | ">") {
        return (Value::Scalar(String::new()), false);
    }
    let text = if keep_hash { text } else { without_comment(text) };
    let value =
        if text.is_empty() { Value::Null } else { Value::Scalar(unquoted(text).to_owned()) };
    (value, false)
}

fn without_comment(text: &str) -> &str {
    if text.starts_with('#') {
        return "";
    }
    if text.starts_with(['"', '\'']) {
        return text;
    }
    text.find(" #").map_or(text, |at| text[..at].trim_end())
}

/// `[a, b]`. `[[x]]` is a link, so it is none.
fn flow_list(text: &str) -> Option<(Value, bool)> {
    if text.starts_with("[[") && !text.starts_with("[[[") {
        return None;
    }
    let inner = text.strip_prefix('[')?.strip_suffix(']')?.trim();
    if inner.is_empty() {
        return Some((Value::List(Vec::new()), true));
    }
    let parts: Vec<&str> = inner.split(',').map(str::trim).collect();
    let certain = parts.iter().all(|part| {
        plainly_quoted(part).is_some_and(|inner| !inner.contains([',', '[', ']', '{', '}']))
            || is_certain_plain(part) && !part.contains(['[', ']', '{', '}', ':', '"', '\''])
    });
    let items = parts.iter().filter(|part| !part.is_empty());
    let items = items.map(|part| match *part {
        null if is_null(null) => Value::Null,
        text => Value::Scalar(unquoted(text).to_owned()),
    });
    Some((Value::List(items.collect()), certain))
}

fn is_null(text: &str) -> bool {
    matches!(text, "~" | "null" | "Null" | "NULL")
}

/// The inside of `"…"` or `'…'` that has neither escapes nor more quotes.
fn plainly_quoted(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let inner = text[1..].strip_suffix(quote)?;
    (!inner.contains(['"', '\'', '\\'])).then_some(inner)
}

fn unquoted(text: &str) -> &str {
    for quote in ['"', '\''] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return inner;
        }
    }
    text
}

/// Whether a plain scalar has no character that YAML could take for syntax.
fn is_certain_plain(text: &str) -> bool {
    let first = text.chars().next();
    first.is_some_and(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '(' | '$' | '+'))
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.ends_with(':')
        && !text.starts_with("...")
        && !is_null(text)
}
