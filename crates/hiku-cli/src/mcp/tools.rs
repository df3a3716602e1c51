//! The tools: what clients are told of each, and how a call becomes an answer. What a tool does is
//! in its own file.
//!
//! An error of a tool is a result with `isError`, as the protocol wants it, so that the model that
//! called it reads what was wrong and what to do; only a tool that is not there is a protocol error.

use std::fmt::Write;

use hiku::text::estimate_tokens;
use serde_json::{Map, Value, json};

use super::protocol::{Fault, INVALID_PARAMS, Request};
use super::schema::{Arguments, Parameter, input_schema, nearest};
use super::warm::Warm;
use super::{read, related, search, status};
use crate::exit::CommandError;
use crate::safe;

/// A tool.
pub(super) struct Tool {
    /// What clients call it by.
    pub(super) name: &'static str,
    /// For people.
    pub(super) title: &'static str,
    /// For the model that decides whether to call it. Clients cut it at 2 KB.
    pub(super) description: &'static str,
    /// What a call may carry.
    pub(super) parameters: &'static [Parameter],
    /// The JSON Schema of its structured answer.
    pub(super) output: fn() -> Value,
    /// Answers one call.
    pub(super) run: fn(&mut Warm, &Arguments) -> Result<Answer, Refusal>,
}

/// What a tool answers, twice: for models that read text and for programs.
pub(super) struct Answer {
    /// Sanitised, passages of notes fenced.
    pub(super) text: String,
    /// After the tool's output schema.
    pub(super) structured: Value,
}

/// Why a tool has no answer.
pub(super) enum Refusal {
    /// The parameters do not go together; a sentence.
    Parameters(String),
    /// The work failed.
    Failed(CommandError),
}

impl From<CommandError> for Refusal {
    fn from(error: CommandError) -> Self {
        Refusal::Failed(error)
    }
}

/// In the order in which clients list them.
const TOOLS: [&Tool; 4] = [&search::TOOL, &read::TOOL, &related::TOOL, &status::TOOL];

/// The result of `tools/list`.
pub(super) fn list() -> Value {
    json!({ "tools": TOOLS.map(description) })
}

fn description(tool: &Tool) -> Value {
    json!({
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": input_schema(tool.parameters),
        "outputSchema": (tool.output)(),
        "annotations": {
            "title": tool.title,
            "readOnlyHint": true,
            "destructiveHint": false,
            "idempotentHint": true,
            "openWorldHint": false,
        },
    })
}

/// The result of `tools/call`.
///
/// # Errors
/// A tool that is not there; parameters of the call itself that are malformed.
pub(super) fn call(warm: &mut Warm, request: &Request) -> Result<Value, Fault> {
    let tool = tool_of(request)?;
    let given = match request.params.get("arguments") {
        Some(Value::Object(given)) => given.clone(),
        None | Some(Value::Null) => Map::new(),
        Some(_) => return Err(Fault::new(INVALID_PARAMS, "arguments must be an object")),
    };
    let outcome = Arguments::check(given, tool.parameters, warm.messages())
        .map_err(Refusal::Parameters)
        .and_then(|arguments| (tool.run)(warm, &arguments));
    Ok(match outcome {
        Ok(Answer { text, structured }) => json!({
            "content": [{ "type": "text", "text": text }],
            "structuredContent": structured,
            "isError": false,
        }),
        Err(refusal) => json!({
            "content": [{ "type": "text", "text": explained(&refusal, warm) }],
            "isError": true,
        }),
    })
}

fn tool_of(request: &Request) -> Result<&'static Tool, Fault> {
    let Some(name) = request.params.get("name").and_then(Value::as_str) else {
        return Err(Fault::new(INVALID_PARAMS, "name must be the name of a tool"));
    };
    TOOLS.into_iter().find(|tool| tool.name == name).ok_or_else(|| {
        let names = TOOLS.map(|tool| tool.name);
        let meant = nearest(name, &names).map_or_else(
            || format!("; there are: {}", names.join(", ")),
            |near| format!(": did you mean {near}?"),
        );
        Fault::new(INVALID_PARAMS, format!("there is no tool {}{meant}", safe::label(name)))
    })
}

/// What went wrong and what to do about it, as lines.
fn explained(refusal: &Refusal, warm: &Warm) -> String {
    let messages = warm.messages();
    let error = match refusal {
        Refusal::Parameters(text) => return format!("{}: {text}", messages.label_error()),
        Refusal::Failed(error) => error,
    };
    let (text, hints) = warm.session.explained(error);
    let mut lines = format!("{}: {}", messages.label_error(), safe::block(&text));
    let _ = write!(lines, "\n{}", messages.exit_code(error.exit as u8));
    for hint in hints {
        let _ = write!(lines, "\n{}: {}", messages.label_hint(), safe::block(hint.trim_end()));
    }
    lines
}

/// The tokens of an answer in its dearer form: clients show a model one of the two.
pub(super) fn tokens(text: &str, structured: &impl serde::Serialize) -> usize {
    let json = serde_json::to_string(structured).unwrap_or_default();
    estimate_tokens(text).max(estimate_tokens(&json))
}

/// The form of a structured answer.
pub(super) fn data(form: &impl serde::Serialize) -> Value {
    serde_json::to_value(form).unwrap_or_default()
}
