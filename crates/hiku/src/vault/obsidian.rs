//! The files that a vault's owner hid in Obsidian: `userIgnoreFilters` of `.obsidian/app.json`.
//! Reads that one file; a missing or malformed one hides nothing.

use std::path::Path;

use regex::{Regex, RegexBuilder};
use serde::Deserialize;

use super::Skipped;
use super::regular::read_settings;
use crate::text::nfc;

/// Where the filters stand, below the vault's root.
const FILE: &str = ".obsidian/app.json";
/// Memory that one compiled expression may take, in bytes.
const MAX_REGEX_BYTES: usize = 1 << 20;

/// The settings that are used here; all others are passed over.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct AppSettings {
    user_ignore_filters: Option<Vec<String>>,
}

/// Paths that are hidden.
#[derive(Debug, Default)]
pub(super) struct ObsidianFilters {
    prefixes: Vec<String>,
    patterns: Vec<Regex>,
}

impl ObsidianFilters {
    /// Reads the filters of a vault; and why they were not read, where a file is there.
    pub(super) fn of_vault(root: &Path) -> (Self, Option<Skipped>) {
        match read_settings(root, FILE) {
            Ok(None) => (Self::default(), None),
            Ok(Some(bytes)) => (Self::parse(&String::from_utf8_lossy(&bytes)), None),
            Err(reason) => (Self::default(), Some(Skipped { path: FILE.to_owned(), reason })),
        }
    }

    /// Takes the text of `app.json`. An entry between slashes is a regular expression, any other
    /// the beginning of a path; an empty one, and an expression that cannot be compiled, is passed
    /// over.
    fn parse(text: &str) -> Self {
        // JSON is YAML but for rarities, and the library has a reader of YAML already.
        let settings: AppSettings = serde_saphyr::from_str(text).unwrap_or_default();
        let mut filters = ObsidianFilters::default();
        for entry in settings.user_ignore_filters.unwrap_or_default() {
            let inner = entry.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
            match inner {
                Some(pattern) if !pattern.is_empty() => filters.patterns.extend(compile(pattern)),
                None if !entry.is_empty() => filters.prefixes.push(nfc(&entry).into_owned()),
                _ => {}
            }
        }
        filters
    }

    /// Whether a file, or a folder with all that is in it, is hidden. `path` is relative to the
    /// vault, `/` between folders.
    pub(super) fn excludes(&self, path: &str, is_folder: bool) -> bool {
        if self.prefixes.is_empty() && self.patterns.is_empty() {
            return false;
        }
        let path = nfc(path);
        if is_folder {
            let inside = format!("{path}/");
            return self.prefixes.iter().any(|prefix| inside.starts_with(prefix));
        }
        self.prefixes.iter().any(|prefix| path.starts_with(prefix.as_str()))
            || self.patterns.iter().any(|pattern| pattern.is_match(&path))
    }
}

fn compile(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(&nfc(pattern))
        .size_limit(MAX_REGEX_BYTES)
        .dfa_size_limit(MAX_REGEX_BYTES)
        .build()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks which of the paths the filters leave.
    fn check(text: &str, paths: &[&str], left: &[&str]) {
        let filters = ObsidianFilters::parse(text);
        let found: Vec<&str> =
            paths.iter().copied().filter(|path| !filters.excludes(path, false)).collect();
        assert_eq!(found, left, "{text}");
    }

    #[test]
    fn prefixes_and_expressions_hide_paths() {
        let paths =
            ["a.md", "templates/b.md", "x/templates/c.md", "attachments/old/d.md", "が/e.md"];
        for (filters, left) in [
            (
                r#"["templates/"]"#,
                &["a.md", "x/templates/c.md", "attachments/old/d.md", "が/e.md"][..],
            ),
            (r#"["attachments/old", "a.md"]"#, &["templates/b.md", "x/templates/c.md", "が/e.md"]),
            (r#"["/templates\\//"]"#, &["a.md", "attachments/old/d.md", "が/e.md"]),
            (r#"["/^[a-z]\\.md$/", "か゛"]"#, &paths[1..]),
            ("[\"か\u{3099}/\"]", &paths[..4]),
            (r#"["", "/", "//"]"#, &paths),
            (r#"["/(unclosed/", "/(a{1000}){1000}/", "/(?!a)/"]"#, &paths),
        ] {
            let text =
                format!("{{\n  \"showLineNumber\": true,\n  \"userIgnoreFilters\": {filters}\n}}");
            check(&text, &paths, left);
        }
    }

    #[test]
    fn malformed_settings_hide_nothing() {
        for text in [
            "",
            "{",
            "[]",
            "null",
            "{}",
            r#"{"userIgnoreFilters": null}"#,
            r#"{"userIgnoreFilters": {"a": 1}}"#,
            r#"{"userIgnoreFilters": "a.md"}"#,
            "\u{0}",
        ] {
            check(text, &["a.md"], &["a.md"]);
        }
    }

    #[test]
    fn json_as_obsidian_writes_it_is_read() {
        let text = "{\n\t\"vimMode\": false,\n\t\"deep\": {\"a\": [1, 2.5, \"x\\u3042\\/y\"]},\n\t\
            \"userIgnoreFilters\": [\n\t\t\"a\\/b/\",\n\t\t\"\\u3042/\"\n\t]\n}";
        check(text, &["a/b/c.md", "あ/d.md", "e.md"], &["e.md"]);
    }

    #[test]
    fn folders_are_passed_over_only_where_all_in_them_is_hidden() {
        let filters =
            ObsidianFilters::parse(r#"{"userIgnoreFilters": ["a/b/", "c", "d/x.md", "/e/"]}"#);
        for (folder, hidden) in [
            ("a", false),
            ("a/b", true),
            ("a/b/c", true),
            ("a/bc", false),
            ("c", true),
            ("d", false),
            ("e", false),
        ] {
            assert_eq!(filters.excludes(folder, true), hidden, "{folder}");
        }
    }
}
