//! The tool `read`: a note, a section or some lines of it as they are on disk now, within a budget
//! of tokens, with the way to read on.

use std::io::{self, Write};

use hiku::{ReadNote, Selection};
use serde_json::{Value, json};

use super::schema::{Arguments, Kind, optional, required};
use super::tools::{Answer, Refusal, Tool, data, tokens};
use super::warm::Warm;
use crate::messages::Messages;
use crate::render::fenced;
use crate::settings::{LEAST_MCP_TOKENS, MOST_MCP_TOKENS};
use crate::wire::mcp::ReadResult;

/// How many times the budget of a search a read may take: who reads a note has chosen it.
const BUDGETS: usize = 4;

/// Its entry in the list of tools.
pub(super) const TOOL: Tool = Tool {
    name: "read",
    title: "Read a note",
    description: "Reads one of the user's notes as it is on disk now: all of it, the section under a \
        heading, or some lines. Read a search hit before you rely on it: give its path as note, and \
        its line_start and line_end or a heading. Where the note is longer than the answer may be, \
        the answer says how to read on.",
    parameters: &[
        required(
            "note",
            Kind::Text,
            "Path in the vault, with or without extension, or a file name that only one note has.",
        ),
        optional("heading", Kind::Text, "Only the section under this heading."),
        optional("line_start", Kind::Whole(1, MOST_LINES), "First line, counted from 1."),
        optional("line_end", Kind::Whole(1, MOST_LINES), "Last line. Default: the note's last."),
        optional(
            "max_tokens",
            Kind::Whole(LEAST_MCP_TOKENS as u64, MOST_MCP_TOKENS as u64),
            "Most tokens of the answer. Default 8000, unless the user's config says otherwise.",
        ),
    ],
    output,
    run,
};

/// More lines than any note has; a number that every client can write exactly.
const MOST_LINES: u64 = 1 << 31;

fn run(warm: &mut Warm, arguments: &Arguments) -> Result<Answer, Refusal> {
    let messages = warm.messages();
    let part = selection(arguments, messages)?;
    let note = warm.read(arguments.text("note").unwrap_or_default(), &part)?;
    let usual = (warm.place.mcp.max_tokens * BUDGETS).min(MOST_MCP_TOKENS);
    Ok(fitted(&note, arguments.whole("max_tokens").unwrap_or(usual), messages))
}

fn selection(arguments: &Arguments, messages: Messages) -> Result<Selection, Refusal> {
    let lines = (arguments.whole("line_start"), arguments.whole("line_end"));
    match (arguments.text("heading"), lines) {
        (None, (None, None)) => Ok(Selection::Whole),
        (Some(heading), (None, None)) => Ok(Selection::Heading(heading.to_owned())),
        (Some(_), _) => Err(Refusal::Parameters(messages.heading_or_lines())),
        (None, (start, end)) => match (start.unwrap_or(1), end.unwrap_or(usize::MAX)) {
            (start, end) if end < start => {
                Err(Refusal::Parameters(messages.lines_backwards(start, end)))
            }
            (start, end) => Ok(Selection::Lines(start, end)),
        },
    }
}

/// As many lines of a part as fit the budget; of a longer first line its beginning.
pub(super) fn fitted(note: &ReadNote, budget: usize, messages: Messages) -> Answer {
    let whole = answer(note, note.text.len(), messages);
    if tokens(&whole.text, &whole.structured) <= budget {
        return whole;
    }
    let fits = |end: &usize| {
        let Answer { text, structured } = answer(note, *end, messages);
        tokens(&text, &structured) <= budget
    };
    let last_fitting =
        |ends: &[usize]| ends.partition_point(fits).checked_sub(1).map(|at| ends[at]);
    let lines: Vec<usize> = note.text.match_indices('\n').map(|(at, _)| at + 1).collect();
    let end = last_fitting(&lines).or_else(|| {
        let characters: Vec<usize> = note.text.char_indices().map(|(at, _)| at).collect();
        last_fitting(&characters)
    });
    answer(note, end.unwrap_or(0), messages)
}

/// The answer with the first `end` bytes of a part.
fn answer(note: &ReadNote, end: usize, messages: Messages) -> Answer {
    let mut form = ReadResult::new(note, messages.context_notice());
    let shown = &note.text[..end];
    if end < note.text.len() {
        let whole_lines = shown.matches('\n').count();
        form.text = crate::safe::block(shown);
        form.line_end = note.line_start + whole_lines.max(1) - 1;
        form.next = if whole_lines == 0 {
            messages.line_cut(form.line_end)
        } else {
            messages.read_on(form.line_end + 1, note.line_end)
        };
    }
    Answer { text: text(&form, messages), structured: data(&form) }
}

/// The same for models that read text.
fn text(form: &ReadResult, messages: Messages) -> String {
    let mut text = Vec::new();
    // Memory takes all.
    let _ = write_text(&mut text, form, messages);
    String::from_utf8_lossy(&text).into_owned()
}

fn write_text(out: &mut dyn Write, form: &ReadResult, messages: Messages) -> io::Result<()> {
    writeln!(out, "{}", form.notice)?;
    fenced(out, &form.title, (&form.path, ""), (form.line_start, form.line_end), &form.text)?;
    if form.redactions > 0 {
        writeln!(out, "{}", messages.read_redacted(form.redactions))?;
    }
    if form.next.is_empty() { Ok(()) } else { writeln!(out, "{}", form.next) }
}

fn output() -> Value {
    let text = json!({ "type": "string" });
    let whole = json!({ "type": "integer", "minimum": 0 });
    json!({
        "type": "object",
        "properties": {
            "notice": text, "path": text, "title": text, "line_start": whole, "line_end": whole,
            "lines": whole, "redactions": whole, "text": text, "next": text,
        },
        "required": [
            "notice", "path", "title", "line_start", "line_end", "lines", "redactions", "text",
            "next",
        ],
        "additionalProperties": false,
    })
}
