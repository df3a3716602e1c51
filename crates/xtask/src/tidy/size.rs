//! The rules about size: lines of a file, lines of a function. Counts lines of formatted source,
//! comments included.

use std::sync::LazyLock;

use regex::Regex;

use super::{Finding, source};

/// The most lines a Rust file may have, tests included. Stricter than the codebases this project
/// measures itself against, on purpose: a file is one concept.
const MAX_FILE_LINES: usize = 600;

/// The most lines a function outside tests may have; review asks for far fewer (p90 of 30).
const MAX_FUNCTION_LINES: usize = 100;

/// No Rust file is longer than [`MAX_FILE_LINES`].
pub(super) fn file_length(path: &str, text: &str) -> Vec<Finding> {
    let lines = text.lines().count();
    if lines <= MAX_FILE_LINES {
        return Vec::new();
    }
    let message = format!("{lines} lines, more than {MAX_FILE_LINES}: split it by concept");
    vec![Finding::new(path, 0, message)]
}

/// No function outside tests is longer than [`MAX_FUNCTION_LINES`].
pub(super) fn function_length(path: &str, text: &str) -> Vec<Finding> {
    functions(&source::code(path, text))
        .into_iter()
        .filter(|function| function.lines > MAX_FUNCTION_LINES)
        .map(|function| {
            let message = format!(
                "function `{}` has {} lines, more than {MAX_FUNCTION_LINES}",
                function.name, function.lines
            );
            Finding::new(path, function.line, message)
        })
        .collect()
}

/// A function found in formatted source.
struct Function {
    name: String,
    /// Where it starts, 1-based.
    line: usize,
    /// Lines from signature to closing brace.
    lines: usize,
}

/// The functions of formatted code: each ends at the first closing brace at its indentation.
fn functions(code: &str) -> Vec<Function> {
    static SIGNATURE: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = r"^(\s*)(?:pub(?:\([^)]*\))? )?(?:(?:const|async|unsafe|extern)\s+)*fn (\w+)";
        Regex::new(pattern).expect("a valid pattern")
    });
    let lines: Vec<&str> = code.lines().collect();
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        let Some(captures) = SIGNATURE.captures(line) else { continue };
        if let Some(end) = closing_line(&lines, start, &captures[1]) {
            let name = captures[2].to_owned();
            found.push(Function { name, line: start + 1, lines: end - start + 1 });
        }
    }
    found
}

/// The line of the closing brace of the function that starts at `start`; `None` without a body.
fn closing_line(lines: &[&str], start: usize, indentation: &str) -> Option<usize> {
    let is_end = |line: &&str| line.trim_end().ends_with(['{', ';', '}']);
    let opening = start + lines[start..].iter().position(is_end)?;
    if !lines[opening].trim_end().ends_with('{') {
        return lines[opening].trim_end().ends_with('}').then_some(opening);
    }
    let closing = format!("{indentation}}}");
    let after = lines[opening + 1..].iter().position(|line| line.trim_end() == closing)?;
    Some(opening + 1 + after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_files_are_refused() {
        assert_eq!(file_length("a.rs", &"x\n".repeat(MAX_FILE_LINES)), []);
        assert_eq!(file_length("a.rs", &"x\n".repeat(MAX_FILE_LINES + 1)).len(), 1);
    }

    #[test]
    fn long_functions_are_refused() {
        let body = |lines: usize| {
            format!("    pub(crate) fn f(\n    ) {{\n{}    }}\n", "        x;\n".repeat(lines))
        };
        assert_eq!(function_length("crates/a/src/b.rs", &body(97)), []);
        let found = function_length("crates/a/src/b.rs", &body(98));
        assert_eq!(found.len(), 1);
        assert!(found[0].message.contains("`f` has 101 lines"), "{}", found[0].message);
        assert_eq!(function_length("crates/a/tests/b.rs", &body(98)), []);
    }

    #[test]
    fn finds_functions_with_and_without_bodies() {
        let code =
            "fn a() {}\ntrait T {\n    fn b(&self);\n    fn c(&self) {\n        x\n    }\n}\n";
        let found: Vec<_> = functions(code).into_iter().map(|f| (f.name, f.lines)).collect();
        assert_eq!(found, [("a".to_owned(), 1), ("c".to_owned(), 3)]);
    }
}
