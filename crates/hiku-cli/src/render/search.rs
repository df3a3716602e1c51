//! A search answer for people: where, what it says, how it scored.
//!
//! ```text
//! path:line  title › headings
//!     best line of the best passage
//!     :line heading: best line of a further passage
//!     conflict copy of: path                   (where it is one; or which copies it has)
//!     score  lexical #rank, dense #rank        (or the date, where nothing was ranked)
//! ```
//!
//! For reading only: programs take `--json`, and this form may change.

use std::io::{self, Write};

use hiku::{Contribution, Hit, Passage, SearchResponse, SignalState};

use super::{BOLD, DIM, PLAIN};
use crate::messages::Messages;
use crate::safe::line;

/// Writes the hits, then what answered; with `explain`, how each hit got its score and how the
/// query was read. `flags` name the place in commands.
///
/// # Errors
/// The writer's refusal.
pub(crate) fn answer(
    out: &mut dyn Write,
    response: &SearchResponse,
    messages: Messages,
    (explain, flags): (bool, &str),
) -> io::Result<()> {
    for found in &response.hits {
        hit(out, found, messages)?;
        if explain && is_ranked(found) {
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
    writeln!(out, "{DIM}{}{PLAIN}", summary(response, messages, flags))
}

fn hit(out: &mut dyn Write, hit: &Hit, messages: Messages) -> io::Result<()> {
    let path = line(&hit.path);
    if let Some(best) = hit.passages.first() {
        let place = trail(&hit.title, &best.headings);
        writeln!(out, "{BOLD}{path}:{}{PLAIN}  {place}", best.line_start)?;
        writeln!(out, "    {}", line(&best.snippet))?;
    } else {
        writeln!(out, "{BOLD}{path}:1{PLAIN}  {}", line(&hit.title))?;
    }
    for passage in hit.passages.iter().skip(1) {
        further(out, passage)?;
    }
    if let Some(remark) = conflict(hit, messages) {
        writeln!(out, "    {DIM}{remark}{PLAIN}")?;
    }
    writeln!(out, "    {DIM}{}{PLAIN}", footing(hit, messages))
}

/// What stands below a hit.
fn footing(hit: &Hit, messages: Messages) -> String {
    let stale = if hit.stale { format!("; {}", messages.stale_hit()) } else { String::new() };
    scores(hit) + &stale
}

/// Whose conflict copy a hit is, or which copies are shown with it; on one line.
fn conflict(hit: &Hit, messages: Messages) -> Option<String> {
    if let Some(original) = &hit.conflict_of {
        return Some(messages.conflict_of(line(original)));
    }
    let copies: Vec<String> = hit.conflict_copies.iter().map(|path| line(path)).collect();
    (!copies.is_empty()).then(|| messages.conflict_copies(copies.join(", ")))
}

fn further(out: &mut dyn Write, passage: &Passage) -> io::Result<()> {
    let heading = passage.headings.last().map(|text| line(text) + ": ").unwrap_or_default();
    writeln!(out, "    {DIM}:{}{PLAIN} {heading}{}", passage.line_start, line(&passage.snippet))
}

/// Title and headings; a first heading that repeats the title is left out.
pub(crate) fn trail(title: &str, headings: &[String]) -> String {
    let title = line(title);
    let mut parts: Vec<String> = headings.iter().map(|heading| line(heading)).collect();
    if parts.first() != Some(&title) {
        parts.insert(0, title);
    }
    parts.join(" › ")
}

/// False for a hit of a question without words, whose notes are listed by date.
fn is_ranked(hit: &Hit) -> bool {
    hit.contributions.iter().any(|given| given.rank.is_some() || given.share > 0.0)
}

/// The score with each signal's rank; the date where that is what the hit is ordered by.
fn scores(hit: &Hit) -> String {
    if !is_ranked(hit) {
        return line(&hit.date);
    }
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
    if response.terms.is_empty() {
        return Ok(());
    }
    for term in &response.terms {
        let idf = format!("{:.2}", term.idf);
        let found = term.document_frequency;
        let name = line(&term.term);
        let text = match &term.instead_of {
            Some(typed) => messages.explain_near_term(name, term.class, found, idf, line(typed)),
            None => messages.explain_term(name, term.class, found, idf),
        };
        writeln!(out, "{text}")?;
    }
    writeln!(
        out,
        "{}",
        messages.explain_coverage(
            format_args!("{:.2}", response.coverage),
            format_args!("{:.2}", response.lexical_share)
        )
    )
}

fn summary(response: &SearchResponse, messages: Messages, flags: &str) -> String {
    let by_date = !response.hits.is_empty() && !response.hits.iter().any(is_ranked);
    let mut parts = Vec::new();
    if by_date {
        parts.push(messages.listed());
    } else {
        parts.push(messages.answered_by(signal_names(response)));
        let missing = response.signals.iter().filter(|s| s.state == SignalState::Unavailable);
        parts.extend(missing.map(|signal| {
            let reason = messages.phrase_in(&signal.reason, flags);
            messages.signal_missing(signal.name, line(&reason))
        }));
    }
    if response.omitted.count > 0 {
        let why = messages.phrase(response.omitted.why);
        parts.push(messages.omitted(response.omitted.count, why));
    }
    parts.join("; ")
}

/// The signals that ranked, or a dash.
fn signal_names(response: &SearchResponse) -> String {
    let used = response.signals.iter().filter(|signal| signal.state == SignalState::Used);
    let names: Vec<_> = used.map(|signal| signal.name).collect();
    if names.is_empty() { "-".to_owned() } else { names.join(" + ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::Language;
    use crate::testing::{hit, passage, response};

    fn shown(found: Vec<Hit>, messages: Messages) -> String {
        let mut out = anstream::StripStream::new(Vec::new());
        answer(&mut out, &response(found), messages, (true, "--vault /v")).expect("memory");
        String::from_utf8(out.into_inner()).expect("UTF-8")
    }

    #[test]
    fn what_no_signal_ranked_is_listed_by_date() {
        let mut found = hit("a.md", "A", vec![passage("one")]);
        found.score = 0.0;
        found.contributions.truncate(1);
        (found.contributions[0].rank, found.contributions[0].share) = (None, 0.0);
        let text = shown(vec![found], Messages::default());
        assert!(text.contains("    2026-04-10\n") && !text.contains("0.000"), "{text}");
        assert!(
            text.ends_with("listed by date, the newest first; 2 more left out (limit)\n"),
            "{text}"
        );
    }

    #[test]
    fn a_missing_signal_says_why_and_what_to_run() {
        let mut found = response(vec![hit("a.md", "A", vec![passage("one")])]);
        found.signals[1].reason = "the index holds no vectors yet: run `hiku index`".to_owned();
        let check = |language, expected: &str| {
            assert_eq!(summary(&found, Messages(language), "--vault /v"), expected);
        };
        check(
            Language::English,
            "answered by lexical; dense did not run: the index holds no vectors yet: run \
             `hiku index --vault /v`; 2 more left out (limit)",
        );
        check(
            Language::Japanese,
            "手がかり: lexical; dense は使えませんでした: 索引にまだベクトルがありません。\
             `hiku index --vault /v` を実行してください; ほか 2 件は省略 (件数の上限)",
        );
    }
}
