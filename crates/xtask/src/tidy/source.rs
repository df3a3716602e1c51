//! Rust source as the rules look at it: with comments, string literals and test code blanked out.
//! A small lexer, not a parser: it knows where comments and literals begin and end, and trusts
//! rustfmt for the rest. Blanking keeps lines and offsets.

use std::ops::Range;
use std::path::Path;

/// What a stretch of source is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A line or block comment, doc comments included.
    Comment,
    /// A string, byte string or character literal.
    Literal,
}

/// The production code of a file: comments, literals and test code blanked.
pub(super) fn code(path: &str, text: &str) -> String {
    let masked = mask(text, &[Kind::Comment, Kind::Literal]);
    blank_lines(&masked, &test_lines(path, &masked))
}

/// The production code of a file with its literals: comments and test code blanked.
pub(super) fn code_and_literals(path: &str, text: &str) -> String {
    let tests = test_lines(path, &mask(text, &[Kind::Comment, Kind::Literal]));
    blank_lines(&mask(text, &[Kind::Comment]), &tests)
}

/// The comments of a file, tests' included, everything else blanked.
pub(super) fn comments(text: &str) -> String {
    let mut kept = blank(text);
    for (kind, span) in stretches(text) {
        if kind == Kind::Comment {
            kept.replace_range(span.clone(), &text[span]);
        }
    }
    kept
}

/// Whether all of a file is test code: integration tests, benches, examples, `tests.rs`.
pub(super) fn is_test_path(path: &str) -> bool {
    let stem = path.rsplit('/').next().and_then(|name| name.strip_suffix(".rs")).unwrap_or(path);
    stem == "tests"
        || stem.ends_with("_tests")
        || path.split('/').any(|part| matches!(part, "tests" | "benches" | "examples" | "testkit"))
}

/// Whether a path is a Rust file's.
pub(super) fn is_rust(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|extension| extension == "rs")
}

/// The 1-based line of a byte offset.
pub(super) fn line_at(text: &str, offset: usize) -> usize {
    text[..offset].matches('\n').count() + 1
}

/// `text` with every stretch of the given kinds blanked.
fn mask(text: &str, kinds: &[Kind]) -> String {
    let mut masked = text.to_owned();
    for (kind, span) in stretches(text) {
        if kinds.contains(&kind) {
            masked.replace_range(span.clone(), &blank(&text[span]));
        }
    }
    masked
}

/// As many spaces as `text` has bytes, with its line ends.
fn blank(text: &str) -> String {
    text.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect()
}

/// The comments and literals of `text`, in order.
fn stretches(text: &str) -> Vec<(Kind, Range<usize>)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if let Some((kind, length)) = comment_or_literal(rest) {
            found.push((kind, at..at + length));
            at += length;
        } else {
            at += plain_length(rest);
        }
    }
    found
}

/// Length of the identifier, or else of the one character, that `rest` begins with. Identifiers
/// are taken whole so that the `r` of `for"` is not read as a raw string's.
fn plain_length(rest: &str) -> usize {
    let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    if word > 0 { word } else { rest.chars().next().map_or(1, char::len_utf8) }
}

fn comment_or_literal(rest: &str) -> Option<(Kind, usize)> {
    if rest.starts_with("//") {
        return Some((Kind::Comment, rest.find('\n').unwrap_or(rest.len())));
    }
    if rest.starts_with("/*") {
        return Some((Kind::Comment, block_comment_length(rest)));
    }
    let length = character_length(rest).or_else(|| string_length(rest))?;
    Some((Kind::Literal, length))
}

/// Block comments nest.
fn block_comment_length(rest: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < rest.len() {
        if rest[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
        } else {
            at += rest[at..].chars().next().map_or(1, char::len_utf8);
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// Length of a character or byte literal; `None` for a lifetime.
fn character_length(rest: &str) -> Option<usize> {
    let body = rest.strip_prefix('b').unwrap_or(rest).strip_prefix('\'')?;
    let opened = rest.len() - body.len();
    let first = body.chars().next()?;
    let skip =
        if first == '\\' { 1 + body[1..].chars().next()?.len_utf8() } else { first.len_utf8() };
    let close = body[skip..].find('\'')?;
    let is_literal = first == '\\' || close == 0;
    is_literal.then_some(opened + skip + close + 1)
}

/// Length of a string literal with its prefix (`b`, `c`, `r`, `br`, `cr`) and hashes.
fn string_length(rest: &str) -> Option<usize> {
    let prefix = rest.find(|c| !matches!(c, 'b' | 'c' | 'r')).filter(|&length| length <= 2)?;
    let is_raw = rest[..prefix].contains('r');
    let after = &rest[prefix..];
    let hashes = if is_raw { after.len() - after.trim_start_matches('#').len() } else { 0 };
    let body = after[hashes..].strip_prefix('"')?;
    let opened = prefix + hashes + 1;
    if is_raw {
        let end = format!("\"{}", "#".repeat(hashes));
        return Some(opened + body.find(&end).map_or(body.len(), |at| at + end.len()));
    }
    Some(opened + quoted_length(body))
}

/// Length of a string's body up to and including its closing quote.
fn quoted_length(body: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in body.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    body.len()
}

/// The lines (0-based) of test code in masked source: items under `#[cfg(test)]`, up to the
/// closing brace at the attribute's indentation, or the whole file.
fn test_lines(path: &str, masked: &str) -> Vec<Range<usize>> {
    let lines: Vec<&str> = masked.lines().collect();
    if is_test_path(path) {
        return std::iter::once(0..lines.len()).collect();
    }
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        if is_test_attribute(lines[at]) {
            let end = item_end(&lines, at);
            found.push(at..end);
            at = end;
        } else {
            at += 1;
        }
    }
    found
}

fn is_test_attribute(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("#[cfg(test)]") || line.starts_with("#[cfg(all(test")
}

/// The line after the item whose attribute stands on line `start`.
fn item_end(lines: &[&str], start: usize) -> usize {
    let indentation = lines[start].len() - lines[start].trim_start().len();
    let closing = format!("{}}}", " ".repeat(indentation));
    let mut is_open = false;
    for (at, line) in lines.iter().enumerate().skip(start + 1) {
        let text = line.trim_end();
        if text.trim_start().starts_with("#[") {
            continue;
        }
        let ends_at_once = !is_open && (text.ends_with(';') || text.ends_with('}'));
        if ends_at_once || text.starts_with(&closing) {
            return at + 1;
        }
        is_open |= text.ends_with('{');
    }
    lines.len()
}

fn blank_lines(text: &str, ranges: &[Range<usize>]) -> String {
    let mut kept = String::with_capacity(text.len());
    for (at, line) in text.split_inclusive('\n').enumerate() {
        let is_blanked = ranges.iter().any(|range| range.contains(&at));
        kept.push_str(&if is_blanked { blank(line) } else { line.to_owned() });
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squeeze(text: &str) -> String {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn blanks_comments_and_literals() {
        for (input, expected) in [
            ("let a = 1; // SELECT", "let a = 1;"),
            ("a /* b /* c */ d */ e", "a e"),
            (r#"f("x \" y", z)"#, "f( , z)"),
            (r##"f(r#"a " b"#, z)"##, "f( , z)"),
            (r#"f(b"x", br"\", c"y")"#, "f( , , )"),
            ("match c { '\"' => 1, '\\'' => 2, b'\\\\' => 3 }", "match c { => 1, => 2, => 3 }"),
            ("fn f<'a>(x: &'a str) {}", "fn f<'a>(x: &'a str) {}"),
            ("'日' + \"日本語\" + x", "+ + x"),
            ("/// doc\nfn f() {}", "fn f() {}"),
            ("\"never closed", ""),
        ] {
            assert_eq!(squeeze(&code("crates/a/src/b.rs", input)), expected, "{input}");
        }
    }

    #[test]
    fn keeps_offsets_and_lines() {
        let text = "a // 日本\n\"b\nc\" d\n";
        let masked = code("crates/a/src/b.rs", text);
        assert_eq!(masked.len(), text.len());
        assert_eq!(line_at(&masked, masked.find('d').expect("kept")), 3);
    }

    #[test]
    fn blanks_test_items_only() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests;\nfn b() {}\n#[cfg(test)]\n#[path = \"x\"]\n\
                    mod tests {\n    fn c() {}\n}\nfn d() {}\n";
        assert_eq!(squeeze(&code("crates/a/src/b.rs", text)), "fn a() {} fn b() {} fn d() {}");
        assert_eq!(squeeze(&code("crates/a/src/b/tests.rs", text)), "");
    }

    #[test]
    fn keeps_comments_alone() {
        assert_eq!(
            squeeze(&comments("let a = \"// no\"; // yes\n/* and */ b")),
            "// yes /* and */"
        );
    }
}
