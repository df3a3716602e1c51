//! Figures and comparisons for people: tables with one line a metric or category.

use std::io::{self, Write};

use hiku::Hit;
use hiku_eval::{Change, Comparison, Difference, Kind, Mean, Metric, QueryScore, Scores};

use super::{BOLD, DIM, PLAIN};
use crate::messages::Messages;
use crate::safe::line;

/// Of a long list this many entries are shown, and the rest is counted.
const SHOWN: usize = 10;

/// Writes a run's figures: the means with their intervals, the means by category, and what needs
/// to be looked at.
///
/// # Errors
/// The writer's refusal.
pub(crate) fn scores(out: &mut dyn Write, scores: &Scores, messages: Messages) -> io::Result<()> {
    let [scored, negative, unjudged, lost] =
        [Kind::Scored, Kind::Negative, Kind::Unjudged, Kind::LabelsMissing]
            .map(|kind| scores.count(kind));
    writeln!(out, "{BOLD}{}{PLAIN}", messages.eval_counts(scored, negative, unjudged, lost))?;
    let means = scores.means(None);
    for Mean { metric, queries, mean, low, high } in means.iter().copied() {
        let interval = format!("{low:.4}-{high:.4}");
        let metric = metric.to_string();
        let queries = messages.eval_queries(queries);
        writeln!(out, "{metric:<11} {BOLD}{mean:.4}{PLAIN}  {interval}  {DIM}{queries}{PLAIN}")?;
    }
    let metrics: Vec<Metric> = means.iter().map(|mean| mean.metric).collect();
    by_category(out, scores, &metrics, messages)?;
    remarks(out, scores, messages)
}

fn by_category(
    out: &mut dyn Write,
    scores: &Scores,
    metrics: &[Metric],
    messages: Messages,
) -> io::Result<()> {
    let categories = scores.categories();
    if categories.is_empty() {
        return Ok(());
    }
    let title = messages.eval_category();
    let names = categories.iter().map(|name| columns(&line(name)));
    let wide = names.chain([columns(&title)]).max().unwrap_or(0);
    writeln!(out)?;
    write!(out, "{DIM}{}", padded(&title, wide))?;
    for metric in metrics {
        write!(out, "  {:>width$}", metric.to_string(), width = width(*metric))?;
    }
    writeln!(out, "{PLAIN}")?;
    for category in categories {
        let means = scores.means(Some(category));
        write!(out, "{}", padded(&line(category), wide))?;
        for metric in metrics {
            let mean = means.iter().find(|mean| mean.metric == *metric);
            let figure = mean.map_or("-".to_owned(), |mean| format!("{:.4}", mean.mean));
            write!(out, "  {figure:>width$}", width = width(*metric))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Columns of a metric in a table of several.
fn width(metric: Metric) -> usize {
    metric.to_string().len().max("0.0000".len())
}

/// Columns of a text on a terminal: Japanese letters take two.
fn columns(text: &str) -> usize {
    text.chars().map(|found| if found >= '\u{2e80}' { 2 } else { 1 }).sum()
}

fn padded(text: &str, wide: usize) -> String {
    format!("{text}{}", " ".repeat(wide.saturating_sub(columns(text))))
}

fn remarks(out: &mut dyn Write, scores: &Scores, messages: Messages) -> io::Result<()> {
    let negative = scores.count(Kind::Negative);
    let answered = scores.queries.iter().filter(|q| q.kind == Kind::Negative && q.found > 0);
    if negative > 0 {
        writeln!(out, "\n{}", messages.eval_negatives(answered.count(), negative))?;
    }
    let unwanted = scores.queries.iter().flat_map(|query| {
        query.unwanted.iter().map(|note| format!("{}: {}", named(query), line(note)))
    });
    list(out, &unwanted.collect::<Vec<_>>(), |count| messages.eval_unwanted(count), messages)?;
    let missing = scores.missing.iter().map(|m| format!("{}: {}", line(&m.query), line(&m.label)));
    list(out, &missing.collect::<Vec<_>>(), |count| messages.eval_missing(count), messages)?;
    let lost = scores.queries.iter().filter(|query| query.kind == Kind::LabelsMissing).map(named);
    list(out, &lost.collect::<Vec<_>>(), |count| messages.eval_lost(count), messages)
}

fn named(query: &QueryScore) -> String {
    format!("{} {}", line(&query.id), line(&query.text)).trim_end().to_owned()
}

fn list(
    out: &mut dyn Write,
    entries: &[String],
    title: impl Fn(usize) -> String,
    messages: Messages,
) -> io::Result<()> {
    if entries.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{}", title(entries.len()))?;
    entries.iter().take(SHOWN).try_for_each(|entry| writeln!(out, "  {entry}"))?;
    if entries.len() > SHOWN {
        writeln!(out, "  {DIM}{}{PLAIN}", messages.more(entries.len() - SHOWN))?;
    }
    Ok(())
}

/// Writes the differences between two runs, then the queries that changed most by the first metric.
///
/// # Errors
/// The writer's refusal.
pub(crate) fn comparison(
    out: &mut dyn Write,
    comparison: &Comparison,
    messages: Messages,
) -> io::Result<()> {
    let mut category = None;
    for difference in &comparison.differences {
        if category != Some(&difference.category) {
            category = Some(&difference.category);
            let name = if difference.category.is_empty() {
                messages.all_queries()
            } else {
                line(&difference.category)
            };
            writeln!(out, "{BOLD}{name}{PLAIN}")?;
        }
        writeln!(out, "{}", difference_line(difference, messages))?;
    }
    if let Some(first) = comparison.differences.first().filter(|first| !first.changes.is_empty()) {
        writeln!(out, "\n{}", messages.eval_changes(first.metric))?;
        first.changes.iter().take(SHOWN).try_for_each(|change| change_line(out, change))?;
    }
    let left_out: Vec<String> = comparison.left_out.iter().map(|id| line(id)).collect();
    list(out, &left_out, |count| messages.eval_not_in_both(count), messages)
}

fn difference_line(difference: &Difference, messages: Messages) -> String {
    let Difference { metric, before, after, low, high, p, wins, ties, losses, .. } = difference;
    let counts = messages.eval_wins(wins, ties, losses);
    let mark = if *p < hiku_eval::SIGNIFICANT { "*" } else { " " };
    let change = difference.difference();
    format!(
        "  {:<11} {before:.4} -> {after:.4}  {BOLD}{change:+.4}{PLAIN} [{low:+.4}, {high:+.4}]  \
         p {p:.4}{mark} {DIM}{counts}{PLAIN}",
        metric.to_string()
    )
}

fn change_line(out: &mut dyn Write, change: &Change) -> io::Result<()> {
    let (id, text) = (line(&change.id), line(&change.text));
    let Change { before, after, .. } = change;
    let text = format!("  {before:.4} -> {after:.4}  {id} {text}");
    writeln!(out, "{}", text.trim_end())
}

/// Writes hits with their numbers, to choose from.
///
/// # Errors
/// The writer's refusal.
pub(crate) fn numbered(out: &mut dyn Write, hits: &[Hit]) -> io::Result<()> {
    for (number, hit) in (1..).zip(hits) {
        let place = hit.passages.first().map_or(1, |passage| passage.line_start);
        let snippet = hit.passages.first().map_or("", |passage| passage.snippet.as_str());
        let (path, title) = (line(&hit.path), line(&hit.title));
        writeln!(out, "{number:>3}  {BOLD}{path}:{place}{PLAIN}  {title}")?;
        writeln!(out, "     {DIM}{}{PLAIN}", line(snippet))?;
    }
    Ok(())
}
