//! A heading's text without markup: what is left of Obsidian's own marks when the Markdown parser
//! has resolved its own.

use std::borrow::Cow;

/// Cleans the text of a heading: links to what they show, comments and highlight marks away, a
/// trailing `^block-id` away, blanks collapsed.
pub(super) fn cleaned(text: &str) -> String {
    let text = without_links(text);
    let text = without_pairs(&text, "%%", |_| "");
    let text = without_pairs(&text, "==", |inner| inner);
    let text = without_pairs(&text, "~~", |inner| inner);
    let words: Vec<&str> = without_block_id(text.trim()).split_whitespace().collect();
    words.join(" ")
}

fn without_block_id(text: &str) -> &str {
    match text.rsplit_once('^') {
        Some((left, id))
            if !id.is_empty()
                && left.ends_with(char::is_whitespace)
                && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') =>
        {
            left.trim_end()
        }
        _ => text,
    }
}

/// `[[a|b]]` to `b`, `[[a]]` to `a`.
fn without_links(text: &str) -> Cow<'_, str> {
    if !text.contains("[[") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("[[") {
        let Some((inner, tail)) = after.split_once("]]") else {
            break;
        };
        out.push_str(before.strip_suffix('!').unwrap_or(before));
        out.push_str(inner.rsplit('|').next().unwrap_or(inner));
        rest = tail;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Replaces `mark…mark` by what `keep` makes of its inside. A mark opens only behind a blank or
/// sign and before a character, and closes only behind one, so that `operator==` keeps its signs.
fn without_pairs<'t>(text: &'t str, mark: &str, keep: fn(&str) -> &str) -> Cow<'t, str> {
    if !text.contains(mark) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(mark) {
        out.push_str(before);
        let opens =
            !out.ends_with(char::is_alphanumeric) && !after.starts_with(char::is_whitespace);
        let pair = after.split_once(mark).filter(|(inner, _)| opens && is_inside(inner));
        if let Some((inner, tail)) = pair {
            out.push_str(keep(inner));
            rest = tail;
        } else {
            out.push_str(mark);
            rest = after;
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn is_inside(inner: &str) -> bool {
    !inner.is_empty() && !inner.ends_with(char::is_whitespace)
}
