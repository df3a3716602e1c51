//! The tool `related`: the notes that a note links to, that link to it, and that are like it.

use std::collections::HashSet;
use std::io::{self, Write};

use hiku::{Hit, Index, NoteLink, NoteLinks, SearchRequest};
use serde_json::{Value, json};

use super::schema::{Arguments, Kind, optional, required};
use super::search::hit_schema;
use super::tools::{Answer, Refusal, Tool, data, tokens};
use super::warm::Warm;
use crate::messages::Messages;
use crate::safe::label;
use crate::settings::{LEAST_MCP_TOKENS, MOST_MCP_TOKENS};
use crate::wire::mcp::{HitForm, LinkForm, RelatedResult};

/// Most notes of each list.
const MAX_LIMIT: usize = 50;
/// Notes of each list where no limit is given.
const DEFAULT_LIMIT: usize = 10;
/// Characters of a note's beginning that are searched for beside its title: enough to say what it
/// is about, and few enough that its words still count.
const OPENING_CHARACTERS: usize = 400;

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
        optional("limit", Kind::Whole(1, MAX_LIMIT as u64), "Most notes of each list. Default 10."),
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
    let limit = arguments.whole("limit").unwrap_or(DEFAULT_LIMIT);
    let budget = arguments.whole("max_tokens").unwrap_or(warm.place.mcp.max_tokens);
    let kind = arguments.text("kind").unwrap_or("all");
    let wants = |list| kind == "all" || kind == list;
    let (mut around, similar) = warm.ask(|index| {
        let around = index.links(name)?;
        let similar =
            if wants("similar") { similar(index, &around.path, limit)? } else { Vec::new() };
        Ok((around, similar))
    })?;
    if !wants("links") {
        around.links.clear();
    }
    if !wants("backlinks") {
        (around.backlinks, around.unread) = (Vec::new(), 0);
    }
    keep_each_once(&mut around.links);
    Ok(fitted(&around, &similar, (limit, budget), warm.messages()))
}

/// Notes that a search for a note's title and beginning finds, but for itself.
fn similar(index: &Index, path: &str, limit: usize) -> hiku::Result<Vec<Hit>> {
    let note = index.stored(path)?;
    let opening = note.chunks.first().map_or("", |chunk| chunk.text.as_str());
    let opening: String = opening.chars().take(OPENING_CHARACTERS).collect();
    let title: String = note.title.chars().take(OPENING_CHARACTERS).collect();
    let query = format!("{title}\n{opening}");
    let request = SearchRequest { plain: true, limit: limit + 1, ..SearchRequest::new(query) };
    let mut hits = index.search(&request)?.hits;
    hits.retain(|hit| hit.path != path);
    hits.truncate(limit);
    Ok(hits)
}

/// Keeps the first link to each note, and to each target that is none.
fn keep_each_once(links: &mut Vec<NoteLink>) {
    let mut seen = HashSet::new();
    links.retain(|link| {
        seen.insert((link.path.clone(), link.path.is_none().then(|| link.written.clone())))
    });
    // Targets that are no notes crowd nothing out.
    links.sort_by_key(|link| link.path.is_none());
}

/// The longest lists up to the limit that fit the budget.
fn fitted(
    around: &NoteLinks,
    similar: &[Hit],
    (limit, budget): (usize, usize),
    messages: Messages,
) -> Answer {
    let cut = |limit: usize| {
        let form = cut(around, similar, limit, messages);
        (text(&form, messages), form)
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
fn cut(around: &NoteLinks, similar: &[Hit], limit: usize, messages: Messages) -> RelatedResult {
    let first = |links: &[NoteLink]| links.iter().take(limit).map(LinkForm::from).collect();
    let left_out = |links: &[NoteLink]| links.len().saturating_sub(limit);
    let omitted = left_out(&around.links) + left_out(&around.backlinks) + around.unread;
    let next = if omitted == 0 {
        String::new()
    } else {
        messages.more_related(omitted, (limit * 2).clamp(1, MAX_LIMIT))
    };
    RelatedResult {
        notice: messages.context_notice(),
        path: around.path.clone(),
        title: crate::safe::line(&around.title),
        links: first(&around.links),
        backlinks: first(&around.backlinks),
        similar: similar.iter().take(limit).map(HitForm::brief).collect(),
        omitted,
        next,
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
            "omitted": whole, "next": text,
        },
        "required": [
            "notice", "path", "title", "links", "backlinks", "similar", "omitted", "next",
        ],
        "additionalProperties": false,
    })
}
