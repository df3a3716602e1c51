//! The JSON form of a search answer.

use std::collections::BTreeMap;
use std::path::Path;

use hiku::{
    Contribution, Hit, Passage, SearchResponse, Signal, SignalState, Stale, StaleReason, TermReport,
};
use serde::Serialize;

use super::SCHEMA;
use crate::safe::line;

/// An answer.
#[derive(Debug, Serialize)]
pub(crate) struct SearchAnswer<'a> {
    /// Version of this form; raised when a field changes its meaning or goes away.
    schema: u32,
    /// As it was given.
    query: &'a str,
    /// The vault's folder, absolute.
    vault: String,
    /// The state that answered.
    index: IndexForm<'a>,
    /// By name, whether each took part.
    signals: BTreeMap<&'a str, SignalForm<'a>>,
    /// Best first.
    hits: Vec<HitForm<'a>>,
    /// What was found and is not in the list.
    omitted: OmittedForm,
    /// What of the vault the answer may lack; left out where it lacks nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    stale: Option<StaleForm>,
    /// How the query was read; with `--explain` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<ExplainForm<'a>>,
}

/// A query of a batch that could not be answered.
#[derive(Debug, Serialize)]
pub(crate) struct FailedQuery<'a> {
    /// Version of this form; raised when a field changes its meaning or goes away.
    schema: u32,
    /// As it was given.
    query: &'a str,
    /// What is wrong, in the user's language.
    error: String,
}

#[derive(Debug, Serialize)]
struct IndexForm<'a> {
    /// Grows by one with each published change.
    generation: i64,
    /// Notes in it.
    notes: usize,
    /// Chunks in it.
    chunks: usize,
    /// Id of the embedding model; empty without one.
    model: &'a str,
}

/// Whether a signal took part.
#[derive(Debug, Serialize)]
pub(super) struct SignalForm<'a> {
    /// `used`, `off` or `unavailable`.
    pub(super) state: &'static str,
    /// Why it did not take part, in English; empty where it did.
    pub(super) reason: &'a str,
}

#[derive(Debug, Serialize)]
struct OmittedForm {
    /// Further notes that match by word.
    count: usize,
    /// `limit`, `max_tokens` or empty.
    why: &'static str,
}

/// What of the vault an answer may not have as it is now.
#[derive(Debug, Serialize)]
pub(crate) struct StaleForm {
    /// `pending`, `unseen`, `busy` or `failed`.
    why: &'static str,
    /// Notes that are known to be concerned.
    notes: usize,
    /// Where most of them are: folders, with a `/` at the end, and notes.
    parts: Vec<String>,
}

impl From<&Stale> for StaleForm {
    fn from(stale: &Stale) -> Self {
        let why = match stale.why {
            StaleReason::Pending => "pending",
            StaleReason::Unseen => "unseen",
            StaleReason::Busy => "busy",
            StaleReason::Failed => "failed",
        };
        StaleForm { why, notes: stale.notes, parts: stale.parts.clone() }
    }
}

impl StaleForm {
    /// The same for a model's context: each path on one line, without controls.
    pub(crate) fn lined(stale: &Stale) -> Self {
        let parts = stale.parts.iter().map(|part| line(part)).collect();
        StaleForm { parts, ..StaleForm::from(stale) }
    }
}

/// One hit; `line_start` to `text` are those of its best passage.
#[derive(Debug, Serialize)]
pub(crate) struct HitForm<'a> {
    /// Relative to the vault, as on disk, `/` between folders.
    path: &'a str,
    title: &'a str,
    /// Headings above the best passage, outermost first.
    headings: &'a [String],
    /// 1-based; 1 for a note without text.
    line_start: usize,
    line_end: usize,
    /// Fused; 0 for notes that were listed and not ranked.
    score: f64,
    /// By signal; one whose list does not hold the note is left out.
    ranks: BTreeMap<&'a str, u32>,
    /// One line, at most 160 characters.
    snippet: &'a str,
    /// The best passage, redacted.
    text: &'a str,
    /// Without `#`.
    tags: &'a [String],
    /// RFC 3339 in UTC, whole seconds.
    modified: String,
    /// Identity in this index.
    note_id: i64,
    /// `note:number`; empty for a note without text.
    chunk_id: &'a str,
    /// Path of the note that this is a conflict copy of; left out for all others.
    #[serde(skip_serializing_if = "Option::is_none")]
    conflict_of: Option<&'a str>,
    /// Conflict copies of it that were found too; left out when there are none.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    conflict_copies: &'a [String],
    /// True where the note has changed since, and this is of before; left out elsewhere.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stale: bool,
    /// Up to two, best first; left out when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    more_passages: Vec<PassageForm<'a>>,
    /// With `--explain`; the shares add up to the score.
    #[serde(skip_serializing_if = "Option::is_none")]
    contributions: Option<Vec<ContributionForm<'a>>>,
}

#[derive(Debug, Serialize)]
struct PassageForm<'a> {
    headings: &'a [String],
    line_start: usize,
    line_end: usize,
    snippet: &'a str,
    text: &'a str,
    chunk_id: &'a str,
}

#[derive(Debug, Serialize)]
struct ContributionForm<'a> {
    /// `lexical` or `dense`.
    signal: &'a str,
    /// 1-based, equal scores alike; `null` where the list does not hold it.
    rank: Option<u32>,
    /// The signal's own: BM25 or cosine.
    score: f64,
    /// What it adds to the fused score.
    share: f64,
}

#[derive(Debug, Serialize)]
struct ExplainForm<'a> {
    /// Best lexical score over its ideal, 0 to about 1.
    coverage: f64,
    /// Of the lexical signal in the fused score, 0 to 1.
    lexical_share: f64,
    /// In the order of the query.
    terms: Vec<TermForm<'a>>,
}

#[derive(Debug, Serialize)]
struct TermForm<'a> {
    /// As it is indexed: a stem, or `=whole` or `~chain`.
    term: &'a str,
    /// What the query has in its place, which no note holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    instead_of: Option<&'a str>,
    class: &'a str,
    /// Notes whose body holds it.
    document_frequency: usize,
    /// `ln(1 + (N - n + 0.5) / (n + 0.5))`.
    idf: f64,
}

impl<'a> SearchAnswer<'a> {
    /// The JSON form of `response`; with `explain`, of how it came about too.
    pub(crate) fn new(response: &'a SearchResponse, vault: &Path, explain: bool) -> Self {
        SearchAnswer {
            schema: SCHEMA,
            query: &response.query,
            vault: vault.to_string_lossy().into_owned(),
            index: IndexForm {
                generation: response.generation,
                notes: response.notes,
                chunks: response.chunks,
                model: &response.model,
            },
            signals: response.signals.iter().map(signal).collect(),
            hits: response.hits.iter().map(|found| hit(found, explain)).collect(),
            omitted: OmittedForm { count: response.omitted.count, why: response.omitted.why },
            stale: response.stale.as_ref().map(StaleForm::from),
            explain: explain.then(|| ExplainForm {
                coverage: response.coverage,
                lexical_share: response.lexical_share,
                terms: response.terms.iter().map(term).collect(),
            }),
        }
    }

    /// The hits, to be written one a line.
    pub(crate) fn hits(&self) -> &[HitForm<'a>] {
        &self.hits
    }
}

impl<'a> FailedQuery<'a> {
    /// The JSON form of an error.
    pub(crate) fn new(query: &'a str, error: String) -> Self {
        FailedQuery { schema: SCHEMA, query, error }
    }
}

/// The form of a signal, by its name.
pub(super) fn signal(signal: &Signal) -> (&str, SignalForm<'_>) {
    let state = match signal.state {
        SignalState::Used => "used",
        SignalState::Off => "off",
        SignalState::Unavailable => "unavailable",
    };
    (signal.name, SignalForm { state, reason: &signal.reason })
}

/// A note without a passage (an empty one, found by its title) is shown at its first line.
fn hit(hit: &Hit, explain: bool) -> HitForm<'_> {
    let best = hit.passages.first();
    let ranks = hit.contributions.iter().filter_map(|c| Some((c.signal, c.rank?)));
    HitForm {
        path: &hit.path,
        title: &hit.title,
        headings: best.map_or(&[], |passage| &passage.headings),
        line_start: best.map_or(1, |passage| passage.line_start),
        line_end: best.map_or(1, |passage| passage.line_end),
        score: hit.score,
        ranks: ranks.collect(),
        snippet: best.map_or("", |passage| &passage.snippet),
        text: best.map_or("", |passage| &passage.text),
        tags: &hit.tags,
        modified: modified(hit.modified_ns),
        note_id: hit.note_id,
        chunk_id: best.map_or("", |passage| &passage.chunk_id),
        conflict_of: hit.conflict_of.as_deref(),
        conflict_copies: &hit.conflict_copies,
        stale: hit.stale,
        more_passages: hit.passages.iter().skip(1).map(passage).collect(),
        contributions: explain.then(|| hit.contributions.iter().map(contribution).collect()),
    }
}

fn passage(passage: &Passage) -> PassageForm<'_> {
    PassageForm {
        headings: &passage.headings,
        line_start: passage.line_start,
        line_end: passage.line_end,
        snippet: &passage.snippet,
        text: &passage.text,
        chunk_id: &passage.chunk_id,
    }
}

fn contribution(given: &Contribution) -> ContributionForm<'_> {
    let Contribution { signal, rank, score, share } = *given;
    ContributionForm { signal, rank, score, share }
}

fn term(term: &TermReport) -> TermForm<'_> {
    TermForm {
        term: &term.term,
        instead_of: term.instead_of.as_deref(),
        class: term.class,
        document_frequency: term.document_frequency,
        idf: term.idf,
    }
}

/// Seconds suffice to tell versions of a note apart; RFC 3339 in UTC.
fn modified(nanoseconds: i64) -> String {
    jiff::Timestamp::from_second(nanoseconds.div_euclid(1_000_000_000))
        .map(|time| time.to_string())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests;
