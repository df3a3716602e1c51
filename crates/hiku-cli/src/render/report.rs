//! Reports for people: what an index run did, the index at a glance, problems, known vaults.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;

use hiku::{Change, Problem, Stale, StaleReason, Status, UpdateReport};

use super::{BOLD, DIM, PLAIN};
use crate::messages::Messages;
use crate::registry::KnownVault;
use crate::safe::{label, line};
use crate::settings::Place;

/// Of a long list this many entries are shown, and the rest is counted.
/// `--json` has all of them.
const SHOWN: usize = 20;

/// Writes what an index run did; `dry_run` lists every change instead.
///
/// # Errors
/// The writer's refusal.
pub(crate) fn index_report(
    out: &mut dyn Write,
    report: &UpdateReport,
    place: &Place,
    messages: Messages,
    (dry_run, elapsed): (bool, Duration),
) -> io::Result<()> {
    let counts = messages.changes(
        report.count(Change::Added),
        report.count(Change::Changed),
        report.count(Change::Moved),
        report.count(Change::Removed),
        report.embedded,
    );
    if dry_run {
        changes(out, report)?;
        writeln!(out, "{}", messages.would_index(report.notes))?;
        writeln!(out, "{counts}")?;
    } else {
        let seconds = format!("{:.1}", elapsed.as_secs_f64());
        let indexed = messages.indexed(report.notes, report.chunks);
        writeln!(out, "{BOLD}{indexed}{PLAIN} {DIM}{}{PLAIN}", messages.took(seconds))?;
        writeln!(out, "{counts}")?;
    }
    remarks(out, report, place, messages)?;
    report_lists(out, report, messages)
}

/// Writes each change of a run on a line of its own: `+` added, `~` changed, `>` moved, `-` removed.
///
/// # Errors
/// The writer's refusal.
pub(crate) fn changes(out: &mut dyn Write, report: &UpdateReport) -> io::Result<()> {
    for (change, path) in &report.changes {
        let sign = match change {
            Change::Added => '+',
            Change::Changed => '~',
            Change::Moved => '>',
            Change::Removed => '-',
        };
        writeln!(out, "{sign} {}", line(path))?;
    }
    Ok(())
}

fn remarks(
    out: &mut dyn Write,
    report: &UpdateReport,
    place: &Place,
    messages: Messages,
) -> io::Result<()> {
    if let Some(why) = report.rebuilt {
        writeln!(out, "{}", messages.rebuilt(messages.phrase(why)))?;
    }
    for remark in kept(report, place, messages) {
        writeln!(out, "{remark}")?;
    }
    if report.notes == 0 && report.kept == 0 {
        writeln!(out, "{}", no_notes(place, messages))?;
    }
    Ok(())
}

/// Why notes that were not seen are still in the index, one sentence a reason.
pub(crate) fn kept(report: &UpdateReport, place: &Place, messages: Messages) -> Vec<String> {
    let gone = report.kept.saturating_sub(report.hidden);
    let mut remarks = Vec::new();
    if report.hidden > 0 {
        remarks.push(messages.hidden(report.hidden));
    }
    if gone > 0 {
        remarks.push(messages.kept(gone, place.command("index --prune")));
    }
    remarks
}

/// What of the vault an answer may not have, and the command that mends it, in one line.
pub(crate) fn stale(stale: &Stale, place: &Place, messages: Messages) -> String {
    let parts: Vec<_> = stale.parts.iter().map(|part| label(part)).collect();
    let (count, parts) = (stale.notes, parts.join(", "));
    let command = || place.command("index");
    match stale.why {
        StaleReason::Pending => messages.stale_pending(count, parts, command()),
        StaleReason::Unseen if count == 0 => messages.stale_unknown(command()),
        StaleReason::Unseen => messages.stale_unseen(count, parts, command()),
        StaleReason::Busy => messages.refresh_busy(),
        StaleReason::Failed => messages.stale_failed(),
    }
}

/// That the vault has no notes, and what would be one.
pub(crate) fn no_notes(place: &Place, messages: Messages) -> String {
    let endings = place.settings.vault.extensions.iter().map(|ending| format!(".{ending}"));
    let mut endings: Vec<String> = endings.collect();
    let last = endings.pop().unwrap_or_default();
    let listed =
        if endings.is_empty() { last } else { endings.join(", ") + &messages.or() + &last };
    messages.no_notes(listed)
}

fn report_lists(out: &mut dyn Write, report: &UpdateReport, messages: Messages) -> io::Result<()> {
    let skipped = report.skipped.iter().map(|s| (s.path.as_str(), s.reason.describe()));
    let skipped: Vec<_> = skipped.collect();
    let skipped = skipped.iter().map(|(path, reason)| (*path, reason.as_str()));
    list_skipped(out, skipped.collect(), messages)?;
    let redactions = redactions_by_rule(report);
    list_redactions(out, &redactions, messages)?;
    list_warnings(out, &report.warnings, messages)
}

/// Redactions of a run as (rule, count, notes), never the text.
/// By rule, ascending.
pub(crate) fn redactions_by_rule(report: &UpdateReport) -> Vec<(&str, usize, usize)> {
    let mut rules: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for ((_, rule), count) in &report.redactions {
        let entry = rules.entry(rule).or_default();
        *entry = (entry.0 + count, entry.1 + 1);
    }
    rules.into_iter().map(|(rule, (count, notes))| (rule, count, notes)).collect()
}

fn list_skipped(
    out: &mut dyn Write,
    skipped: Vec<(&str, &str)>,
    messages: Messages,
) -> io::Result<()> {
    let title = messages.skipped(skipped.len());
    let lines = skipped
        .into_iter()
        .map(|(path, reason)| format!("{}: {}", line(path), line(&messages.phrase(reason))));
    list(out, &title, lines, messages)
}

fn list_redactions(
    out: &mut dyn Write,
    redactions: &[(&str, usize, usize)],
    messages: Messages,
) -> io::Result<()> {
    let title = messages.redacted(redactions.iter().map(|(_, count, _)| count).sum::<usize>());
    let lines =
        redactions.iter().map(|(rule, count, notes)| messages.redacted_rule(rule, count, notes));
    list(out, &title, lines, messages)
}

fn list_warnings(
    out: &mut dyn Write,
    warnings: &[(String, usize, String)],
    messages: Messages,
) -> io::Result<()> {
    let lines = warnings.iter().map(|(path, at, message)| {
        format!("{}:{at}: {}", line(path), line(&messages.phrase(message)))
    });
    list(out, &messages.warnings(warnings.len()), lines, messages)
}

/// A titled list, its first entries shown and the rest counted; nothing for an empty one.
fn list(
    out: &mut dyn Write,
    title: &str,
    lines: impl ExactSizeIterator<Item = String>,
    messages: Messages,
) -> io::Result<()> {
    let count = lines.len();
    if count == 0 {
        return Ok(());
    }
    writeln!(out, "{title}")?;
    for text in lines.take(SHOWN) {
        writeln!(out, "  {text}")?;
    }
    if count > SHOWN {
        writeln!(out, "  {}", messages.more(count - SHOWN))?;
    }
    Ok(())
}

/// Writes the index at a glance.
///
/// # Errors
/// The writer's refusal.
pub(crate) fn status_lines(
    out: &mut dyn Write,
    status: &Status,
    place: (&str, &str),
    messages: Messages,
) -> io::Result<()> {
    let model = if status.model.is_empty() { messages.no_model() } else { line(&status.model) };
    let versions = messages.version_numbers(status.format, status.tokenizer, status.rules);
    let lines = [
        (messages.vault(), line(place.0)),
        (messages.index(), line(place.1)),
        (messages.size(), size(status.bytes)),
        (messages.notes(), status.notes.to_string()),
        (messages.chunks(), status.chunks.to_string()),
        (messages.pieces(), status.pieces.to_string()),
        (messages.model(), model),
        (messages.generation(), status.generation.to_string()),
        (messages.segments(), status.segments.to_string()),
        (messages.weights(), messages.weights_notes(status.epoch_notes)),
        (messages.versions(), versions),
    ];
    lines.iter().try_for_each(|(name, value)| writeln!(out, "{BOLD}{name}{PLAIN}: {value}"))?;
    if status.encodings.is_empty() {
        return Ok(());
    }
    let counts = status.encodings.iter().map(|(name, notes)| format!("{} {notes}", line(name)));
    let counts = counts.collect::<Vec<_>>().join(", ");
    writeln!(out, "{BOLD}{}{PLAIN}: {counts}", messages.encodings())
}

/// Writes what was skipped, redacted and misread.
///
/// # Errors
/// The writer's refusal.
pub(crate) fn status_lists(
    out: &mut dyn Write,
    status: &Status,
    messages: Messages,
) -> io::Result<()> {
    let skipped = status.skipped.iter().map(|(path, reason)| (path.as_str(), reason.as_str()));
    list_skipped(out, skipped.collect(), messages)?;
    let counts: Vec<_> = status.redactions.iter().map(|(r, c, n)| (r.as_str(), *c, *n)).collect();
    list_redactions(out, &counts, messages)?;
    list_warnings(out, &status.warnings, messages)
}

/// Writes the problems, or that there are none.
///
/// # Errors
/// The writer's refusal.
pub(crate) fn problems(
    out: &mut dyn Write,
    found: &[Problem],
    place: &Place,
    messages: Messages,
) -> io::Result<()> {
    if found.is_empty() {
        return writeln!(out, "{}", messages.sound());
    }
    let flags = place.flags();
    found.iter().try_for_each(|fault| {
        let message = line(&messages.phrase(&fault.message));
        writeln!(out, "{}", messages.problem(message, messages.phrase_in(fault.remedy, &flags)))
    })
}

/// Writes in how many notes the index is behind the vault, where it is.
///
/// # Errors
/// The writer's refusal.
pub(crate) fn behind(
    out: &mut dyn Write,
    stale: &[(Change, String)],
    place: &Place,
    messages: Messages,
) -> io::Result<()> {
    let Some((_, first)) = stale.first() else { return Ok(()) };
    writeln!(out, "{}", messages.stale(stale.len(), line(first), place.flags()))
}

/// Writes the known vaults.
///
/// # Errors
/// The writer's refusal.
pub(crate) fn vault_list(
    out: &mut dyn Write,
    known: &[KnownVault],
    messages: Messages,
) -> io::Result<()> {
    for vault in known {
        let folder = vault.vault.as_ref().map_or("?".into(), |folder| folder.to_string_lossy());
        let mut marks = vec![size(vault.bytes)];
        if vault.is_default {
            marks.push(messages.default_mark());
        }
        if !vault.is_present {
            marks.push(messages.missing_mark());
        }
        writeln!(out, "{BOLD}{}{PLAIN}  {}", line(&folder), marks.join(", "))?;
        writeln!(out, "    {DIM}{}{PLAIN}", line(&vault.index.to_string_lossy()))?;
    }
    Ok(())
}

/// Bytes in the largest unit that leaves a number above one (powers of 1,000).
/// One decimal, from 1,000 bytes on: `639.0 kB`.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    match UNITS.into_iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => format!("{:.1} {name}", bytes as f64 / unit as f64),
        None => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::Language;
    use hiku::Settings;

    fn place() -> Place {
        Place {
            vault: "/v".into(),
            index: "/my index".into(),
            index_was_asked_for: true,
            settings: Settings::default(),
            search: crate::settings::SearchSettings::default(),
            mcp: crate::settings::McpSettings::default(),
            warnings: Vec::new(),
        }
    }

    #[test]
    fn what_may_be_stale_is_said_in_one_line() {
        let shown = |why, notes, parts: &[&str], language| {
            let parts = parts.iter().map(|part| (*part).to_owned()).collect();
            let lacking = Stale { why, notes, parts };
            stale(&lacking, &place(), Messages(language))
        };
        let english = |why, notes, parts: &[&str]| shown(why, notes, parts, Language::English);
        insta::assert_snapshot!(english(StaleReason::Pending, 7, &["a/", "b\n# c.md"]), @"7 notes changed and not indexed yet, so as not to keep you waiting: a/, b # c.md; to index all: hiku index --vault /v --index '/my index'");
        insta::assert_snapshot!(english(StaleReason::Unseen, 1, &["a/"]), @"1 note not looked at, so as not to keep you waiting: a/; what changed there may be missing; to index all: hiku index --vault /v --index '/my index'");
        insta::assert_snapshot!(english(StaleReason::Unseen, 0, &[]), @"not all of the vault was looked at, so as not to keep you waiting; to index all: hiku index --vault /v --index '/my index'");
        insta::assert_snapshot!(english(StaleReason::Failed, 0, &[]), @"the index could not be refreshed; this answer is from the index as it is");
        let japanese = shown(StaleReason::Pending, 7, &["a/", "b.md"], Language::Japanese);
        insta::assert_snapshot!(japanese, @"待たせないよう、変更のあった 7 件をまだ索引に入れていません: a/, b.md。すべて入れるには: hiku index --vault /v --index '/my index'");
    }

    #[test]
    fn notes_are_kept_for_a_reason_that_is_said() {
        let place = place();
        let check = |kept_notes: usize, hidden: usize, expected: &[&str]| {
            let report = UpdateReport { kept: kept_notes, hidden, ..UpdateReport::default() };
            let remarks = kept(&report, &place, Messages::default());
            assert_eq!(remarks.len(), expected.len(), "{remarks:?}");
            for (remark, part) in remarks.iter().zip(expected) {
                assert!(remark.contains(part), "{remark}");
            }
        };
        check(0, 0, &[]);
        check(1, 1, &["1 note not seen"]);
        check(30, 0, &["it is meant: hiku index --prune --vault /v --index '/my index'"]);
        check(31, 1, &["cannot be read", "30 notes gone"]);
    }
}
