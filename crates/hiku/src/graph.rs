//! Links between notes, resolved as Obsidian resolves them. Pure: knows paths, no texts and no SQL.
//!
//! | link in `a/b.md` | means, in this order |
//! |---|---|
//! | `[[c]]`, `[[x/c]]` | the note at that path from the vault's root; else of the notes whose path ends so, the one in the folder `a`, then the one with the shortest path |
//! | `[[./c]]`, `[[../c]]` | the note at that path from the folder `a` |
//! | `[[/c]]` | the note at that path from the root |
//! | `[text](c.md)` | the note at that path from the folder `a`; else as `[[c]]` |
//!
//! Case, Unicode spelling and a note's extension make no difference. Aliases are no link targets: a
//! link by alias is written `[[note|alias]]`. Files that are no notes resolve to nothing.

use rustc_hash::FxHashMap;

use crate::text::nfc;
use crate::vault::VaultPath;

/// The notes that links may mean.
#[derive(Debug, Default)]
pub(crate) struct Resolver<'p> {
    /// Paths by their last part, both in the form that is compared.
    by_name: FxHashMap<String, Vec<(String, &'p str)>>,
}

impl<'p> Resolver<'p> {
    /// Takes the paths of all notes, in any order.
    pub(crate) fn new(paths: impl IntoIterator<Item = &'p str>) -> Self {
        let mut by_name: FxHashMap<String, Vec<(String, &'p str)>> = FxHashMap::default();
        for path in paths {
            let form = comparable(path);
            by_name.entry(last_part(&form).to_owned()).or_default().push((form, path));
        }
        for notes in by_name.values_mut() {
            // Of paths of one length the first one by letters, so that the answer is always the same.
            notes.sort_by(|(a, _), (b, _)| (a.chars().count(), a).cmp(&(b.chars().count(), b)));
        }
        Resolver { by_name }
    }

    /// The note that a link means; `is_relative` for a Markdown link, whose target is looked for
    /// beside the note that holds it first. `None` for what is no note.
    pub(crate) fn resolve(&self, target: &str, source: &str, is_relative: bool) -> Option<&'p str> {
        let wanted = comparable(target.trim_end_matches('/'));
        let source = comparable(source);
        let folder = source.rsplit_once('/').map_or("", |(folder, _)| folder);
        if let Some(from_root) = wanted.strip_prefix('/') {
            return self.at(from_root);
        }
        let beside = joined(folder, &wanted);
        if wanted.starts_with("./") || wanted.starts_with("../") {
            return self.at(&beside?);
        }
        let near = if is_relative { beside.and_then(|path| self.at(&path)) } else { None };
        near.or_else(|| self.at(&wanted)).or_else(|| self.ending_in(&wanted, folder))
    }

    /// The note at a path from the root.
    fn at(&self, wanted: &str) -> Option<&'p str> {
        let notes = self.by_name.get(last_part(wanted))?;
        notes.iter().find(|(form, _)| form == wanted).map(|(_, path)| *path)
    }

    /// Of the notes whose path ends in whole parts so: one under `folder`, else the shortest.
    fn ending_in(&self, wanted: &str, folder: &str) -> Option<&'p str> {
        let notes = self.by_name.get(last_part(wanted))?;
        let ends = |form: &&(String, &str)| {
            form.0.strip_suffix(wanted).is_some_and(|before| before.ends_with('/'))
        };
        let under = |form: &&(String, &str)| {
            !folder.is_empty()
                && form.0.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
        };
        let near = notes.iter().filter(ends).find(under);
        near.or_else(|| notes.iter().find(ends)).map(|(_, path)| *path)
    }
}

/// A path without a note's extension, in lower case and NFC.
fn comparable(path: &str) -> String {
    let path = nfc(path);
    let stem = VaultPath::verbatim(&path).stem().len();
    let folder = path.rfind('/').map_or(0, |at| at + 1);
    path[..folder + stem].to_lowercase()
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// `path` from `folder`; `None` where it leads out of the vault.
fn joined(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATHS: [&str; 10] = [
        "index.md",
        "a/note.md",
        "a/deep/note.md",
        "b/note.md",
        "b/c/note.md",
        "a/deep/only here.md",
        "設計/か\u{3099}ん.md",
        "v2.1.md",
        "a/index.md",
        "z/B.markdown",
    ];

    fn check(target: &str, source: &str, is_relative: bool, expected: Option<&str>) {
        let resolver = Resolver::new(PATHS);
        let found = resolver.resolve(target, source, is_relative);
        assert_eq!(found, expected, "{target:?} in {source:?}");
    }

    #[test]
    fn wiki_links() {
        let wiki = |target, source, expected| check(target, source, false, expected);
        wiki("only here", "index.md", Some("a/deep/only here.md"));
        wiki("Only Here.md", "index.md", Some("a/deep/only here.md"));
        wiki("deep/only here", "b/note.md", Some("a/deep/only here.md"));
        wiki("eep/only here", "b/note.md", None);
        wiki("index", "a/note.md", Some("index.md"));
        wiki("note", "index.md", Some("a/note.md"));
        wiki("note", "b/c/other.md", Some("b/c/note.md"));
        wiki("note", "b/other.md", Some("b/note.md"));
        wiki("c/note", "index.md", Some("b/c/note.md"));
        wiki("がん", "index.md", Some("設計/か\u{3099}ん.md"));
        wiki("v2.1", "index.md", Some("v2.1.md"));
        wiki("b", "index.md", Some("z/B.markdown"));
        wiki("absent", "index.md", None);
        wiki("image.png", "index.md", None);
        wiki("", "index.md", None);
    }

    #[test]
    fn links_from_a_place() {
        check("./note", "b/c/other.md", false, Some("b/c/note.md"));
        check("../note", "b/c/other.md", false, Some("b/note.md"));
        check("../../../note", "b/c/other.md", false, None);
        check("./only here", "b/c/other.md", false, None);
        check("/note", "b/c/other.md", false, None);
        check("/b/note", "b/c/other.md", false, Some("b/note.md"));
    }

    #[test]
    fn markdown_links_look_beside_their_note_first() {
        check("index.md", "a/note.md", true, Some("a/index.md"));
        check("index.md", "a/note.md", false, Some("index.md"));
        check("c/note.md", "b/other.md", true, Some("b/c/note.md"));
        check("b/note.md", "a/note.md", true, Some("b/note.md"));
    }

    #[test]
    fn the_order_of_paths_makes_no_difference() {
        let mut paths = PATHS.to_vec();
        paths.reverse();
        let turned = Resolver::new(paths);
        let resolver = Resolver::new(PATHS);
        for target in ["note", "index", "deep/note", "b"] {
            let found = |resolver: &Resolver<'static>| resolver.resolve(target, "x/y.md", false);
            assert_eq!(found(&resolver), found(&turned), "{target}");
        }
    }
}
