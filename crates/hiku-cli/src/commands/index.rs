//! `hiku index`: brings the index to the state of the vault and reports what was done.

use std::time::Instant;

use hiku::vault::SkipReason;
use hiku::{Mend, UpdateOptions, UpdateReport};

use crate::args::IndexArguments;
use crate::exit::{CommandError, Exit};
use crate::session::{self, Session};
use crate::settings::Place;
use crate::{progress, refresh, registry, render, wire};

/// Runs `hiku index`.
///
/// # Errors
/// Exit codes 1, 2, 4 and 130; 10 only under `--dry-run`, which mends nothing.
pub(crate) fn run(arguments: &IndexArguments, session: &Session) -> Result<Exit, CommandError> {
    let place = session.place(&arguments.place)?;
    place.guard_vault(session.messages())?;
    let started = Instant::now();
    let progress = progress::choose(&session.environment, arguments.quiet);
    let report = refresh::build(&place, options(arguments), &*progress, session)?;
    if !arguments.dry_run {
        registry::record(&session.environment, &place.vault, &place.index)?;
    }
    print(arguments, session, &place, &report, started)?;
    if report.interrupted {
        session.say(&session.messages().interrupted(report.notes));
        return Ok(Exit::Interrupted);
    }
    Ok(if nothing_could_be_done(&report) { Exit::Failed } else { Exit::Done })
}

fn options(arguments: &IndexArguments) -> UpdateOptions {
    let IndexArguments { full, dry_run, prune, .. } = *arguments;
    UpdateOptions { full, dry_run, prune, mend: Mend::Anything, budget: None }
}

fn print(
    arguments: &IndexArguments,
    session: &Session,
    place: &Place,
    report: &UpdateReport,
    started: Instant,
) -> Result<(), CommandError> {
    let dry_run = arguments.dry_run;
    if arguments.json {
        let redacted = render::redactions_by_rule(report);
        let paths = (place.vault.as_path(), place.index.as_path());
        let answer = wire::IndexAnswer::new(report, &redacted, paths, dry_run);
        return session::data(|out| wire::write_line(out, &answer));
    }
    if arguments.quiet {
        return Ok(());
    }
    let (messages, elapsed) = (session.messages(), started.elapsed());
    session.text(|out| render::index_report(out, report, place, messages, (dry_run, elapsed)))
}

/// True where there are notes and none of them could be read.
fn nothing_could_be_done(report: &UpdateReport) -> bool {
    let unreadable = |reason: &SkipReason| matches!(reason, SkipReason::Unreadable(_));
    report.notes == 0
        && report.kept == 0
        && report.skipped.iter().any(|skipped| unreadable(&skipped.reason))
}
