//! Follows a vault: waits until something in it changed, and brings the index up to date.
//!
//! Events only say *where* something changed. What changed is found by the library's comparison with
//! the index, which reads nothing but times and sizes and knows a renamed note by its content, so
//! doubled and unpaired events do no harm, and lost ones none for long. Prints nothing: a
//! [`Listener`] hears what happens.

mod events;
mod schedule;
mod sight;

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
use events::{Eyes, Sign};
use schedule::{FULL_COMPARISON, Schedule};
use sight::Sight;

/// How often the vault's folder, the index and the stop flag are looked at. Three calls of `stat`.
const TICK: Duration = Duration::from_millis(250);
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
        sight: Sight::default(),
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
    sender: Sender<Sign>,
    /// None before the first look and while the vault is away.
    eyes: Option<Eyes>,
    /// What the vault held when it was looked at last.
    sight: Sight,
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
        self.sight.doubt_all();
        self.schedule.due_at(Instant::now());
        self.eyes = Some(eyes);
    }

    /// Waits for events, no longer than until the next update is due or it is time to look.
    fn wait(&mut self, events: &Receiver<Sign>) {
        let longest = self.schedule.left(Instant::now()).min(TICK);
        // An update that waits for the vault to return must not make this loop spin.
        let longest = if self.is_away { TICK } else { longest };
        match events.recv_timeout(longest) {
            Ok(sign) => {
                self.schedule.event(Instant::now());
                self.sight.doubt(sign);
                for sign in events.try_iter() {
                    self.sight.doubt(sign);
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(TICK),
        }
    }

    fn update(&mut self) -> Result<(), CommandError> {
        let mut result = None;
        let (arguments, environment, stop) = (&self.arguments, self.environment, self.stop);
        if !self.schedule.had_events() {
            self.sight.doubt_all();
        }
        let sight = &mut self.sight;
        self.listener.in_turn(&mut || result = Some(update(arguments, environment, sight, stop)));
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
    sight: &mut Sight,
    stop: &AtomicBool,
) -> Result<(UpdateReport, Place), CommandError> {
    let place = Place::find(arguments, environment)?;
    let folder = Folder::open(&place.vault, &place.settings.vault).map_err(|e| place.failed(e))?;
    let source = sight.look(&folder, &place.settings.vault).map_err(|e| place.failed(e))?;
    let options = UpdateOptions { mend: Mend::Damaged, ..UpdateOptions::default() };
    let (index, settings) = (&place.index, &place.settings);
    let report = Index::update(&source, index, settings, options, &SilentProgress, stop);
    Ok((report.map_err(|e| place.failed(e))?, place))
}

fn is_busy(error: &CommandError) -> bool {
    matches!(&error.cause, crate::exit::Cause::Library(e) if e.kind() == ErrorKind::Busy)
}
