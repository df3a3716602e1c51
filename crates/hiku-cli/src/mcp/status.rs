//! The tool `status`: which vault answers, and the state of its index.

use serde_json::{Value, json};

use super::schema::Arguments;
use super::tools::{Answer, Refusal, Tool, data};
use super::warm::Warm;
use crate::render;
use crate::wire::mcp::StatusResult;

/// Its entry in the list of tools.
pub(super) const TOOL: Tool = Tool {
    name: "status",
    title: "State of the index",
    description: "Says which vault answers and in what state its index is: notes, model, what was \
        skipped, misread or redacted. Use it when a search surprises you.",
    parameters: &[],
    output,
    run,
};

fn run(warm: &mut Warm, _: &Arguments) -> Result<Answer, Refusal> {
    let status = warm.ask(|index, _| index.status())?;
    let place = &warm.place;
    let names = [&place.vault, &place.index].map(|path| path.to_string_lossy());
    let mut text = Vec::new();
    // Memory takes all.
    let _ = render::status_lines(&mut text, &status, (&names[0], &names[1]), warm.messages());
    let structured = data(&StatusResult::new(&status, place));
    let text = crate::safe::block(&String::from_utf8_lossy(&text));
    Ok(Answer { text, structured })
}

fn output() -> Value {
    let text = json!({ "type": "string" });
    let whole = json!({ "type": "integer", "minimum": 0 });
    json!({
        "type": "object",
        "properties": {
            "vault": text, "index": text, "bytes": whole, "generation": whole, "notes": whole,
            "chunks": whole, "vectors": whole, "model": text, "skipped": whole,
            "warnings": whole, "redactions": whole,
        },
        "required": [
            "vault", "index", "bytes", "generation", "notes", "chunks", "vectors", "model",
            "skipped", "warnings", "redactions",
        ],
        "additionalProperties": false,
    })
}
