//! The rule that no integration test is forgotten: with one test binary a crate, a file that
//! `main.rs` does not name is never compiled.

use super::Finding;

/// Every file beside `tests/suite/main.rs` is one of its modules.
pub(super) fn no_forgotten_file(path: &str, text: &str, siblings: &[String]) -> Vec<Finding> {
    siblings
        .iter()
        .filter_map(|name| name.strip_suffix("/mod.rs").or_else(|| name.strip_suffix(".rs")))
        .filter(|name| !name.contains('/') && !is_named(text, name))
        .map(|name| Finding::new(path, 0, format!("`{name}.rs` is not one of its modules")))
        .collect()
}

fn is_named(text: &str, name: &str) -> bool {
    text.lines().any(|line| line.trim().trim_start_matches("pub ") == format!("mod {name};"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_named() {
        let text = "//! Tests.\n\nmod index;\nmod search;\n";
        let check = |names: &[&str], expected: usize| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            assert_eq!(no_forgotten_file("main.rs", text, &names).len(), expected, "{names:?}");
        };
        check(&["index.rs", "search/mod.rs"], 0);
        check(&["index.rs", "read.rs"], 1);
        check(&["search/deep.rs", "data.json"], 0);
    }
}
