//! The rule about module names: each is named with the field's word, none is a drawer for what
//! has no place.

use std::sync::LazyLock;

use regex::Regex;

use super::{Finding, source};

/// Names that say nothing of what is inside.
const CATCH_ALLS: &[&str] = &[
    "core", "common", "util", "utils", "helper", "helpers", "manager", "engine", "misc", "shared",
];

/// No module, file or folder of a crate has a catch-all name.
pub(super) fn no_catch_all_modules(path: &str, text: &str) -> Vec<Finding> {
    static MODULE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?m)^\s*(?:pub(?:\([^)]*\))? )?mod (\w+)").expect("a valid pattern")
    });
    let inside = path.strip_prefix("crates/").unwrap_or(path);
    let in_path = inside
        .split('/')
        .map(|part| part.strip_suffix(".rs").unwrap_or(part))
        .filter(|part| is_catch_all(part))
        .map(|part| Finding::new(path, 0, message(part)));
    let code = source::code(path, text);
    let in_text =
        MODULE.captures_iter(&code).filter(|found| is_catch_all(&found[1])).map(|found| {
            let start = found.get(1).map_or(0, |name| name.start());
            Finding::new(path, source::line_at(&code, start), message(&found[1]))
        });
    in_path.chain(in_text).collect()
}

fn is_catch_all(name: &str) -> bool {
    CATCH_ALLS.contains(&name)
}

fn message(name: &str) -> String {
    format!("`{name}` says nothing of what is inside: use the field's word")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn catch_alls_are_refused() {
        for (path, text, expected) in [
            ("crates/hiku/src/utils.rs", "", 1),
            ("crates/hiku/src/core/cut.rs", "", 1),
            ("crates/hiku/src/lib.rs", "mod helpers {\n}\n", 1),
            ("crates/hiku/src/lib.rs", "pub(crate) mod engine;\n", 1),
            ("crates/hiku/src/chunk.rs", "mod cut;\nuse core::fmt;\n", 0),
            ("crates/hiku/src/encore.rs", "// mod util\n", 0),
        ] {
            assert_eq!(no_catch_all_modules(path, text).len(), expected, "{path}: {text}");
        }
    }
}
