//! `post-tool-use`: a large output in a tool's response gives way to its extract, and the whole is
//! kept. Knows the forms of Claude Code's responses; chooses no lines.
//!
//! The replacement has the form of the response, or the agent drops it: of a command `stdout` and
//! `stderr`, of a search `content`, of a server's tool its blocks of text.

use hiku::scrub::{ScrubOptions, Scrubber};
use serde_json::{Map, Value};

use super::conversation::Conversation;
use super::extract::{self, Call, Options};
use super::kept_output::KeptOutputs;
use crate::plain_file::read_bytes;
use crate::settings::{Environment, HookSettings, Place};
use crate::wire::HookInput;

/// Bytes of a command's output that is read from the agent's own file: it cuts longer ones off.
const MAX_PERSISTED_BYTES: u64 = 64 << 20;
/// The agent's own tool for command lines.
const SHELL: &str = "Bash";
/// Where a command's output is too long for its response, the agent's file of it, and its size. Our
/// replacement drops both, or the agent would show that file's beginning instead.
const PERSISTED: [&str; 2] = ["persistedOutputPath", "persistedOutputSize"];

/// What stands for a tool's response; `None` where it stays as it is. What the conversation is about
/// is known where there is a vault.
pub(super) fn respond(
    input: &HookInput,
    settings: &HookSettings,
    place: Option<&Place>,
    environment: &Environment,
) -> Option<Value> {
    if settings.extract_over_tokens == 0 {
        return None;
    }
    let (folder, cache) = (super::folder(environment)?, environment.cache.as_ref()?);
    let id = input.session_id.as_deref().unwrap_or_default();
    let conversation = place.map(|place| Conversation::recall(&folder, id, &place.vault));
    let answered = Answered {
        tool: input.tool_name.as_deref().unwrap_or_default(),
        input: &input.tool_input,
        response: &input.tool_response,
        task: conversation.as_ref().map_or("", Conversation::prompt),
    };
    let messages = environment.messages;
    let options = Options { over_tokens: settings.extract_over_tokens, messages };
    let scrub = place.map(|place| place.settings.scrub.clone()).unwrap_or_default();
    replacement(&answered, &options, &scrub, &KeptOutputs::of(cache))
}

/// A tool has answered.
#[derive(Debug, Clone, Copy)]
struct Answered<'a> {
    /// The tool's name.
    tool: &'a str,
    /// Its arguments.
    input: &'a Value,
    /// What it answered.
    response: &'a Value,
    /// The conversation's last prompt; may be empty.
    task: &'a str,
}

/// Makes the replacements of responses.
#[derive(Debug)]
struct Replacing<'r> {
    call: Call<'r>,
    options: &'r Options,
    scrubber: Scrubber,
    kept: &'r KeptOutputs,
}

/// The response with extracts in place of its large outputs, in the same form; `None` where it
/// stays as it is, also because the whole could not be kept: nothing is left out that cannot be had.
fn replacement(
    answered: &Answered<'_>,
    options: &Options,
    scrub: &ScrubOptions,
    kept: &KeptOutputs,
) -> Option<Value> {
    let command = answered.input.get("command").and_then(Value::as_str).unwrap_or("");
    let call = Call { tool: answered.tool, command, task: answered.task };
    let replacing = Replacing { call, options, scrubber: Scrubber::new(scrub), kept };
    replacing.response(answered.response)
}

impl Replacing<'_> {
    fn response(&self, response: &Value) -> Option<Value> {
        match response {
            Value::String(text) => self.text(text).map(Value::String),
            Value::Array(blocks) => self.blocks(blocks).map(Value::Array),
            Value::Object(fields) if fields.contains_key("stdout") => self.streams(fields),
            Value::Object(fields) => self.content(fields),
            _ => None,
        }
    }

    /// A command's two streams are one output, as the agent joins them.
    fn streams(&self, fields: &Map<String, Value>) -> Option<Value> {
        let is_set = |name| fields.get(name).and_then(Value::as_bool) == Some(true);
        let stream = |name| fields.get(name).and_then(Value::as_str).unwrap_or("");
        if is_set("isImage") || fields.get("backgroundTaskId").is_some_and(Value::is_string) {
            return None;
        }
        let output = match fields.get(PERSISTED[0]).and_then(Value::as_str) {
            // The agent's shell writes both streams to that file. A server's tool could name any file.
            Some(path) if self.call.tool == SHELL => persisted(path)?,
            Some(_) => return None,
            None => joined(stream("stdout"), stream("stderr")),
        };
        let text = self.text(&output)?;
        let mut replaced = fields.clone();
        for name in PERSISTED {
            replaced.remove(name);
        }
        replaced.insert("stdout".to_owned(), Value::String(text));
        if replaced.contains_key("stderr") {
            replaced.insert("stderr".to_owned(), Value::String(String::new()));
        }
        Some(Value::Object(replaced))
    }

    /// `content` is the text of a search, or the blocks of a server's tool.
    fn content(&self, fields: &Map<String, Value>) -> Option<Value> {
        let content = match fields.get("content")? {
            Value::String(text) => self.text(text).map(Value::String),
            Value::Array(blocks) => self.blocks(blocks).map(Value::Array),
            _ => None,
        }?;
        let mut replaced = fields.clone();
        replaced.insert("content".to_owned(), content);
        Some(Value::Object(replaced))
    }

    /// Each large block of text by itself; the others stay.
    fn blocks(&self, blocks: &[Value]) -> Option<Vec<Value>> {
        let mut replaced = blocks.to_vec();
        let mut is_changed = false;
        for block in &mut replaced {
            let text = block.get("text").and_then(Value::as_str).and_then(|text| self.text(text));
            if let (Some(text), Some(fields)) = (text, block.as_object_mut()) {
                fields.insert("text".to_owned(), Value::String(text));
                is_changed = true;
            }
        }
        is_changed.then_some(replaced)
    }

    /// The extract of one output. Credentials go before anything is kept or shown, and after what a
    /// terminal would not show, which could hide them.
    fn text(&self, output: &str) -> Option<String> {
        if !extract::is_worth_a_look(&self.call, output, self.options) {
            return None;
        }
        let clean = extract::clean(output);
        let whole = self.scrubber.scrub(&clean).text;
        let extract = extract::extract(&self.call, &whole, self.options)?;
        self.kept.keep(&extract.id, &whole).ok()?;
        // What stands together in the extract only may look like a credential; it is shown no more.
        Some(self.scrubber.scrub(&extract.text).text.into_owned())
    }
}

fn joined(stdout: &str, stderr: &str) -> String {
    let between = if stdout.is_empty() || stdout.ends_with('\n') { "" } else { "\n" };
    if stderr.is_empty() { stdout.to_owned() } else { format!("{stdout}{between}{stderr}") }
}

/// The agent's file of a whole output.
fn persisted(path: &str) -> Option<String> {
    let bytes = read_bytes(path.as_ref(), MAX_PERSISTED_BYTES).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn replaced(tool: &str, input: &Value, response: &Value) -> (Option<Value>, Vec<String>) {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = KeptOutputs::of(folder.path());
        let answered = Answered { tool, input, response, task: "" };
        let made = replacement(&answered, &Options::default(), &ScrubOptions::default(), &kept);
        let files =
            std::fs::read_dir(folder.path().join("outputs")).into_iter().flatten().flatten();
        let texts = files.map(|file| std::fs::read_to_string(file.path()).expect("a text"));
        (made, texts.collect())
    }

    fn large(last: &str) -> String {
        let line = |n| [format!("\u{1b}[32mok\u{1b}[0m module_{n} was checked"), "\n".to_owned()];
        (0..900).flat_map(line).collect::<String>() + last
    }

    #[test]
    fn a_replacement_has_the_form_of_the_response() {
        let (output, build) = (large("error: no\n"), json!({"command": "./build"}));
        let bash = |response: Value| replaced("Bash", &build, &response).0.expect("a replacement");
        let made = bash(
            json!({"stdout": output, "stderr": "warning: old\n", "interrupted": false, "isImage": false}),
        );
        let stdout = made["stdout"].as_str().expect("a text");
        assert!(stdout.contains("error: no\nwarning: old\n[hiku: "), "{stdout}");
        assert_eq!((&made["stderr"], &made["interrupted"]), (&json!(""), &json!(false)));
        assert_eq!(made.as_object().expect("an object").len(), 4);
        assert!(bash(json!(output)).is_string());

        let (made, _) = replaced(
            "Grep",
            &json!({}),
            &json!({"mode": "content", "numLines": 900, "content": output}),
        );
        let made = made.expect("a replacement");
        assert!(
            made["content"].as_str().expect("a text").contains("[hiku: ")
                && made["numLines"] == 900
        );

        let image = json!({"type": "image", "data": "x"});
        let blocks =
            json!([{"type": "text", "text": output}, image, {"type": "text", "text": "short"}]);
        let (made, kept) = replaced("mcp__ci__run", &json!({}), &blocks);
        let made = made.expect("a replacement");
        assert!(made[0]["text"].as_str().expect("a text").contains("error: no"));
        assert_eq!((&made[1], &made[2]["text"], kept.len()), (&image, &json!("short"), 1));
    }

    #[test]
    fn what_is_no_large_text_stays() {
        let build = json!({"command": "./build"});
        let stays = |tool: &str, input: &Value, response: Value| {
            let (made, kept) = replaced(tool, input, &response);
            assert!(made.is_none() && kept.is_empty(), "{tool} {input}");
        };
        stays("Bash", &build, json!({"stdout": "error: no\n", "stderr": ""}));
        stays("Bash", &build, json!({"stdout": large(""), "stderr": "", "isImage": true}));
        stays("Bash", &build, json!({"stdout": large(""), "backgroundTaskId": "b1"}));
        stays("Bash", &json!({"command": "cat a.rs"}), json!({"stdout": large(""), "stderr": ""}));
        stays(
            "Read",
            &json!({"file_path": "a.log"}),
            json!({"type": "text", "file": {"content": large("")}}),
        );
        stays("mcp__docs__page", &json!({}), json!([{"type": "text", "text": large("")}]));
        for odd in [
            json!(null),
            json!(3),
            json!({}),
            json!([]),
            json!({"stdout": 3}),
            json!({"content": null}),
        ] {
            stays("Bash", &build, odd);
        }
        stays("Bash", &json!({"command": ["ls"]}), json!({"stdout": null, "stderr": {}}));
    }

    #[test]
    fn the_agents_own_file_is_read_for_its_shell_only() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), large("error: at the end\n")).expect("its text");
        let response = json!({"stdout": "ok", "stderr": "", "persistedOutputPath": file.path(), "persistedOutputSize": 9});
        let build = json!({"command": "./build"});
        let (made, kept) = replaced("Bash", &build, &response);
        let made = made.expect("a replacement");
        assert!(made["stdout"].as_str().expect("a text").contains("error: at the end"));
        assert!(
            made.get("persistedOutputPath").is_none() && made.get("persistedOutputSize").is_none()
        );
        assert!(kept[0].starts_with("ok module_0 was checked\nok module_1"), "{}", &kept[0][..60]);
        assert_eq!(replaced("mcp__evil__run", &build, &response).0, None);
        let absent = json!({"stdout": "ok", "persistedOutputPath": "/absent/file"});
        assert_eq!(replaced("Bash", &build, &absent).0, None);
    }

    #[test]
    fn credentials_are_neither_kept_nor_shown() {
        let secret = "tr0ub4dor-and-3";
        let output = large("error: login failed, pass\u{1b}[0mword: tr0ub4d\u{200b}or-and-3\n");
        let (made, kept) =
            replaced("Bash", &json!({"command": "./login"}), &json!({"stdout": output}));
        let shown = made.expect("a replacement")["stdout"].to_string();
        assert!(!shown.contains(secret) && shown.contains("[REDACTED:"), "{shown}");
        assert!(!kept[0].contains(secret) && kept[0].contains("[REDACTED:"));
    }

    #[test]
    fn nothing_is_left_out_that_cannot_be_had() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let kept = KeptOutputs::of(file.path());
        let (input, response) = (json!({"command": "./build"}), json!({"stdout": large("")}));
        let answered = Answered { tool: "Bash", input: &input, response: &response, task: "" };
        assert_eq!(
            replacement(&answered, &Options::default(), &ScrubOptions::default(), &kept),
            None
        );
    }
}
