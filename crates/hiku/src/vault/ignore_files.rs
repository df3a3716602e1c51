//! `.hikuignore`: a vault's own lists of paths to leave out, in gitignore form, at any depth. They
//! are read as the walk comes upon them, since asking each folder for one would cost as much as a
//! tenth of the walk; what was passed before is weighed again at its end. The walk itself is not made
//! here.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustc_hash::FxHashMap;

use super::regular::read_settings;
use super::{Scan, SkipReason, Skipped};

/// Name of such a list.
pub(super) const IGNORE_FILE: &str = ".hikuignore";

/// The lists of one walk, shared by its threads.
#[derive(Debug)]
pub(super) struct IgnoreFiles<'r> {
    root: &'r Path,
    /// False until a list is found: most vaults have none.
    any: AtomicBool,
    lists: RwLock<FxHashMap<PathBuf, Arc<Gitignore>>>,
    skipped: Mutex<Vec<Skipped>>,
}

impl<'r> IgnoreFiles<'r> {
    /// The list at the vault's root, if there is one: what it leaves out is never walked.
    pub(super) fn new(root: &'r Path) -> Self {
        let (lists, skipped) = (RwLock::default(), Mutex::default());
        let files = IgnoreFiles { root, any: AtomicBool::new(false), lists, skipped };
        files.read(root);
        files
    }

    /// Reads the list of a folder. One that cannot be read is reported, and leaves out nothing.
    pub(super) fn read(&self, folder: &Path) {
        let Ok(relative) = folder.strip_prefix(self.root) else { return };
        let Some(file) = relative.join(IGNORE_FILE).to_str().map(str::to_owned) else { return };
        let list = match read_settings(self.root, &file) {
            Ok(None) => return,
            Ok(Some(bytes)) => parse(folder, &bytes),
            Err(reason) => Err(reason),
        };
        match list {
            Ok(list) => {
                let mut lists = self.lists.write().unwrap_or_else(PoisonError::into_inner);
                lists.insert(folder.to_path_buf(), Arc::new(list));
                self.any.store(true, Ordering::Release);
            }
            Err(reason) => {
                let mut skipped = self.skipped.lock().unwrap_or_else(PoisonError::into_inner);
                skipped.push(Skipped { path: file, reason });
            }
        }
    }

    /// Whether the lists leave a path out: of those that name it, the one in the deepest folder
    /// decides.
    pub(super) fn leaves_out(&self, path: &Path, is_folder: bool) -> bool {
        if !self.any.load(Ordering::Acquire) {
            return false;
        }
        let lists = self.lists.read().unwrap_or_else(PoisonError::into_inner);
        for folder in path.ancestors().skip(1) {
            match lists.get(folder).map(|list| list.matched(path, is_folder)) {
                Some(Match::Ignore(_)) => return true,
                Some(Match::Whitelist(_)) => return false,
                Some(Match::None) | None if folder == self.root => return false,
                Some(Match::None) | None => {}
            }
        }
        false
    }

    /// Takes out of a scan what all lists together leave out, and adds the lists that could not be
    /// read.
    pub(super) fn finish(self, scan: &mut Scan) {
        let skipped = self.skipped.lock().unwrap_or_else(PoisonError::into_inner).split_off(0);
        scan.skipped.extend(skipped);
        if self.any.load(Ordering::Acquire) {
            scan.entries.retain(|entry| !self.leaves_out_somewhere(entry.path.as_str()));
            scan.skipped.retain(|skip| !self.leaves_out_somewhere(&skip.path));
        }
    }

    /// Whether the lists leave out a path or a folder above it, which no deeper list takes back.
    fn leaves_out_somewhere(&self, relative: &str) -> bool {
        let folders = relative.match_indices('/').map(|(at, _)| &relative[..at]);
        folders.into_iter().any(|folder| self.leaves_out(&self.root.join(folder), true))
            || self.leaves_out(&self.root.join(relative), false)
    }
}

fn parse(folder: &Path, bytes: &[u8]) -> Result<Gitignore, SkipReason> {
    let text = String::from_utf8_lossy(bytes);
    let mut builder = GitignoreBuilder::new(folder);
    for line in text.trim_start_matches('\u{FEFF}').lines() {
        // A line that is no pattern leaves the others good, as git has it.
        let _ = builder.add_line(None, line);
    }
    builder.build().map_err(|error| SkipReason::Unreadable(error.to_string()))
}
