//! Throw-away vaults for tests, written as one string with file markers. No assertions, no
//! knowledge of the library under test.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How many cases a property is tried on where nothing else is said: what a check of every change
/// can afford.
const USUAL_CASES: u32 = 10_000;

/// How many cases a property of cheap functions is tried on: 10,000, or what `PROPTEST_CASES` says.
pub fn cases() -> u32 {
    let said = std::env::var("PROPTEST_CASES").ok();
    said.and_then(|said| said.parse().ok()).unwrap_or(USUAL_CASES)
}

/// A vault in a temporary folder, removed when dropped.
#[derive(Debug)]
pub struct TestVault {
    folder: tempfile::TempDir,
}

impl TestVault {
    /// Writes a vault from one string: a line `//- path/of/note.md` starts a file, the lines that
    /// follow are its text.
    ///
    /// # Panics
    /// Panics when a file cannot be written or text stands before the first marker.
    pub fn new(files: &str) -> Self {
        let vault = TestVault { folder: tempfile::tempdir().expect("a temporary folder") };
        fs::create_dir(vault.folder.path().join("vault")).expect("the vault folder");
        let mut current: Option<(String, String)> = None;
        for line in files.lines() {
            if let Some(path) = line.trim_start().strip_prefix("//- ") {
                if let Some((path, text)) = current.take() {
                    vault.write(&path, &text);
                }
                current = Some((path.trim().to_owned(), String::new()));
            } else if let Some((_, text)) = &mut current {
                text.push_str(line);
                text.push('\n');
            } else {
                assert!(line.trim().is_empty(), "text before the first file marker: {line}");
            }
        }
        if let Some((path, text)) = current {
            vault.write(&path, &text);
        }
        vault
    }

    /// The vault's folder.
    pub fn root(&self) -> PathBuf {
        self.folder.path().join("vault")
    }

    /// A place for an index file, beside the vault.
    pub fn index(&self) -> PathBuf {
        self.folder.path().join("index.hiku")
    }

    /// The folder that holds vault and index.
    pub fn outer(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a note (text or bytes), making folders as needed.
    ///
    /// # Panics
    /// Panics when it cannot be written.
    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        fs::write(self.place(path), text).expect("the note");
    }

    /// Makes a pipe that nobody writes to: who opens it waits for ever.
    ///
    /// # Panics
    /// Panics where there is no `mkfifo`.
    #[cfg(unix)]
    pub fn pipe(&self, path: &str) {
        let made = std::process::Command::new("mkfifo").arg(self.place(path)).status();
        assert!(made.is_ok_and(|status| status.success()), "the pipe {path}");
    }

    /// Removes a note.
    ///
    /// # Panics
    /// Panics when it is not there.
    pub fn remove(&self, path: &str) {
        fs::remove_file(self.root().join(path)).expect("the note to remove");
    }

    /// Renames a note inside the vault. Its time of modification stays.
    ///
    /// # Panics
    /// Panics when it cannot be renamed.
    pub fn rename(&self, from: &str, to: &str) {
        fs::rename(self.root().join(from), self.place(to)).expect("the rename");
    }

    /// Copies a note inside the vault. The copy is modified now.
    ///
    /// # Panics
    /// Panics when it cannot be copied.
    pub fn copy(&self, from: &str, to: &str) {
        fs::copy(self.root().join(from), self.place(to)).expect("the copy");
    }

    /// Sets a note's time of modification to `seconds` since 1970, so that a test does not depend
    /// on how finely the file system tells times apart.
    ///
    /// # Panics
    /// Panics when the note is not there or its time cannot be set.
    pub fn set_modified(&self, path: &str, seconds: u64) {
        let file = fs::File::options().write(true).open(self.root().join(path)).expect("the note");
        file.set_modified(UNIX_EPOCH + Duration::from_secs(seconds)).expect("its time");
    }

    /// Everything in the vault's folder: path, size in bytes and time of modification, by path.
    ///
    /// # Panics
    /// Panics when a folder cannot be listed.
    pub fn listing(&self) -> Vec<(PathBuf, u64, SystemTime)> {
        let mut found = Vec::new();
        let mut folders = vec![self.root()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).expect("the folder") {
                let path = entry.expect("its entry").path();
                let metadata = fs::symlink_metadata(&path).expect("its metadata");
                if metadata.is_dir() {
                    folders.push(path.clone());
                }
                found.push((path, metadata.len(), metadata.modified().expect("its time")));
            }
        }
        found.sort();
        found
    }

    /// Where a note stands or will stand; its folder is made.
    fn place(&self, path: &str) -> PathBuf {
        let file = self.root().join(path);
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent).expect("the note's folder");
        }
        file
    }
}
