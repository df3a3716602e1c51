//! Bringing an index up to date for the commands that need it: building with progress, mending an
//! unusable file, the quiet refresh before a search, and the answer that is held against the vault.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hiku::vault::Folder;
use hiku::{
    Error, ErrorKind, Index, Mend, MissingModel, Progress, SearchRequest, SearchResponse,
    SilentProgress, Stale, StaleReason, UpdateOptions, UpdateReport,
};
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::exit::CommandError;
use crate::session::Session;
use crate::settings::Place;
use crate::{private, registry, render};

/// How long a run that was asked for waits for another writer. What follows a vault or answers a
/// search writes for some milliseconds; a full build takes longer, and then it is better to say so.
const PATIENCE: Duration = Duration::from_secs(5);
/// Between two tries of a run that waits.
const PAUSE: Duration = Duration::from_millis(30);

/// Updates or makes the index, as `options` say. What the library mends is said on stderr. Waits
/// for another writer, if not for long.
///
/// # Errors
/// What the library says of vault, index and disk.
pub(crate) fn build(
    place: &Place,
    options: UpdateOptions,
    progress: &dyn Progress,
    session: &Session,
) -> Result<UpdateReport, CommandError> {
    let folder = place.folder()?;
    let stop = stop_on_signals()?;
    if !options.dry_run {
        make_private(place)?;
    }
    let progress = Announced { progress, session };
    let update =
        || Index::update(&folder, &place.index, &place.settings, options, &progress, &stop);
    let result = in_turn(update, PATIENCE, &stop);
    progress.finish();
    let report = result.map_err(|error| place.failed(error))?;
    if !options.dry_run {
        restrict(place)?;
        warn_of_model(place, &report, session);
    }
    Ok(report)
}

/// Tries again while another process writes, until patience or the user ends it.
fn in_turn<T>(
    update: impl Fn() -> hiku::Result<T>,
    patience: Duration,
    stop: &AtomicBool,
) -> hiku::Result<T> {
    let end = Instant::now() + patience;
    loop {
        match update() {
            Err(error)
                if error.kind() == ErrorKind::Busy
                    && Instant::now() < end
                    && !stop.load(Ordering::Relaxed) =>
            {
                std::thread::sleep(PAUSE);
            }
            result => return result,
        }
    }
}

/// Updates an index that is there, in silence and within the budget of a search, and mends one that
/// is damaged. Where another process writes it or the disk refuses, the index as it is must do. What
/// an answer may then lack is said, and given.
///
/// # Errors
/// What the library says of a vault or index that cannot be used at all.
pub(crate) fn quietly(
    place: &Place,
    mend: Mend,
    session: &Session,
) -> Result<Option<Stale>, CommandError> {
    let folder = place.folder()?;
    let budget = Duration::from_millis(place.search.refresh_budget_ms);
    let options = UpdateOptions { mend, budget: Some(budget), ..UpdateOptions::default() };
    let (messages, stop) = (session.messages(), AtomicBool::new(false));
    let progress = Announced { progress: &SilentProgress, session };
    let update =
        || Index::update(&folder, &place.index, &place.settings, options, &progress, &stop);
    // What follows the vault writes for some milliseconds, often just what is asked for.
    match in_turn(update, budget.min(PATIENCE), &stop) {
        Ok(report) => {
            let stale = report.stale();
            let mut remarks = render::kept(&report, place, messages);
            remarks.extend(stale.as_ref().map(|stale| render::stale(stale, place, messages)));
            for remark in remarks {
                session.warn(&remark);
            }
            Ok(stale)
        }
        Err(error) if error.kind() == ErrorKind::Busy => {
            session.warn(&messages.refresh_busy());
            Ok(Some(Stale::because(StaleReason::Busy)))
        }
        // Without the model that made its vectors an index cannot be made anew.
        Err(error) if error.kind() == ErrorKind::Io || matches!(error, Error::Model { .. }) => {
            session.warn(&messages.refresh_failed(messages.error(&error)));
            Ok(Some(Stale::because(StaleReason::Failed)))
        }
        Err(error) => Err(place.failed(error)),
    }
}

/// Asks an index, and holds the hits against the vault. Without `rereads` the index stays as it is,
/// and so does an answer where the vault cannot be looked at.
///
/// # Errors
/// As [`Index::search`].
pub(crate) fn ask(
    index: &Index,
    request: &SearchRequest,
    folder: Option<&Folder>,
    rereads: bool,
) -> hiku::Result<SearchResponse> {
    match folder {
        Some(folder) => index.search_current(request, folder, rereads),
        None => index.search(request),
    }
}

/// Progress that says on stderr that an index was mended, however quiet it is otherwise.
struct Announced<'a> {
    progress: &'a dyn Progress,
    session: &'a Session,
}

impl Progress for Announced<'_> {
    fn begin(&self, stage: &'static str, notes: usize) {
        self.progress.begin(stage, notes);
    }

    fn advance(&self, notes: usize, bytes: u64) {
        self.progress.advance(notes, bytes);
    }

    fn mended(&self, cause: &Error, kept: &Path) {
        let messages = self.session.messages();
        self.session.warn(&messages.mended(messages.error(cause), kept.display()));
    }

    fn finish(&self) {
        self.progress.finish();
    }
}

fn warn_of_model(place: &Place, report: &UpdateReport, session: &Session) {
    if let Some(MissingModel { path, detail }) = &place.settings.missing_model {
        let messages = session.messages();
        session.warn(&messages.model_missing(path.display(), detail, report.unembedded));
    }
}

/// The index's folder, private where it is ours to make.
fn make_private(place: &Place) -> Result<(), CommandError> {
    let Some(folder) = place.index.parent() else { return Ok(()) };
    private::make_folder(folder)
        .map_err(|error| place.failed(Error::io(folder, "make the folder", error)))
}

fn restrict(place: &Place) -> Result<(), CommandError> {
    registry::files_of(&place.index).try_for_each(|file| {
        private::restrict_file(&file).map_err(|e| place.failed(Error::io(&file, "protect", e)))
    })
}

/// A flag that SIGINT and SIGTERM set. The second signal ends the process as if nobody listened.
///
/// # Errors
/// Exit code 1 when the system refuses to tell of signals.
pub(crate) fn stop_on_signals() -> Result<Arc<AtomicBool>, CommandError> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // The order matters: the first handler must not see what the second one sets.
        signal_hook::flag::register_conditional_default(signal, Arc::clone(&stop))?;
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}
