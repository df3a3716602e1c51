//! What a vault holds as far as it was seen, and where that is in doubt: only those folders are
//! looked at again. What changed is for the library to find out.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use hiku::vault::{Folder, Scan, Source, VaultOptions, VaultPath};

use super::events::Sign;

/// Places in doubt beyond which everything is: looking at this many folders costs about as much as
/// a walk over a large vault.
const MOST_PLACES: usize = 500;

/// What was seen of a vault.
#[derive(Debug, Default)]
pub(super) struct Sight {
    /// None before the first look, and where everything is in doubt.
    seen: Option<Seen>,
    /// Relative paths at which something happened since.
    doubtful: BTreeSet<PathBuf>,
}

#[derive(Debug)]
struct Seen {
    scan: Scan,
    /// Under these rules.
    options: VaultOptions,
}

impl Sight {
    /// Takes in that something changed.
    pub(super) fn doubt(&mut self, sign: Sign) {
        match sign {
            Sign::Anywhere => self.doubt_all(),
            Sign::At(path) => drop(self.doubtful.insert(path)),
        }
        if self.doubtful.len() > MOST_PLACES {
            self.doubt_all();
        }
    }

    /// Forgets what was seen.
    pub(super) fn doubt_all(&mut self) {
        self.seen = None;
        self.doubtful.clear();
    }

    /// Looks where something may have changed, and everywhere where it is not known.
    ///
    /// # Errors
    /// As [`Source::scan`].
    pub(super) fn look<'f>(
        &mut self,
        folder: &'f Folder,
        options: &VaultOptions,
    ) -> hiku::Result<Looked<'f>> {
        let doubtful = std::mem::take(&mut self.doubtful);
        let seen = self.seen.take().filter(|seen| seen.options == *options);
        let scan = match seen.and_then(|seen| Some((folders(folder, &seen, &doubtful)?, seen))) {
            Some((folders, seen)) if folders.is_empty() => seen.scan,
            Some((folders, seen)) => folder.rescan(&seen.scan, &folders)?,
            None => folder.scan()?,
        };
        self.seen = Some(Seen { scan: scan.clone(), options: options.clone() });
        Ok(Looked { folder, scan })
    }
}

/// The folders of the notes among these paths; `None` where one of the paths is, or was, a folder.
fn folders(vault: &Folder, seen: &Seen, paths: &BTreeSet<PathBuf>) -> Option<BTreeSet<String>> {
    let mut folders = BTreeSet::new();
    for path in paths {
        let text = path.to_str()?;
        if text.is_empty() || vault.root().join(path).is_dir() || was_folder(&seen.scan, text) {
            return None;
        }
        if looks_like_note(path, &seen.options) {
            folders.insert(path.parent().and_then(Path::to_str).unwrap_or("").to_owned());
        }
    }
    Some(folders)
}

fn looks_like_note(path: &Path, options: &VaultOptions) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
    options.extensions.iter().any(|wanted| wanted.eq_ignore_ascii_case(extension))
}

/// Whether notes lay below this path. Entries are sorted by path.
fn was_folder(scan: &Scan, path: &str) -> bool {
    let below = format!("{path}/");
    let at = scan.entries.partition_point(|entry| entry.path.as_str() < below.as_str());
    scan.entries.get(at).is_some_and(|entry| entry.path.as_str().starts_with(&below))
}

/// A folder as it was looked at.
#[derive(Debug)]
pub(super) struct Looked<'f> {
    folder: &'f Folder,
    scan: Scan,
}

impl Source for Looked<'_> {
    fn scan(&self) -> hiku::Result<Scan> {
        Ok(self.scan.clone())
    }

    fn read(&self, path: &VaultPath) -> io::Result<Vec<u8>> {
        self.folder.read(path)
    }

    fn is_left_out(&self, path: &VaultPath) -> bool {
        self.folder.is_left_out(path)
    }

    fn folder(&self) -> Option<&Path> {
        self.folder.folder()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::TestVault;

    #[test]
    fn it_looks_where_something_happened() {
        let vault = TestVault::new("//- a.md\nA\n//- b/c.md\nC\n//- b-c/x.md\nX\n");
        let options = VaultOptions::default();
        let mut sight = Sight::default();
        let mut check = |sign: Option<Sign>, expected: &[&str]| {
            let folder = Folder::open(&vault.root(), &options).expect("a vault");
            if let Some(sign) = sign {
                sight.doubt(sign);
            }
            let scan = sight.look(&folder, &options).and_then(|looked| looked.scan());
            let entries = scan.expect("a scan").entries;
            assert_eq!(entries.iter().map(|e| e.path.as_str()).collect::<Vec<_>>(), expected);
        };
        let at = |path: &str| Some(Sign::At(path.into()));
        check(None, &["a.md", "b-c/x.md", "b/c.md"]);
        vault.write("b/new.md", "N");
        check(None, &["a.md", "b-c/x.md", "b/c.md"]);
        check(at("b/picture.png"), &["a.md", "b-c/x.md", "b/c.md"]);
        check(at("b/new.md"), &["a.md", "b-c/x.md", "b/c.md", "b/new.md"]);
        vault.rename("b", "z");
        check(at("b"), &["a.md", "b-c/x.md", "z/c.md", "z/new.md"]);
        vault.remove("a.md");
        check(Some(Sign::Anywhere), &["b-c/x.md", "z/c.md", "z/new.md"]);
    }
}
