//! The JSON of an agent's hooks: what it writes to us and what it reads from us, and the memory of
//! a conversation as it is kept on disk. Field names are the agent's.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An event as Claude Code describes it; fields that an event does not have are empty.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct HookInput {
    /// The conversation.
    pub(crate) session_id: Option<String>,
    /// The folder that the agent works in.
    pub(crate) cwd: Option<String>,
    /// What the user, or a machine in the user's place, wrote.
    pub(crate) prompt: Option<String>,
    /// Why a conversation begins: `startup`, `resume`, `clear`, `compact`, `fork`.
    pub(crate) source: Option<String>,
    /// Why a conversation ends: `clear`, `logout`, `prompt_input_exit`, `other`.
    pub(crate) reason: Option<String>,
    /// The tool about to run.
    pub(crate) tool_name: Option<String>,
    /// Its arguments.
    pub(crate) tool_input: Value,
    /// What the tool answered, in the tool's own form.
    pub(crate) tool_response: Value,
    /// What the agent said last.
    pub(crate) last_assistant_message: Option<String>,
}

/// What a hook answers; an answer is only written where there is something to say.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HookOutput {
    hook_specific_output: Specific,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Specific {
    hook_event_name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_tool_output: Option<Value>,
}

impl HookOutput {
    /// Text that is put before the agent.
    pub(crate) fn context(event: &'static str, text: String) -> Self {
        HookOutput::new(event, Some(text), None)
    }

    /// What stands for a tool's response, in the same form.
    pub(crate) fn tool_output(event: &'static str, response: Value) -> Self {
        HookOutput::new(event, None, Some(response))
    }

    fn new(hook_event_name: &'static str, text: Option<String>, response: Option<Value>) -> Self {
        HookOutput {
            hook_specific_output: Specific {
                hook_event_name,
                additional_context: text,
                updated_tool_output: response,
            },
        }
    }
}

/// What is remembered of a conversation. Holds no text of notes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Remembered {
    /// The last prompt that was searched with, without credentials.
    pub(crate) prompt: String,
    /// Number of prompts so far.
    pub(crate) prompts: u32,
    /// Number of tool calls so far that were looked at.
    pub(crate) tools: u32,
    /// The tool call at which something was last said about one; 0 for never.
    pub(crate) told_at_tool: u32,
    /// Passages that were shown, oldest first.
    pub(crate) shown: Vec<Shown>,
    /// Hash of the summary that was last written to the inbox.
    pub(crate) summary: String,
}

/// One passage that was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Shown {
    /// Hash of its text.
    pub(crate) passage: String,
    /// Hash of its note's path.
    pub(crate) note: String,
    /// Number of the prompt at which it was.
    pub(crate) prompt: u32,
}
