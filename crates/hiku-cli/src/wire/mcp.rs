//! The structured answers of `hiku mcp`, as the tools' output schemas describe them. They go into a
//! model's context, so that they are shorter than those of `--json`, and every text is sanitised:
//! an escaped control character would be a control character again once it is read. Paths alone
//! stay exact, since they are what a note is asked for by.

use std::collections::BTreeMap;

use hiku::{Hit, NoteLink, ReadNote, SearchResponse, Status};
use serde::Serialize;

pub(crate) use super::search::StaleForm;
use super::search::signal;
use crate::render::trail;
use crate::safe::{block, label, line};
use crate::settings::Place;

/// An answer of `search`.
#[derive(Debug, Serialize)]
pub(crate) struct SearchResult {
    /// That the passages are data.
    notice: String,
    /// The state that answered.
    index: IndexForm,
    /// By name, whether each took part.
    signals: BTreeMap<String, SignalForm>,
    /// Best first.
    pub(crate) hits: Vec<HitForm>,
    /// What was found and is not in the list.
    pub(crate) omitted: OmittedForm,
    /// How to get what is left out; empty where nothing is.
    pub(crate) next: String,
    /// What of the vault the answer may lack; left out where it lacks nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    stale: Option<StaleForm>,
}

#[derive(Debug, Serialize)]
struct IndexForm {
    /// Grows by one with each published change.
    generation: i64,
    /// Notes in it.
    notes: usize,
}

#[derive(Debug, Serialize)]
struct SignalForm {
    /// `used`, `off` or `unavailable`.
    state: &'static str,
    /// Why it did not take part, in English; left out where it did.
    #[serde(skip_serializing_if = "String::is_empty")]
    reason: String,
}

/// What was found and is not in a list.
#[derive(Debug, Default, Serialize)]
pub(crate) struct OmittedForm {
    /// Further notes that match by word.
    pub(crate) count: usize,
    /// `limit`, `max_tokens` or empty.
    pub(crate) why: &'static str,
}

/// One hit: with its passages, or where they did not fit, with its best line alone.
#[derive(Debug, Serialize)]
pub(crate) struct HitForm {
    /// Relative to the vault, as on disk; what `read` takes.
    path: String,
    title: String,
    /// Headings above the best passage, outermost first.
    headings: Vec<String>,
    /// 1-based.
    line_start: usize,
    line_end: usize,
    /// To four places.
    score: f64,
    /// `YYYY-MM-DD`.
    date: String,
    /// Left out where the note has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    /// Path of the note that this is a conflict copy of; left out for all others.
    #[serde(skip_serializing_if = "Option::is_none")]
    conflict_of: Option<String>,
    /// Conflict copies of it that were found too; left out when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    conflict_copies: Vec<String>,
    /// The best line of the best passage; left out where `text` is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<String>,
    /// The best passage.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Up to two, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    more_passages: Vec<PassageForm>,
    /// True where the note has changed since, and this is of before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stale: bool,
}

#[derive(Debug, Serialize)]
struct PassageForm {
    headings: Vec<String>,
    line_start: usize,
    line_end: usize,
    text: String,
}

impl SearchResult {
    /// The answer's frame, without hits.
    pub(crate) fn new(response: &SearchResponse, notice: String) -> Self {
        let form = |given: &hiku::Signal| {
            let (name, form) = signal(given);
            let (state, reason) = (form.state, line(form.reason));
            (name.to_owned(), SignalForm { state, reason })
        };
        SearchResult {
            notice,
            index: IndexForm { generation: response.generation, notes: response.notes },
            signals: response.signals.iter().map(form).collect(),
            hits: Vec::new(),
            omitted: OmittedForm::default(),
            next: String::new(),
            stale: response.stale.as_ref().map(StaleForm::lined),
        }
    }
}

impl HitForm {
    /// A hit with its passages.
    pub(crate) fn full(hit: &Hit) -> Self {
        let more = hit.passages.iter().skip(1).map(|passage| PassageForm {
            headings: lines(&passage.headings),
            line_start: passage.line_start,
            line_end: passage.line_end,
            text: block(&passage.text),
        });
        let more_passages = more.collect();
        let text = Some(hit.passages.first().map_or_else(String::new, |best| block(&best.text)));
        HitForm { snippet: None, text, more_passages, ..HitForm::brief(hit) }
    }

    /// A hit with its best line alone. A note without text is shown at its first line.
    pub(crate) fn brief(hit: &Hit) -> Self {
        let best = hit.passages.first();
        HitForm {
            path: hit.path.clone(),
            title: line(&hit.title),
            headings: best.map_or_else(Vec::new, |best| lines(&best.headings)),
            line_start: best.map_or(1, |best| best.line_start),
            line_end: best.map_or(1, |best| best.line_end),
            score: (hit.score * 1e4).round() / 1e4,
            date: hit.date.clone(),
            tags: lines(&hit.tags),
            conflict_of: hit.conflict_of.clone(),
            conflict_copies: hit.conflict_copies.clone(),
            snippet: Some(best.map_or_else(String::new, |best| line(&best.snippet))),
            text: None,
            more_passages: Vec::new(),
            stale: hit.stale,
        }
    }
}

impl HitForm {
    /// The hit as one line of a list: every part of it is a label behind words of ours.
    pub(crate) fn one_line(&self) -> String {
        let heading = label(&trail(&self.title, &self.headings));
        let snippet = label(self.snippet.as_deref().unwrap_or_default());
        let (start, end) = (self.line_start, self.line_end);
        format!("- {}:{start}-{end} {heading}: {snippet}", label(&self.path))
    }
}

fn lines(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| line(text)).collect()
}

/// An answer of `read`.
#[derive(Debug, Serialize)]
pub(crate) struct ReadResult {
    /// That the text is data.
    pub(crate) notice: String,
    /// Relative to the vault, as on disk.
    pub(crate) path: String,
    /// The note's title.
    pub(crate) title: String,
    /// First line that is shown, 1-based.
    pub(crate) line_start: usize,
    /// Last line that is shown, 1-based; 0 for an empty note.
    pub(crate) line_end: usize,
    /// Lines of the whole note.
    pub(crate) lines: usize,
    /// Credentials redacted in the part that was asked for.
    pub(crate) redactions: usize,
    /// The text.
    pub(crate) text: String,
    /// How to read on; empty where all that was asked for is shown.
    pub(crate) next: String,
}

impl ReadResult {
    /// A part of a note, whole.
    pub(crate) fn new(note: &ReadNote, notice: String) -> Self {
        ReadResult {
            notice,
            path: note.path.clone(),
            title: line(&note.title),
            line_start: note.line_start,
            line_end: note.line_end,
            lines: note.lines,
            redactions: note.redactions,
            text: block(&note.text),
            next: String::new(),
        }
    }
}

/// An answer of `status`.
#[derive(Debug, Serialize)]
pub(crate) struct StatusResult {
    /// The vault's folder, absolute.
    vault: String,
    /// The index file, absolute.
    index: String,
    /// Bytes of it.
    bytes: u64,
    /// Grows by one with each published change.
    generation: i64,
    notes: usize,
    chunks: usize,
    /// Pieces of text that have a vector.
    vectors: usize,
    /// Id of the embedding model; empty without one.
    model: String,
    /// Files that could not be notes.
    skipped: usize,
    /// Places in notes that could not be read as meant.
    warnings: usize,
    /// Credentials that were redacted.
    redactions: usize,
}

impl StatusResult {
    /// The index at a glance.
    pub(crate) fn new(status: &Status, place: &Place) -> Self {
        StatusResult {
            vault: place.vault.to_string_lossy().into_owned(),
            index: place.index.to_string_lossy().into_owned(),
            bytes: status.bytes,
            generation: status.generation,
            notes: status.notes,
            chunks: status.chunks,
            vectors: status.pieces,
            model: line(&status.model),
            skipped: status.skipped.len(),
            warnings: status.warnings.len(),
            redactions: status.redactions.iter().map(|(_, count, _)| count).sum(),
        }
    }
}

/// An answer of `related`.
#[derive(Debug, Default, Serialize)]
pub(crate) struct RelatedResult {
    /// That titles and lines are data.
    pub(crate) notice: String,
    /// The note that was asked for, relative to the vault, as on disk.
    pub(crate) path: String,
    pub(crate) title: String,
    /// Notes that it links to, in the order of its links.
    pub(crate) links: Vec<LinkForm>,
    /// Notes that link to it, by path.
    pub(crate) backlinks: Vec<LinkForm>,
    /// Notes like it, the likest first.
    pub(crate) similar: Vec<HitForm>,
    /// Links and backlinks that are not in the lists.
    pub(crate) omitted: usize,
    /// How to get them; empty where nothing is left out.
    pub(crate) next: String,
    /// What of the vault the answer may lack; left out where it lacks nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stale: Option<StaleForm>,
}

/// A link between two notes.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct LinkForm {
    /// The note at its other end; left out for a target that is no note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    /// Its title; empty without one.
    pub(crate) title: String,
    /// Target and heading as written.
    pub(crate) written: String,
    /// The line that it stands in: of the note itself for a link, of the other for a backlink.
    pub(crate) line: usize,
}

impl From<&NoteLink> for LinkForm {
    fn from(link: &NoteLink) -> Self {
        LinkForm {
            path: link.path.clone(),
            title: line(&link.title),
            written: line(&link.written),
            line: link.line,
        }
    }
}
