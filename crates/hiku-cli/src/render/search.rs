//! A search answer for people: where, what it says, how it scored.

use std::io::{self, Write};

use hiku::{Contribution, Hit, Passage, SearchResponse, SignalState};

use super::{BOLD, DIM, PLAIN};
use crate::messages::Messages;
use crate::safe::line;

/// Writes the hits, then what answered; with `explain`, how each hit got its score and how the
/// query was read.
///
/// # Errors
/// The writer's refusal.
pub(crate) fn answer(
    out: &mut dyn Write,
    response: &SearchResponse,
    messages: Messages,
    explain: bool,
) -> io::Result<()> {
    for found in &response.hits {
        hit(out, found)?;
        if explain {
            writeln!(out, "    {DIM}{}{PLAIN}", explained(found, messages))?;
        }
        writeln!(out)?;
    }
    if explain {
        query_report(out, response, messages)?;
    }
    if response.hits.is_empty() && !explain {
        return Ok(());
    }
    writeln!(out, "{DIM}{}{PLAIN}", summary(response, messages))
}

fn hit(out: &mut dyn Write, hit: &Hit) -> io::Result<()> {
    let path = line(&hit.path);
    let Some(best) = hit.passages.first() else {
        writeln!(out, "{BOLD}{path}:1{PLAIN}  {}", line(&hit.title))?;
        return writeln!(out, "    {DIM}{}{PLAIN}", scores(hit));
    };
    let place = trail(&hit.title, &best.headings);
    writeln!(out, "{BOLD}{path}:{}{PLAIN}  {place}", best.line_start)?;
    writeln!(out, "    {}", line(&best.snippet))?;
    for passage in hit.passages.iter().skip(1) {
        further(out, passage)?;
    }
    writeln!(out, "    {DIM}{}{PLAIN}", scores(hit))
}

fn further(out: &mut dyn Write, passage: &Passage) -> io::Result<()> {
    let heading = passage.headings.last().map(|text| line(text) + ": ").unwrap_or_default();
    writeln!(out, "    {DIM}:{}{PLAIN} {heading}{}", passage.line_start, line(&passage.snippet))
}

/// Title and headings; a first heading that repeats the title is left out.
pub(super) fn trail(title: &str, headings: &[String]) -> String {
    let title = line(title);
    let mut parts: Vec<String> = headings.iter().map(|heading| line(heading)).collect();
    if parts.first() != Some(&title) {
        parts.insert(0, title);
    }
    parts.join(" › ")
}

fn scores(hit: &Hit) -> String {
    let signals = hit.contributions.iter().map(|given| match given.rank {
        Some(rank) => format!("{} #{rank}", given.signal),
        None => format!("{} -", given.signal),
    });
    format!("{:.3}  {}", hit.score, signals.collect::<Vec<_>>().join(", "))
}

fn explained(hit: &Hit, messages: Messages) -> String {
    let part = |given: &Contribution| {
        let [share, score] = [given.share, given.score].map(|number| format!("{number:.4}"));
        match given.rank {
            Some(rank) => messages.explain_ranked(given.signal, share, rank, score),
            None => messages.explain_unranked(given.signal, share, score),
        }
    };
    let parts: Vec<_> = hit.contributions.iter().map(part).collect();
    messages.explain_score(format_args!("{:.4}", hit.score), parts.join(" + "))
}

fn query_report(
    out: &mut dyn Write,
    response: &SearchResponse,
    messages: Messages,
) -> io::Result<()> {
    for term in &response.terms {
        let idf = format!("{:.2}", term.idf);
        let found = term.document_frequency;
        writeln!(out, "{}", messages.explain_term(line(&term.term), term.class, found, idf))?;
    }
    writeln!(out, "{}", messages.explain_coverage(format_args!("{:.2}", response.coverage)))
}

fn summary(response: &SearchResponse, messages: Messages) -> String {
    let mut parts = vec![messages.answered_by(signal_names(response))];
    let missing = response.signals.iter().filter(|s| s.state == SignalState::Unavailable);
    parts.extend(missing.map(|signal| messages.signal_missing(signal.name, line(&signal.reason))));
    if response.omitted.count > 0 {
        parts.push(messages.omitted(response.omitted.count, response.omitted.why));
    }
    parts.join("; ")
}

/// The signals that ranked, or a dash.
fn signal_names(response: &SearchResponse) -> String {
    let used = response.signals.iter().filter(|signal| signal.state == SignalState::Used);
    let names: Vec<_> = used.map(|signal| signal.name).collect();
    if names.is_empty() { "-".to_owned() } else { names.join(" + ") }
}
