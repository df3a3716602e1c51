//! The tool `search`: passages by word and by meaning, within a budget of tokens.
//!
//! The best hits come with their passages, up to a share of the budget; those after them with their
//! best line, so that a question with many answers shows what there is; the rest is counted, with
//! the way to ask for it. Both forms of an answer keep to the budget.

use std::fmt::Write;

use hiku::text::estimate_tokens;
use hiku::{Filters, Grouping, Hit, Mode, SearchRequest, SearchResponse, SignalState};
use serde_json::{Value, json};

use super::schema::{Arguments, Kind, optional, required};
use super::tools::{Answer, Refusal, Tool, data, tokens};
use super::warm::Warm;
use crate::messages::Messages;
use crate::render::fenced_hit;
use crate::request::conditions;
use crate::safe::label;
use crate::settings::{LEAST_MCP_TOKENS, MOST_MCP_TOKENS};
use crate::wire::mcp::{HitForm, SearchResult};

/// Most hits of one call. More are better asked for by a narrower question: an agent reads them all.
const MAX_LIMIT: usize = 50;
/// Hits where no limit is given, as on the command line.
const DEFAULT_LIMIT: usize = 10;
/// Share of the budget for whole passages, in percent; the rest shows best lines.
const PASSAGE_SHARE: usize = 75;

/// Its entry in the list of tools.
pub(super) const TOOL: Tool = Tool {
    name: "search",
    title: "Search the notes",
    description: "Finds passages in the user's notes by word and by meaning; question and notes may \
        be in different languages. Returns the best passages with path, title, headings and lines, \
        and further hits by their best line. Use it before answering anything that the user may \
        have written down. Read a hit (tool `read`) before you rely on it. In the query, \
        \"a phrase\" must occur, -word must not, [[Note]] wants a link to that note; anything else \
        is plain text, and any text is legal.",
    parameters: &[
        required("query", Kind::Text, "The question in the user's own words, or key words."),
        optional("limit", Kind::Whole(1, MAX_LIMIT as u64), "Most hits. Default 10."),
        optional(
            "max_tokens",
            Kind::Whole(LEAST_MCP_TOKENS as u64, MOST_MCP_TOKENS as u64),
            "Most tokens of the answer. Default 2000, unless the user's config says otherwise.",
        ),
        optional(
            "tags",
            Kind::Texts,
            "Only notes with one of these tags, without #; a hyphen in front excludes: -draft.",
        ),
        optional(
            "paths",
            Kind::Texts,
            "Only notes in one of these folders or matching one of these globs; a hyphen in front \
             excludes.",
        ),
        optional(
            "types",
            Kind::Texts,
            "Only notes whose front matter has one of these types; a hyphen in front excludes.",
        ),
        optional("after", Kind::Day, "Only notes dated on or after this day (YYYY-MM-DD)."),
        optional("before", Kind::Day, "Only notes dated before this day (YYYY-MM-DD)."),
        optional(
            "mode",
            Kind::Choice(&["hybrid", "lexical", "dense"]),
            "hybrid ranks by word and meaning, lexical by word alone, dense by meaning alone.",
        ),
        optional(
            "by",
            Kind::Choice(&["note", "chunk"]),
            "note gives one hit a note, its best passages inside; chunk one hit a passage.",
        ),
    ],
    output,
    run,
};

fn run(warm: &mut Warm, arguments: &Arguments) -> Result<Answer, Refusal> {
    let request = request(arguments);
    let budget = arguments.whole("max_tokens").unwrap_or(warm.place.mcp.max_tokens);
    let mut response = warm.ask(|index, folder| index.search_current(&request, folder, true))?;
    response.stale.clone_from(&warm.stale);
    let remark = warm.stale_remark();
    Ok(fitted(&response, &remark, (budget, request.limit), warm.messages()))
}

/// The library's request. The budget is not in it: what does not fit as a passage is shown by its
/// best line.
fn request(arguments: &Arguments) -> SearchRequest {
    let list = |name| conditions(arguments.texts(name));
    SearchRequest {
        limit: arguments.whole("limit").unwrap_or(DEFAULT_LIMIT),
        mode: match arguments.text("mode") {
            Some("lexical") => Mode::Lexical,
            Some("dense") => Mode::Dense,
            _ => Mode::Hybrid,
        },
        by: match arguments.text("by") {
            Some("chunk") => Grouping::Chunk,
            _ => Grouping::Note,
        },
        filters: Filters {
            tags: list("tags"),
            paths: list("paths"),
            types: list("types"),
            after: arguments.text("after").map(str::to_owned),
            before: arguments.text("before").map(str::to_owned),
        },
        ..SearchRequest::new(arguments.text("query").unwrap_or_default())
    }
}

/// An answer that grows hit by hit, as text and as data.
struct Growing {
    text: String,
    structured: SearchResult,
    /// What is left of the budget.
    left: usize,
    /// What is left of the share for whole passages.
    left_for_passages: usize,
    /// Whether a hit was shown by its best line.
    has_brief: bool,
}

/// The answer within the budget.
fn fitted(
    response: &SearchResponse,
    remark: &str,
    (budget, limit): (usize, usize),
    messages: Messages,
) -> Answer {
    let frame = SearchResult::new(response, messages.context_notice());
    let head = head(response, remark, messages);
    // The last lines are written when it is known what is left out; their room is kept free.
    let longest = next_step(usize::MAX / 2, (budget, limit), "max_tokens", messages);
    let kept_free =
        tokens(&head, &frame) + estimate_tokens(&longest) + estimate_tokens(&further(messages));
    let left = budget.saturating_sub(kept_free);
    let left_for_passages = left * PASSAGE_SHARE / 100;
    let mut growing =
        Growing { text: head, structured: frame, left, left_for_passages, has_brief: false };
    let shown = response
        .hits
        .iter()
        .enumerate()
        .take_while(|(rank, hit)| growing.add(hit, *rank == 0, messages));
    let shown = shown.count();
    growing.finish(response, shown, (budget, limit), messages)
}

/// What stands above the hits: that they are data, which signal did not run, and what of the vault
/// they may lack.
fn head(response: &SearchResponse, remark: &str, messages: Messages) -> String {
    let mut head = if response.hits.is_empty() {
        messages.no_hits()
    } else {
        format!("## Relevant Memory Context\n\n{}", messages.context_notice())
    };
    head.push('\n');
    let missing = response.signals.iter().filter(|one| one.state == SignalState::Unavailable);
    for signal in missing {
        head.push_str(&messages.signal_missing(signal.name, label(&signal.reason)));
        head.push('\n');
    }
    head + remark
}

fn further(messages: Messages) -> String {
    format!("\n{}\n", messages.further_hits())
}

impl Growing {
    /// Adds a hit, whole or by its best line; false where neither fits. The first is always added,
    /// cut if need be: nothing would look as if nothing were found.
    fn add(&mut self, hit: &Hit, is_first: bool, messages: Messages) -> bool {
        if !self.has_brief && self.add_whole(hit, is_first, messages) {
            return true;
        }
        let form = HitForm::brief(hit);
        let line = format!("{}\n", form.one_line());
        let cost = tokens(&line, &form) + 1;
        if cost > self.left {
            return false;
        }
        if !self.has_brief {
            self.text.push_str(&further(messages));
            self.has_brief = true;
        }
        self.take(&line, form, cost);
        true
    }

    /// Adds as many of a hit's passages as fit; of the first hit at least a part of the best.
    fn add_whole(&mut self, hit: &Hit, is_first: bool, messages: Messages) -> bool {
        let mut hit = hit.clone();
        loop {
            let (text, form) = whole(&hit, messages);
            let cost = tokens(&text, &form) + 1;
            if cost <= self.left_for_passages {
                self.take(&text, form, cost);
                self.left_for_passages -= cost;
                return true;
            }
            if hit.passages.len() > 1 {
                hit.passages.pop();
            } else {
                return is_first && self.add_cut(hit, messages);
            }
        }
    }

    /// Adds the beginning of a hit's best passage, as much of it as fits.
    fn add_cut(&mut self, mut hit: Hit, messages: Messages) -> bool {
        let Some(best) = hit.passages.first() else { return false };
        let text = best.text.clone();
        let note = messages.passage_cut(label(&hit.path), best.line_start, best.line_end);
        let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let mut cut = |end: usize| {
            text[..end].clone_into(&mut hit.passages[0].text);
            let (shown, form) = whole(&hit, messages);
            let shown = format!("{shown}{note}\n");
            let cost = tokens(&shown, &form) + 1;
            (shown, form, cost)
        };
        let fitting = ends.partition_point(|end| cut(*end).2 <= self.left_for_passages);
        let Some(last) = fitting.checked_sub(1) else { return false };
        let (shown, form, cost) = cut(ends[last]);
        self.take(&shown, form, cost);
        self.left_for_passages -= cost;
        true
    }

    fn take(&mut self, text: &str, form: HitForm, cost: usize) {
        self.text.push_str(text);
        self.structured.hits.push(form);
        self.left -= cost;
    }

    /// Says what is left out.
    fn finish(
        mut self,
        response: &SearchResponse,
        shown: usize,
        limits: (usize, usize),
        messages: Messages,
    ) -> Answer {
        let cut = response.hits.len() - shown;
        self.structured.omitted.count = response.omitted.count + cut;
        self.structured.omitted.why = if cut > 0 { "max_tokens" } else { response.omitted.why };
        let omitted = &self.structured.omitted;
        if omitted.count > 0 {
            let next = next_step(omitted.count, limits, omitted.why, messages);
            let _ = writeln!(self.text, "\n{next}");
            self.structured.next = next;
        }
        Answer { text: self.text, structured: data(&self.structured) }
    }
}

fn whole(hit: &Hit, messages: Messages) -> (String, HitForm) {
    let mut text = Vec::new();
    // Memory takes all.
    let _ = fenced_hit(&mut text, hit, messages);
    (String::from_utf8_lossy(&text).into_owned(), HitForm::full(hit))
}

/// How to ask for what is left out.
fn next_step(
    count: usize,
    (budget, limit): (usize, usize),
    why: &str,
    messages: Messages,
) -> String {
    if why == "max_tokens" {
        messages.more_by_tokens(count, (budget * 2).min(MOST_MCP_TOKENS))
    } else {
        messages.more_by_limit(count, (limit * 2).min(MAX_LIMIT))
    }
}

fn output() -> Value {
    let text = json!({ "type": "string" });
    let whole = json!({ "type": "integer", "minimum": 0 });
    let signal = json!({
        "type": "object",
        "properties": {
            "state": { "type": "string", "enum": ["used", "off", "unavailable"] },
            "reason": text,
        },
        "required": ["state"],
        "additionalProperties": false,
    });
    json!({
        "type": "object",
        "properties": {
            "notice": text,
            "index": {
                "type": "object",
                "properties": { "generation": whole, "notes": whole },
                "required": ["generation", "notes"],
                "additionalProperties": false,
            },
            "signals": {
                "type": "object",
                "properties": { "lexical": signal, "dense": signal },
                "required": ["lexical", "dense"],
                "additionalProperties": false,
            },
            "hits": { "type": "array", "items": hit_schema() },
            "omitted": {
                "type": "object",
                "properties": {
                    "count": whole,
                    "why": { "type": "string", "enum": ["", "limit", "max_tokens"] },
                },
                "required": ["count", "why"],
                "additionalProperties": false,
            },
            "next": text,
            "stale": stale_schema(),
        },
        "required": ["notice", "index", "signals", "hits", "omitted", "next"],
        "additionalProperties": false,
    })
}

/// The schema of what of the vault an answer may lack.
pub(super) fn stale_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "why": { "type": "string", "enum": ["pending", "unseen", "busy", "failed"] },
            "notes": { "type": "integer", "minimum": 0 },
            "parts": { "type": "array", "items": { "type": "string" } },
        },
        "required": ["why", "notes", "parts"],
        "additionalProperties": false,
    })
}

/// The schema of one hit.
pub(super) fn hit_schema() -> Value {
    let text = json!({ "type": "string" });
    let whole = json!({ "type": "integer", "minimum": 0 });
    let texts = json!({ "type": "array", "items": text });
    let passage = json!({
        "type": "object",
        "properties": {
            "headings": texts, "line_start": whole, "line_end": whole, "text": text,
        },
        "required": ["headings", "line_start", "line_end", "text"],
        "additionalProperties": false,
    });
    json!({
        "type": "object",
        "properties": {
            "path": text, "title": text, "headings": texts, "line_start": whole,
            "line_end": whole, "score": { "type": "number" }, "date": text, "tags": texts,
            "conflict_of": text, "conflict_copies": texts,
            "snippet": text, "text": text,
            "more_passages": { "type": "array", "items": passage },
            "stale": { "type": "boolean" },
        },
        "required": ["path", "title", "headings", "line_start", "line_end", "score", "date"],
        "additionalProperties": false,
    })
}
