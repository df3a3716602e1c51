//! Whole outputs of which agents saw extracts: kept for some days in the user's cache folder, for
//! their owner only, bounded in number and size. Gives them back whole, by lines or by a search.
//!
//! What comes in must be without credentials; nothing is taken out here.

use std::fmt::{self, Write};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::plain_file::read_text;
use crate::private;

/// Ending of the files; others in the folder are not ours.
const ENDING: &str = "output";
/// Outputs that are kept at most; a long conversation has some dozen large ones.
const MAX_FILES: usize = 100;
/// Bytes of all outputs together; the oldest go first.
const MAX_BYTES: u64 = 128 << 20;
/// How long an output is kept: what an agent has not asked for after some days it does not miss.
const MAX_AGE: Duration = Duration::from_hours(3 * 24);

/// The name of an output: 16 hexadecimal digits of a hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OutputId(String);

impl OutputId {
    /// Digits of an id: 64 bits tell apart all outputs that are ever kept.
    const DIGITS: usize = 16;

    /// The id of what has this hash.
    pub(super) fn of(hash: &blake3::Hash) -> Self {
        OutputId(hash.to_hex()[..Self::DIGITS].to_owned())
    }
}

impl fmt::Display for OutputId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl OutputId {
    /// Reads an id; `None` for any other text, such as a path.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let is_id = text.len() == Self::DIGITS && text.bytes().all(is_digit);
        is_id.then(|| OutputId(text.to_owned()))
    }
}

/// The folder of kept outputs.
#[derive(Debug, Clone)]
pub(crate) struct KeptOutputs {
    folder: PathBuf,
}

impl KeptOutputs {
    /// The outputs below hiku's part of the user's cache folder.
    pub(crate) fn of(cache: &Path) -> Self {
        KeptOutputs { folder: cache.join("outputs") }
    }

    /// Keeps an output in place of an older one of this name, and lets go of what is too old or too
    /// much.
    ///
    /// # Errors
    /// The operating system's refusal.
    pub(crate) fn keep(&self, id: &OutputId, output: &str) -> io::Result<()> {
        private::make_folder(&self.folder)?;
        private::write_file(&self.path(id), output.as_bytes())?;
        self.prune(id, SystemTime::now());
        Ok(())
    }

    /// An output as it was kept.
    ///
    /// # Errors
    /// `NotFound` for one that was never kept or has expired; the operating system's refusal.
    pub(crate) fn read(&self, id: &OutputId) -> io::Result<String> {
        let path = self.path(id);
        let modified = fs::metadata(&path)?.modified()?;
        if is_expired(modified, SystemTime::now()) {
            let _ = fs::remove_file(&path);
            return Err(io::ErrorKind::NotFound.into());
        }
        read_text(&path, MAX_BYTES)
    }

    fn path(&self, id: &OutputId) -> PathBuf {
        self.folder.join(format!("{id}.{ENDING}"))
    }

    /// Removes all but the newest; what cannot be removed now is tried again at the next output.
    fn prune(&self, newest: &OutputId, now: SystemTime) {
        let newest = self.path(newest);
        let mut files = self.files();
        files.sort_by_key(|file| (file.path != newest, std::cmp::Reverse(file.modified)));
        let mut bytes = 0;
        for (number, file) in files.iter().enumerate() {
            bytes += file.bytes;
            let is_too_much = number >= MAX_FILES || bytes > MAX_BYTES;
            if number > 0 && (is_too_much || is_expired(file.modified, now)) {
                let _ = fs::remove_file(&file.path);
            }
        }
    }

    /// The files of the folder that are ours, unfinished ones of a killed process among them.
    fn files(&self) -> Vec<Kept> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return Vec::new() };
        let kept = |entry: fs::DirEntry| {
            let (path, metadata) = (entry.path(), entry.metadata().ok()?);
            let is_ours = path.to_string_lossy().contains(&format!(".{ENDING}"));
            let modified = metadata.modified().ok()?;
            (is_ours && metadata.is_file()).then_some(Kept {
                path,
                modified,
                bytes: metadata.len(),
            })
        };
        entries.flatten().filter_map(kept).collect()
    }
}

/// One file.
struct Kept {
    path: PathBuf,
    modified: SystemTime,
    bytes: u64,
}

/// A time in the future is a clock that was set back, and no reason to go.
fn is_expired(modified: SystemTime, now: SystemTime) -> bool {
    now.duration_since(modified).is_ok_and(|age| age > MAX_AGE)
}

/// What of an output is asked for.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Part<'p> {
    /// First and last line, from 1; all without.
    pub(crate) lines: Option<(usize, usize)>,
    /// Only lines that hold this text, in any case.
    pub(crate) find: Option<&'p str>,
}

impl Part<'_> {
    /// The lines of an output that are asked for; those that were searched for with their numbers.
    pub(crate) fn of(&self, output: &str) -> String {
        let (first, last) = self.lines.unwrap_or((1, usize::MAX));
        let wanted = self.find.map(str::to_lowercase);
        let is_wanted =
            |line: &str| wanted.as_ref().is_none_or(|text| line.to_lowercase().contains(text));
        let mut shown = String::new();
        let in_range =
            (1..).zip(output.lines()).skip(first - 1).take_while(|(number, _)| *number <= last);
        for (number, line) in in_range.filter(|(_, line)| is_wanted(line)) {
            if wanted.is_some() {
                let _ = write!(shown, "{number}: ");
            }
            shown.extend([line, "\n"]);
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: usize) -> OutputId {
        OutputId::parse(&format!("{number:016x}")).expect("an id")
    }

    fn kept() -> (tempfile::TempDir, KeptOutputs) {
        let folder = tempfile::tempdir().expect("a folder");
        let outputs = KeptOutputs::of(&folder.path().join("cache"));
        (folder, outputs)
    }

    fn age(outputs: &KeptOutputs, id: &OutputId, age: Duration) {
        let file = fs::OpenOptions::new().append(true).open(outputs.path(id)).expect("a file");
        file.set_modified(SystemTime::now() - age).expect("an age");
    }

    #[test]
    fn ids_lead_nowhere_else() {
        assert_eq!(OutputId::of(&blake3::hash(b"a")).to_string().len(), 16);
        for wrong in [
            "",
            "../../etc/passwd",
            "0123456789abcde",
            "0123456789ABCDEF",
            "0123456789abcde/",
            "0123456789abcdef.",
            "0123456789abcdef0",
            "０１２３４",
        ] {
            assert!(OutputId::parse(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn what_is_kept_is_the_owners_and_comes_back() {
        let (_folder, outputs) = kept();
        outputs.keep(&id(1), "first\n").expect("kept");
        outputs.keep(&id(1), "日本\n").expect("kept again");
        assert_eq!(outputs.read(&id(1)).expect("an output"), "日本\n");
        assert_eq!(outputs.files().len(), 1);
        assert_eq!(outputs.read(&id(2)).expect_err("none").kind(), io::ErrorKind::NotFound);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| fs::metadata(path).expect("it").permissions().mode() & 0o777;
            assert_eq!(mode(&outputs.path(&id(1))), 0o600);
            assert_eq!(mode(&outputs.folder), 0o700);
        }
    }

    #[test]
    fn the_old_and_the_many_go() {
        let (_folder, outputs) = kept();
        for number in 0..MAX_FILES {
            outputs.keep(&id(number), "x").expect("kept");
            age(&outputs, &id(number), Duration::from_secs(3_600 - number as u64));
        }
        fs::write(outputs.folder.join("note.txt"), "not ours").expect("a file");
        outputs.keep(&id(500), "x").expect("kept");
        assert_eq!(outputs.files().len(), MAX_FILES);
        assert!(outputs.read(&id(0)).is_err() && outputs.read(&id(1)).is_ok());
        age(&outputs, &id(1), MAX_AGE + Duration::from_secs(9));
        assert_eq!(outputs.read(&id(1)).expect_err("expired").kind(), io::ErrorKind::NotFound);
        age(&outputs, &id(2), MAX_AGE + Duration::from_secs(9));
        outputs.keep(&id(500), "y").expect("kept");
        assert!(!outputs.path(&id(2)).exists() && outputs.folder.join("note.txt").exists());
    }

    #[test]
    fn a_part_is_lines_or_finds() {
        let output = "one\nTwo 失敗\nthree\ntwo\n";
        let check =
            |lines, find, expected: &str| assert_eq!(Part { lines, find }.of(output), expected);
        check(None, None, output);
        check(Some((2, 3)), None, "Two 失敗\nthree\n");
        check(Some((4, usize::MAX)), None, "two\n");
        check(Some((9, 12)), None, "");
        check(None, Some("TWO"), "2: Two 失敗\n4: two\n");
        check(Some((3, 9)), Some("two"), "4: two\n");
        check(None, Some("失敗"), "2: Two 失敗\n");
    }
}
