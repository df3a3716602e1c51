//! The loop, end to end: a recorded conversation's events, in order, through the real binary over the
//! sample vault, and all that it answers, byte for byte.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// A conversation's folder: a home with an index, and a project.
struct Recording {
    outer: tempfile::TempDir,
    vault: PathBuf,
}

impl Recording {
    fn new() -> Self {
        let outer = tempfile::tempdir().expect("a folder");
        let vault = outer.path().join("vault");
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/vault"), &vault);
        fs::create_dir(outer.path().join("harbor-ui")).expect("a project");
        let recording = Recording { outer, vault };
        let indexed = recording.command(&["index", "--quiet"]).status().expect("hiku runs");
        assert!(indexed.success());
        recording
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hiku"));
        let project = self.outer.path().join("harbor-ui");
        command.args(arguments).env_clear().env("HIKU_VAULT", &self.vault);
        command.env("HOME", self.outer.path()).current_dir(project);
        command
    }

    /// The bytes that the agent gets for an event.
    fn answer(&self, event: &str, input: &Value) -> String {
        let mut command = self.command(&["hook", event]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the hook starts");
        let bytes = input.to_string();
        // What a hook does not wait for it need not read.
        let _ = child.stdin.take().expect("stdin").write_all(bytes.as_bytes());
        let output = child.wait_with_output().expect("the hook ends");
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// Plays all events; a line for each, what was said, and its answer as it was written.
    fn play(&self) -> String {
        let mut played = String::new();
        for (event, input) in self.events() {
            let answer = self.answer(event, &input);
            let said = input["prompt"].as_str().or(input["tool_name"].as_str()).unwrap_or("");
            let said = said.lines().next().unwrap_or("");
            let _ = write!(played, "> {event}: {said}\n{answer}");
        }
        played
    }

    /// The recorded events, with the fields that an agent gives them.
    fn events(&self) -> Vec<(&'static str, Value)> {
        let folder = self.outer.path().join("harbor-ui");
        let base = |name: &str, own: Value| {
            let mut event = json!({
                "session_id": "5f0c", "transcript_path": "/nowhere/5f0c.jsonl", "cwd": folder,
                "permission_mode": "default", "hook_event_name": name,
            });
            let own = own.as_object().cloned().unwrap_or_default();
            event.as_object_mut().expect("an object").extend(own);
            event
        };
        let prompt = |text: &str| {
            ("user-prompt-submit", base("UserPromptSubmit", json!({ "prompt": text })))
        };
        let tool = |name: &str, arguments: Value| {
            let own = json!({ "tool_name": name, "tool_input": arguments, "tool_use_id": "t1" });
            ("pre-tool-use", base("PreToolUse", own))
        };
        let stop = |text: &str| {
            let own = json!({ "stop_hook_active": false, "last_assistant_message": text });
            ("stop", base("Stop", own))
        };
        let start =
            |source: &str| ("session-start", base("SessionStart", json!({ "source": source })));
        vec![
            start("startup"),
            prompt("How did we set up gitleaks as a pre-commit hook last time?"),
            tool("Read", json!({ "file_path": "/work/list_view.ts" })),
            tool("Edit", json!({ "file_path": "/work/.gitleaks.toml" })),
            stop("Added the hook.\n\n## Summary\n- gitleaks runs before each commit\n"),
            prompt("yes"),
            prompt("<task-notification>\n<summary>gitleaks passed</summary>\n</task-notification>"),
            prompt("How did we set up gitleaks as a pre-commit hook last time?"),
            prompt("セッションの無操作タイムアウトは何分に決めたんだっけ？"),
            prompt("rename the variable and run the tests"),
            tool("Edit", json!({ "file_path": "/work/flat_map_bench.cpp", "old_string": "x" })),
            tool("Edit", json!({ "file_path": "/work/flat_map_bench.cpp", "old_string": "y" })),
            start("resume"),
            ("session-end", base("SessionEnd", json!({ "reason": "prompt_input_exit" }))),
        ]
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("the samples").flatten() {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(&from, &to).expect("a copy");
        }
    }
}

fn listing(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(listing(&path));
        } else {
            let bytes = fs::read(&path).expect("a file");
            found.push((path, bytes));
        }
    }
    found.sort();
    found
}

#[test]
fn a_recorded_conversation_is_answered_byte_for_byte() {
    let recording = Recording::new();
    let before = listing(&recording.vault);
    let played = recording.play();
    insta::assert_snapshot!("conversation", played);
    assert_eq!(listing(&recording.vault), before, "the vault is never written");
    assert_eq!(Recording::new().play(), played, "the same from the same state");
}

#[test]
fn tools_and_the_inbox_are_opt_ins() {
    let recording = Recording::new();
    let config = recording.outer.path().join(".config/hiku");
    fs::create_dir_all(&config).expect("a folder");
    let settings = "[hook]\npre_tool_use = true\ntools = [\"Edit\"]\ninbox = \"~/inbox.md\"\n\
                    daily_notes = 2\n";
    fs::write(config.join("config.toml"), settings).expect("a config");
    insta::assert_snapshot!("conversation_with_opt_ins", recording.play());
    let inbox = fs::read_to_string(recording.outer.path().join("inbox.md")).expect("an inbox");
    let (heading, summary) = inbox.trim().split_once('\n').expect("an entry");
    assert!(heading.starts_with("## 2") && heading.ends_with("Z harbor-ui"), "{heading}");
    assert_eq!(summary.trim(), "- gitleaks runs before each commit");
}
