//! What is remembered of a conversation, on disk, so that no passage is shown twice in it: one
//! small file a conversation, bounded in number, size and age, for its owner only. Holds hashes and
//! the last prompt without its credentials; no text of notes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::plain_file::read_text;
use crate::private;
use crate::wire::{Remembered, Shown};

/// Folder of the files, in the hooks' folder.
const FOLDER: &str = "conversations";
/// Conversations that are remembered at most; the oldest go first.
const MAX_FILES: usize = 200;
/// How long a conversation is remembered after its last event.
const MAX_AGE: Duration = Duration::from_hours(14 * 24);
/// Longest file that is read, in bytes: a full memory takes some 30,000.
const MAX_BYTES: u64 = 256 << 10;
/// Passages that are remembered at most, the latest ones.
const MAX_SHOWN: usize = 300;
/// Characters of the last prompt that are kept: enough to search with.
const MAX_PROMPT_CHARACTERS: usize = 1_000;
/// Prompts for which a note that was shown is not shown again, by another passage either: the agent
/// has its path, and a reminder that repeats itself is soon ignored.
const NOTE_REST_PROMPTS: u32 = 3;
/// Tool calls between two passages that tools bring: an agent makes dozens for one prompt.
const TOOL_REST_CALLS: u32 = 5;

/// A conversation and its file.
#[derive(Debug)]
pub(super) struct Conversation {
    path: PathBuf,
    old: Remembered,
    memory: Remembered,
}

impl Conversation {
    /// What is known of the conversation `id` on the vault in `vault`; nothing where there is no
    /// file, or none that can be read.
    pub(super) fn recall(folder: &Path, id: &str, vault: &Path) -> Self {
        let path = folder.join(FOLDER).join(format!("{}.json", key(id, vault)));
        let text = read_text(&path, MAX_BYTES).unwrap_or_default();
        let old: Remembered = serde_json::from_str(&text).unwrap_or_default();
        Conversation { path, memory: old.clone(), old }
    }

    /// The last prompt that was searched with; empty before the first.
    pub(super) fn prompt(&self) -> &str {
        &self.memory.prompt
    }

    /// A new prompt; it must be without credentials.
    pub(super) fn begin_prompt(&mut self, prompt: &str) {
        self.memory.prompt = prompt.chars().take(MAX_PROMPT_CHARACTERS).collect();
        self.memory.prompts = self.memory.prompts.saturating_add(1);
    }

    /// A new tool call; false where the last words about one are too fresh.
    pub(super) fn begin_tool(&mut self) -> bool {
        let memory = &mut self.memory;
        memory.tools = memory.tools.saturating_add(1);
        memory.told_at_tool == 0 || memory.tools - memory.told_at_tool > TOOL_REST_CALLS
    }

    /// Something was said about the tool call at hand.
    pub(super) fn told_at_tool(&mut self) {
        self.memory.told_at_tool = self.memory.tools;
    }

    /// Whether this passage of this note may be shown.
    pub(super) fn may_show(&self, path: &str, text: &str) -> bool {
        let (passage, note) = (hash(text), hash(path));
        self.memory.shown.iter().all(|shown| {
            let rested = self.memory.prompts.saturating_sub(shown.prompt) >= NOTE_REST_PROMPTS;
            shown.passage != passage && (shown.note != note || rested)
        })
    }

    /// A passage is being shown.
    pub(super) fn show(&mut self, path: &str, text: &str) {
        let memory = &mut self.memory;
        memory.shown.push(Shown { passage: hash(text), note: hash(path), prompt: memory.prompts });
        let excess = memory.shown.len().saturating_sub(MAX_SHOWN);
        memory.shown.drain(..excess);
    }

    /// The agent has lost what it was shown, as after compaction.
    pub(super) fn forget_shown(&mut self) {
        self.memory.shown.clear();
    }

    /// Notes a summary; false for the one that was noted last.
    pub(super) fn is_new_summary(&mut self, summary: &str) -> bool {
        let hash = hash(summary);
        std::mem::replace(&mut self.memory.summary, hash.clone()) != hash
    }

    /// Deletes what is remembered.
    pub(super) fn forget(self) {
        let _ = fs::remove_file(&self.path);
    }

    /// Writes what has changed, and sweeps old conversations out where this is a new one.
    ///
    /// # Errors
    /// The operating system's refusal.
    pub(super) fn save(&self) -> io::Result<()> {
        if self.memory == self.old {
            return Ok(());
        }
        let Some(folder) = self.path.parent() else { return Ok(()) };
        private::make_folder(folder)?;
        if !self.path.exists() {
            sweep(folder, SystemTime::now());
        }
        private::write_file(&self.path, &serde_json::to_vec(&self.memory)?)
    }
}

/// A file name for an id of any length and characters.
fn key(id: &str, vault: &Path) -> String {
    let text = format!("{id}\0{}", vault.display());
    blake3::hash(text.as_bytes()).to_hex()[..32].to_owned()
}

fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
}

/// Deletes files that are too old or too many, half-written ones included.
fn sweep(folder: &Path, now: SystemTime) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<(SystemTime, PathBuf)> = entries
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    files.sort();
    let excess = (files.len() + 1).saturating_sub(MAX_FILES);
    for (number, (modified, path)) in files.iter().enumerate() {
        let is_old = now.duration_since(*modified).is_ok_and(|age| age > MAX_AGE);
        if number < excess || is_old {
            let _ = fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recall(folder: &Path, id: &str) -> Conversation {
        Conversation::recall(folder, id, Path::new("/vault"))
    }

    #[test]
    fn no_passage_is_shown_twice_and_a_note_rests() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut first = recall(folder.path(), "../../a\0\n");
        first.begin_prompt("one");
        assert!(first.may_show("a.md", "text"));
        first.show("a.md", "text");
        assert!(!first.may_show("a.md", "other"), "the note rests");
        first.save().expect("saved");
        let mut again = recall(folder.path(), "../../a\0\n");
        assert_eq!(again.prompt(), "one");
        for _ in 0..NOTE_REST_PROMPTS {
            assert!(!again.may_show("a.md", "other"));
            again.begin_prompt("next");
        }
        assert!(again.may_show("a.md", "other"));
        assert!(!again.may_show("copy.md", "text"), "the same text of another note");
        again.forget_shown();
        assert!(again.may_show("a.md", "text"));
        assert!(recall(folder.path(), "b").may_show("a.md", "text"), "another conversation");
        again.forget();
        assert_eq!(recall(folder.path(), "../../a\0\n").prompt(), "");
    }

    #[test]
    fn tools_rest_longer() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut conversation = recall(folder.path(), "a");
        assert!(conversation.begin_tool() && conversation.begin_tool());
        conversation.told_at_tool();
        let told = (0..=TOOL_REST_CALLS).map(|_| conversation.begin_tool());
        assert_eq!(told.filter(|may| *may).count(), 1);
    }

    #[test]
    fn the_memory_is_bounded_and_private() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut conversation = recall(folder.path(), "long");
        conversation.begin_prompt(&"長".repeat(5_000));
        (0..1_000).for_each(|number| conversation.show("a.md", &number.to_string()));
        conversation.save().expect("saved");
        let metadata = fs::metadata(&conversation.path).expect("a file");
        assert!(metadata.len() < MAX_BYTES, "{}", metadata.len());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
        }
        for number in 0..MAX_FILES + 5 {
            let mut conversation = recall(folder.path(), &number.to_string());
            conversation.begin_prompt("x");
            conversation.save().expect("saved");
        }
        let count = || fs::read_dir(folder.path().join(FOLDER)).expect("a folder").count();
        assert_eq!(count(), MAX_FILES);
        sweep(&folder.path().join(FOLDER), SystemTime::now() + MAX_AGE + MAX_AGE);
        assert_eq!(count(), 0);
    }

    #[test]
    fn a_file_that_cannot_be_read_is_no_memory() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut conversation = recall(folder.path(), "a");
        conversation.begin_prompt("x");
        conversation.save().expect("saved");
        for text in ["", "{\"shown\":3}", "[]", "\u{0}"] {
            fs::write(&conversation.path, text).expect("written");
            assert_eq!(recall(folder.path(), "a").prompt(), "", "{text}");
        }
    }
}
