//! What an earlier scan found, brought up to date by looking at some folders only. For callers that
//! are told which folders changed; decides nothing about what a note is.

use std::collections::BTreeSet;

use super::Source;
use super::scan::{Folder, Scan, SkipReason};
use crate::error::Result;

impl Folder {
    /// What a scan finds now, where since `before` nothing has changed but the files right inside
    /// `folders` (relative, `/` between names, `""` for the vault's own folder; those above them are
    /// looked at too).
    ///
    /// A folder that was added, moved or removed, and a change of what is left out, need a
    /// [`Source::scan`]. So does a vault of which something cannot be read or is not downloaded,
    /// since that is judged by the whole, and one whose links are followed, since a note is there
    /// under two paths; there this is such a scan.
    ///
    /// # Errors
    /// As [`Source::scan`].
    pub fn rescan(&self, before: &Scan, folders: &BTreeSet<String>) -> Result<Scan> {
        let is_partial = |reason: &SkipReason| {
            matches!(reason, SkipReason::Unreadable(_) | SkipReason::NotDownloaded)
        };
        if self.follows_links() || before.skipped.iter().any(|one| is_partial(&one.reason)) {
            return self.scan();
        }
        let looked_at = with_parents(folders);
        let mut now = self.scan_along(&|folder| looked_at.contains(folder))?;
        if now.skipped.iter().any(|skipped| is_partial(&skipped.reason)) {
            return self.scan();
        }
        let stays = |path: &str| !looked_at.contains(parent(path));
        let kept = before.entries.iter().filter(|entry| stays(entry.path.as_str()));
        now.entries.extend(kept.cloned());
        now.entries.sort_by(|a, b| a.path.cmp(&b.path));
        now.skipped.extend(before.skipped.iter().filter(|skipped| stays(&skipped.path)).cloned());
        now.skipped.sort_by(|a, b| a.path.cmp(&b.path));
        // What the folder said of itself when it was opened is in both.
        now.skipped.dedup();
        Ok(now)
    }
}

/// These folders and all above them, the vault's own included.
fn with_parents(folders: &BTreeSet<String>) -> BTreeSet<&str> {
    let above = |folder: &str| folder.match_indices('/').map(|(at, _)| at).collect::<Vec<_>>();
    let mut all = BTreeSet::from([""]);
    for folder in folders {
        all.insert(folder);
        all.extend(above(folder).into_iter().map(|end| &folder[..end]));
    }
    all
}

/// The folder that a path lies in.
fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vault::VaultOptions;
    use testkit::TestVault;

    /// Scans, lets `edit` change the vault, and holds a rescan of `folders` against a new scan.
    fn check(folders: &[&str], edit: impl Fn(&TestVault)) -> Scan {
        let vault = TestVault::new(
            "//- a.md\nA\n//- b/c.md\nC\n//- b/deep/d.md\nD\n//- e/f.md\nF\n//- e/.hikuignore\nx.md\n",
        );
        let folder = Folder::open(&vault.root(), &VaultOptions::default()).expect("a vault");
        let before = folder.scan().expect("a scan");
        edit(&vault);
        let folders = folders.iter().map(|folder| (*folder).to_owned()).collect();
        let now = folder.rescan(&before, &folders).expect("a rescan");
        let all = folder.scan().expect("a scan");
        assert_eq!((&now.entries, &now.skipped), (&all.entries, &all.skipped));
        now
    }

    #[test]
    fn it_finds_what_a_scan_finds() {
        check(&[], |_| {});
        check(&["b/deep"], |vault| vault.write("b/deep/d.md", "longer than before"));
        check(&["b", "e"], |vault| {
            vault.write("b/new.md", "N");
            vault.remove("e/f.md");
        });
        check(&[""], |vault| vault.write("z.md", "Z"));
        let left_out = check(&["e"], |vault| vault.write("e/x.md", "left out"));
        assert_eq!(left_out.entries.len(), 4);
        check(&["gone/before"], |_| {});
    }

    #[test]
    fn it_looks_nowhere_else() {
        let vault = TestVault::new("//- a/b.md\nB\n//- c/d.md\nD\n");
        let folder = Folder::open(&vault.root(), &VaultOptions::default()).expect("a vault");
        let before = folder.scan().expect("a scan");
        vault.write("c/new.md", "N");
        let folders = BTreeSet::from(["a".to_owned()]);
        let now = folder.rescan(&before, &folders).expect("a rescan");
        assert_eq!(now.entries, before.entries);
    }
}
