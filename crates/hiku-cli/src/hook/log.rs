//! The log of the hooks: one line for each event that could not be answered, since a hook says
//! nothing of it where the agent would see. Bounded, for its owner only, and without prompts.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use hiku::scrub::{ScrubOptions, Scrubber};

use crate::plain_file::read_text;
use crate::{private, safe};

/// Name of the log in the hooks' folder.
const FILE: &str = "hook.log";
/// Bytes at which the older half of the log is dropped: some thousand lines.
const MAX_BYTES: u64 = 256 << 10;
/// Longest line in characters; what the system says of a file fits.
const MAX_LINE_CHARACTERS: usize = 400;

/// Adds a line. What cannot be logged has no other place to go.
pub(super) fn add(folder: &Path, event: &str, text: &str) {
    let _ = try_add(folder, event, text);
}

fn try_add(folder: &Path, event: &str, text: &str) -> io::Result<()> {
    private::make_folder(folder)?;
    let path = folder.join(FILE);
    halve(&path)?;
    let mut options = fs::OpenOptions::new();
    let mut file = options.create(true).append(true).open(&path)?;
    private::restrict_file(&path)?;
    writeln!(file, "{} {event} {}", jiff::Timestamp::now().strftime("%FT%TZ"), entry(text))
}

/// One line without credentials and controls.
fn entry(text: &str) -> String {
    let scrubber = Scrubber::new(&ScrubOptions::default());
    let line = safe::line(text);
    scrubber.scrub(&line).text.chars().take(MAX_LINE_CHARACTERS).collect()
}

/// Drops the older half of a log that has grown too large.
fn halve(path: &Path) -> io::Result<()> {
    if fs::metadata(path).map_or(0, |found| found.len()) < MAX_BYTES {
        return Ok(());
    }
    // A log that somebody made larger than twice its bound, or that is no text, is begun anew.
    let text = read_text(path, 2 * MAX_BYTES).unwrap_or_default();
    let middle = text.floor_char_boundary(text.len() / 2);
    let kept = text[middle..].split_once('\n').map_or("", |(_, kept)| kept);
    private::write_file(path, kept.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_bounded_private_and_redacted() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path().join("hook");
        add(&folder, "Stop", "password: tr0ub4dor-and-3\u{1b}[2J\nnext");
        let path = folder.join(FILE);
        let text = fs::read_to_string(&path).expect("a log");
        assert!(text.ends_with(" Stop password: [REDACTED:password-assignment] next\n"), "{text}");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(&path).expect("a log").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        fs::write(&path, "a line of it\n".repeat(30_000)).expect("a long log");
        add(&folder, "Stop", "last");
        let text = fs::read_to_string(&path).expect("a log");
        assert!(text.len() < MAX_BYTES as usize, "{}", text.len());
        assert!(text.starts_with("a line of it\n") && text.ends_with(" Stop last\n"));
    }
}
