//! The walk over a vault's folder: which files are notes, which were skipped and why. Reads
//! directory entries and sizes only, never a note's content, except through [`Folder::read`].

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::{DirEntry, WalkBuilder, WalkState};

use super::ignore_files::{IGNORE_FILE, IgnoreFiles};
use super::limit::Limit;
use super::links::{Target, circle, leads_to_folder, target};
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
    /// A symbolic link to a file or folder; they are not followed unless the options say so.
    SymbolicLink,
    /// A symbolic link out of the vault; none is followed there.
    LinkOutside,
    /// A symbolic link to a folder above it.
    LinkInCircle,
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
    /// The reason as a short phrase for reports: English, without a full stop; the system's own
    /// words stand behind a colon.
    pub fn describe(&self) -> String {
        match self {
            SkipReason::Unreadable(cause) => format!("cannot be read: {cause}"),
            SkipReason::TooLarge(bytes) => format!("too large: {bytes} bytes"),
            SkipReason::SymbolicLink => "a symbolic link, not followed".to_owned(),
            SkipReason::LinkOutside => "a symbolic link out of the vault, not followed".to_owned(),
            SkipReason::LinkInCircle => {
                "a symbolic link to a folder above it, not followed".to_owned()
            }
            SkipReason::NotAFile => "not a regular file".to_owned(),
            SkipReason::BadName => "its name is not valid UTF-8".to_owned(),
            SkipReason::NotDownloaded => "a cloud placeholder, not downloaded".to_owned(),
            SkipReason::Malformed(reason, line) => format!("{reason}: line {line}"),
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
    /// True where the walk was ended before it had seen everything.
    pub unfinished: bool,
}

/// A vault in a folder.
///
/// Holds no file open and remembers nothing of a scan: each one walks the folder anew, on all
/// cores.
#[derive(Debug)]
pub struct Folder {
    root: PathBuf,
    pub(super) options: VaultOptions,
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

    /// Whether symbolic links are followed.
    pub(super) fn follows_links(&self) -> bool {
        self.options.follow_links
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
        if (is_folder || entry.path_is_symlink()) && NEVER.contains(&name.as_ref()) {
            return false;
        }
        if self.exclude.matched_path_or_any_parents(entry.path(), is_folder).is_ignore() {
            return false;
        }
        let relative = entry.path().strip_prefix(&self.root).ok();
        let Some(relative) = relative.and_then(Path::to_str) else { return true };
        !self.obsidian.excludes(relative, is_folder) && (!is_folder || wanted(relative))
    }

    /// Decides about a link on the walk; anything else passes.
    ///
    /// # Errors
    /// Where it is passed over: it leads to what is left out, out of the vault or in a circle; with
    /// the reason where that is to be reported.
    fn follow(&self, entry: &DirEntry) -> Result<(), Option<Skipped>> {
        if !entry.path_is_symlink() || !self.options.follow_links {
            return Ok(());
        }
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let is_note = self.looks_like_note(entry.path()) && self.included(entry.path());
        match target(&self.root, entry.path()) {
            Target::Inside(real) if self.leaves_out_target(&real, is_folder) => Err(None),
            Target::Inside(_) => Ok(()),
            Target::Again => Err(None),
            Target::Refused(reason) => {
                Err((is_folder || is_note).then(|| self.skip(entry, reason)))
            }
        }
    }

    /// Whether what a link shows is left out at its own place.
    fn leaves_out_target(&self, real: &Path, is_folder: bool) -> bool {
        let is_never = |part: std::path::Component<'_>| {
            part.as_os_str().to_str().is_some_and(|part| NEVER.contains(&part))
        };
        let Some(relative) = real.to_str() else { return true };
        let excluded =
            self.exclude.matched_path_or_any_parents(self.root.join(real), is_folder).is_ignore();
        excluded || real.components().any(is_never) || self.obsidian.excludes(relative, is_folder)
    }

    fn skip(&self, entry: &DirEntry, reason: SkipReason) -> Skipped {
        let relative = entry.path().strip_prefix(&self.root).unwrap_or(entry.path());
        Skipped { path: relative.to_string_lossy().into_owned(), reason }
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
        let skip = |reason| Some(Err(self.skip(entry, reason)));
        if kind.is_symlink() && leads_to_folder(entry.path()) {
            return skip(SkipReason::SymbolicLink);
        }
        if kind.is_dir() || !self.looks_like_note(entry.path()) || !self.included(entry.path()) {
            return None;
        }
        let relative = entry.path().strip_prefix(&self.root).ok()?;
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
        if let Some(link) = circle(error) {
            let path = link.strip_prefix(&self.root).unwrap_or(link).to_string_lossy().into_owned();
            return Skipped { path, reason: SkipReason::LinkInCircle };
        }
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
        self.walk(wanted, &|_| false)
    }

    /// Walks the folder until `is_late`, asked with the number of files and folders seen so far.
    fn walk(
        &self,
        wanted: &(dyn Fn(&str) -> bool + Sync),
        is_late: &(dyn Fn(usize) -> bool + Sync),
    ) -> Result<Scan> {
        let (seen, late) = (AtomicUsize::new(0), AtomicBool::new(false));
        let found = Mutex::new(Found::default());
        let lists = IgnoreFiles::new(&self.root);
        let walk = WalkBuilder::new(&self.root)
            .standard_filters(false)
            .follow_links(self.options.follow_links)
            .threads(std::thread::available_parallelism().map_or(2, usize::from))
            .build_parallel();
        walk.run(|| {
            let mut local = LocalScan { found: Found::default(), target: &found };
            let (lists, seen, late) = (&lists, &seen, &late);
            Box::new(move |entry| {
                if is_late(seen.fetch_add(1, Ordering::Relaxed)) {
                    late.store(true, Ordering::Relaxed);
                    return WalkState::Quit;
                }
                match entry {
                    Err(error) => local.found.scan.skipped.push(self.unreadable(&error)),
                    Ok(entry) if !self.enters(&entry, lists, wanted) => return WalkState::Skip,
                    Ok(entry) if let Err(skipped) = self.follow(&entry) => {
                        local.found.scan.skipped.extend(skipped);
                        return WalkState::Skip;
                    }
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
        scan.unfinished = late.into_inner();
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

    fn scan_within(&self, time: Duration, notes: usize) -> Result<Scan> {
        let limit = Limit::begin(time, notes);
        self.walk(&|_| true, &|seen| limit.is_over(seen))
    }

    fn folder(&self) -> Option<&Path> {
        Some(&self.root)
    }

    fn is_left_out(&self, path: &VaultPath) -> bool {
        self.root.join(path.as_str()).is_file()
    }

    fn read(&self, path: &VaultPath) -> io::Result<Vec<u8>> {
        let file = self.root.join(path.as_str());
        if !self.options.follow_links && fs::symlink_metadata(&file)?.file_type().is_symlink() {
            return Err(io::Error::other("it is a symbolic link"));
        }
        // What was inside when the folder was walked may be a link out of it by now.
        if !file.canonicalize()?.starts_with(&self.root) {
            return Err(io::Error::other("it is outside of the vault"));
        }
        read_regular(&file, u64::MAX)
    }
}

/// Where a file's bytes are, as far as its metadata tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Storage {
    /// On this machine, in blocks of the disk.
    Here,
    /// In no block, though it is too large to stand in its directory entry.
    Nowhere,
    /// Cannot be told.
    Unknown,
}

impl Storage {
    pub(super) fn of(metadata: &fs::Metadata) -> Self {
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
mod tests;
