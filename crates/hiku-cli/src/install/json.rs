//! One entry of a JSON object, set or removed in the text itself, so that order, blanks, comments
//! and everything else stay as their author wrote them. Reads the JSON with comments and trailing
//! commas that agents take. Pure.

use std::ops::Range;

use serde_json::Value;

/// Blanks of a level where the text shows none.
const INDENT: &str = "  ";

/// The text with `value` at `path`, or with `None` without what stands there. The objects on the way
/// are made if they are missing, and an inner one that becomes empty goes too. `None` for text that
/// cannot be followed, or holds anything but an object on the way.
pub(super) fn with_entry(text: &str, path: [&str; 2], value: Option<&Value>) -> Option<String> {
    let changed = edited(text, path, value)?;
    is_as_meant(text, &changed, path, value).then_some(changed)
}

/// Whether a change did what it was to do and no more, as far as a strict reader can tell.
fn is_as_meant(
    before: &str,
    after: &str,
    [outer, inner]: [&str; 2],
    value: Option<&Value>,
) -> bool {
    let parsed = |text: &str| serde_json::from_str::<Value>(text).ok();
    let entry = |value: &Value| value.get(outer).and_then(|list| list.get(inner)).cloned();
    let others = |mut value: Value| {
        if let Some(list) = value.get_mut(outer).and_then(Value::as_object_mut) {
            list.remove(inner);
            if list.is_empty() {
                value.as_object_mut().and_then(|root| root.remove(outer));
            }
        }
        value
    };
    match (parsed(before), parsed(after)) {
        (Some(before), Some(after)) => {
            entry(&after).as_ref() == value && others(before) == others(after)
        }
        (Some(_), None) => false,
        // The text was empty, or is not strict.
        (None, _) => true,
    }
}

fn edited(text: &str, path: [&str; 2], value: Option<&Value>) -> Option<String> {
    let [outer, inner] = path;
    let root = match object_at(text, skip_blank(text, 0)?) {
        Some(root) => root,
        None if skip_blank(text, 0)? == text.len() => {
            let Some(value) = value else { return Some(text.to_owned()) };
            let whole = serde_json::json!({ outer: { inner: value } });
            return Some(format!("{}{}\n", text, pretty(&whole, "")));
        }
        None => return None,
    };
    if skip_blank(text, root.end)? != text.len() {
        return None;
    }
    let Some(list) = root.member(outer) else {
        let Some(value) = value else { return Some(text.to_owned()) };
        return insert(text, &root, outer, &serde_json::json!({ inner: value }));
    };
    let servers = object_at(text, list.value.start)?;
    match (servers.member(inner), value) {
        (Some(own), Some(value)) => Some(replace(text, own, value)),
        (None, Some(value)) => insert(text, &servers, inner, value),
        (None, None) => Some(text.to_owned()),
        (Some(_), None) if servers.members.len() == 1 => remove(text, &root, outer),
        (Some(_), None) => remove(text, &servers, inner),
    }
}

/// An object in a text.
#[derive(Debug)]
struct Object {
    /// Its opening brace.
    start: usize,
    /// Behind its closing brace.
    end: usize,
    members: Vec<Member>,
    /// Whether a comma stands behind the last member.
    has_last_comma: bool,
}

#[derive(Debug)]
struct Member {
    name: String,
    /// From the name's opening quote.
    start: usize,
    value: Range<usize>,
}

impl Object {
    /// The last member of that name: it is the one that counts.
    fn member(&self, name: &str) -> Option<&Member> {
        self.members.iter().rev().find(|member| member.name == name)
    }
}

/// The object that begins at this byte.
fn object_at(text: &str, start: usize) -> Option<Object> {
    if text.as_bytes().get(start) != Some(&b'{') {
        return None;
    }
    let (mut members, mut has_last_comma) = (Vec::new(), false);
    let mut at = skip_blank(text, start + 1)?;
    while text.as_bytes().get(at)? != &b'}' {
        if !members.is_empty() && !has_last_comma {
            return None;
        }
        let name_end = skip_string(text, at)?;
        let name = serde_json::from_str(&text[at..name_end]).ok()?;
        let colon = skip_blank(text, name_end)?;
        if text.as_bytes().get(colon) != Some(&b':') {
            return None;
        }
        let value = skip_blank(text, colon + 1)?;
        let value = value..skip_value(text, value)?;
        let behind = skip_blank(text, value.end)?;
        has_last_comma = text.as_bytes().get(behind) == Some(&b',');
        members.push(Member { name, start: at, value });
        at = if has_last_comma { skip_blank(text, behind + 1)? } else { behind };
    }
    Some(Object { start, end: at + 1, members, has_last_comma })
}

/// Behind blanks and comments. `None` for a comment without end.
fn skip_blank(text: &str, mut at: usize) -> Option<usize> {
    loop {
        let rest = text.get(at..)?;
        let trimmed = rest.trim_start_matches([' ', '\t', '\r', '\n', '\u{feff}']);
        at += rest.len() - trimmed.len();
        at += if trimmed.starts_with("//") {
            trimmed.find('\n').unwrap_or(trimmed.len())
        } else if trimmed.starts_with("/*") {
            trimmed.find("*/")? + 2
        } else {
            return Some(at);
        };
    }
}

/// Behind the value that begins at this byte.
fn skip_value(text: &str, at: usize) -> Option<usize> {
    match text.as_bytes().get(at)? {
        b'"' => skip_string(text, at),
        b'{' => object_at(text, at).map(|object| object.end),
        b'[' => skip_list(text, at),
        _ => {
            let rest = &text[at..];
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c));
            let end = end.unwrap_or(rest.len());
            serde_json::from_str::<Value>(&rest[..end]).ok().map(|_| at + end)
        }
    }
}

fn skip_list(text: &str, start: usize) -> Option<usize> {
    let mut at = skip_blank(text, start + 1)?;
    while text.as_bytes().get(at)? != &b']' {
        at = skip_blank(text, skip_value(text, at)?)?;
        match text.as_bytes().get(at)? {
            b',' => at = skip_blank(text, at + 1)?,
            b']' => {}
            _ => return None,
        }
    }
    Some(at + 1)
}

fn skip_string(text: &str, start: usize) -> Option<usize> {
    let mut rest = text.as_bytes().get(start..)?.iter().enumerate();
    if rest.next()?.1 != &b'"' {
        return None;
    }
    while let Some((at, byte)) = rest.next() {
        match byte {
            b'\\' => drop(rest.next()?),
            b'"' => return Some(start + at + 1),
            _ => {}
        }
    }
    None
}

fn replace(text: &str, member: &Member, value: &Value) -> String {
    let old = &text[member.value.clone()];
    if serde_json::from_str::<Value>(old).ok().as_ref() == Some(value) {
        return text.to_owned();
    }
    let new = pretty(value, indent_at(text, member.start));
    splice(text, member.value.clone(), &new)
}

/// Puts a member behind all others.
fn insert(text: &str, object: &Object, name: &str, value: &Value) -> Option<String> {
    let own = indent_at(text, object.start);
    let indent = match object.members.last() {
        Some(last) if indent_at(text, last.start) != own => indent_at(text, last.start).to_owned(),
        _ => format!("{own}{INDENT}"),
    };
    let name = serde_json::to_string(name).ok()?;
    let member = format!("\n{indent}{name}: {}", pretty(value, &indent));
    // Behind the last comment, so that each stays with what it is about.
    let content = text[object.start + 1..object.end - 1].trim_end().len();
    let place = object.start + 1 + content;
    let closing = format!("\n{own}");
    let with_member = splice(text, place..object.end - 1, &format!("{member}{closing}"));
    match object.members.last() {
        Some(last) if !object.has_last_comma => {
            Some(splice(&with_member, last.value.end..last.value.end, ","))
        }
        _ => Some(with_member),
    }
}

/// Takes a member out, with the comma that it needs no more and its line if nothing else is on it.
fn remove(text: &str, object: &Object, name: &str) -> Option<String> {
    let at = object.members.iter().rposition(|member| member.name == name)?;
    let member = &object.members[at];
    let behind = skip_blank(text, member.value.end)?;
    let mut span = member.start..member.value.end;
    let mut text = text.to_owned();
    if text.as_bytes().get(behind) == Some(&b',') {
        // A comment before the comma is about this member.
        span.end = behind + 1;
    } else if let Some(before) = at.checked_sub(1).map(|before| &object.members[before]) {
        let comma = skip_blank(&text, before.value.end)?;
        text.replace_range(comma..=comma, "");
        span = span.start - 1..span.end - 1;
    }
    let line = text[..span.start].rfind(['\n', '{']).map_or(0, |at| at + 1);
    if text[line..span.start].trim().is_empty() {
        span.start = if text[..line].ends_with('\n') { line } else { span.start };
        let rest = &text[span.end..];
        let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
        if rest[blank..].starts_with('\n') {
            span.end += blank + 1;
        }
    }
    text.replace_range(span, "");
    Some(text)
}

fn splice(text: &str, span: Range<usize>, new: &str) -> String {
    [&text[..span.start], new, &text[span.end..]].concat()
}

/// The blanks at the start of the line of this byte.
fn indent_at(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |before| before + 1);
    let line = &text[start..at];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// A value over several lines, those after the first indented.
fn pretty(value: &Value, indent: &str) -> String {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.replace('\n', &format!("\n{indent}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const PATH: [&str; 2] = ["servers", "own"];

    fn set(text: &str) -> Option<String> {
        with_entry(text, PATH, Some(&json!({ "command": "x" })))
    }

    fn unset(text: &str) -> Option<String> {
        with_entry(text, PATH, None)
    }

    #[test]
    fn an_entry_is_added_and_nothing_else_changes() {
        insta::assert_snapshot!(set("").expect("an entry"), @r#"
        {
          "servers": {
            "own": {
              "command": "x"
            }
          }
        }
        "#);
        let text = "// mine\n{\n    \"z\": 1, // first\n    \"servers\": {\n        \"b\": {\"command\": \"b\"} /* b */\n    },\n    \"a\": [1, {\"x\": \"}\\\"\"},],\n}\n";
        insta::assert_snapshot!(set(text).expect("an entry"), @r#"
        // mine
        {
            "z": 1, // first
            "servers": {
                "b": {"command": "b"}, /* b */
                "own": {
                  "command": "x"
                }
            },
            "a": [1, {"x": "}\""},],
        }
        "#);
        insta::assert_snapshot!(set("{\"a\": 1}").expect("an entry"), @r#"
        {"a": 1,
          "servers": {
            "own": {
              "command": "x"
            }
          }
        }
        "#);
    }

    #[test]
    fn what_is_there_is_replaced_once() {
        let once = set("{\n  \"servers\": {\"own\": {\"command\": \"old\"}, \"b\": 1}\n}\n");
        let once = once.expect("an entry");
        assert!(once.contains("\"b\": 1") && !once.contains("old"), "{once}");
        assert_eq!(set(&once), Some(once.clone()));
    }

    #[test]
    fn an_entry_that_was_added_can_be_taken_out() {
        for text in [
            "{}\n",
            "{\n}\n",
            "{\n  \"a\": 1\n}\n",
            "{\n  \"a\": 1 // one\n}\n",
            "{\n  \"servers\": {\n    \"b\": 1\n  }\n}\n",
            "{\n\t\"servers\": {\n\t\t\"b\": 1,\n\t\t\"c\": 2\n\t},\n\t\"d\": 1\n}\n",
        ] {
            let with = set(text).expect("an entry");
            let parsed: Option<Value> = serde_json::from_str(&with).ok();
            let entry = parsed.map(|parsed| parsed["servers"]["own"]["command"].clone());
            assert!(entry.is_none_or(|command| command == "x"), "{with}");
            let without = unset(&with).expect("no entry");
            assert!(
                without == text || (text.starts_with("{}") && without == "{\n}\n"),
                "{text:?} {with:?} {without:?}"
            );
            assert_eq!(unset(text).as_deref(), Some(text));
        }
        let between = "{\"servers\": {\"a\": 1, \"own\": {}, \"b\": 2}}";
        assert_eq!(unset(between).as_deref(), Some("{\"servers\": {\"a\": 1,  \"b\": 2}}"));
        let only = "{\"servers\": {\"own\": {}}}";
        assert_eq!(unset(only).as_deref(), Some("{}"));
    }

    #[test]
    fn what_cannot_be_followed_is_left_alone() {
        for text in [
            "[]",
            "{",
            "{\"a\" 1}",
            "{\"a\": 1 \"b\": 2}",
            "{\"servers\": 3}",
            "{} {}",
            "/* open",
            "{\"a\": tru}",
            "{'a': 1}",
            "\"text\"",
            "{\"a\": \"open}",
        ] {
            assert_eq!((set(text), unset(text)), (None, None), "{text}");
        }
    }
}
