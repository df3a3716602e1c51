//! The rules about what may stand in which file: opening lines, SQL, printing, the environment,
//! the network, serialisable forms, hosts and loose ends. Looks at words, not at meaning.

use std::sync::LazyLock;

use regex::Regex;

use super::{Finding, source};

/// A pattern that is compiled once.
type Pattern = LazyLock<Regex>;

macro_rules! pattern {
    ($text:expr) => {
        LazyLock::new(|| Regex::new($text).expect("a valid pattern"))
    };
}

static SQL: Pattern = pattern!(concat!(
    r"\brusqlite\b|\b(SELECT |INSERT (INTO|OR) |DELETE FROM |UPDATE \w+ SET |PRAGMA |",
    r"(CREATE|DROP|ALTER) (TABLE|VIRTUAL|UNIQUE|INDEX|TRIGGER|VIEW))"
));
static PRINTING: Pattern = pattern!(r"\b(println|eprintln|print|eprint|dbg)!");
static ENVIRONMENT: Pattern =
    pattern!(r"\bstd::env\b|\benv::(var|vars|var_os|args|current_dir|home_dir|temp_dir|set_var)\b");
static HOME: Pattern = pattern!(r"\b(home_dir|etcetera|data_dir|config_dir|cache_dir)\b");
static NETWORK: Pattern = pattern!(
    r"\b(TcpStream|TcpListener|UdpSocket|UnixStream|UnixListener|ToSocketAddrs|std::net|ureq|reqwest|hyper)\b"
);
static SERIALIZE: Pattern = pattern!(r"\bderive\([^)]*\bSerialize\b");
static LOOSE_END: Pattern = pattern!(concat!(r"\b(TO", r"DO|FIX", r"ME|XX", r"X)\b"));
static ISSUE: Pattern = pattern!(r"#\d+");
/// Written in parts so that this file does not name what it forbids.
static REGISTRY: Pattern = pattern!(concat!(
    r"\b(crates|pypi|registry\.npmjs|deb\.debian|files\.pythonhosted|proxy\.golang)",
    r"\.(io|org)([^a-z]|$)"
));

/// What a crate must leave to others, as (pattern, what it is).
struct Abstention {
    folder: &'static str,
    from: &'static [(&'static Pattern, &'static str)],
}

/// The crates that leave terminal, environment, home folder or network to others.
static ABSTENTIONS: &[Abstention] = &[
    Abstention { folder: "crates/hiku/src/", from: EVERYTHING },
    Abstention { folder: "crates/hiku-model/src/", from: EVERYTHING },
    Abstention { folder: "crates/hiku-intake/src/", from: EVERYTHING },
    Abstention {
        folder: "crates/hiku-eval/src/",
        from: &[
            (&ENVIRONMENT, "the environment"),
            (&HOME, "a home folder"),
            (&NETWORK, "the network"),
        ],
    },
    Abstention {
        folder: "crates/hiku-providers/src/",
        from: &[
            (&PRINTING, "printing"),
            (&ENVIRONMENT, "the environment"),
            (&HOME, "a home folder"),
        ],
    },
];

static EVERYTHING: &[(&Pattern, &str)] = &[
    (&PRINTING, "printing"),
    (&ENVIRONMENT, "the environment"),
    (&HOME, "a home folder"),
    (&NETWORK, "the network"),
];

/// Every Rust file starts with `//!`.
pub(super) fn opens_with_its_responsibility(path: &str, text: &str) -> Vec<Finding> {
    if text.starts_with("//!") {
        return Vec::new();
    }
    vec![Finding::new(path, 1, "does not open with `//!`: say what the file is responsible for")]
}

/// SQL and its library stand under the library's `store` only.
pub(super) fn sql_only_in_the_store(path: &str, text: &str) -> Vec<Finding> {
    let is_store = path.starts_with("crates/hiku/src/store");
    if is_store || path.starts_with("crates/xtask/") {
        return Vec::new();
    }
    let code = source::code_and_literals(path, text);
    matches(&SQL, path, &code, "SQL outside the library's `store`")
}

/// The libraries print nothing, read no environment, know no home folder, open no connection.
pub(super) fn libraries_keep_to_themselves(path: &str, text: &str) -> Vec<Finding> {
    let Some(abstention) = ABSTENTIONS.iter().find(|rule| path.starts_with(rule.folder)) else {
        return Vec::new();
    };
    let code = source::code(path, text);
    let breaches = abstention.from.iter().flat_map(|(pattern, what)| {
        matches(pattern, path, &code, &format!("{what} is not this crate's"))
    });
    breaches.collect()
}

/// `Serialize` is derived in the binary's wire forms and the run files of the evaluation only.
pub(super) fn serialize_only_in_wire_forms(path: &str, text: &str) -> Vec<Finding> {
    let is_allowed = ["crates/hiku-cli/src/wire", "crates/hiku-eval/src/run", "crates/xtask/"]
        .iter()
        .any(|start| path.starts_with(start));
    if is_allowed {
        return Vec::new();
    }
    matches(&SERIALIZE, path, &source::code(path, text), "`Serialize` outside the wire forms")
}

/// No file names the host of a package registry.
pub(super) fn no_registry_hosts(path: &str, text: &str) -> Vec<Finding> {
    matches(&REGISTRY, path, text, "names a package registry's host")
}

/// A note to oneself in a program carries the number of its issue. Documents are free.
pub(super) fn no_loose_ends(path: &str, text: &str) -> Vec<Finding> {
    let remarks = match path.rsplit_once('.') {
        Some((_, "rs")) => source::comments(text),
        Some((_, "py" | "sh" | "toml" | "yml" | "js")) => text.to_owned(),
        _ => return Vec::new(),
    };
    remarks
        .lines()
        .enumerate()
        .filter(|(_, line)| LOOSE_END.is_match(line) && !ISSUE.is_match(line))
        .map(|(at, _)| Finding::new(path, at + 1, "a loose end without the number of its issue"))
        .collect()
}

/// One finding a match of `pattern` in `text`.
fn matches(pattern: &Pattern, path: &str, text: &str, message: &str) -> Vec<Finding> {
    pattern
        .find_iter(text)
        .map(|found| {
            let word = found.as_str().lines().next().unwrap_or_default();
            let line = source::line_at(text, found.start());
            Finding::new(path, line, format!("{message}: `{word}`"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::Rule;

    fn check(rule: Rule, cases: &[(&str, &str, usize)]) {
        for (path, text, expected) in cases {
            let found = rule(path, text);
            assert_eq!(found.len(), *expected, "{path}: {text}: {found:?}");
        }
    }

    #[test]
    fn opening_line() {
        check(
            opens_with_its_responsibility,
            &[
                ("crates/hiku/src/a.rs", "//! Cuts.\n", 0),
                ("crates/hiku/src/a.rs", "// Cuts.\n", 1),
                ("crates/hiku/src/a.rs", "", 1),
            ],
        );
    }

    #[test]
    fn sql() {
        check(
            sql_only_in_the_store,
            &[
                ("crates/hiku/src/search.rs", "let q = \"SELECT id FROM notes\";", 1),
                ("crates/hiku/src/search.rs", "use rusqlite::Connection;", 1),
                ("crates/hiku-cli/src/main.rs", "run(\"PRAGMA user_version\");", 1),
                ("crates/hiku/src/store/notes.rs", "let q = \"SELECT id FROM notes\";", 0),
                ("crates/hiku/src/search.rs", "// SELECT is the store's.\nlet selected = 1;", 0),
                ("crates/hiku/src/search.rs", "let x = \"Select a note\";", 0),
                ("crates/hiku/tests/suite/a.rs", "let q = \"DELETE FROM notes\";", 0),
            ],
        );
    }

    #[test]
    fn libraries() {
        check(
            libraries_keep_to_themselves,
            &[
                ("crates/hiku/src/a.rs", "println!(\"x\");", 1),
                ("crates/hiku/src/a.rs", "dbg!(x);", 1),
                ("crates/hiku/src/a.rs", "std::env::var(\"HOME\")", 1),
                ("crates/hiku-model/src/a.rs", "fn f(s: TcpStream) {}", 1),
                ("crates/hiku-eval/src/a.rs", "println!(\"x\");", 0),
                ("crates/hiku-eval/src/a.rs", "env::var_os(\"X\")", 1),
                ("crates/hiku-providers/src/a.rs", "ureq::post(url)", 0),
                ("crates/hiku-cli/src/a.rs", "println!(\"x\"); std::env::args();", 0),
                (
                    "crates/hiku/src/a.rs",
                    "/// println!(\"x\")\nlet v = env!(\"CARGO_PKG_VERSION\");",
                    0,
                ),
                (
                    "crates/hiku/src/a.rs",
                    "#[cfg(test)]\nmod tests {\n    fn f() { dbg!(1); }\n}\n",
                    0,
                ),
                ("crates/hiku/src/a.rs", "let text = \"use println! here\";", 0),
            ],
        );
    }

    #[test]
    fn serialize() {
        check(
            serialize_only_in_wire_forms,
            &[
                ("crates/hiku/src/a.rs", "#[derive(Debug, serde::Serialize)]", 1),
                ("crates/hiku-cli/src/render.rs", "#[derive(Serialize)]", 1),
                ("crates/hiku-cli/src/wire.rs", "#[derive(Serialize)]", 0),
                ("crates/hiku-cli/src/wire/hit.rs", "#[derive(Serialize)]", 0),
                ("crates/hiku-eval/src/run.rs", "#[derive(Serialize)]", 0),
                ("crates/hiku/src/a.rs", "#[derive(Debug, Deserialize)]", 0),
            ],
        );
    }

    #[test]
    fn hosts() {
        let named = concat!("see https://crates", ".io/crates/hiku");
        check(
            no_registry_hosts,
            &[
                ("README.md", named, 1),
                ("README.md", "see https://example.org and my-crates.iota", 0),
            ],
        );
    }

    #[test]
    fn loose_ends() {
        let bare = concat!("fn f() {} // TO", "DO: faster\n");
        let numbered = concat!("fn f() {} // TO", "DO(#12): faster\n");
        let quoted = concat!("let word = \"TO", "DO\";\n");
        check(
            no_loose_ends,
            &[
                ("crates/hiku/src/a.rs", bare, 1),
                ("crates/hiku/src/a.rs", numbered, 0),
                ("crates/hiku/src/a.rs", quoted, 0),
                ("benchsuite/run.py", bare, 1),
                ("samples/vault/plan.md", bare, 0),
            ],
        );
    }
}
