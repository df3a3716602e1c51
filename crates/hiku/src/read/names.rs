//! Which note a name means: a path with or without extension, or the end of one, in any Unicode
//! spelling. Compares text only; touches no file.

use crate::error::{Error, Result};
use crate::text::{fold, nfc};

/// Extensions that a name may leave out: those of Markdown before the others.
const EXTENSIONS: [&[&str]; 2] = [&[".md", ".markdown"], &[".md", ".markdown", ".canvas", ".base"]];
/// Paths that the error for an ambiguous name lists, at most.
const MAX_LISTED: usize = 10;

/// Finds the path that a name means. In order: the same bytes; the same path in another Unicode
/// spelling, then without extension; the end of one path only, then of one path only when case,
/// width and kana are folded. A canvas or base that is called as a Markdown note is, but for its
/// extension, comes after it.
///
/// # Errors
/// `User` when no path or more than one has that name.
pub(crate) fn resolve<'p>(
    name: &str,
    paths: &(impl Iterator<Item = &'p str> + Clone),
) -> Result<&'p str> {
    let name = name.strip_prefix("./").unwrap_or(name);
    if let Some(same) = paths.clone().find(|path| *path == name) {
        return Ok(same);
    }
    let wanted = nfc(name).into_owned();
    let folded = fold(&wanted);
    let [few, all] = EXTENSIONS;
    let rules: [&dyn Fn(&str) -> bool; 7] = [
        &|path| nfc(path) == wanted,
        &|path| without_extension(&nfc(path), few) == wanted,
        &|path| ends_in(&nfc(path), &wanted, few),
        &|path| without_extension(&nfc(path), all) == wanted,
        &|path| ends_in(&nfc(path), &wanted, all),
        &|path| ends_in(&fold(path), &folded, few),
        &|path| ends_in(&fold(path), &folded, all),
    ];
    for rule in rules {
        let found: Vec<&str> = paths.clone().filter(|path| rule(path)).collect();
        match found.as_slice() {
            [] => {}
            [one] => return Ok(one),
            several => return Err(ambiguous(name, several)),
        }
    }
    Err(Error::Note { path: name.to_owned(), problem: super::NOT_HERE })
}

fn ambiguous(name: &str, paths: &[&str]) -> Error {
    let mut listed: Vec<String> = paths.iter().map(ToString::to_string).collect();
    listed.sort();
    listed.truncate(MAX_LISTED);
    if paths.len() > MAX_LISTED {
        listed.push(format!("and {} more", paths.len() - MAX_LISTED));
    }
    Error::NoteAmbiguous { name: name.to_owned(), paths: listed }
}

/// A path without one of the extensions, if it has one.
fn without_extension<'p>(path: &'p str, extensions: &[&str]) -> &'p str {
    let cut = |extension: &&str| {
        let (start, end) = path.split_at_checked(path.len().checked_sub(extension.len())?)?;
        end.eq_ignore_ascii_case(extension).then_some(start)
    };
    extensions.iter().find_map(cut).unwrap_or(path)
}

/// True where `path`, with or without extension, ends in whole parts that are `wanted`.
fn ends_in(path: &str, wanted: &str, extensions: &[&str]) -> bool {
    let ends = |path: &str| {
        path.strip_suffix(wanted).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    !wanted.is_empty() && (ends(path) || ends(without_extension(path, extensions)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATHS: [&str; 14] = [
        "soup.md",
        "recipes/Soup.md",
        "recipes/onion.markdown",
        "設計/認証.md",
        "か\u{3099}.md",
        "log/2026.4.10.md",
        "a/same.md",
        "b/same.md",
        "twice.md",
        "twice.md.md",
        "plan.canvas",
        "sub/map.canvas",
        "a/plan.md",
        "a/books.base",
    ];

    #[test]
    fn names_find_their_note() {
        for (name, path) in [
            ("soup.md", "soup.md"),
            ("./soup.md", "soup.md"),
            ("soup", "soup.md"),
            ("Soup", "recipes/Soup.md"),
            ("recipes/onion", "recipes/onion.markdown"),
            ("onion", "recipes/onion.markdown"),
            ("ONION.markdown", "recipes/onion.markdown"),
            ("認証", "設計/認証.md"),
            ("が", "か\u{3099}.md"),
            ("が.md", "か\u{3099}.md"),
            ("2026.4.10", "log/2026.4.10.md"),
            ("b/same", "b/same.md"),
            ("twice.md", "twice.md"),
            ("twice", "twice.md"),
            ("plan", "a/plan.md"),
            ("plan.canvas", "plan.canvas"),
            ("sub/map", "sub/map.canvas"),
            ("Map", "sub/map.canvas"),
            ("Books", "a/books.base"),
            ("books.base", "a/books.base"),
        ] {
            assert_eq!(resolve(name, &PATHS.into_iter()).ok(), Some(path), "{name}");
        }
    }

    #[test]
    fn names_of_none_and_of_several_are_errors() {
        for name in ["", "oup", "2026.4", "absent", "same.txt", "/soup.md"] {
            let error = resolve(name, &PATHS.into_iter()).expect_err(name);
            assert!(matches!(error, Error::Note { .. }), "{name}: {error}");
        }
        let error = resolve("same", &PATHS.into_iter()).expect_err("two notes");
        assert_eq!(
            error.to_string(),
            "\"same\" is the name of several notes: a/same.md, b/same.md"
        );
        let many: Vec<String> = (10..50).map(|n| format!("{n}/x.md")).collect();
        let error = resolve("x", &many.iter().map(String::as_str)).expect_err("many notes");
        assert!(error.to_string().ends_with("19/x.md, and 30 more"), "{error}");
    }
}
