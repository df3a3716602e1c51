//! From the inside of a link's brackets to a [`Link`]: target, fragment, text, kind, and percent
//! decoding. Does not find links in text and resolves none.

use std::borrow::Cow;
use std::ops::Range;

use super::{Link, LinkKind};

/// Reads what stands between `[[` and `]]`; `None` if it names nothing.
pub(super) fn wiki(inner: &str, embed: bool, span: Range<usize>) -> Option<Link> {
    let (destination, text) = match inner.split_once('|') {
        // In a table the bar is written `\|`.
        Some((left, right)) => (left.strip_suffix('\\').unwrap_or(left), Some(right.trim())),
        None => (inner, None),
    };
    let (target, fragment) = split_fragment(destination.trim());
    let (target, fragment) = (target.trim_end(), fragment.map(str::trim));
    if target.is_empty() && fragment.is_none_or(str::is_empty) {
        return None;
    }
    Some(Link {
        kind: if embed { LinkKind::Embed } else { LinkKind::Wiki },
        target: target.to_owned(),
        fragment: fragment.filter(|text| !text.is_empty()).map(str::to_owned),
        text: text.filter(|text| !text.is_empty()).map(str::to_owned),
        span,
    })
}

/// Makes the link of `[text](destination)` or `![text](destination)`; `None` if the destination is
/// empty.
pub(super) fn markdown(
    destination: &str,
    image: bool,
    text: Option<String>,
    span: Range<usize>,
) -> Option<Link> {
    let destination = destination.trim();
    if destination.is_empty() || destination == "#" {
        return None;
    }
    if has_scheme(destination) {
        return Some(external(destination, text, span));
    }
    let (target, fragment) = split_fragment(destination);
    Some(Link {
        kind: if image { LinkKind::Embed } else { LinkKind::Markdown },
        target: percent_decoded(target).into_owned(),
        fragment: fragment.map(|text| percent_decoded(text).into_owned()),
        text,
        span,
    })
}

/// A link to a URL. The URL stays whole and as written: only its site knows what its fragment and
/// its escapes mean.
pub(super) fn external(url: &str, text: Option<String>, span: Range<usize>) -> Link {
    Link { kind: LinkKind::External, target: url.to_owned(), fragment: None, text, span }
}

fn split_fragment(destination: &str) -> (&str, Option<&str>) {
    match destination.split_once('#') {
        Some((target, fragment)) => (target, Some(fragment)),
        None => (destination, None),
    }
}

/// Whether a destination begins with a URL scheme (RFC 3986, section 3.1). One letter is a Windows
/// drive.
fn has_scheme(destination: &str) -> bool {
    let Some((scheme, _)) = destination.split_once(':') else {
        return destination.starts_with("//");
    };
    scheme.len() > 1
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

/// Resolves `%20` and its like; text whose escapes are malformed or not UTF-8 stays as it is.
fn percent_decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let escape = if *first == b'%' {
            tail.first_chunk::<2>().and_then(|digits| hex_byte(*digits))
        } else {
            None
        };
        bytes.push(escape.unwrap_or(*first));
        rest = if escape.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned)
}

fn hex_byte(digits: [u8; 2]) -> Option<u8> {
    let [high, low] = digits.map(|digit| char::from(digit).to_digit(16));
    Some((high? * 16 + low?) as u8)
}
