//! The rules about `unsafe`: only in modules that are named here, and each use with the reason
//! why it is sound. The compiler's own lint denies it everywhere else.

use std::sync::LazyLock;

use regex::Regex;

use super::{Finding, source};

/// Where `unsafe` may stand, as starts of paths: registration with `SQLite` and the vector scan.
const ALLOWED: &[&str] = &["crates/hiku/src/store/", "crates/hiku/src/retrieve/"];

/// How many lines above an `unsafe` its reason may begin.
const REASON_REACH: usize = 8;

static UNSAFE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\bunsafe\b").expect("a valid pattern"));

/// `unsafe` stands in the named modules only, tests included.
pub(super) fn unsafe_only_where_allowed(path: &str, text: &str) -> Vec<Finding> {
    if ALLOWED.iter().any(|start| path.starts_with(start)) {
        return Vec::new();
    }
    uses(path, text)
        .map(|line| Finding::new(path, line, "`unsafe` outside the modules that tidy allows it in"))
        .collect()
}

/// Each use of `unsafe` has a comment with the word SAFETY on the lines just above it.
pub(super) fn each_unsafe_has_its_reason(path: &str, text: &str) -> Vec<Finding> {
    let comments = source::comments(text);
    let comments: Vec<&str> = comments.lines().collect();
    uses(path, text)
        .filter(|line| {
            let above = &comments[line.saturating_sub(REASON_REACH + 1)..*line];
            !above.iter().any(|comment| comment.contains("SAFETY") || comment.contains("# Safety"))
        })
        .map(|line| Finding::new(path, line, "`unsafe` without its SAFETY comment"))
        .collect()
}

/// The lines (1-based) on which code uses `unsafe`.
fn uses(path: &str, text: &str) -> impl Iterator<Item = usize> {
    let code = source::code(path, text);
    let lines: Vec<usize> =
        UNSAFE.find_iter(&code).map(|found| source::line_at(&code, found.start())).collect();
    lines.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_in_named_modules() {
        for (path, text, expected) in [
            ("crates/hiku/src/chunk.rs", "unsafe { x() }", 1),
            ("crates/hiku/src/store/fts.rs", "unsafe { x() }", 0),
            ("crates/hiku/src/chunk.rs", "#![deny(unsafe_code)] // unsafe", 0),
        ] {
            assert_eq!(unsafe_only_where_allowed(path, text).len(), expected, "{path}: {text}");
        }
    }

    #[test]
    fn each_with_its_reason() {
        let path = "crates/hiku/src/store/fts.rs";
        for (text, expected) in [
            ("// SAFETY: the pointer lives as long.\nunsafe { x() }", 0),
            ("/// # Safety\n/// The caller keeps it.\npub unsafe fn f() {}", 0),
            ("unsafe { x() }", 1),
            ("// SAFETY: far away.\n\n\n\n\n\n\n\n\n\nunsafe { x() }", 1),
            ("let s = \"SAFETY\";\nunsafe impl Send for X {}", 1),
        ] {
            assert_eq!(each_unsafe_has_its_reason(path, text).len(), expected, "{text}");
        }
    }
}
