//! How far an index run is, on stderr: a bar with rate and time left on a terminal, a line every
//! 500 notes elsewhere. Knows nothing of what the stages do.

use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use hiku::{Progress, SilentProgress};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::messages::Messages;
use crate::settings::Environment;

/// Without a terminal a line is written each time this many notes are done (the command line's
/// contract).
const NOTES_PER_LINE: usize = 500;
/// Redraws a second; enough to look alive, too few to be felt.
const REDRAWS_PER_SECOND: u8 = 8;

/// The progress display that fits the terminal.
///
/// `quiet` shows nothing anywhere. On a terminal a bar is redrawn in place and leaves nothing
/// behind; elsewhere there are lines that a log can keep.
pub(crate) fn choose(environment: &Environment, quiet: bool) -> Box<dyn Progress> {
    if quiet {
        Box::new(SilentProgress)
    } else if environment.stderr_is_terminal {
        Box::new(Bar::new())
    } else {
        Box::new(Lines::new(environment.messages))
    }
}

struct Bar {
    bar: ProgressBar,
}

impl Bar {
    fn new() -> Self {
        let target = ProgressDrawTarget::stderr_with_hz(REDRAWS_PER_SECOND);
        let bar = ProgressBar::with_draw_target(Some(0), target);
        let template = "{msg:12} [{bar:30}] {pos}/{len}  {per_sec:>10}  {eta:>4}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        Bar { bar }
    }
}

impl Progress for Bar {
    fn begin(&self, stage: &'static str, notes: usize) {
        self.bar.reset();
        self.bar.set_length(notes as u64);
        self.bar.set_message(stage);
    }

    fn advance(&self, notes: usize, _bytes: u64) {
        self.bar.inc(notes as u64);
    }

    fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

struct Lines {
    messages: Messages,
    stage: Mutex<(&'static str, usize)>,
    done: AtomicUsize,
}

impl Lines {
    fn new(messages: Messages) -> Self {
        Lines { messages, stage: Mutex::new(("", 0)), done: AtomicUsize::new(0) }
    }

    fn stage(&self) -> std::sync::MutexGuard<'_, (&'static str, usize)> {
        self.stage.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Progress for Lines {
    fn begin(&self, stage: &'static str, notes: usize) {
        *self.stage() = (stage, notes);
        self.done.store(0, Ordering::Relaxed);
    }

    fn advance(&self, notes: usize, _bytes: u64) {
        let before = self.done.fetch_add(notes, Ordering::Relaxed);
        let done = before + notes;
        if before / NOTES_PER_LINE == done / NOTES_PER_LINE {
            return;
        }
        let (stage, total) = *self.stage();
        let line = self.messages.progress_line(stage, done, total);
        // Progress that cannot be shown is no reason to stop the work.
        let _ = writeln!(std::io::stderr(), "{line}");
    }
}
