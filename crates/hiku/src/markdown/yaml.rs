//! YAML text to a plain tree of strings, through serde-saphyr. Scalars keep the spelling of the
//! source (`1.10`, `2026-01-02`, `no`), and what YAML takes for nested collections but a note's
//! author wrote as a link or placeholder (`[[x]]`, `{{x}}`) stays text. Knows nothing of which key
//! means what.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{Location, Options, Spanned};

/// Deepest nesting that is read; deeper text is refused. Front matter and configuration stay far
/// below it, and every reader of the tree may recurse safely.
const MAX_DEPTH: usize = 32;
/// Most nodes that are read, aliases expanded. Bounds what a few bytes of nested aliases can cost.
const MAX_NODES: usize = 50_000;
/// Longest text that is read, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// A YAML value without types: whatever was a scalar is text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// Nothing: an empty value, `~` or `null`.
    Null,
    /// A scalar as it was written, quotes and escapes resolved.
    Scalar(String),
    /// A sequence.
    List(Vec<Value>),
    /// A mapping in the source's order.
    Map(Vec<(String, Value)>),
}

/// Why a text is not readable as YAML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// 1-based line of the text that was given, 1 where the reader names none.
    pub(crate) line: usize,
}

/// Reads one YAML document.
///
/// # Errors
/// Whatever serde-saphyr refuses: bad syntax, duplicate keys, recursion, or a size over the limits.
pub(crate) fn read(source: &str) -> Result<Value, Refusal> {
    if source.len() > MAX_BYTES {
        return Err(Refusal { line: 1 });
    }
    let node: Spanned<Node> = serde_saphyr::from_str_with_options(source, options())
        .map_err(|error| Refusal { line: error.location().map_or(1, |at| at.line() as usize) })?;
    Ok(value(node, source))
}

/// Visits every scalar of a value with its dotted path; list items share their list's path.
pub(crate) fn scalars<'v>(
    value: &'v Value,
    path: &mut String,
    visit: &mut impl FnMut(&str, &'v str),
) {
    match value {
        Value::Null => {}
        Value::Scalar(text) => visit(path, text),
        Value::List(items) => items.iter().for_each(|item| scalars(item, path, visit)),
        Value::Map(entries) => {
            let length = path.len();
            for (key, item) in entries {
                if length > 0 {
                    path.push('.');
                }
                path.push_str(key);
                scalars(item, path, visit);
                path.truncate(length);
            }
        }
    }
}

fn options() -> Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_depth: MAX_DEPTH, max_nodes: MAX_NODES },
        with_snippet: false,
        ignore_binary_tag_for_string: true,
        non_finite_float_policy: serde_saphyr::NonFiniteFloatPolicy::PassThrough,
    }
}

/// What serde-saphyr delivers, before spellings are recovered from the source.
enum Node {
    Null,
    Text(String),
    /// A number or truth value in serde-saphyr's own spelling, used where the source has none.
    Typed(String),
    List(Vec<Spanned<Node>>),
    Map(Vec<(Spanned<Node>, Spanned<Node>)>),
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any YAML value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Typed(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Typed(value.to_string()))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Node, E> {
        Ok(Node::Typed(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Typed(value.to_string()))
    }

    fn visit_u128<E>(self, value: u128) -> Result<Node, E> {
        Ok(Node::Typed(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Typed(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Node, E> {
        Ok(Node::Text(value))
    }

    fn visit_bytes<E>(self, value: &[u8]) -> Result<Node, E> {
        Ok(Node::Text(String::from_utf8_lossy(value).into_owned()))
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_none<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Node, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Node::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Node, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = access.next_entry()? {
            entries.push(entry);
        }
        Ok(Node::Map(entries))
    }
}

fn value(node: Spanned<Node>, source: &str) -> Value {
    let at = node.defined;
    match node.value {
        Node::Null => Value::Null,
        Node::Text(text) => Value::Scalar(text),
        Node::Typed(text) => Value::Scalar(spelling(at, source).map_or(text, str::to_owned)),
        Node::List(items) => match bracketed(&items, at, source) {
            Some(text) => Value::Scalar(text),
            None => Value::List(items.into_iter().map(|item| value(item, source)).collect()),
        },
        Node::Map(entries) => match braced(&entries, at, source) {
            Some(text) => Value::Scalar(text),
            None => Value::Map(
                entries
                    .into_iter()
                    .map(|(k, v)| (key(value(k, source)), value(v, source)))
                    .collect(),
            ),
        },
    }
}

fn key(value: Value) -> String {
    match value {
        Value::Scalar(text) => text,
        _ => String::new(),
    }
}

/// A plain scalar's own text.
fn spelling(at: Location, source: &str) -> Option<&str> {
    let start = at.span().byte_offset()? as usize;
    let text = source.get(start..start + at.span().byte_len()? as usize)?;
    let text = text.trim();
    (!text.is_empty() && !text.contains('\n')).then_some(text)
}

/// `[[x]]`, which YAML takes for a list in a list.
fn bracketed(items: &[Spanned<Node>], at: Location, source: &str) -> Option<String> {
    match items {
        [Spanned { value: Node::List(_), .. }] => between(at, source, "[[", "]]"),
        _ => None,
    }
}

/// `{{x}}`, which YAML takes for a mapping whose key is a mapping.
fn braced(
    entries: &[(Spanned<Node>, Spanned<Node>)],
    at: Location,
    source: &str,
) -> Option<String> {
    match entries {
        [(Spanned { value: Node::Map(_), .. }, Spanned { value: Node::Null, .. })] => {
            between(at, source, "{{", "}}")
        }
        _ => None,
    }
}

/// The text from `open` at the location to the next `close` on that line.
fn between(at: Location, source: &str, open: &str, close: &str) -> Option<String> {
    let rest = source.get(at.span().byte_offset()? as usize..)?;
    let line = rest.lines().next()?;
    let end = line.find(close)? + close.len();
    line.starts_with(open).then(|| line[..end].to_owned())
}
