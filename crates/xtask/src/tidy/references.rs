//! Which top-level modules of its crate a file refers to: `crate::x`, `super::x` that reaches the
//! root, and groups of both. Sees production code only; resolves no macro and no glob.

use std::sync::LazyLock;

use regex::Regex;

use super::source;

/// A name at the root of the crate that a file refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reference {
    /// The module or re-exported item; `*` for a glob over the root.
    pub(super) name: String,
    /// The line, 1-based.
    pub(super) line: usize,
}

/// A path that starts at `crate` or climbs by `super`, up to the first name, group or glob.
static PATH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(crate|super)((?:\s*::\s*super)*)\s*::\s*(\w+|\{|\*)").expect("a valid pattern")
});

/// A brace, with the `mod` before it where there is one.
static BRACE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\bmod\s+\w+\s*\{|[{}]").expect("a valid pattern"));

/// The names at the crate's root that the file's production code refers to, in order.
pub(super) fn root_references(path: &str, text: &str) -> Vec<Reference> {
    let code = source::code(path, text);
    let depth = module_path(path).len();
    let mut found = Vec::new();
    for captures in PATH.captures_iter(&code) {
        let whole = captures.get(0).expect("group 0 always matches");
        if &captures[1] == "super" {
            let climbs = 1 + captures[2].matches("super").count();
            if climbs != depth + inline_modules(&code[..whole.start()]) {
                continue;
            }
        }
        let line = source::line_at(&code, whole.start());
        let names = match &captures[3] {
            "{" => group_heads(&code[whole.end()..]),
            name => vec![name.to_owned()],
        };
        found.extend(names.into_iter().map(|name| Reference { name, line }));
    }
    found
}

/// The module path of a file below its `src`: `store/writer.rs` is `[store, writer]`, a crate's
/// root `[]`.
pub(super) fn module_path(path: &str) -> Vec<&str> {
    let inside = path.split_once("/src/").map_or(path, |(_, inside)| inside);
    let inside = inside.strip_suffix(".rs").unwrap_or(inside);
    let mut parts: Vec<&str> = inside.split('/').collect();
    if matches!(parts.last(), Some(&("mod" | "lib" | "main"))) {
        parts.pop();
    }
    parts
}

/// How many inline modules are open at the end of `code`.
fn inline_modules(code: &str) -> usize {
    let mut open = Vec::new();
    for brace in BRACE.find_iter(code) {
        if brace.as_str() == "}" {
            open.pop();
        } else {
            open.push(brace.as_str().starts_with("mod"));
        }
    }
    open.into_iter().filter(|is_module| *is_module).count()
}

/// The first name of each member of the group whose opening brace stands just before `rest`.
fn group_heads(rest: &str) -> Vec<String> {
    let (mut depth, mut member, mut members) = (1_usize, String::new(), Vec::new());
    for c in rest.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 1 => members.push(std::mem::take(&mut member)),
            _ if depth == 1 => member.push(c),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    members.push(member);
    members.iter().filter_map(|member| head(member)).collect()
}

fn head(member: &str) -> Option<String> {
    let name = member.trim().split("::").next()?.split_whitespace().next()?;
    (name != "self").then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str, expected: &[&str]) {
        let found = root_references(path, text);
        let names: Vec<&str> = found.iter().map(|reference| reference.name.as_str()).collect();
        assert_eq!(names, expected, "{path}: {text}");
    }

    #[test]
    fn finds_what_reaches_the_root() {
        check("crates/hiku/src/chunk.rs", "use crate::text::fold;", &["text"]);
        check(
            "crates/hiku/src/chunk.rs",
            "use crate::{\n  error::{A, B},\n  text,\n};",
            &["error", "text"],
        );
        check("crates/hiku/src/chunk.rs", "use super::markdown::Note;", &["markdown"]);
        check("crates/hiku/src/chunk/cut.rs", "use super::Chunk;", &[]);
        check("crates/hiku/src/chunk/cut.rs", "use super::super::text;", &["text"]);
        check(
            "crates/hiku/src/chunk/mod.rs",
            "use super::{self, text::x, error};",
            &["text", "error"],
        );
        check(
            "crates/hiku/src/chunk.rs",
            "mod a { use super::text; }\nuse super::error;",
            &["error"],
        );
        check("crates/hiku/src/chunk.rs", "use crate::*;", &["*"]);
        check("crates/hiku/src/chunk.rs", "fn f() { crate::store::open() }", &["store"]);
    }

    #[test]
    fn passes_over_comments_tests_and_other_crates() {
        check("crates/hiku/src/chunk.rs", "// crate::store\n", &[]);
        check("crates/hiku/src/chunk.rs", "/// [`crate::store`]\nfn f() {}", &[]);
        check("crates/hiku/src/chunk.rs", "#[cfg(test)]\nmod t {\n    use crate::store;\n}\n", &[]);
        check("crates/hiku/src/chunk.rs", "pub(crate) fn f() { other_crate::x() }", &[]);
    }

    #[test]
    fn reports_the_line() {
        let found = root_references("crates/hiku/src/chunk.rs", "\n\nuse crate::text;\n");
        assert_eq!(found, [Reference { name: "text".to_owned(), line: 3 }]);
    }
}
