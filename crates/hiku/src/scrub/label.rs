//! Reads `label operator value` around a keyword, in code, configuration, headers, tables and
//! prose, English and Japanese. Neither judges the value (`assignment`, `value`) nor knows what
//! the label means (`naming`).

use std::ops::Range;

use super::value::is_label_byte;

/// Longest identifier that is read as a label, in bytes.
const LABEL_BYTES: usize = 60;
/// Longest run of further words between the label and its operator, in bytes.
const GAP_BYTES: usize = 20;
/// Longest value, in bytes.
const VALUE_BYTES: usize = 512;
/// Longest white space between an operator and a quoted value on another line, in bytes.
const INDENT_BYTES: usize = 40;

/// What stands between a label and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    /// `=`, `:=`, `?=`.
    Equals,
    /// `:` and its full-width form.
    Colon,
    /// `=>`, `->`, `→`.
    Arrow,
    /// `==`, `!=` and their triple forms.
    Compare,
    /// A comma between arguments, or a space behind a Japanese label.
    Comma,
    /// An opening bracket.
    Call,
    /// The end of an XML tag.
    Tag,
    /// The border of a table's cell.
    Cell,
    /// White space behind a command line's option.
    Option,
    /// "is", は, or a quotation mark right behind a Japanese label.
    Is,
}

/// A label with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Assignment {
    /// The identifier and any further words before the operator.
    pub(super) label: Range<usize>,
    /// What stands between the two.
    pub(super) operator: Operator,
    /// Whether the value stood in quotation marks.
    pub(super) quoted: bool,
    /// The last byte before the value: a quotation mark where there is one.
    pub(super) mark: u8,
    /// Whether nothing but the operator stood between the two.
    pub(super) tight: bool,
    /// The value without its quotation marks.
    pub(super) value: Range<usize>,
    /// Whether the line ends behind the value.
    pub(super) ends_line: bool,
}

/// Reads the assignment whose label holds the keyword at `hit`.
pub(super) fn assignment(text: &[u8], hit: &Range<usize>) -> Option<Assignment> {
    let start = hit.start - run_back(&text[..hit.start], LABEL_BYTES, is_label_byte);
    let end = hit.end + run(&text[hit.end..], LABEL_BYTES, is_label_byte);
    let japanese = !text[hit.start..hit.end].is_ascii();
    let (operator, label_end, behind) = operator(text, start, end, japanese)?;
    let mut at = behind + run(&text[behind..], INDENT_BYTES, is_blank);
    at += wide_blanks(&text[at..]);
    if operator == Operator::Colon {
        at = skip_type(text, at);
    }
    if matches!(operator, Operator::Equals | Operator::Colon) {
        at = skip_line_break(text, at);
    }
    at += run(&text[at..], 2, |byte| byte == b'*');
    if closes_quotation(text, start, label_end, behind) {
        return None;
    }
    let (quoted, value) = match quoted(text, at) {
        Some(value) => (true, value),
        None => (false, bare(text, at, operator)),
    };
    let rest = &text[value.end..];
    let closing = run(rest, 4, |byte| b"\"'`,;*".contains(&byte) || is_blank(byte));
    let rest = &rest[closing..];
    let comment = closing > 0 && (rest.starts_with(b"#") || rest.starts_with(b"//"));
    let ends_line = comment || matches!(rest.first(), None | Some(b'\n' | b'\r'));
    let tight = label_end + 3 > behind && behind == value.start;
    (!value.is_empty()).then_some(Assignment {
        label: start..label_end,
        operator,
        quoted,
        mark: value.start.checked_sub(1).map_or(0, |before| text[before]),
        tight,
        value,
        ends_line,
    })
}

/// In `"Password:", "..."` the mark behind the operator closes the one before the label.
fn closes_quotation(text: &[u8], start: usize, label_end: usize, behind: usize) -> bool {
    let opening = start.checked_sub(1).map(|before| text[before]);
    opening.is_some_and(|mark| {
        (mark == b'"' || mark == b'\'')
            && text.get(behind) == Some(&mark)
            && !text[label_end..behind].contains(&mark)
    })
}

fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// Length of the run of accepted bytes that `text` starts with, at most `longest`.
pub(super) fn run(text: &[u8], longest: usize, accepts: impl Fn(u8) -> bool) -> usize {
    text.iter().take(longest).take_while(|&&byte| accepts(byte)).count()
}

fn run_back(text: &[u8], longest: usize, accepts: impl Fn(u8) -> bool) -> usize {
    text.iter().rev().take(longest).take_while(|&&byte| accepts(byte)).count()
}

/// Bytes of ideographic spaces.
fn wide_blanks(text: &[u8]) -> usize {
    let mut at = 0;
    loop {
        at += run(&text[at..], INDENT_BYTES, is_blank);
        if !text[at..].starts_with("\u{3000}".as_bytes()) {
            return at;
        }
        at += 3;
    }
}

/// The operator, the label's end, and where the operator ends.
fn operator(
    text: &[u8],
    start: usize,
    end: usize,
    japanese: bool,
) -> Option<(Operator, usize, usize)> {
    let wrappers = run(&text[end..], 4, |byte| b"\"'`*])\\".contains(&byte));
    let near = end + wrappers + wide_blanks(&text[end + wrappers..]);
    if let Some((operator, length)) = sign(&text[near..]) {
        let fits = match operator {
            Operator::Call => near == end,
            Operator::Tag => start > 0 && text[start - 1] == b'<',
            _ => true,
        };
        return fits.then_some((operator, end, near + length));
    }
    if japanese {
        return japanese_operator(text, end, near);
    }
    let is_option = start < end && text[start] == b'-' && near > end && wrappers == 0;
    if is_option {
        return Some((Operator::Option, end, near));
    }
    if wrappers > 0 {
        return None;
    }
    let gap = run(&text[near..], GAP_BYTES, |byte| is_label_byte(byte) || is_blank(byte));
    let far = near + gap;
    let far = far + run(&text[far..], 3, |byte| b"\"'`*".contains(&byte));
    match sign(&text[far..]) {
        Some((operator @ (Operator::Equals | Operator::Colon | Operator::Arrow), length)) => {
            Some((operator, near + gap, far + length))
        }
        _ => None,
    }
}

fn sign(text: &[u8]) -> Option<(Operator, usize)> {
    const SIGNS: &[(&str, Operator)] = &[
        ("===", Operator::Compare),
        ("!==", Operator::Compare),
        ("==", Operator::Compare),
        ("!=", Operator::Compare),
        ("=>", Operator::Arrow),
        ("->", Operator::Arrow),
        ("→", Operator::Arrow),
        (":=", Operator::Equals),
        ("?=", Operator::Equals),
        ("=", Operator::Equals),
        ("＝", Operator::Equals),
        (":", Operator::Colon),
        ("：", Operator::Colon),
        ("|", Operator::Cell),
        (",", Operator::Comma),
        ("(", Operator::Call),
        (">", Operator::Tag),
    ];
    // `::` joins names in several languages.
    if text.starts_with(b"::") {
        return None;
    }
    let sign = SIGNS.iter().find(|(sign, _)| text.starts_with(sign.as_bytes()))?;
    Some((sign.1, sign.0.len()))
}

/// は, a quotation mark, or nothing but a space.
fn japanese_operator(text: &[u8], end: usize, near: usize) -> Option<(Operator, usize, usize)> {
    let rest = &text[near..];
    if ["「", "『", "“"].iter().any(|quote| rest.starts_with(quote.as_bytes())) {
        return Some((Operator::Is, end, near));
    }
    if near > end && rest.first().is_some_and(u8::is_ascii_alphanumeric) {
        return Some((Operator::Comma, end, near));
    }
    rest.starts_with("は".as_bytes()).then_some((Operator::Is, end, near + "は".len()))
}

/// Skips the type in `key: string = "..."`.
fn skip_type(text: &[u8], at: usize) -> usize {
    let type_name = run(&text[at..], GAP_BYTES, |byte| {
        byte.is_ascii_alphanumeric() || b"&_[]:.".contains(&byte)
    });
    let behind = at + type_name + run(&text[at + type_name..], 2, is_blank);
    if type_name == 0 || text.get(behind) != Some(&b'=') || text.get(behind + 1) == Some(&b'=') {
        return at;
    }
    behind + 1 + run(&text[behind + 1..], INDENT_BYTES, is_blank)
}

/// A quoted value may stand on the next line.
fn skip_line_break(text: &[u8], at: usize) -> usize {
    let blank = run(&text[at..], INDENT_BYTES, |byte| byte.is_ascii_whitespace());
    match text.get(at + blank) {
        Some(b'"' | b'\'') => at + blank,
        _ => at,
    }
}

/// The text between quotation marks that open at `at`.
pub(super) fn quoted(text: &[u8], at: usize) -> Option<Range<usize>> {
    const MARKS: &[(&str, &str)] =
        &[("\"", "\""), ("'", "'"), ("`", "`"), ("「", "」"), ("『", "』"), ("“", "”"), ("‘", "’")];
    // The letters of r"", b"", f"" and @"", and the backslashes of quoted quotation marks.
    let prefix = run(&text[at..], 2, |byte| b"rbfuL@$\\".contains(&byte));
    let rest = &text[at + prefix..];
    let (open, close) = MARKS.iter().find(|(open, _)| rest.starts_with(open.as_bytes()))?;
    let start = at + prefix + open.len();
    let inside = &text[start..text.len().min(start + VALUE_BYTES)];
    let inside = &inside[..run(inside, VALUE_BYTES, |byte| byte != b'\n')];
    let length = inside.windows(close.len()).position(|part| part == close.as_bytes())?;
    let length = length - run_back(&inside[..length], 2, |byte| byte == b'\\');
    Some(start..start + length)
}

/// A value without quotation marks, without the punctuation of the sentence around it.
pub(super) fn bare(text: &[u8], at: usize, operator: Operator) -> Range<usize> {
    let rest = &text[at..];
    let stops: &[u8] = if operator == Operator::Cell { b"\"'`<>|" } else { b"\"'`<>" };
    let longest = run(rest, VALUE_BYTES, |byte| byte.is_ascii_graphic() && !stops.contains(&byte));
    let inner = rest[..longest].iter().skip(1);
    let end = inner.take_while(|&&byte| byte != b';' && byte != b'&').count() + 1;
    let mut length = end.min(longest);
    length -= run_back(&rest[..length], 8, |byte| b".,;:)]}*\\|".contains(&byte));
    at..at + length
}

/// The label with the word before it, which often decides: "API key", "primary key".
pub(super) fn with_word_before(text: &[u8], label: &Range<usize>) -> Range<usize> {
    let before = &text[..label.start];
    if before.last() != Some(&b' ') {
        return label.clone();
    }
    let word = run_back(&before[..before.len() - 1], 12, |byte| byte.is_ascii_alphanumeric());
    label.start - 1 - word..label.end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, keyword: &str, expected: Option<(&str, &str)>) {
        let at = text.find(keyword).expect("the keyword occurs");
        let found = assignment(text.as_bytes(), &(at..at + keyword.len()));
        let found = found.map(|found| (&text[found.label], &text[found.value]));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn assignments() {
        check("client_secret = 'abc'", "secret", Some(("client_secret", "abc")));
        check("\"api_key\": \"abc\",", "key", Some(("api_key", "abc")));
        check("export TOKEN=abc;", "TOKEN", Some(("TOKEN", "abc")));
        check("let key: &str = \"abc\";", "key", Some(("key", "abc")));
        check("**Password**: abc.", "Password", Some(("Password", "abc")));
        check("API key for tests: abc", "key", Some(("key for tests", "abc")));
        check("| token | abc |", "token", Some(("token", "abc")));
        check("setPassword(\"abc\")", "Password", Some(("setPassword", "abc")));
        check("<password>abc</password>", "password", Some(("password", "abc")));
        check("tool --token abc --quiet", "token", Some(("--token", "abc")));
        check("access_token:\n  'abc'", "token", Some(("access_token", "abc")));
        check("https://h/?token=abc&x=1", "token", Some(("token", "abc")));
        check("a password without a value", "password", None);
        check("std::token::next", "token", None);
    }

    #[test]
    fn japanese_assignments() {
        check("パスワード：abc", "パスワード", Some(("パスワード", "abc")));
        check("パスワード　：　「abc」です", "パスワード", Some(("パスワード", "abc")));
        check("パスワードは abc です", "パスワード", Some(("パスワード", "abc")));
        check("トークン「abc」", "トークン", Some(("トークン", "abc")));
        check("パスワードの変更", "パスワード", None);
    }
}
