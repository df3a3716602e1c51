//! The tool `related`: the notes that a note links to, that link to it, and that are like it.

use std::io::{self, Write};

use hiku::{NoteLink, Stale};
use serde_json::{Value, json};

use super::schema::{Arguments, Kind, optional, required};
use super::search::{hit_schema, stale_schema};
use super::tools::{Answer, Refusal, Tool, data, tokens};
use super::warm::Warm;
use crate::messages::Messages;
use crate::related::{Around, DEFAULT_RELATED, MAX_RELATED, around};
use crate::safe::label;
use crate::settings::{LEAST_MCP_TOKENS, MOST_MCP_TOKENS};
use crate::wire::mcp::{HitForm, LinkForm, RelatedResult, StaleForm};

/// Its entry in the list of tools.
pub(super) const TOOL: Tool = Tool {
    name: "related",
    title: "Notes around a note",
    description: "Finds the notes around one of the user's notes: those it links to, those that link \
        to it (backlinks) and those that are like it. Links are resolved as Obsidian does. Use it \
        to follow a subject from a note that you have found.",
    parameters: &[
        required(
            "note",
            Kind::Text,
            "Path in the vault, with or without extension, or a file name that only one note has.",
        ),
        optional("kind", Kind::Choice(&["all", "links", "backlinks", "similar"]), "Which lists."),
        optional(
            "limit",
            Kind::Whole(1, MAX_RELATED as u64),
            "Most notes of each list. Default 10.",
        ),
        optional(
            "max_tokens",
            Kind::Whole(LEAST_MCP_TOKENS as u64, MOST_MCP_TOKENS as u64),
            "Most tokens of the answer. Default 2000, unless the user's config says otherwise.",
        ),
    ],
    output,
    run,
};

fn run(warm: &mut Warm, arguments: &Arguments) -> Result<Answer, Refusal> {
    let name = arguments.text("note").unwrap_or_default();
    let limit = arguments.whole("limit").unwrap_or(DEFAULT_RELATED);
    let budget = arguments.whole("max_tokens").unwrap_or(warm.place.mcp.max_tokens);
    let kind = arguments.text("kind").unwrap_or("all");
    let wants = |list| kind == "all" || kind == list;
    let like_it = if wants("similar") { limit } else { 0 };
    let mut around = warm.ask(|index, folder| {
        around(index, |request| index.search_current(request, folder, true), name, like_it)
    })?;
    if !wants("links") {
        around.links.links.clear();
    }
    if !wants("backlinks") {
        (around.links.backlinks, around.links.unread) = (Vec::new(), 0);
    }
    let stale = (warm.stale.as_ref(), warm.stale_remark());
    Ok(fitted(&around, &stale, (limit, budget), warm.messages()))
}

/// What of the vault an answer may lack, and the same as a line.
type Lacking<'s> = (Option<&'s Stale>, String);

/// The longest lists up to the limit that fit the budget.
fn fitted(
    around: &Around,
    (stale, remark): &Lacking<'_>,
    (limit, budget): (usize, usize),
    messages: Messages,
) -> Answer {
    let cut = |limit: usize| {
        let stale = stale.map(StaleForm::lined);
        let form = RelatedResult { stale, ..cut(around, limit, messages) };
        (text(&form, messages) + remark, form)
    };
    let limits: Vec<usize> = (0..=limit).collect();
    let fitting = limits.partition_point(|limit| {
        let (text, form) = cut(*limit);
        tokens(&text, &form) <= budget
    });
    let (text, form) = cut(fitting.saturating_sub(1));
    Answer { text, structured: data(&form) }
}

/// The answer with the first notes of each list.
fn cut(around: &Around, limit: usize, messages: Messages) -> RelatedResult {
    let Around { links: note, similar, .. } = around;
    let first = |links: &[NoteLink]| links.iter().take(limit).map(LinkForm::from).collect();
    let left_out = |links: &[NoteLink]| links.len().saturating_sub(limit);
    let omitted = left_out(&note.links) + left_out(&note.backlinks) + note.unread;
    let next = if omitted == 0 {
        String::new()
    } else {
        messages.more_related(omitted, (limit * 2).clamp(1, MAX_RELATED))
    };
    RelatedResult {
        notice: messages.context_notice(),
        path: note.path.clone(),
        title: crate::safe::line(&note.title),
        links: first(&note.links),
        backlinks: first(&note.backlinks),
        similar: similar.iter().take(limit).map(HitForm::brief).collect(),
        omitted,
        next,
        stale: None,
    }
}

/// The same for models that read text. Each line begins with words of ours.
fn text(form: &RelatedResult, messages: Messages) -> String {
    let mut text = Vec::new();
    // Memory takes all.
    let _ = write_text(&mut text, form, messages);
    String::from_utf8_lossy(&text).into_owned()
}

fn write_text(out: &mut dyn Write, form: &RelatedResult, messages: Messages) -> io::Result<()> {
    let (title, path) = (label(&form.title), label(&form.path));
    writeln!(out, "{}\n\n{}", form.notice, messages.related_to(title, path))?;
    let lists = [(messages.links_from(), &form.links), (messages.links_to(), &form.backlinks)];
    for (name, links) in lists.iter().filter(|(_, links)| !links.is_empty()) {
        writeln!(out, "\n{name}")?;
        links.iter().try_for_each(|link| write_link(out, link, messages))?;
    }
    if !form.similar.is_empty() {
        writeln!(out, "\n{}", messages.similar_notes())?;
    }
    for hit in &form.similar {
        writeln!(out, "{}", hit.one_line())?;
    }
    if form.next.is_empty() { Ok(()) } else { writeln!(out, "\n{}", form.next) }
}

fn write_link(out: &mut dyn Write, link: &LinkForm, messages: Messages) -> io::Result<()> {
    let written = label(&link.written);
    match &link.path {
        Some(path) => writeln!(
            out,
            "- {} {} ([[{written}]], {})",
            label(path),
            label(&link.title),
            messages.on_line(link.line)
        ),
        None => writeln!(out, "- {}", messages.link_to_nothing(written, link.line)),
    }
}

fn output() -> Value {
    let text = json!({ "type": "string" });
    let whole = json!({ "type": "integer", "minimum": 0 });
    let link = json!({
        "type": "object",
        "properties": { "path": text, "title": text, "written": text, "line": whole },
        "required": ["title", "written", "line"],
        "additionalProperties": false,
    });
    let links = json!({ "type": "array", "items": link });
    json!({
        "type": "object",
        "properties": {
            "notice": text, "path": text, "title": text, "links": links, "backlinks": links,
            "similar": { "type": "array", "items": hit_schema() },
            "omitted": whole, "next": text, "stale": stale_schema(),
        },
        "required": [
            "notice", "path", "title", "links", "backlinks", "similar", "omitted", "next",
        ],
        "additionalProperties": false,
    })
}
