//! `cargo xtask tidy`: the project's rules that neither compiler nor linter checks. Walks the
//! workspace and hands each file to the rules; a rule is a pure function over (path, text) in one
//! of the modules below. Mends nothing.

mod content;
mod layers;
mod manifest;
mod names;
mod references;
mod size;
mod source;
mod suite;
mod unsafety;

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::Context;

/// One breach of a rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The file, relative to the workspace's root, with `/`.
    pub path: String,
    /// The line, 1-based; 0 where the rule is about the whole file.
    pub line: usize,
    /// What is wrong, with what to do where that is not plain.
    pub message: String,
}

impl Finding {
    /// A finding at a line (1-based, 0 for the whole file).
    fn new(path: &str, line: usize, message: impl Into<String>) -> Self {
        Finding { path: path.to_owned(), line, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}", self.path, self.line, self.message)
    }
}

/// A rule over one file.
type Rule = fn(path: &str, text: &str) -> Vec<Finding>;

/// The rules for each Rust file under `crates/`.
const RUST_RULES: &[Rule] = &[
    content::opens_with_its_responsibility,
    content::sql_only_in_the_store,
    content::libraries_keep_to_themselves,
    content::serialize_only_in_wire_forms,
    layers::front_ends_stay_apart,
    names::no_catch_all_modules,
    size::file_length,
    size::function_length,
    unsafety::unsafe_only_where_allowed,
    unsafety::each_unsafe_has_its_reason,
];

/// The rules for each text file of the tree, Rust files included.
const TEXT_RULES: &[Rule] = &[content::no_registry_hosts, content::no_loose_ends];

/// Folders that hold nothing of ours.
const SKIPPED_FOLDERS: &[&str] = &["target", "node_modules", "__pycache__", "venv"];

/// Endings of the files that the text rules read.
const TEXT_ENDINGS: &[&str] = &["rs", "md", "toml", "py", "sh", "run", "yml", "yaml", "html", "js"];

/// Checks the workspace under `root` and returns all findings, ordered by path and line.
///
/// # Errors
/// When a folder or file of the workspace cannot be read.
pub fn run(root: &Path) -> anyhow::Result<Vec<Finding>> {
    let files = text_files(root)?;
    let mut findings = Vec::new();
    for (path, text) in &files {
        findings.extend(TEXT_RULES.iter().flat_map(|rule| rule(path, text)));
        if is_crate_source(path) {
            findings.extend(RUST_RULES.iter().flat_map(|rule| rule(path, text)));
        }
        if path.starts_with("crates/") && path.ends_with("/Cargo.toml") {
            findings.extend(manifest::each_dependency_has_a_reason(path, text));
            findings.extend(manifest::library_is_lean(path, text));
        }
        if path.ends_with("/tests/suite/main.rs") {
            let siblings = files_beside(&files, path);
            findings.extend(suite::no_forgotten_file(path, text, &siblings));
        }
    }
    findings.extend(layers::order_of_the_library(&files));
    findings.extend(layers::no_cycles(&files));
    let lock = fs::read_to_string(root.join("Cargo.lock")).context("cannot read Cargo.lock")?;
    findings.extend(manifest::lock_is_small("Cargo.lock", &lock));
    findings.sort();
    Ok(findings)
}

fn is_crate_source(path: &str) -> bool {
    path.starts_with("crates/") && source::is_rust(path)
}

/// The files in the same folder as `path`, by name, without itself.
fn files_beside(files: &BTreeMap<String, String>, path: &str) -> Vec<String> {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    files
        .keys()
        .filter(|other| *other != path)
        .filter_map(|other| other.strip_prefix(folder)?.strip_prefix('/'))
        .map(str::to_owned)
        .collect()
}

/// Every text file of the tree by its path relative to `root`.
fn text_files(root: &Path) -> anyhow::Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder)
            .with_context(|| format!("cannot list the folder {}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                if !is_skipped(&name) {
                    folders.push(path);
                }
            } else if is_text(&name) {
                let text = fs::read_to_string(&path)
                    .with_context(|| format!("cannot read {}", path.display()))?;
                let relative = path.strip_prefix(root).unwrap_or(&path);
                files.insert(relative.to_string_lossy().replace('\\', "/"), text);
            }
        }
    }
    Ok(files)
}

/// Hidden folders hold nothing of ours, but for the one with the gate's script.
fn is_skipped(folder: &str) -> bool {
    SKIPPED_FOLDERS.contains(&folder) || (folder.starts_with('.') && folder != ".ci")
}

fn is_text(name: &str) -> bool {
    let ending = name.rsplit_once('.').map_or(name, |(_, ending)| ending);
    TEXT_ENDINGS.contains(&ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workspace_is_tidy() {
        let findings = run(&crate::workspace_root()).expect("the workspace can be read");
        let report: Vec<String> = findings.iter().map(Finding::to_string).collect();
        assert!(report.is_empty(), "\n{}", report.join("\n"));
    }

    #[test]
    fn reads_our_text_and_nothing_else() {
        for (name, expected) in
            [("lib.rs", true), ("run", true), ("a.md", true), ("a.png", false), ("rust", false)]
        {
            assert_eq!(is_text(name), expected, "{name}");
        }
        for (name, expected) in [("target", true), (".git", true), (".ci", false), ("src", false)] {
            assert_eq!(is_skipped(name), expected, "{name}");
        }
    }
}
