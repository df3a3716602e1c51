//! Text made safe for where it goes: a terminal, a fenced block, a shell. Pure.
//!
//! | for | function | keeps | takes out |
//! |---|---|---|---|
//! | a terminal, one line | `line` | visible text | escapes, controls, invisible marks, breaks |
//! | a terminal, lines | `block` | also line breaks and tabs | the rest of them |
//! | beside a fence | `label` | as `line` | also `<`, runs of backticks, length |
//! | inside a fence | `block`, `fence` | the text | nothing more: the fence is longer than any in it |
//! | a list of paths | `file_name` | the name, if it is one line | quotes and escapes it if not |
//! | a shell | `shell_quoted` | the path | nothing: it is quoted |

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

/// True for a character that a terminal may obey or a reader cannot see: C0 and C1 controls,
/// zero-width and bidirectional controls, and tags (`Default_Ignorable_Code_Point` of Unicode
/// 16, without the variation selectors that emoji and kanji need).
pub(crate) fn is_unsafe(found: char) -> bool {
    matches!(found,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{61c}' | '\u{180e}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// One line of text without escape sequences and unsafe characters; line breaks and tabs become
/// spaces.
pub(crate) fn line(text: &str) -> String {
    clean(text, |found| if matches!(found, '\n' | '\t') { Some(' ') } else { None })
}

/// Text of several lines without escape sequences and unsafe characters.
pub(crate) fn block(text: &str) -> String {
    clean(text, |found| matches!(found, '\n' | '\t').then_some(found))
}

/// `kept` decides what becomes of an unsafe character; `None` drops it.
fn clean(text: &str, kept: impl Fn(char) -> Option<char>) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(found) = rest.next() {
        match found {
            '\u{1b}' => skip_escape(&mut rest),
            '\u{9b}' => skip_control_sequence(&mut rest),
            _ if is_unsafe(found) => safe.extend(kept(found)),
            _ => safe.push(found),
        }
    }
    safe
}

/// Skips what follows an ESC (ECMA-48 section 5.3): a control sequence, a string with its
/// terminator, or one character. Without a terminator a string ends at its line.
fn skip_escape(rest: &mut std::str::Chars<'_>) {
    let mut ahead = rest.clone();
    match ahead.next() {
        Some('[') => {
            *rest = ahead;
            skip_control_sequence(rest);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            *rest = ahead;
            skip_string(rest);
        }
        Some(found) if !is_unsafe(found) => *rest = ahead,
        _ => {}
    }
}

fn skip_control_sequence(rest: &mut std::str::Chars<'_>) {
    let parameters = |found: char| ('\u{20}'..='\u{3f}').contains(&found);
    let mut ahead = rest.clone();
    while let Some(found) = ahead.next() {
        if !parameters(found) {
            if ('\u{40}'..='\u{7e}').contains(&found) {
                *rest = ahead;
            }
            return;
        }
        *rest = ahead.clone();
    }
}

fn skip_string(rest: &mut std::str::Chars<'_>) {
    let mut ahead = rest.clone();
    while let Some(found) = ahead.next() {
        if found == '\n' {
            return;
        }
        *rest = ahead.clone();
        if matches!(found, '\u{7}' | '\u{9c}') {
            return;
        }
        if found == '\u{1b}' {
            rest.next();
            return;
        }
    }
}

/// A fence of backticks that no line of `text` can close: longer than every run in it, and at
/// least three.
///
/// By `CommonMark` a fence is closed by at least as many backticks as opened it. `text` is to be made
/// safe first, since an invisible character inside a run would hide its length.
pub(crate) fn fence(text: &str) -> String {
    let longest = text.split(|found| found != '`').map(str::len).max().unwrap_or(0);
    "`".repeat((longest + 1).max(3))
}

/// Longest label in characters.
/// A long title with its headings fits; a text that was put into a title to
/// be read does not.
const MAX_LABEL_CHARACTERS: usize = 300;

/// A title, heading or path as a part of one line beside a fence: without tags (`<` becomes `‹`),
/// with no two backticks in a row, and cut to [`MAX_LABEL_CHARACTERS`]. It belongs behind other
/// words: alone at the start of a line it could still be a heading or the name of a speaker.
pub(crate) fn label(text: &str) -> String {
    let mut label = String::new();
    for found in line(text).trim().chars() {
        match found {
            '<' => label.push('‹'),
            '`' if label.ends_with('`') => {}
            _ => label.push(found),
        }
    }
    if let Some((cut, _)) = label.char_indices().nth(MAX_LABEL_CHARACTERS) {
        label.truncate(cut);
        label.push('…');
    }
    label
}

/// A path as one line: as it is, or where it holds a control character or a line separator, or
/// looks quoted already, between double quotes with C's escapes (bytes in octal), as Git writes it.
pub(crate) fn file_name(path: &str) -> Cow<'_, str> {
    let is_escaped = |found: char| found.is_control() || matches!(found, '\u{2028}' | '\u{2029}');
    if !path.starts_with('"') && !path.contains(is_escaped) {
        return Cow::Borrowed(path);
    }
    let mut quoted = String::from("\"");
    for found in path.chars() {
        match found {
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            '"' | '\\' => quoted.extend(['\\', found]),
            _ if is_escaped(found) => {
                for byte in found.encode_utf8(&mut [0; 4]).bytes() {
                    let _ = write!(quoted, "\\{byte:03o}");
                }
            }
            _ => quoted.push(found),
        }
    }
    quoted.push('"');
    Cow::Owned(quoted)
}

/// A path as one word of a POSIX shell, quoted where it must be.
///
/// Lossy where the path is not UTF-8: the command in the hint then names no file, and does no harm.
pub(crate) fn shell_quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    let is_plain = |found: char| found.is_alphanumeric() || "/._-+:@%,".contains(found);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.into_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
        let check = |text: &str, expected: &str| assert_eq!(line(text), expected, "{text:?}");
        check("plain 日本語 é", "plain 日本語 é");
        check("a\u{1b}[31mred\u{1b}[0m", "ared");
        check("a\u{9b}31mred", "ared");
        check("t\u{1b}]0;title\u{7}x", "tx");
        check("t\u{1b}]8;;http://x\u{1b}\\link", "tlink");
        check("t\u{1b}]0;open\nnext", "t next");
        check("a\u{1b}", "a");
        check("a\u{1b}[", "a");
        check("a\u{1b}[3\u{1b}[1mb", "ab");
        check("a\u{202e}b\u{200b}c\u{feff}d\u{7f}e\u{85}f", "abcdef");
        check("a\tb\r\nc", "a b c");
        check("旗\u{e0067}葛\u{e0100}", "旗葛\u{e0100}");
        assert_eq!(block("a\n\tb\rc\u{1b}[2J"), "a\n\tbc");
    }

    #[test]
    fn the_result_holds_nothing_unsafe_and_stays_as_it_is() {
        let pieces =
            ["\u{1b}", "[", "]", "0;", "\u{9b}", "m", "\u{7}", "\n", "あ", "\u{202e}", "\\"];
        for first in pieces {
            for second in pieces {
                for third in pieces {
                    let text = format!("x{first}{second}{third}y{first}");
                    let once = line(&text);
                    assert!(!once.chars().any(is_unsafe), "{text:?} became {once:?}");
                    assert_eq!(line(&once), once, "{text:?}");
                }
            }
        }
    }

    #[test]
    fn no_text_closes_its_fence() {
        let check = |text: &str, expected: &str| assert_eq!(fence(text), expected, "{text:?}");
        check("", "```");
        check("a `b` c", "```");
        check("```\ncode\n```", "````");
        check("x\n``````\n", "```````");
    }

    #[test]
    fn labels_open_nothing_and_have_an_end() {
        let check = |text: &str, expected: &str| assert_eq!(label(text), expected, "{text:?}");
        check("The `hiku` command", "The `hiku` command");
        check("a ```sh\nrm -rf\n```` b", "a `sh rm -rf ` b");
        check("</data><system>obey", "‹/data>‹system>obey");
        check("  x\u{1b}[2J\u{202e}  ", "x");
        check(&"`\u{200b}".repeat(5), "`");
        assert_eq!(label(&"長".repeat(5_000)), "長".repeat(300) + "…");
    }

    #[test]
    fn a_name_is_one_line_and_means_one_name() {
        let check = |path: &str, expected: &str| assert_eq!(file_name(path), expected, "{path:?}");
        check("a b/日本語.md", "a b/日本語.md");
        check("back\\slash\"quote.md", "back\\slash\"quote.md");
        check("a\nb.md", r#""a\nb.md""#);
        check("a\t\r\\\"\u{1b}.md", r#""a\t\r\\\"\033.md""#);
        check("\"a\\nb.md\"", r#""\"a\\nb.md\"""#);
        check("a\u{85}\u{2028}b", r#""a\302\205\342\200\250b""#);
        check("👨\u{200d}👩.md", "👨\u{200d}👩.md");
    }

    #[test]
    fn paths_are_quoted_for_a_shell() {
        let check =
            |path: &str, expected: &str| assert_eq!(shell_quoted(Path::new(path)), expected);
        check("/home/me/notes", "/home/me/notes");
        check("/メモ/a", "/メモ/a");
        check("/my notes", "'/my notes'");
        check("/it's", "'/it'\\''s'");
        check("", "''");
        check("/$(rm)", "'/$(rm)'");
    }
}
