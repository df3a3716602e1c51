//! Follows a vault: waits until something in it changed, and brings the index up to date.
//!
//! Events only say *that* something changed. What changed is found by the library's comparison with
//! the index, which reads nothing but times and sizes and knows a renamed note by its content, so
//! lost, doubled and unpaired events do no harm. Prints nothing: a [`Listener`] hears what happens.

mod events;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use hiku::vault::Folder;
use hiku::{Error, ErrorKind, Index, Mend, SilentProgress, UpdateOptions, UpdateReport};

use crate::args::PlaceArguments;
use crate::exit::CommandError;
use crate::settings::{Environment, Place};
use crate::system::FileId;
use events::Eyes;

/// After an event this long is waited for more of them: editors write a file in
/// several steps some milliseconds apart, and half a second is what an edit may take in all.
const QUIET: Duration = Duration::from_millis(80);
/// Events that never pause delay an update by no more than this.
const LONGEST_DELAY: Duration = Duration::from_millis(250);
/// How often the vault's folder, the index and the stop flag are looked at. Three calls of `stat`.
const TICK: Duration = Duration::from_millis(250);
/// Between two comparisons without any event: what the system lost is found after this long.
const FULL_COMPARISON: Duration = Duration::from_mins(5);
/// Between two comparisons where no events are to be had.
pub(crate) const WITHOUT_EVENTS: Duration = Duration::from_secs(2);
/// Before an update is tried again that another writer prevented.
const RETRY_BUSY: Duration = Duration::from_millis(100);
/// Before an update is tried again that failed otherwise.
const RETRY_FAILED: Duration = Duration::from_secs(5);

/// Hears what happens while a vault is followed.
pub(crate) trait Listener {
    /// The index was brought up to date; most often nothing had changed.
    ///
    /// # Errors
    /// What ends the following, such as a reader of the output that went away.
    fn updated(&mut self, report: &UpdateReport, place: &Place) -> Result<(), CommandError>;
    /// An update failed; it is tried again. Said once for the same fault in a row.
    fn failed(&mut self, error: &CommandError);
    /// No events are to be had, for this reason, and the vault is compared again and again.
    fn blind(&mut self, cause: &str);
    /// The vault's folder is gone.
    fn away(&mut self, vault: &Path);
    /// It is there again, or another folder is in its place.
    fn back(&mut self, vault: &Path);
    /// Runs `update` when no other update of this process runs.
    fn in_turn(&self, update: &mut dyn FnMut()) {
        update();
    }
}

/// Follows the vault of `place` until `stop` is true. Begins with a comparison.
///
/// The settings are read anew for each update, so that a changed config holds at once.
///
/// # Errors
/// The library's `IndexMissing` when the index is removed, and what the listener returns.
pub(crate) fn follow(
    place: &Place,
    environment: &Environment,
    listener: &mut dyn Listener,
    stop: &AtomicBool,
) -> Result<(), CommandError> {
    let (sender, receiver) = mpsc::channel();
    let arguments = PlaceArguments {
        vault: Some(place.vault.clone()),
        index: place.index_was_asked_for.then(|| place.index.clone()),
    };
    let mut follower = Follower {
        vault: place.vault.clone(),
        index: place.index.clone(),
        arguments,
        environment,
        listener,
        stop,
        sender,
        eyes: None,
        is_away: false,
        last_fault: String::new(),
        schedule: Schedule::new(Instant::now()),
    };
    while !stop.load(Ordering::Relaxed) {
        follower.look()?;
        follower.wait(&receiver);
        if !follower.is_away && follower.schedule.is_due(Instant::now()) {
            follower.update()?;
        }
    }
    Ok(())
}

struct Follower<'a> {
    vault: PathBuf,
    index: PathBuf,
    arguments: PlaceArguments,
    environment: &'a Environment,
    listener: &'a mut dyn Listener,
    stop: &'a AtomicBool,
    sender: Sender<()>,
    /// None before the first look and while the vault is away.
    eyes: Option<Eyes>,
    is_away: bool,
    /// The fault of the last update; empty after a good one.
    last_fault: String,
    schedule: Schedule,
}

impl Follower<'_> {
    /// Opens eyes on the folder that is there now, and closes them where none is.
    ///
    /// A folder is compared by what it is, not only by its name: a mount hides one folder behind
    /// another, and the events of the hidden one say nothing.
    fn look(&mut self) -> Result<(), CommandError> {
        if !self.index.exists() {
            return Err(Error::IndexMissing { path: self.index.clone() }.into());
        }
        let found = FileId::at(&self.vault).filter(|_| self.vault.is_dir());
        match (found, &self.eyes) {
            (Some(id), Some(eyes)) if eyes.see(id) => {}
            (Some(id), eyes) => {
                if self.is_away || eyes.is_some() {
                    self.listener.back(&self.vault);
                }
                self.is_away = false;
                self.open_eyes(id);
            }
            (None, _) if self.is_away => {}
            (None, _) => {
                self.is_away = true;
                self.eyes = None;
                self.listener.away(&self.vault);
            }
        }
        Ok(())
    }

    fn open_eyes(&mut self, id: FileId) {
        let eyes = Eyes::open(&self.vault, id, self.sender.clone());
        if let Some(cause) = eyes.blindness() {
            self.listener.blind(cause);
        }
        self.schedule.pause =
            if eyes.blindness().is_some() { WITHOUT_EVENTS } else { FULL_COMPARISON };
        self.schedule.due_at(Instant::now());
        self.eyes = Some(eyes);
    }

    /// Waits for events, no longer than until the next update is due or it is time to look.
    fn wait(&mut self, events: &Receiver<()>) {
        let longest = self.schedule.left(Instant::now()).min(TICK);
        // An update that waits for the vault to return must not make this loop spin.
        let longest = if self.is_away { TICK } else { longest };
        match events.recv_timeout(longest) {
            Ok(()) => {
                self.schedule.event(Instant::now());
                while events.try_recv().is_ok() {}
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(TICK),
        }
    }

    fn update(&mut self) -> Result<(), CommandError> {
        let mut result = None;
        let (arguments, environment, stop) = (&self.arguments, self.environment, self.stop);
        self.listener.in_turn(&mut || result = Some(update(arguments, environment, stop)));
        match result {
            Some(Ok((report, place))) => {
                self.last_fault.clear();
                self.schedule.done(Instant::now());
                self.listener.updated(&report, &place)
            }
            Some(Err(error)) if is_busy(&error) => {
                self.schedule.due_at(Instant::now() + RETRY_BUSY);
                Ok(())
            }
            Some(Err(error)) => {
                self.schedule.due_at(Instant::now() + RETRY_FAILED);
                // A vault that goes away in the middle of an update is told of by the next look.
                let fault = error.text(self.environment.messages);
                if fault != self.last_fault && self.vault.is_dir() {
                    self.listener.failed(&error);
                    self.last_fault = fault;
                }
                Ok(())
            }
            None => Ok(()),
        }
    }
}

/// Brings the index to the state of the vault, with the settings as they are now.
fn update(
    arguments: &PlaceArguments,
    environment: &Environment,
    stop: &AtomicBool,
) -> Result<(UpdateReport, Place), CommandError> {
    let place = Place::find(arguments, environment)?;
    let folder = Folder::open(&place.vault, &place.settings.vault).map_err(|e| place.failed(e))?;
    let options = UpdateOptions { mend: Mend::Damaged, ..UpdateOptions::default() };
    let (index, settings) = (&place.index, &place.settings);
    let report = Index::update(&folder, index, settings, options, &SilentProgress, stop);
    Ok((report.map_err(|e| place.failed(e))?, place))
}

fn is_busy(error: &CommandError) -> bool {
    matches!(&error.cause, crate::exit::Cause::Library(e) if e.kind() == ErrorKind::Busy)
}

/// When the next update is due.
#[derive(Debug)]
struct Schedule {
    /// The first event since the last update.
    first_event: Option<Instant>,
    due: Instant,
    /// Between two updates without events.
    pause: Duration,
}

impl Schedule {
    fn new(now: Instant) -> Self {
        Schedule { first_event: None, due: now, pause: FULL_COMPARISON }
    }

    /// Something changed: due when it is quiet, and at the latest after [`LONGEST_DELAY`]. An update
    /// that is due sooner stays so.
    fn event(&mut self, now: Instant) {
        let is_first = self.first_event.is_none();
        let latest = *self.first_event.get_or_insert(now) + LONGEST_DELAY;
        let quiet = (now + QUIET).min(latest);
        self.due = if is_first { self.due.min(quiet) } else { quiet };
    }

    fn due_at(&mut self, due: Instant) {
        self.due = due;
    }

    /// An update is over. Events that came while it ran are still to be heard.
    fn done(&mut self, now: Instant) {
        self.first_event = None;
        self.due = now + self.pause;
    }

    fn is_due(&self, now: Instant) -> bool {
        self.due <= now
    }

    fn left(&self, now: Instant) -> Duration {
        self.due.saturating_duration_since(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn updates_wait_for_quiet_but_not_for_ever() {
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        let mut schedule = Schedule::new(start);
        assert!(schedule.is_due(start));
        schedule.done(at(0));
        assert!(!schedule.is_due(at(299_999)) && schedule.is_due(at(300_000)));
        schedule.event(at(1_000));
        assert!(!schedule.is_due(at(1_079)) && schedule.is_due(at(1_080)));
        schedule.event(at(1_060));
        assert!(!schedule.is_due(at(1_080)) && schedule.is_due(at(1_140)));
        (1_100..=1_240).step_by(20).for_each(|time| schedule.event(at(time)));
        assert!(!schedule.is_due(at(1_249)) && schedule.is_due(at(1_250)));
        schedule.done(at(1_300));
        assert!(!schedule.is_due(at(2_000)));
    }

    #[test]
    fn an_event_never_puts_off_what_is_due_sooner() {
        let start = Instant::now();
        let mut schedule = Schedule::new(start);
        schedule.event(start);
        assert!(schedule.is_due(start));
    }
}
