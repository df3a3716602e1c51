//! Notes as resources: a list of the newest, and each by its path. What a client reads so is chosen
//! by its user; it is redacted and sanitised as everything else, and not fenced, since it is
//! handed on as a document of its own.

use std::fmt::Write;

use hiku::text::estimate_tokens;
use hiku::{ErrorKind, Hit, MAX_LIMIT, ReadNote, SearchRequest, Selection};
use serde_json::{Value, json};

use super::protocol::{Fault, INTERNAL_ERROR, INVALID_PARAMS, Request};
use super::warm::Warm;
use crate::exit::{Cause, CommandError};
use crate::messages::Messages;
use crate::request::conditions;
use crate::safe::{block, label, line};
use crate::settings::MOST_MCP_TOKENS;

/// What every note's address begins with; its path follows, percent-encoded.
const PREFIX: &str = "hiku://note/";
/// Notes of one page of the list.
const PAGE: usize = 100;
/// The media type of notes (RFC 7763).
const MARKDOWN: &str = "text/markdown";

/// The result of `resources/templates/list`.
pub(super) fn templates() -> Value {
    json!({
        "resourceTemplates": [{
            "uriTemplate": format!("{PREFIX}{{+path}}"),
            "name": "note",
            "title": "A note",
            "description": "A note of the vault, by its path as `search` gives it.",
            "mimeType": MARKDOWN,
        }],
    })
}

/// The result of `resources/list`: a page of the newest notes. A client that wants another
/// searches.
///
/// # Errors
/// A cursor that is none of ours, or what the index says.
pub(super) fn list(warm: &mut Warm, request: &Request) -> Result<Value, Fault> {
    let start = match request.params.get("cursor") {
        None | Some(Value::Null) => 0,
        Some(cursor) => cursor
            .as_str()
            .and_then(|text| text.parse::<usize>().ok())
            .filter(|start| *start < MAX_LIMIT)
            .ok_or_else(|| Fault::new(INVALID_PARAMS, "the cursor is none of this server's"))?,
    };
    let mut newest = SearchRequest::new("");
    newest.filters.paths = conditions(["*"]);
    (newest.limit, newest.passages) = (MAX_LIMIT, false);
    let response = warm.ask(|index, folder| index.search_current(&newest, folder, true));
    let hits = response.map_err(|e| failed(warm, &e))?.hits;
    let page: Vec<Value> = hits.iter().skip(start).take(PAGE).map(entry).collect();
    let mut result = json!({ "resources": page });
    if hits.len() > start + PAGE {
        result["nextCursor"] = (start + PAGE).to_string().into();
    }
    Ok(result)
}

fn entry(hit: &Hit) -> Value {
    json!({
        "uri": uri(&hit.path),
        "name": line(&hit.path),
        "title": line(&hit.title),
        "mimeType": MARKDOWN,
    })
}

/// The result of `resources/read`.
///
/// # Errors
/// An address that names no note of the vault, or what the disk says.
pub(super) fn read(warm: &mut Warm, request: &Request) -> Result<Value, Fault> {
    let Some(uri) = request.params.get("uri").and_then(Value::as_str) else {
        return Err(Fault::new(INVALID_PARAMS, "uri must be the address of a resource"));
    };
    let Some(path) = path_of(uri) else {
        let message = format!("addresses here begin with {PREFIX}");
        return Err(Fault::no_resource(request, uri, message));
    };
    let note = warm.read(&path, &Selection::Whole).map_err(|error| match &error.cause {
        Cause::Library(cause) if cause.kind() == ErrorKind::User => {
            Fault::no_resource(request, uri, warm.session.explained(&error).0)
        }
        _ => failed(warm, &error),
    })?;
    let text = beginning(&note, warm.messages());
    Ok(json!({ "contents": [{ "uri": uri, "mimeType": MARKDOWN, "text": text }] }))
}

fn failed(warm: &Warm, error: &CommandError) -> Fault {
    let (text, hints) = warm.session.explained(error);
    let code = warm.messages().exit_code(error.exit as u8);
    let data = json!({ "exit_code": error.exit as u8, "hints": hints });
    Fault { code: INTERNAL_ERROR, message: block(&format!("{text} ({code})")), data: Some(data) }
}

/// A note's text, or as many of its lines as an agent can take, and a line that says so.
fn beginning(note: &ReadNote, messages: Messages) -> String {
    let text = block(&note.text);
    if estimate_tokens(&text) <= MOST_MCP_TOKENS {
        return text;
    }
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    let lines = ends.partition_point(|end| estimate_tokens(&text[..*end]) <= MOST_MCP_TOKENS);
    let end = lines.checked_sub(1).map_or(0, |last| ends[last]);
    let remark = messages.note_cut(label(&note.path), lines, note.lines);
    format!("{}\n[{remark}]\n", &text[..end])
}

/// The address of a note. Everything but the unreserved characters of RFC 3986 and `/` is encoded.
fn uri(path: &str) -> String {
    let mut uri = PREFIX.to_owned();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

/// The path in a note's address; `None` for another address, or one that is encoded wrongly.
fn path_of(uri: &str) -> Option<String> {
    let mut rest = uri.strip_prefix(PREFIX)?.as_bytes();
    let mut bytes = Vec::with_capacity(rest.len());
    while let [first, tail @ ..] = rest {
        if *first == b'%' {
            let (digits, tail) = tail.split_at_checked(2)?;
            let [high, low] = [digits[0], digits[1]].map(|digit| char::from(digit).to_digit(16));
            bytes.push((high? * 16 + low?) as u8);
            rest = tail;
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).ok().filter(|path| !path.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_paths() {
        let check = |path: &str, expected: &str| {
            assert_eq!(uri(path), expected);
            assert_eq!(path_of(expected).as_deref(), Some(path));
        };
        check("a/b.md", "hiku://note/a/b.md");
        check("a b?#%.md", "hiku://note/a%20b%3F%23%25.md");
        check("設計.md", "hiku://note/%E8%A8%AD%E8%A8%88.md");
        assert_eq!(path_of("hiku://note/設計.md").as_deref(), Some("設計.md"));
        for wrong in [
            "",
            "file:///a.md",
            "hiku://note/",
            "hiku://note/%4",
            "hiku://note/%zz",
            "hiku://note/%+4",
            "hiku://note/%ff",
        ] {
            assert_eq!(path_of(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn a_long_note_is_cut_at_a_line() {
        let line = "行".repeat(999) + "\n";
        let note = ReadNote {
            path: "long.md".to_owned(),
            title: String::new(),
            text: line.repeat(30),
            line_start: 1,
            line_end: 30,
            lines: 30,
            redactions: 0,
        };
        let text = beginning(&note, Messages::default());
        assert!(text.starts_with(&line.repeat(20)) && text.lines().count() < 24, "{}", text.len());
        assert!(text.contains("cut after line 20 of 30"), "{}", &text[text.len() - 200..]);
    }
}
