//! The walk over a vault's folder: which files are notes, which were skipped and why. Reads
//! directory entries and sizes only, never a note's content, except through [`Folder::read`].

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::UNIX_EPOCH;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::{DirEntry, WalkBuilder, WalkState};

use super::ignore_files::{IGNORE_FILE, IgnoreFiles};
use super::obsidian::ObsidianFilters;
use super::regular::read_regular;
use super::{Source, VaultOptions, VaultPath};
use crate::error::{Error, Result};
use crate::platform::{allocated_bytes, changed_ns};

/// Folders that are never part of a vault, at any depth.
const NEVER: [&str; 3] = [".obsidian", ".trash", ".git"];

/// A file up to this size may stand in its directory entry and take no block of its own: Btrfs holds
/// at most a page there (`max_inline`), other file systems less. In bytes.
const MAX_INLINE_BYTES: u64 = 4_096;

/// One note as the walk saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScanEntry {
    /// Where it is.
    pub path: VaultPath,
    /// Modification time, nanoseconds since 1970; negative before.
    pub modified_ns: i64,
    /// Time at which its entry (content, name, owner or mode) changed, nanoseconds since 1970; 0 where
    /// the system does not say.
    pub changed_ns: i64,
    /// Size in bytes.
    pub size: u64,
}

/// Why a file that looks like a note is not indexed.
///
/// None of these is an error of the run. A note that was indexed before is kept where the reason is
/// [`SkipReason::Unreadable`], [`SkipReason::NotDownloaded`] or [`SkipReason::Malformed`], since
/// nobody knows what it holds now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SkipReason {
    /// The operating system refused to list, stat or read it.
    Unreadable(String),
    /// Larger than the limit, in bytes.
    TooLarge(u64),
    /// A symbolic link; they are not followed.
    SymbolicLink,
    /// A FIFO, socket or device with a note's name.
    NotAFile,
    /// Its name is not valid UTF-8.
    BadName,
    /// A placeholder of a cloud drive: it has a size and nothing of it is on this machine. It is not
    /// opened, since that would download it.
    NotDownloaded,
    /// A canvas or base that is none: what is wrong, and the 1-based line. Seen when it is read.
    Malformed(&'static str, usize),
}

impl SkipReason {
    /// The reason as a short phrase for reports.
    /// English, without a full stop; the system's own words
    /// stand behind a colon.
    pub fn describe(&self) -> String {
        match self {
            SkipReason::Unreadable(cause) => format!("cannot be read: {cause}"),
            SkipReason::TooLarge(bytes) => format!("too large: {bytes} bytes"),
            SkipReason::SymbolicLink => "a symbolic link, not followed".to_owned(),
            SkipReason::NotAFile => "not a regular file".to_owned(),
            SkipReason::BadName => "its name is not valid UTF-8".to_owned(),
            SkipReason::NotDownloaded => "a cloud placeholder, not downloaded".to_owned(),
            SkipReason::Malformed(reason, line) => {
                format!("{reason}: line {line}")
            }
        }
    }
}

/// A file that was skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Path relative to the vault, lossily where the name is not UTF-8.
    pub path: String,
    /// Why.
    pub reason: SkipReason,
}

/// What a walk found.
#[derive(Debug, Clone, Default)]
pub struct Scan {
    /// The notes, sorted by path.
    pub entries: Vec<ScanEntry>,
    /// What looks like a note and cannot be one, sorted by path.
    pub skipped: Vec<Skipped>,
}

/// A vault in a folder.
///
/// Holds no file open and remembers nothing of a scan: each one walks the folder anew, on all
/// cores.
#[derive(Debug)]
pub struct Folder {
    root: PathBuf,
    options: VaultOptions,
    include: Option<Gitignore>,
    exclude: Gitignore,
    obsidian: ObsidianFilters,
    /// Obsidian's settings where they are there and were not read.
    skipped: Option<Skipped>,
}

impl Folder {
    /// Opens a vault's folder.
    ///
    /// # Errors
    /// [`crate::ErrorKind::User`] when it is missing, not a folder, or a pattern is malformed.
    pub fn open(root: &Path, options: &VaultOptions) -> Result<Self> {
        let metadata = fs::metadata(root).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                Error::Vault { path: root.to_path_buf(), problem: "does not exist" }
            }
            _ => Error::io(root, "open the vault", error),
        })?;
        if !metadata.is_dir() {
            return Err(Error::Vault { path: root.to_path_buf(), problem: "is not a folder" });
        }
        let root = root.canonicalize().map_err(|e| Error::io(root, "open the vault", e))?;
        let include = match options.include.as_slice() {
            [] => None,
            patterns => Some(globs(&root, patterns)?),
        };
        let exclude = globs(&root, &options.exclude)?;
        let (obsidian, skipped) = ObsidianFilters::of_vault(&root);
        Ok(Folder { root, options: options.clone(), include, exclude, obsidian, skipped })
    }

    /// The vault's folder, canonical.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Whether a folder is entered or a file looked at. A list of paths to leave out is read instead.
    fn enters(
        &self,
        entry: &DirEntry,
        lists: &IgnoreFiles<'_>,
        wanted: &dyn Fn(&str) -> bool,
    ) -> bool {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        if entry.depth() > 1 && entry.file_name() == IGNORE_FILE {
            entry.path().parent().into_iter().for_each(|folder| lists.read(folder));
            return false;
        }
        !lists.leaves_out(entry.path(), is_folder) && self.allows(entry, wanted)
    }

    /// Whether the options and Obsidian's settings let a folder or file pass.
    fn allows(&self, entry: &DirEntry, wanted: &dyn Fn(&str) -> bool) -> bool {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let name = entry.file_name().to_string_lossy();
        if entry.depth() == 0 {
            return true;
        }
        if is_folder && NEVER.contains(&name.as_ref()) {
            return false;
        }
        if self.exclude.matched_path_or_any_parents(entry.path(), is_folder).is_ignore() {
            return false;
        }
        let relative = entry.path().strip_prefix(&self.root).ok();
        let Some(relative) = relative.and_then(Path::to_str) else { return true };
        !self.obsidian.excludes(relative, is_folder) && (!is_folder || wanted(relative))
    }

    fn included(&self, path: &Path) -> bool {
        self.include
            .as_ref()
            .is_none_or(|include| include.matched_path_or_any_parents(path, false).is_ignore())
    }

    fn looks_like_note(&self, path: &Path) -> bool {
        path.extension().and_then(|extension| extension.to_str()).is_some_and(|extension| {
            self.options.extensions.iter().any(|wanted| wanted.eq_ignore_ascii_case(extension))
        })
    }

    /// What a file is to the index. Of a note, with whether it may be a placeholder.
    fn visit(&self, entry: &DirEntry) -> Option<Result<(ScanEntry, Storage), Skipped>> {
        let kind = entry.file_type()?;
        if kind.is_dir() || !self.looks_like_note(entry.path()) || !self.included(entry.path()) {
            return None;
        }
        let relative = entry.path().strip_prefix(&self.root).ok()?;
        let skip =
            |reason| Some(Err(Skipped { path: relative.to_string_lossy().into_owned(), reason }));
        let Some(path) = relative.to_str().and_then(VaultPath::new) else {
            return skip(SkipReason::BadName);
        };
        if kind.is_symlink() {
            return skip(SkipReason::SymbolicLink);
        }
        if !kind.is_file() {
            return skip(SkipReason::NotAFile);
        }
        match entry.metadata() {
            Err(error) => skip(SkipReason::Unreadable(error.to_string())),
            Ok(metadata) if metadata.len() > self.options.max_note_bytes => {
                skip(SkipReason::TooLarge(metadata.len()))
            }
            Ok(metadata) => Some(Ok((
                ScanEntry {
                    path,
                    modified_ns: modified_ns(&metadata),
                    changed_ns: changed_ns(&metadata),
                    size: metadata.len(),
                },
                Storage::of(&metadata),
            ))),
        }
    }

    fn unreadable(&self, error: &ignore::Error) -> Skipped {
        let path = error_path(error).map(|path| {
            path.strip_prefix(&self.root).unwrap_or(path).to_string_lossy().into_owned()
        });
        Skipped {
            path: path.unwrap_or_default(),
            reason: SkipReason::Unreadable(
                error.io_error().map_or_else(|| error.to_string(), ToString::to_string),
            ),
        }
    }
}

impl Folder {
    /// Lists the notes of the folders for whose relative paths `wanted` holds, and of the root, by
    /// the same rules as a scan.
    ///
    /// # Errors
    /// As [`Source::scan`].
    pub(crate) fn scan_along(&self, wanted: &(dyn Fn(&str) -> bool + Sync)) -> Result<Scan> {
        let found = Mutex::new(Found::default());
        let lists = IgnoreFiles::new(&self.root);
        let walk = WalkBuilder::new(&self.root)
            .standard_filters(false)
            .follow_links(false)
            .threads(std::thread::available_parallelism().map_or(2, usize::from))
            .build_parallel();
        walk.run(|| {
            let mut local = LocalScan { found: Found::default(), target: &found };
            let lists = &lists;
            Box::new(move |entry| {
                match entry {
                    Err(error) => local.found.scan.skipped.push(self.unreadable(&error)),
                    Ok(entry) if !self.enters(&entry, lists, wanted) => return WalkState::Skip,
                    Ok(entry) => match self.visit(&entry) {
                        Some(Ok((note, storage))) => local.found.add(note, storage),
                        Some(Err(skipped)) => local.found.scan.skipped.push(skipped),
                        None => {}
                    },
                }
                WalkState::Continue
            })
        });
        let found = found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut scan = found.scan();
        lists.finish(&mut scan);
        scan.skipped.extend(self.skipped.clone());
        if scan.skipped.iter().any(|skipped| skipped.path.is_empty()) && scan.entries.is_empty() {
            let source = io::Error::other("its folder cannot be listed");
            return Err(Error::io(&self.root, "list the vault", source));
        }
        scan.entries.sort_by(|a, b| a.path.cmp(&b.path));
        scan.skipped.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(scan)
    }
}

impl Source for Folder {
    fn scan(&self) -> Result<Scan> {
        self.scan_along(&|_| true)
    }

    fn folder(&self) -> Option<&Path> {
        Some(&self.root)
    }

    fn is_left_out(&self, path: &VaultPath) -> bool {
        self.root.join(path.as_str()).is_file()
    }

    fn read(&self, path: &VaultPath) -> io::Result<Vec<u8>> {
        let file = self.root.join(path.as_str());
        if fs::symlink_metadata(&file)?.file_type().is_symlink() {
            return Err(io::Error::other("it is a symbolic link"));
        }
        read_regular(&file, u64::MAX)
    }
}

/// Where a file's bytes are, as far as its metadata tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Storage {
    /// On this machine, in blocks of the disk.
    Here,
    /// In no block, though it is too large to stand in its directory entry.
    Nowhere,
    /// Cannot be told.
    Unknown,
}

impl Storage {
    fn of(metadata: &fs::Metadata) -> Self {
        match allocated_bytes(metadata) {
            Some(1..) => Storage::Here,
            Some(0) if metadata.len() > MAX_INLINE_BYTES => Storage::Nowhere,
            _ => Storage::Unknown,
        }
    }
}

/// What the walk has found so far.
#[derive(Debug, Default)]
struct Found {
    scan: Scan,
    /// Notes of which no byte seems to be on this machine.
    placeholders: Vec<ScanEntry>,
    /// Whether any note has a block: else the file system may be one that counts none.
    counts_blocks: bool,
}

impl Found {
    fn add(&mut self, note: ScanEntry, storage: Storage) {
        self.counts_blocks |= storage == Storage::Here;
        match storage {
            Storage::Nowhere => self.placeholders.push(note),
            Storage::Here | Storage::Unknown => self.scan.entries.push(note),
        }
    }

    fn append(&mut self, other: &mut Found) {
        self.counts_blocks |= other.counts_blocks;
        self.placeholders.append(&mut other.placeholders);
        self.scan.entries.append(&mut other.scan.entries);
        self.scan.skipped.append(&mut other.scan.skipped);
    }

    /// The result. Some network file systems count no blocks for any file: there a note without any
    /// is like all others.
    fn scan(mut self) -> Scan {
        if self.counts_blocks {
            self.scan.skipped.extend(self.placeholders.into_iter().map(|note| Skipped {
                path: note.path.to_string(),
                reason: SkipReason::NotDownloaded,
            }));
        } else {
            self.scan.entries.append(&mut self.placeholders);
        }
        self.scan
    }
}

/// One walking thread's finds, handed over when the thread ends.
struct LocalScan<'s> {
    found: Found,
    target: &'s Mutex<Found>,
}

impl Drop for LocalScan<'_> {
    fn drop(&mut self) {
        let mut target = self.target.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        target.append(&mut self.found);
    }
}

/// Patterns in gitignore form against paths below `root`; a plain folder name matches as a folder.
fn globs(root: &Path, patterns: &[String]) -> Result<Gitignore> {
    let mut builder = GitignoreBuilder::new(root);
    for pattern in patterns {
        builder.add_line(None, pattern).map_err(|error| Error::Pattern {
            pattern: pattern.clone(),
            detail: error.to_string(),
        })?;
    }
    builder
        .build()
        .map_err(|error| Error::Pattern { pattern: patterns.join(", "), detail: error.to_string() })
}

fn error_path(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            error_path(err)
        }
        _ => None,
    }
}

/// Modification time in nanoseconds since 1970.
pub(crate) fn modified_ns(metadata: &fs::Metadata) -> i64 {
    let Ok(time) = metadata.modified() else { return 0 };
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |ns| -ns),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::TestVault;

    fn paths(vault: &TestVault, options: &VaultOptions) -> Vec<String> {
        let folder = Folder::open(&vault.root(), options).expect("the vault opens");
        let scan = folder.scan().expect("it scans");
        scan.entries.into_iter().map(|entry| entry.path.to_string()).collect()
    }

    #[cfg(unix)]
    #[test]
    fn a_cloud_placeholder_is_skipped_and_never_opened() {
        let vault = TestVault::new("//- here.md\nText.\n");
        let sparse = |name: &str, bytes: u64| {
            let file = fs::File::create(vault.root().join(name)).expect("a file");
            file.set_len(bytes).expect("its length");
        };
        sparse("away.md", 50_000);
        sparse("small.md", 100);
        let folder = Folder::open(&vault.root(), &VaultOptions::default()).expect("it opens");
        let scan = folder.scan().expect("it scans");
        let names: Vec<_> = scan.entries.iter().map(|entry| entry.path.as_str()).collect();
        assert_eq!(names, ["here.md", "small.md"]);
        let [away] = scan.skipped.as_slice() else { panic!("{:?}", scan.skipped) };
        assert_eq!((away.path.as_str(), &away.reason), ("away.md", &SkipReason::NotDownloaded));
    }

    #[test]
    fn where_no_file_has_blocks_none_is_a_placeholder() {
        let note = |name: &str| ScanEntry {
            path: VaultPath::new(name).expect("a path"),
            modified_ns: 0,
            changed_ns: 0,
            size: 50_000,
        };
        let mut found = Found::default();
        found.add(note("a.md"), Storage::Nowhere);
        let mut other = Found::default();
        other.add(note("b.md"), Storage::Unknown);
        found.append(&mut other);
        let scan = found.scan();
        assert_eq!((scan.entries.len(), scan.skipped.len()), (2, 0));
    }

    #[test]
    fn rules_choose_notes_and_exclusion_beats_inclusion() {
        let vault = TestVault::new(
            "//- a.md\n//- b/c.MARKDOWN\n//- b/d.txt\n//- private/e.md\n//- .obsidian/f.md\n\
             //- .trash/g.md\n//- deep/.git/h.md\n//- deep/i.md\n//- deep/private/j.md\n",
        );
        let all = ["a.md", "b/c.MARKDOWN", "deep/i.md", "deep/private/j.md", "private/e.md"];
        assert_eq!(paths(&vault, &VaultOptions::default()), all);
        let excluded =
            VaultOptions { exclude: vec!["private".to_owned()], ..VaultOptions::default() };
        assert_eq!(paths(&vault, &excluded), ["a.md", "b/c.MARKDOWN", "deep/i.md"]);
        let both = VaultOptions {
            include: vec!["deep/".to_owned()],
            exclude: vec!["deep/private/".to_owned()],
            ..VaultOptions::default()
        };
        assert_eq!(paths(&vault, &both), ["deep/i.md"]);
    }

    #[test]
    fn hikuignore_files_leave_paths_out_and_the_deepest_decides() {
        let vault = TestVault::new(
            "//- a.md\n//- drafts/b.md\n//- sub/c.md\n//- sub/tmp-1.md\n//- sub/deep/tmp-2.md\n\
             //- sub/deep/x/d.md\n//- tmp-3.md\n",
        );
        vault.write(".hikuignore", "\u{FEFF}drafts/\n# a remark\n[z-a\ntmp-*\n");
        vault.write("sub/deep/.hikuignore", "!tmp-2.md\n/x\n");
        vault.write("drafts/.hikuignore", "!*\n");
        let expected = ["a.md", "sub/c.md", "sub/deep/tmp-2.md"];
        assert_eq!(paths(&vault, &VaultOptions::default()), expected);
    }

    #[cfg(unix)]
    #[test]
    fn settings_that_are_no_files_of_the_vault_are_reported_and_never_opened() {
        let vault = TestVault::new("//- a.md\n//- sub/b.md\n//- c/d.md\n");
        vault.pipe(".hikuignore");
        vault.pipe("note.md");
        std::fs::write(vault.outer().join("list"), "*.md\n").expect("a file");
        std::os::unix::fs::symlink("../../list", vault.root().join("sub/.hikuignore"))
            .expect("a link");
        vault.pipe(".obsidian/app.json");
        let folder = Folder::open(&vault.root(), &VaultOptions::default()).expect("it opens");
        let scan = folder.scan().expect("it scans");
        let skipped: Vec<_> = scan.skipped.iter().map(|s| (s.path.as_str(), &s.reason)).collect();
        let expected = [
            (".hikuignore", &SkipReason::NotAFile),
            (".obsidian/app.json", &SkipReason::NotAFile),
            ("note.md", &SkipReason::NotAFile),
            ("sub/.hikuignore", &SkipReason::SymbolicLink),
        ];
        assert_eq!(skipped, expected);
        assert_eq!(scan.entries.len(), 3);
        assert!(folder.read(&VaultPath::verbatim("note.md")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_and_large_files_are_skipped_with_a_reason() {
        let vault = TestVault::new("//- a.md\n//- big.md\nmore than ten bytes\n");
        std::os::unix::fs::symlink("/etc/hostname", vault.root().join("link.md")).expect("a link");
        let options = VaultOptions { max_note_bytes: 10, ..VaultOptions::default() };
        let scan = Folder::open(&vault.root(), &options).and_then(|f| f.scan()).expect("a scan");
        let reasons: Vec<_> = scan.skipped.iter().map(|s| (s.path.as_str(), &s.reason)).collect();
        assert_eq!(
            reasons,
            [("big.md", &SkipReason::TooLarge(20)), ("link.md", &SkipReason::SymbolicLink)]
        );
    }

    #[cfg(unix)]
    #[test]
    fn linked_folders_are_not_entered() {
        let vault = TestVault::new("//- a.md\n//- b/c.md\n");
        let outside = vault.outer().join("outside");
        std::fs::create_dir(&outside).expect("a folder");
        std::fs::write(outside.join("secret.md"), "secret").expect("a file");
        for (target, link) in
            [(outside.as_path(), "out"), (&vault.root().join("b"), "b/in"), (&vault.root(), "b/up")]
        {
            std::os::unix::fs::symlink(target, vault.root().join(link)).expect("a link");
        }
        assert_eq!(paths(&vault, &VaultOptions::default()), ["a.md", "b/c.md"]);
    }

    #[test]
    fn files_that_obsidian_excludes_are_left_out() {
        let vault = TestVault::new(
            "//- a.md\n//- templates/b.md\n//- x/templates/c.md\n//- log/2026-04-10.md\n//- log/d.md\n",
        );
        vault.write(
            ".obsidian/app.json",
            r#"{"userIgnoreFilters": ["templates/", "/\\d{4}-\\d\\d-\\d\\d/"]}"#,
        );
        assert_eq!(
            paths(&vault, &VaultOptions::default()),
            ["a.md", "log/d.md", "x/templates/c.md"]
        );
    }

    #[test]
    fn a_narrow_scan_lists_only_the_wanted_folders() {
        let vault = TestVault::new("//- a.md\n//- b/c.md\n//- b/d/e.md\n//- f/g.md\n");
        let folder = Folder::open(&vault.root(), &VaultOptions::default()).expect("it opens");
        let scan = folder.scan_along(&|folder| folder == "b").expect("it scans");
        let found: Vec<&str> = scan.entries.iter().map(|entry| entry.path.as_str()).collect();
        assert_eq!(found, ["a.md", "b/c.md"]);
    }

    #[test]
    fn a_missing_vault_and_a_file_are_user_errors() {
        let vault = TestVault::new("//- a.md\n");
        for path in [vault.root().join("absent"), vault.root().join("a.md")] {
            let error = Folder::open(&path, &VaultOptions::default()).expect_err("no vault");
            assert_eq!(error.kind(), crate::ErrorKind::User, "{error}");
        }
    }
}
