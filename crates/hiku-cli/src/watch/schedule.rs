//! When the next comparison is due: soon after events, and now and then without any. Pure.

use std::time::{Duration, Instant};

/// After an event this long is waited for more of them: editors write a file in several steps some
/// milliseconds apart, and half a second is what an edit may take in all.
const QUIET: Duration = Duration::from_millis(80);
/// Events that never pause delay an update by no more than this.
const LONGEST_DELAY: Duration = Duration::from_millis(250);
/// Between two comparisons without any event: what the system lost is found after this long.
pub(super) const FULL_COMPARISON: Duration = Duration::from_mins(5);

/// When the next update is due.
#[derive(Debug)]
pub(super) struct Schedule {
    /// The first event since the last update.
    first_event: Option<Instant>,
    due: Instant,
    /// Between two updates without events.
    pub(super) pause: Duration,
}

impl Schedule {
    pub(super) fn new(now: Instant) -> Self {
        Schedule { first_event: None, due: now, pause: FULL_COMPARISON }
    }

    /// Something changed: due when it is quiet, and at the latest after [`LONGEST_DELAY`]. An update
    /// that is due sooner stays so.
    pub(super) fn event(&mut self, now: Instant) {
        let is_first = self.first_event.is_none();
        let latest = *self.first_event.get_or_insert(now) + LONGEST_DELAY;
        let quiet = (now + QUIET).min(latest);
        self.due = if is_first { self.due.min(quiet) } else { quiet };
    }

    pub(super) fn due_at(&mut self, due: Instant) {
        self.due = due;
    }

    /// An update is over. Events that came while it ran are still to be heard.
    pub(super) fn done(&mut self, now: Instant) {
        self.first_event = None;
        self.due = now + self.pause;
    }

    /// True where events came since the last update.
    pub(super) fn had_events(&self) -> bool {
        self.first_event.is_some()
    }

    pub(super) fn is_due(&self, now: Instant) -> bool {
        self.due <= now
    }

    pub(super) fn left(&self, now: Instant) -> Duration {
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
