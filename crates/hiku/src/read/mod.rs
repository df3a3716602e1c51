//! A note as it is on disk now: whole, one heading's section, or a line range; confined to the
//! vault, redacted and sanitised. Uses no index.

mod names;
mod select;

pub(crate) use names::resolve;

use crate::documents::Document;
use crate::error::{Error, Result};
use crate::indexer::title_of;
use crate::scrub::{Scrubbed, Scrubber};
use crate::text::sanitize;
use crate::vault::{Folder, Scan, ScanEntry, SkipReason, Source, VaultPath};

use select::{Part, part};

/// The predicate of an error for a name that no note has.
const NOT_HERE: &str = "is not a note of this vault";

/// Which part of a note is wanted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Selection {
    /// All of it.
    #[default]
    Whole,
    /// The section under a heading, subsections included; compared folded, first match wins. It may
    /// be given with its `#` marks.
    Heading(String),
    /// Lines `start..=end`, 1-based; an end past the note is the note's end.
    Lines(usize, usize),
}

/// A part of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadNote {
    /// Path as on disk.
    pub path: String,
    /// Title.
    pub title: String,
    /// The part's text, redacted and sanitised.
    pub text: String,
    /// First line in the file, 1-based.
    pub line_start: usize,
    /// Last line in the file, 1-based; 0 in an empty note.
    pub line_end: usize,
    /// Lines in the whole note.
    pub lines: usize,
    /// Credentials redacted in the part. One that the part cuts through counts too.
    pub redactions: usize,
}

/// Reads a part of a note. `name` is a path relative to the vault, with or without extension, in
/// any Unicode spelling; or a file name that only one note has. The whole note is redacted before
/// the part is cut out, so that no credential shows by halves.
///
/// # Errors
/// [`crate::ErrorKind::User`] for a path outside the vault, a note or heading that is not there, a
/// name that several notes have, or lines past the note's end; [`crate::ErrorKind::Io`] when the
/// file cannot be read.
///
/// ```
/// use hiku::scrub::{ScrubOptions, Scrubber};
/// use hiku::vault::{Folder, VaultOptions};
/// use hiku::{Selection, read_note};
///
/// # fn main() -> hiku::Result<()> {
/// # let vault = testkit::TestVault::new("//- log/friday.md\n# Friday\n\n## Lunch\nSoup.\n");
/// let folder = Folder::open(&vault.root(), &VaultOptions::default())?;
/// let scrubber = Scrubber::new(&ScrubOptions::default());
/// let lunch = Selection::Heading("lunch".to_owned());
/// let note = read_note(&folder, "friday", &lunch, &scrubber)?;
/// assert_eq!((note.line_start, note.text.trim_end()), (3, "## Lunch\nSoup."));
/// # Ok(())
/// # }
/// ```
pub fn read_note(
    vault: &Folder,
    name: &str,
    selection: &Selection,
    scrubber: &Scrubber,
) -> Result<ReadNote> {
    let entry = find(vault, name)?;
    let bytes = read_confined(vault, &entry.path)?;
    // A credential that an escape sequence parts would show whole once that is taken out.
    let document = Document::read(&entry.path, &bytes).map_err(|malformed| Error::Note {
        path: entry.path.to_string(),
        problem: malformed.problem,
    })?;
    let scrubbed = scrubber.scrub(document.text());
    let note = document.parse(&scrubbed.text);
    let part = part(&scrubbed.text, &note, selection, entry.path.as_str())?;
    Ok(ReadNote {
        title: sanitize(&title_of(&note, &entry)).into_owned(),
        path: entry.path.to_string(),
        text: sanitize(&scrubbed.text[part.span.clone()]).into_owned(),
        line_start: part.line_start,
        line_end: part.line_end,
        lines: part.lines,
        redactions: redactions_in(&scrubbed, &part),
    })
}

/// Redactions that stand in the part, wholly or partly.
fn redactions_in(scrubbed: &Scrubbed<'_>, part: &Part) -> usize {
    let meets =
        |place: &std::ops::Range<usize>| place.start < part.span.end && part.span.start < place.end;
    scrubbed.redactions.iter().filter(|redaction| meets(&redaction.replacement)).count()
}

/// The note that a name means, among those that a scan of the vault would give. Looks along the
/// path first; only a name that is no path costs a scan of the whole vault.
fn find(vault: &Folder, name: &str) -> Result<ScanEntry> {
    let Some(path) = VaultPath::new(name) else {
        return Err(Error::Note { path: name.to_owned(), problem: "is no path inside the vault" });
    };
    let near = vault.scan_along(&|folder| leads_to(folder, &path))?;
    match pick(near, name) {
        Err(Error::Note { problem: NOT_HERE, .. }) => pick(vault.scan()?, name),
        found => found,
    }
}

/// Whether a folder, whose path is given, is one of those above the path.
fn leads_to(folder: &str, path: &VaultPath) -> bool {
    let folder = VaultPath::verbatim(folder).key();
    path.key().strip_prefix(&folder).is_some_and(|rest| rest.starts_with('/'))
}

fn pick(scan: Scan, name: &str) -> Result<ScanEntry> {
    let found = match resolve(name, &scan.entries.iter().map(|entry| entry.path.as_str())) {
        Ok(path) => path.to_owned(),
        Err(Error::Note { path, problem }) => {
            let skipped = resolve(name, &scan.skipped.iter().map(|skip| skip.path.as_str())).ok();
            let reason = scan.skipped.iter().find(|skip| Some(skip.path.as_str()) == skipped);
            let problem = reason.map_or(problem, |skip| why_not(&skip.reason));
            return Err(Error::Note { path, problem });
        }
        Err(other) => return Err(other),
    };
    let entry = scan.entries.into_iter().find(|entry| entry.path.as_str() == found);
    entry.ok_or_else(|| Error::Note { path: name.to_owned(), problem: NOT_HERE })
}

fn why_not(reason: &SkipReason) -> &'static str {
    match reason {
        SkipReason::Unreadable(_) | SkipReason::Malformed(..) => "cannot be read",
        SkipReason::TooLarge(_) => "is larger than a note may be",
        SkipReason::SymbolicLink => "is a symbolic link, and those are not followed",
        SkipReason::LinkOutside => "is a symbolic link out of the vault",
        SkipReason::NotDownloaded => "is a cloud placeholder that is not downloaded",
        SkipReason::LinkInCircle | SkipReason::NotAFile | SkipReason::BadName => NOT_HERE,
    }
}

/// Reads a note that the scan found, unless a link leads out of the vault by now.
fn read_confined(vault: &Folder, path: &VaultPath) -> Result<Vec<u8>> {
    let file = vault.root().join(path.as_str());
    let real = file.canonicalize().map_err(|error| Error::io(&file, "open the note", error))?;
    if !real.starts_with(vault.root()) {
        let problem = "is no path inside the vault";
        return Err(Error::Note { path: path.to_string(), problem });
    }
    vault.read(path).map_err(|error| Error::io(&file, "read the note", error))
}

#[cfg(test)]
mod tests;
