//! `hiku eval --gate`: holds new figures against those of a file, and fails on a fall that chance
//! does not explain.

use std::fmt::Write;
use std::fs;

use hiku_eval::{Comparison, Difference, Scores};

use super::failure;
use crate::args::EvalArguments;
use crate::exit::{CommandError, Exit};
use crate::session::{Session, unreadable};
use crate::{safe, wire};

/// Queries that are named for each metric that fell.
const NAMED: usize = 10;

/// Reads the baseline, before anything is measured.
///
/// # Errors
/// Exit code 2 when it cannot be read or was not saved by `hiku eval`.
pub(super) fn read(
    arguments: &EvalArguments,
    session: &Session,
) -> Result<Option<Scores>, CommandError> {
    let Some(file) = &arguments.gate else { return Ok(None) };
    let messages = session.messages();
    let text = fs::read_to_string(file).map_err(|error| unreadable(messages, file, &error))?;
    wire::read_scores(&text).map(Some).map_err(|detail| {
        CommandError::new(Exit::Usage, messages.malformed_baseline(file.display(), detail))
            .hint(messages.hint_baseline(safe::shell_quoted(file)))
    })
}

/// Fails when a metric fell.
///
/// # Errors
/// Exit code 1 with what fell; 2 where the two have nothing in common.
pub(super) fn judge(
    baseline: &Scores,
    scores: &Scores,
    arguments: &EvalArguments,
    session: &Session,
) -> Result<(), CommandError> {
    let messages = session.messages();
    let comparison = Comparison::of(baseline, scores).map_err(|error| failure(session, &error))?;
    if !comparison.left_out.is_empty() {
        session.warn(
            &messages.eval_left_out(comparison.left_out.len(), comparison.left_out.join(", ")),
        );
    }
    let file = arguments.gate.as_deref().unwrap_or_else(|| "".as_ref());
    let falls: Vec<&Difference> = comparison.falls().collect();
    if falls.is_empty() {
        session.say(&messages.gate_passed(file.display()));
        return Ok(());
    }
    let mut text = messages.gate_failed(file.display());
    for fall in falls {
        let category =
            if fall.category.is_empty() { messages.all_queries() } else { fall.category.clone() };
        let (before, after) = (figure(fall.before), figure(fall.after));
        let line = messages.gate_fall(fall.metric, category, before, after, figure(fall.p));
        let _ = write!(text, "\n  {line}");
        let lost = fall.changes.iter().filter(|change| change.difference() < 0.0);
        for change in lost.take(NAMED) {
            let (before, after) = (figure(change.before), figure(change.after));
            let query = safe::line(&change.text);
            let _ = write!(text, "\n    {} {before} -> {after} {query}", safe::line(&change.id));
        }
    }
    Err(CommandError::new(Exit::Failed, text).hint(messages.hint_gate(safe::shell_quoted(file))))
}

fn figure(value: f64) -> String {
    format!("{value:.4}")
}
