//! Finds the notes under a root by the user's rules and reads them as text. Never writes, never
//! follows a link out of the root, parses nothing.

mod conflict;
mod decode;
mod ignore_files;
mod limit;
mod links;
mod look;
mod obsidian;
mod path;
mod regular;
mod rescan;
mod scan;

pub(crate) use conflict::{Original, originals};
pub use decode::{Decoded, decode};
pub(crate) use look::Look;
pub use path::{NoteKind, VaultPath};
pub use regular::{read_regular, read_settings};
pub use scan::{Folder, Scan, ScanEntry, SkipReason, Skipped};

use std::io;
use std::path::Path;
use std::time::Duration;

use crate::error::Result;

/// Which files of a vault are notes.
///
/// `.obsidian`, `.trash` and `.git` are never part of a vault, symbolic links are not followed unless
/// asked for and never out of it, and a `.hikuignore` file and Obsidian's *Excluded files* leave out more. Patterns are in gitignore
/// form: a name alone matches at any depth, a slash in front or inside anchors it at the vault.
///
/// ```
/// let options = hiku::vault::VaultOptions::default();
/// assert_eq!(options.extensions, ["md", "markdown", "canvas", "base"]);
/// assert_eq!(options.max_note_bytes, 50_000_000);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VaultOptions {
    /// Folders or globs relative to the root; empty means everything.
    pub include: Vec<String>,
    /// Folders or globs that are left out; exclusion beats inclusion.
    pub exclude: Vec<String>,
    /// File name extensions of notes, compared without regard to case. Default `md`, `markdown`,
    /// `canvas`, `base`.
    pub extensions: Vec<String>,
    /// A larger file is skipped and reported. Bytes; default 50 MB: what is larger is an export or a log,
    /// and one note's text, terms and vectors must fit in memory together.
    pub max_note_bytes: u64,
    /// Follow symbolic links that lead to a file or folder inside the vault, where that is not left
    /// out itself: it is then there under both paths. A link inside of what another link shows is
    /// not followed again. Default false.
    pub follow_links: bool,
}

impl Default for VaultOptions {
    fn default() -> Self {
        VaultOptions {
            include: Vec::new(),
            exclude: Vec::new(),
            extensions: ["md", "markdown", "canvas", "base"].map(str::to_owned).to_vec(),
            max_note_bytes: 50_000_000,
            follow_links: false,
        }
    }
}

/// Where notes come from: a folder, or a judged set in memory.
///
/// Must be steady during an update: a note that changes between [`Self::scan`] and [`Self::read`]
/// is indexed as it was read, and is read again by the next update if its time or size differ then.
pub trait Source: Sync {
    /// Lists all notes with what is needed to see whether they changed, in no order.
    ///
    /// # Errors
    /// [`crate::ErrorKind::User`] when the root is not there, [`crate::ErrorKind::Io`] when it
    /// cannot be listed.
    fn scan(&self) -> Result<Scan>;

    /// Lists the notes like [`Self::scan`], and ends early where that takes longer than `time` for
    /// each `notes` notes seen, begun ones included; [`Scan::unfinished`] tells it. By default, it
    /// never does.
    ///
    /// # Errors
    /// As [`Self::scan`].
    fn scan_within(&self, _time: Duration, _notes: usize) -> Result<Scan> {
        self.scan()
    }

    /// Reads one note's bytes.
    ///
    /// # Errors
    /// The operating system's refusal.
    fn read(&self, path: &VaultPath) -> io::Result<Vec<u8>>;

    /// True where a note that the scan did not list is there all the same: the rules leave it out.
    fn is_left_out(&self, _path: &VaultPath) -> bool {
        false
    }

    /// The folder that this is, canonical; `None` for what is no folder, whose index is then bound to
    /// none.
    fn folder(&self) -> Option<&Path> {
        None
    }

    /// A title that stands outside the note's text, whose text then has no front matter.
    fn given_title(&self, _path: &VaultPath) -> Option<String> {
        None
    }
}
