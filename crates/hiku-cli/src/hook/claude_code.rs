//! What Claude Code says to a hook and how it is answered. The only module that knows its JSON.
//!
//! Fields and limits are those of its documentation of hooks: an answer that is no hook output, or
//! any exit code but 0, delivers nothing or disturbs the turn; 10,000 characters arrive whole.

use std::io::{self, Read, Write};

use serde::Deserialize;

use super::Told;
use crate::args::HookEvent;
use crate::wire::{self, HookInput, HookOutput};

/// Longest event that is read, in bytes: a tool's answer stands in it as a whole.
const MAX_EVENT_BYTES: u64 = 16 << 20;
/// Longest subject of a tool in characters: a longer command is a script with its data.
const MAX_SUBJECT_CHARACTERS: usize = 300;
/// Arguments of tools that say what is about to be worked on, the most telling first.
const SUBJECTS: [&str; 7] =
    ["file_path", "notebook_path", "pattern", "query", "description", "command", "prompt"];

/// Reads one event: one JSON value, without waiting for the end of the stream, which some agents
/// keep open.
///
/// # Errors
/// What is no JSON object of an event.
pub(super) fn read(stream: impl Read) -> serde_json::Result<HookInput> {
    let mut values = serde_json::Deserializer::from_reader(stream.take(MAX_EVENT_BYTES));
    HookInput::deserialize(&mut values)
}

/// Writes the answer.
///
/// # Errors
/// The writer's refusal.
pub(super) fn write(out: &mut dyn Write, event: HookEvent, told: Told) -> io::Result<()> {
    let output = match told {
        Told::Context(text) => HookOutput::context(event.name(), text),
        Told::ToolOutput(response) => HookOutput::tool_output(event.name(), response),
    };
    wire::write_line(out, &output)
}

/// What a tool is about to work on, as words: names of files without their folders, patterns,
/// commands. `None` where its arguments say nothing.
pub(super) fn subject(input: &HookInput) -> Option<String> {
    let arguments = input.tool_input.as_object()?;
    let mut words: Vec<String> = Vec::new();
    for name in SUBJECTS {
        let Some(text) = arguments.get(name).and_then(|value| value.as_str()) else { continue };
        let text = if name.ends_with("_path") { file_name(text) } else { text };
        words.push(text.chars().take(MAX_SUBJECT_CHARACTERS).collect());
    }
    Some(words.join(" ")).filter(|words| !words.trim().is_empty())
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_ends_with_its_value() {
        let stream = io::Cursor::new(r#" {"prompt":"権限","cwd":null,"odd":[1]} "#).chain(Forever);
        let input = read(stream).expect("an event");
        assert_eq!(input.prompt.as_deref(), Some("権限"));
        for wrong in ["", "{", "[1]", "\"text\"", "{\"prompt\":3}", "{\"prompt\":\"\u{fffd}"] {
            assert!(read(wrong.as_bytes()).is_err(), "{wrong}");
        }
        assert!(read(&b"{\"prompt\":\"\xff\"}"[..]).is_err());
    }

    /// A stream that blocks, which here is a failure.
    struct Forever;
    impl Read for Forever {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            panic!("the end of the stream is waited for")
        }
    }

    #[test]
    fn subjects_are_words() {
        let check = |arguments: &str, expected: Option<&str>| {
            let input = read(format!("{{\"tool_input\":{arguments}}}").as_bytes()).expect("JSON");
            assert_eq!(subject(&input).as_deref(), expected, "{arguments}");
        };
        check(r#"{"file_path":"/a/b/session.rs","content":"x"}"#, Some("session.rs"));
        check(
            r#"{"command":"cargo test","description":"Run tests"}"#,
            Some("Run tests cargo test"),
        );
        check("{}", None);
        check("3", None);
    }
}
