//! The rules about who may use whom: the library's module order, front ends that stay apart, no
//! cycles anywhere. Sees modules at a crate's root, not below.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use super::references::{self, module_path, root_references};
use super::{Finding, source};

/// The library's modules from bottom to top: a module uses only modules that stand before it.
/// `lib.rs` is the face above them all.
pub(super) const MODULE_ORDER: &[&str] = &[
    "error",
    "platform",
    "text",
    "vault",
    "markdown",
    "documents",
    "scrub",
    "chunk",
    "embed",
    "tokenize",
    "postings",
    "store",
    "ranking",
    "settings",
    "indexer",
    "query",
    "retrieve",
    "fuse",
    "graph",
    "rerank",
    "snippet",
    "read",
    "inspect",
    "search",
];

/// The binary's front ends, which share library calls and never each other.
const FRONT_ENDS: &[&str] = &["mcp", "http", "hook", "daemon"];

const LIBRARY: &str = "crates/hiku/src/";

/// What a crate's root offers under another module's name.
type Exports = BTreeMap<String, String>;

/// Every file of the library uses only modules below its own.
pub(super) fn order_of_the_library(files: &BTreeMap<String, String>) -> Vec<Finding> {
    let exports = files.get("crates/hiku/src/lib.rs").map(|text| exports(text)).unwrap_or_default();
    files
        .iter()
        .filter(|(path, _)| path.starts_with(LIBRARY) && source::is_rust(path))
        .flat_map(|(path, text)| uses_only_modules_below(path, text, &exports))
        .collect()
}

/// One file of the library uses only modules below its own, re-exports at the root included.
fn uses_only_modules_below(path: &str, text: &str, exports: &Exports) -> Vec<Finding> {
    let Some(own) = module_path(path).first().copied() else {
        return Vec::new();
    };
    let Some(own_place) = place(own) else {
        let message = format!("`{own}` has no place in the module order of xtask's tidy");
        return vec![Finding::new(path, 0, message)];
    };
    root_references(path, text)
        .into_iter()
        .filter_map(|reference| {
            let module = exports.get(&reference.name).unwrap_or(&reference.name);
            let message = match place(module) {
                _ if module == "*" => "imports everything from the root: name the module".into(),
                Some(used) if used > own_place => {
                    format!("`{own}` uses `{module}`, which stands above it")
                }
                _ => return None,
            };
            Some(Finding::new(path, reference.line, message))
        })
        .collect()
}

fn place(module: &str) -> Option<usize> {
    MODULE_ORDER.iter().position(|known| *known == module)
}

/// The re-exports of a crate's root: item to module.
fn exports(root: &str) -> Exports {
    static EXPORT: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = r"\bpub(?:\(crate\))? use (?:crate::)?(\w+)::(?:\{([^}]*)\}|([\w: ]+));";
        Regex::new(pattern).expect("a valid pattern")
    });
    let code = source::code("lib.rs", root);
    let mut found = Exports::new();
    for captures in EXPORT.captures_iter(&code) {
        let items = captures.get(2).or(captures.get(3)).map_or("", |items| items.as_str());
        for item in items.split(',') {
            if let Some(name) = item.rsplit([':', ' ']).find(|part| !part.trim().is_empty()) {
                found.insert(name.trim().to_owned(), captures[1].to_owned());
            }
        }
    }
    found
}

/// A front end of the binary never imports another.
pub(super) fn front_ends_stay_apart(path: &str, text: &str) -> Vec<Finding> {
    if !path.starts_with("crates/hiku-cli/src/") {
        return Vec::new();
    }
    let Some(own) = module_path(path).first().copied().filter(|own| FRONT_ENDS.contains(own))
    else {
        return Vec::new();
    };
    root_references(path, text)
        .into_iter()
        .filter(|used| used.name != own && FRONT_ENDS.contains(&used.name.as_str()))
        .map(|used| {
            let message = format!("front end `{own}` imports front end `{}`", used.name);
            Finding::new(path, used.line, message)
        })
        .collect()
}

/// No crate's root modules use each other in a circle.
pub(super) fn no_cycles(files: &BTreeMap<String, String>) -> Vec<Finding> {
    let mut graphs: BTreeMap<&str, Graph> = BTreeMap::new();
    for (path, text) in files.iter().filter(|(path, _)| source::is_rust(path)) {
        let Some((folder, _)) = path.split_once("/src/") else { continue };
        let Some(own) = references::module_path(path).first().copied() else { continue };
        let used = root_references(path, text).into_iter().map(|reference| reference.name);
        let edges = graphs.entry(folder).or_default().entry(own.to_owned()).or_default();
        edges.extend(used.filter(|name| name != own));
    }
    graphs
        .into_iter()
        .filter_map(|(folder, graph)| {
            let circle = cycle(&graph)?.join(" -> ");
            Some(Finding::new(folder, 0, format!("modules use each other in a circle: {circle}")))
        })
        .collect()
}

/// Module to the modules it uses.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// The first circle in the graph, its first module repeated at the end.
fn cycle(graph: &Graph) -> Option<Vec<String>> {
    let mut done = BTreeSet::new();
    graph.keys().find_map(|start| walk(graph, start, &mut Vec::new(), &mut done))
}

fn walk(
    graph: &Graph,
    module: &str,
    trail: &mut Vec<String>,
    done: &mut BTreeSet<String>,
) -> Option<Vec<String>> {
    if let Some(at) = trail.iter().position(|seen| seen == module) {
        let mut circle = trail[at..].to_vec();
        circle.push(module.to_owned());
        return Some(circle);
    }
    if done.contains(module) {
        return None;
    }
    trail.push(module.to_owned());
    let found = graph.get(module)?.iter().find_map(|used| walk(graph, used, trail, done));
    trail.pop();
    done.insert(module.to_owned());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(list: &[(&str, &str)]) -> BTreeMap<String, String> {
        list.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn a_module_uses_only_what_stands_below() {
        let face = "pub use search::{Searcher, SearchResponse as Answer};\npub use error::Error;\n";
        for (path, text, expected) in [
            ("crates/hiku/src/chunk.rs", "use crate::markdown::Note;", 0),
            ("crates/hiku/src/chunk.rs", "use crate::store::Store;", 1),
            ("crates/hiku/src/chunk.rs", "use crate::{error::Error, search};", 1),
            ("crates/hiku/src/chunk.rs", "use crate::Error;", 0),
            ("crates/hiku/src/chunk.rs", "use crate::Answer;", 1),
            ("crates/hiku/src/chunk.rs", "use crate::*;", 1),
            ("crates/hiku/src/chunk/cut.rs", "use super::super::embed::Embedder;", 1),
            ("crates/hiku/src/chunk/cut.rs", "use super::Chunk;\nuse crate::chunk::Chunk;", 0),
            ("crates/hiku/src/retrieve/dense.rs", "use crate::ranking::Ranking;", 0),
            ("crates/hiku/src/lib.rs", "use crate::search::Searcher;", 0),
            ("crates/hiku/src/novelty.rs", "", 1),
            ("crates/hiku-cli/src/chunk.rs", "use crate::search::X;", 0),
        ] {
            let found =
                order_of_the_library(&files(&[("crates/hiku/src/lib.rs", face), (path, text)]));
            assert_eq!(found.len(), expected, "{path}: {text}: {found:?}");
        }
    }

    #[test]
    fn front_ends_do_not_meet() {
        for (path, text, expected) in [
            ("crates/hiku-cli/src/mcp.rs", "use crate::http::Server;", 1),
            ("crates/hiku-cli/src/daemon/queue.rs", "use crate::{wire, hook};", 1),
            ("crates/hiku-cli/src/hook/prompt.rs", "use crate::hook::Memory;", 0),
            ("crates/hiku-cli/src/mcp.rs", "use crate::wire::Hit;", 0),
            ("crates/hiku-cli/src/commands/serve.rs", "use crate::{daemon, http};", 0),
            ("crates/hiku/src/mcp.rs", "use crate::http;", 0),
        ] {
            assert_eq!(front_ends_stay_apart(path, text).len(), expected, "{path}: {text}");
        }
    }

    #[test]
    fn finds_circles() {
        let straight = files(&[
            ("crates/a/src/one.rs", "use crate::two::X;"),
            ("crates/a/src/two.rs", ""),
            ("crates/b/src/two.rs", "use crate::one::X;"),
        ]);
        assert_eq!(no_cycles(&straight), []);
        let round = files(&[
            ("crates/a/src/one.rs", "use crate::two::X;"),
            ("crates/a/src/two/deep.rs", "use crate::three::X;"),
            ("crates/a/src/three.rs", "use crate::one::X;"),
        ]);
        let found = no_cycles(&round);
        assert_eq!(found.len(), 1);
        assert!(found[0].message.ends_with("one -> two -> three -> one"), "{}", found[0].message);
    }
}
