//! One note as it is on disk now, without a walk: is it there still, of which time and size, and what
//! does it hold. Knows no rules of what is left out.

use std::fs::Metadata;
use std::io;

use super::scan::{Folder, ScanEntry, Storage, modified_ns};
use super::{Source, VaultPath};
use crate::platform::changed_ns;

/// What became of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Look {
    /// It is there.
    Here(ScanEntry),
    /// A walk would not list it: it is gone, or a link, a folder or a too large file stands in its
    /// place, or a link in the place of a folder above it.
    Gone,
    /// The system does not say.
    Unknown,
}

impl Folder {
    /// Looks at one note. Follows no link, not even in the folders above it, unless the vault's
    /// options have it: then those that stay in the vault.
    pub(crate) fn look(&self, path: &VaultPath) -> Look {
        match self.metadata(path) {
            Ok(Some(metadata)) => Look::Here(ScanEntry {
                path: path.clone(),
                modified_ns: modified_ns(&metadata),
                changed_ns: changed_ns(&metadata),
                size: metadata.len(),
            }),
            Ok(None) => Look::Gone,
            Err(error) if is_absent(&error) => Look::Gone,
            Err(_) => Look::Unknown,
        }
    }

    /// The bytes of a note that [`Self::look`] sees; `None` where they cannot be read, or would have
    /// to be downloaded first.
    pub(crate) fn read_seen(&self, path: &VaultPath) -> Option<Vec<u8>> {
        let metadata = self.metadata(path).ok().flatten()?;
        let is_here = Storage::of(&metadata) != Storage::Nowhere;
        is_here.then(|| self.read(path).ok()).flatten()
    }

    /// Whether anything at all is in the vault's folder: an unmounted one is empty or gone.
    pub(crate) fn shows_any(&self) -> bool {
        std::fs::read_dir(self.root()).is_ok_and(|mut entries| entries.next().is_some())
    }

    /// What the system says of a note; `None` for what is none, or stands behind a link.
    fn metadata(&self, path: &VaultPath) -> io::Result<Option<Metadata>> {
        if self.options.follow_links {
            let real = self.root().join(path.as_str()).canonicalize()?;
            return if real.starts_with(self.root()) {
                real.metadata().map(|metadata| self.if_note(metadata))
            } else {
                Ok(None)
            };
        }
        let mut place = self.root().to_path_buf();
        let mut parts = path.as_str().split('/').peekable();
        while let Some(part) = parts.next() {
            place.push(part);
            let metadata = place.symlink_metadata()?;
            if parts.peek().is_none() {
                return Ok(self.if_note(metadata));
            }
            if !metadata.is_dir() {
                return Ok(None);
            }
        }
        Ok(None)
    }

    fn if_note(&self, metadata: Metadata) -> Option<Metadata> {
        let is_note = metadata.is_file() && metadata.len() <= self.options.max_note_bytes;
        is_note.then_some(metadata)
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::vault::VaultOptions;
    use testkit::TestVault;

    #[test]
    fn a_note_is_seen_as_a_walk_sees_it_and_no_link_is_followed() {
        let vault =
            TestVault::new("//- a.md\nA\n//- b/c.md\nC\n//- big.md\nmore than nine bytes\n");
        std::fs::create_dir(vault.outer().join("out")).expect("a folder");
        std::fs::write(vault.outer().join("out/secret.md"), "secret").expect("a file");
        symlink(vault.outer().join("out"), vault.root().join("out")).expect("a link");
        symlink(vault.outer().join("out/secret.md"), vault.root().join("s.md")).expect("a link");
        let options = VaultOptions { max_note_bytes: 9, ..VaultOptions::default() };
        let folder = Folder::open(&vault.root(), &options).expect("a vault");
        let scan = folder.scan().expect("a scan");
        let path = |path| VaultPath::new(path).expect("a path");
        let seen: Vec<_> = ["a.md", "b/c.md"].map(|name| folder.look(&path(name))).into();
        assert_eq!(seen, scan.entries.into_iter().map(Look::Here).collect::<Vec<_>>());
        for gone in ["x.md", "a.md/b.md", "b", "big.md", "s.md", "out/secret.md"] {
            assert_eq!(folder.look(&path(gone)), Look::Gone, "{gone}");
            assert_eq!(folder.read_seen(&path(gone)), None, "{gone}");
        }
    }

    #[test]
    fn with_links_followed_those_inside_are_seen() {
        let vault = TestVault::new("//- b/c.md\nC\n");
        std::fs::write(vault.outer().join("secret.md"), "secret").expect("a file");
        symlink(vault.outer().join("secret.md"), vault.root().join("s.md")).expect("a link");
        symlink(vault.root().join("b"), vault.root().join("link")).expect("a link");
        let options = VaultOptions { follow_links: true, ..VaultOptions::default() };
        let folder = Folder::open(&vault.root(), &options).expect("a vault");
        let path = |path| VaultPath::new(path).expect("a path");
        let scan = folder.scan().expect("a scan");
        assert_eq!(scan.entries.len(), 2);
        for entry in scan.entries {
            assert_eq!(folder.look(&entry.path.clone()), Look::Here(entry));
        }
        assert_eq!(folder.look(&path("s.md")), Look::Gone);
    }
}
