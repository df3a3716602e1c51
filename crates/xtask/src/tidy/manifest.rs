//! The rules about dependencies: each has its reason, the library has few, the lock file stays
//! small. Reads manifests line by line; resolves nothing.

use super::Finding;

/// The most packages the lock file may hold.
const MAX_PACKAGES: usize = 250;

/// The most direct dependencies, ours not counted, that the library may have.
const MAX_LIBRARY_DEPENDENCIES: usize = 18;

/// Crates of this workspace, which need no reason.
const OURS: &[&str] = &[
    "hiku",
    "hiku-model",
    "hiku-eval",
    "hiku-providers",
    "hiku-intake",
    "hiku-cli",
    "testkit",
    "xtask",
];

/// Each dependency of a crate on others' work says why, in a `#` comment on its line or above it.
/// Development dependencies are free.
pub(super) fn each_dependency_has_a_reason(path: &str, text: &str) -> Vec<Finding> {
    dependencies(text)
        .into_iter()
        .filter(|dependency| !dependency.has_reason)
        .map(|found| {
            let message = format!("dependency `{}` has no `# reason`", found.name);
            Finding::new(path, found.line, message)
        })
        .collect()
}

/// The library has at most [`MAX_LIBRARY_DEPENDENCIES`] dependencies on others' work.
pub(super) fn library_is_lean(path: &str, text: &str) -> Vec<Finding> {
    let count = dependencies(text).len();
    if path != "crates/hiku/Cargo.toml" || count <= MAX_LIBRARY_DEPENDENCIES {
        return Vec::new();
    }
    let message =
        format!("{count} direct dependencies, more than the library's {MAX_LIBRARY_DEPENDENCIES}");
    vec![Finding::new(path, 0, message)]
}

/// The lock file holds at most [`MAX_PACKAGES`] packages.
pub(super) fn lock_is_small(path: &str, text: &str) -> Vec<Finding> {
    let count = text.lines().filter(|line| line.trim() == "[[package]]").count();
    if count <= MAX_PACKAGES {
        return Vec::new();
    }
    vec![Finding::new(path, 0, format!("{count} packages, more than {MAX_PACKAGES}"))]
}

/// A dependency line of a manifest.
struct Dependency<'a> {
    name: &'a str,
    line: usize,
    has_reason: bool,
}

/// The lines of all dependency tables but the development ones, ours left out.
fn dependencies(text: &str) -> Vec<Dependency<'_>> {
    let mut found = Vec::new();
    let mut is_inside = false;
    let mut above = "";
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if trimmed.starts_with('[') {
            is_inside = is_dependency_table(trimmed);
        } else if is_inside && trimmed.contains('=') && !trimmed.starts_with('#') {
            let name = trimmed.split(['=', '.', ' ']).next().unwrap_or_default();
            let has_reason = has_remark(trimmed) || above.starts_with('#');
            if !OURS.contains(&name) {
                found.push(Dependency { name, line: at + 1, has_reason });
            }
        }
        above = trimmed;
    }
    found
}

fn is_dependency_table(header: &str) -> bool {
    let header = header.trim_matches(['[', ']']);
    header == "dependencies"
        || header == "build-dependencies"
        || (header.starts_with("target.") && header.ends_with(".dependencies"))
}

/// Whether a `#` with words after it follows the line's last closing quote or brace.
fn has_remark(line: &str) -> bool {
    let tail = line.rsplit(['"', '}']).next().unwrap_or(line);
    tail.split_once('#').is_some_and(|(_, remark)| !remark.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons() {
        for (text, expected) in [
            ("[dependencies]\nserde.workspace = true # reads front matter\n", 0),
            ("[dependencies]\nserde.workspace = true\n", 1),
            ("[dependencies]\n# reads front matter\nserde = \"1\"\n", 0),
            ("[dependencies]\nserde = { version = \"1\", features = [\"a\"] } # why\n", 0),
            ("[dependencies]\nserde = \"1#2\"\n", 1),
            ("[dependencies]\nserde = \"1\" #\n", 1),
            ("[build-dependencies]\ncc = \"1\"\n", 1),
            ("[target.'cfg(unix)'.dependencies]\nlibc = \"0.2\"\n", 1),
            ("[dev-dependencies]\ninsta = \"1\"\n", 0),
            ("[dependencies]\nhiku = { path = \"../hiku\" }\n", 0),
            ("[features]\ndefault = []\n", 0),
        ] {
            assert_eq!(each_dependency_has_a_reason("Cargo.toml", text).len(), expected, "{text}");
        }
    }

    #[test]
    fn counts() {
        let lines = |count: usize| -> String {
            let lines: Vec<String> =
                (0..count).map(|at| format!("a{at} = \"1\" # why\n")).collect();
            format!("[dependencies]\n{}", lines.concat())
        };
        let path = "crates/hiku/Cargo.toml";
        assert_eq!(library_is_lean(path, &lines(MAX_LIBRARY_DEPENDENCIES)), []);
        assert_eq!(library_is_lean(path, &lines(MAX_LIBRARY_DEPENDENCIES + 1)).len(), 1);
        assert_eq!(library_is_lean("crates/hiku-cli/Cargo.toml", &lines(40)), []);
        let packages = |count: usize| "[[package]]\nname = \"a\"\n".repeat(count);
        assert_eq!(lock_is_small("Cargo.lock", &packages(MAX_PACKAGES)), []);
        assert_eq!(lock_is_small("Cargo.lock", &packages(MAX_PACKAGES + 1)).len(), 1);
    }
}
