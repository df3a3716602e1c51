//! The end of an answer or a conversation. Nothing is kept by default; where the user's config names
//! an inbox file, a summary that the agent made is added to it. The vault is never written.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::Work;
use crate::exit::{CommandError, Exit};
use crate::wire::HookInput;
use crate::{private, safe};

/// Headings of a summary, without their marks.
const HEADINGS: [&str; 4] = ["summary", "まとめ", "要約", "作業のまとめ"];
/// Longest summary in characters: what is longer is the answer itself.
const MAX_SUMMARY_CHARACTERS: usize = 2_000;
/// Largest inbox in bytes; a file that nobody empties grows no further.
const MAX_INBOX_BYTES: u64 = 4 << 20;

/// True where a conversation that ends cannot be taken up again.
pub(super) fn is_over(input: &HookInput) -> bool {
    input.reason.as_deref() == Some("clear")
}

/// Adds the summary in the agent's last message, if there is one and it is new, to the inbox file,
/// if the config names one.
///
/// # Errors
/// An inbox that lies in the vault, is no file or is full, and what the disk refuses.
pub(super) fn note_summary(work: &mut Work) -> Result<(), CommandError> {
    let Some(inbox) = work.settings.inbox.clone() else { return Ok(()) };
    let message = work.input.last_assistant_message.clone().unwrap_or_default();
    let Some(summary) = summary(&message) else { return Ok(()) };
    let summary = safe::block(&work.scrubbed(&summary));
    if !work.conversation.is_new_summary(&summary) {
        return Ok(());
    }
    let messages = work.session.messages();
    if is_inside(&inbox, &work.place.vault) {
        return Err(CommandError::new(Exit::Failed, messages.inbox_in_vault(inbox.display())));
    }
    let project = project(work.input.cwd.as_deref());
    let time = jiff::Timestamp::now().strftime("%F %H:%MZ");
    let entry = format!("\n## {time} {project}\n\n{summary}\n");
    append(&inbox, &entry).map_err(|error| {
        CommandError::new(Exit::Failed, messages.inbox_failed(inbox.display(), error))
    })
}

/// The part under the last heading that announces a summary, up to the next heading of its rank.
fn summary(message: &str) -> Option<String> {
    let lines: Vec<&str> = message.lines().collect();
    let at = lines.iter().rposition(|line| announces(line))?;
    let rank = |line: &str| line.chars().take_while(|c| *c == '#').count();
    let own = rank(lines[at]);
    let ends = |line: &&&str| (1..=own.max(1)).contains(&rank(line));
    let end = lines[at + 1..].iter().position(|line| ends(&line));
    let end = end.map_or(lines.len(), |further| at + 1 + further);
    let text: String = lines[at + 1..end].join("\n");
    let text: String = text.trim().chars().take(MAX_SUMMARY_CHARACTERS).collect();
    (!text.is_empty()).then_some(text)
}

/// A heading or a bold line of nothing but the word.
fn announces(line: &str) -> bool {
    let marked = line.starts_with('#') || line.starts_with("**");
    let text = line.trim_matches(|c: char| c.is_whitespace() || "#*:：".contains(c)).to_lowercase();
    marked && HEADINGS.contains(&text.as_str())
}

/// The name of the folder that the agent works in.
fn project(folder: Option<&str>) -> String {
    let name = folder.and_then(|folder| Path::new(folder).file_name());
    name.map_or_else(String::new, |name| safe::label(&name.to_string_lossy()))
}

/// True where the file is or would be in the folder, links followed.
fn is_inside(file: &Path, folder: &Path) -> bool {
    let real: PathBuf = fs::canonicalize(file).unwrap_or_else(|_| {
        let parent = file.parent().and_then(|parent| fs::canonicalize(parent).ok());
        parent.unwrap_or_default().join(file.file_name().unwrap_or_default())
    });
    real.starts_with(folder)
}

fn append(file: &Path, entry: &str) -> io::Result<()> {
    let is_new = match fs::metadata(file) {
        Ok(found) if !found.is_file() => return Err(io::ErrorKind::InvalidInput.into()),
        Ok(found) if found.len() > MAX_INBOX_BYTES => {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        found => found.is_err(),
    };
    let mut out = OpenOptions::new().create(true).append(true).open(file)?;
    if is_new {
        private::restrict_file(file)?;
    }
    out.write_all(entry.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_stands_under_its_heading() {
        let check = |message: &str, expected: Option<&str>| {
            assert_eq!(summary(message).as_deref(), expected, "{message}");
        };
        check(
            "Done.\n\n## Summary\n- one\n\n### Part\ntwo\n\n## Next\nthree",
            Some("- one\n\n### Part\ntwo"),
        );
        check("**まとめ:**\n直した。", Some("直した。"));
        check("## Summary\nold\n## Summary\nnew", Some("new"));
        for none in ["", "Summary\nno heading", "## Summary\n\n## Next\nx", "# My summary\nx"] {
            check(none, None);
        }
        let long = format!("# 要約\n{}", "長".repeat(5_000));
        assert_eq!(summary(&long).map(|text| text.chars().count()), Some(MAX_SUMMARY_CHARACTERS));
    }

    #[test]
    fn an_inbox_in_the_vault_is_known_through_links() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = fs::canonicalize(folder.path()).expect("its path");
        let vault = root.join("vault");
        fs::create_dir(&vault).expect("a vault");
        assert!(is_inside(&vault.join("inbox.md"), &vault));
        assert!(!is_inside(&root.join("inbox.md"), &vault));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&vault, root.join("link")).expect("a link");
            assert!(is_inside(&root.join("link/inbox.md"), &vault));
        }
    }

    #[test]
    fn entries_are_added_to_files_only() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("inbox.md");
        append(&file, "one\n").expect("added");
        append(&file, "two\n").expect("added");
        assert_eq!(fs::read_to_string(&file).expect("a text"), "one\ntwo\n");
        assert!(append(folder.path(), "x").is_err());
        fs::write(&file, vec![b'x'; MAX_INBOX_BYTES as usize + 1]).expect("a full inbox");
        assert!(append(&file, "x").is_err());
    }
}
