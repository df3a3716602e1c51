//! Paths inside a vault: relative, `/` between folders, spelled as on disk. Confinement checks;
//! touches no file.

use std::fmt;

use icu_normalizer::ComposingNormalizer;

/// What sort of file a note is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteKind {
    /// Markdown, or any text.
    Markdown,
    /// JSON Canvas: cards on a plane.
    Canvas,
    /// A base of Obsidian: a table over notes.
    Base,
}

/// A note's path relative to its vault, spelled as on disk.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VaultPath(String);

impl VaultPath {
    /// Takes a relative path with `/` or the platform's separator. `None` for one that is
    /// absolute, empty, holds a NUL, or has a `..` or drive part: it could lead out of the vault.
    pub fn new(path: &str) -> Option<Self> {
        let path = if std::path::MAIN_SEPARATOR == '\\' {
            path.replace('\\', "/")
        } else {
            path.to_owned()
        };
        let path = path.strip_prefix("./").unwrap_or(&path);
        let bad_part = |part: &str| part.is_empty() || part == "." || part == "..";
        let drive =
            path.len() >= 2 && path.as_bytes()[1] == b':' && std::path::MAIN_SEPARATOR == '\\';
        if path.starts_with('/') || path.contains('\0') || drive || path.split('/').any(bad_part) {
            return None;
        }
        Some(VaultPath(path.to_owned()))
    }

    /// Takes any text as a path, for sources that are no folder: a judged set's ids.
    pub fn verbatim(id: &str) -> Self {
        VaultPath(id.to_owned())
    }

    /// The path as on disk.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path in NFC, by which spellings of one name are compared.
    pub fn key(&self) -> String {
        ComposingNormalizer::new_nfc().normalize(&self.0).into_owned()
    }

    /// File name without folders and without the extension of a Markdown note: what a link calls
    /// it. A link to a canvas or base has its extension.
    pub fn stem(&self) -> &str {
        let name = self.file_name();
        match name.rsplit_once('.') {
            Some((stem, extension))
                if !stem.is_empty()
                    && (extension.eq_ignore_ascii_case("md")
                        || extension.eq_ignore_ascii_case("markdown")) =>
            {
                stem
            }
            _ => name,
        }
    }

    /// What sort of file it is, by its extension.
    pub fn kind(&self) -> NoteKind {
        match self.file_name().rsplit_once('.') {
            Some((_, extension)) if extension.eq_ignore_ascii_case("canvas") => NoteKind::Canvas,
            Some((_, extension)) if extension.eq_ignore_ascii_case("base") => NoteKind::Base,
            _ => NoteKind::Markdown,
        }
    }

    /// What a note without a title of its own is called: its file name without the extension, also
    /// of a canvas or base.
    pub fn name(&self) -> &str {
        match (self.kind(), self.stem().rsplit_once('.')) {
            (NoteKind::Canvas | NoteKind::Base, Some((name, _))) if !name.is_empty() => name,
            _ => self.stem(),
        }
    }

    fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The folders above the note, without the last separator; empty at the root.
    pub fn folder(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(folder, _)| folder)
    }
}

impl fmt::Display for VaultPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_could_leave_the_vault_are_refused() {
        for path in ["", "/a.md", "../a.md", "a/../b.md", "a//b.md", "a/./b.md", "a\0.md"] {
            assert_eq!(VaultPath::new(path), None, "{path:?}");
        }
        for path in ["a.md", "./a.md", "b/ä あ.md", "b/..hidden.md"] {
            assert!(VaultPath::new(path).is_some(), "{path:?}");
        }
    }

    #[test]
    fn the_stem_drops_only_note_extensions() {
        let stem = |path: &str| VaultPath::verbatim(path).stem().to_owned();
        assert_eq!(stem("a/b.MD"), "b");
        assert_eq!(stem("a/2026.4.10"), "2026.4.10");
        assert_eq!(stem("note.v2.markdown"), "note.v2");
        assert_eq!(stem(".md"), ".md");
        assert_eq!(stem("a/plan.canvas"), "plan.canvas");
    }

    #[test]
    fn names_have_no_extension_and_tell_the_kind() {
        use NoteKind::{Base, Canvas, Markdown};
        for (path, name, kind) in [
            ("a/b.MD", "b", Markdown),
            ("a/plan.v2.Canvas", "plan.v2", Canvas),
            ("books.base", "books", Base),
            ("canvas", "canvas", Markdown),
            (".canvas", ".canvas", Canvas),
            ("a.base/b.txt", "b.txt", Markdown),
        ] {
            let path = VaultPath::verbatim(path);
            assert_eq!((path.name(), path.kind()), (name, kind), "{path}");
        }
    }

    #[test]
    fn composed_and_decomposed_spellings_have_one_key() {
        let composed = VaultPath::verbatim("が.md");
        let decomposed = VaultPath::verbatim("か\u{3099}.md");
        assert_ne!(composed, decomposed);
        assert_eq!(composed.key(), decomposed.key());
    }
}
