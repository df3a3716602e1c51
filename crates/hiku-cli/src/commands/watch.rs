//! `hiku watch`: follows the vault in the foreground and prints one line a change.

use std::path::Path;

use hiku::UpdateReport;

use super::search;
use crate::args::WatchArguments;
use crate::exit::{CommandError, Exit};
use crate::session::Session;
use crate::settings::Place;
use crate::watch::{self, Listener};
use crate::{refresh, render};

/// Runs `hiku watch` until a signal ends it.
///
/// # Errors
/// Exit codes 1, 2, 10 and 130 (interrupted while it built a missing index).
pub(crate) fn run(arguments: &WatchArguments, session: &Session) -> Result<Exit, CommandError> {
    let place = session.place(&arguments.place)?;
    let stop = refresh::stop_on_signals()?;
    if !place.index.exists() {
        search::bring_up_to_date(&place, session)?;
    }
    if !arguments.quiet {
        session.say(&session.messages().watching(place.vault.display()));
    }
    let mut reporter = Reporter { session, quiet: arguments.quiet, remarks: Vec::new() };
    watch::follow(&place, &session.environment, &mut reporter, &stop)?;
    Ok(Exit::Done)
}

/// Says on the terminal what happens.
struct Reporter<'a> {
    session: &'a Session,
    quiet: bool,
    /// Of the last update, so that each is said once.
    remarks: Vec<String>,
}

impl Listener for Reporter<'_> {
    fn updated(&mut self, report: &UpdateReport, place: &Place) -> Result<(), CommandError> {
        let remarks = render::kept(report, place, self.session.messages());
        let is_new = |remark: &&String| !self.remarks.contains(remark);
        for remark in remarks.iter().filter(is_new) {
            self.session.warn(remark);
        }
        self.remarks = remarks;
        if self.quiet || report.changes.is_empty() {
            return Ok(());
        }
        self.session.text(|out| render::changes(out, report))
    }

    fn failed(&mut self, error: &CommandError) {
        self.session.complain(error);
    }

    fn blind(&mut self, cause: &str) {
        let messages = self.session.messages();
        let seconds = watch::WITHOUT_EVENTS.as_secs();
        self.session.warn(&messages.watch_partly(cause, seconds));
        self.session.say(&messages.hint_watches());
    }

    fn away(&mut self, vault: &Path) {
        self.session.warn(&self.session.messages().vault_away(vault.display()));
    }

    fn back(&mut self, vault: &Path) {
        self.session.say(&self.session.messages().vault_back(vault.display()));
    }
}
