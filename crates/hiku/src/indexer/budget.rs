//! How long an update that somebody waits for may take, and how much of the work fits: the cost of
//! a note is measured on the notes at hand. Does no work itself.

use std::time::{Duration, Instant};

use crate::vault::ScanEntry;

use super::batch_end;

/// A budget is for a vault of up to this many notes; a larger one has it as many times over as it
/// has this many notes, so that looking at all of them always leaves room for work.
pub(crate) const BUDGET_NOTES: usize = 20_000;
/// Notes of the first slice, at most. They are read however late it is: a few edited notes are never
/// put off, and every run gets on.
const FIRST_SLICE_NOTES: usize = 32;
/// Work of the first slice, at most, but for one note: about 10 ms.
const FIRST_SLICE_WORK: u64 = 256 << 10;
/// What a note costs beside its bytes, as bytes: opening a file and writing its rows takes about as
/// long as this much text.
const NOTE_WORK: u64 = 1 << 10;
/// Share of the time left that is planned for notes, of 4; publishing takes the rest.
const NOTES_SHARE: u32 = 3;
/// All that is left is done where it takes at most this many halves of the time left: better a
/// little late than stale.
const LATE_HALVES: u32 = 3;

/// The limit of a run and what its work has cost so far.
#[derive(Debug, Clone)]
pub(super) struct Budget {
    started: Instant,
    /// None for a run that nobody waits for.
    limit: Option<Duration>,
    work_done: u64,
    spent: Duration,
}

impl Budget {
    /// Begins to count. Without a limit everything fits.
    pub(super) fn begin(limit: Option<Duration>) -> Self {
        Budget { started: Instant::now(), limit, work_done: 0, spent: Duration::ZERO }
    }

    /// The budget of a vault of so many notes.
    pub(super) fn of_vault(mut self, notes: usize) -> Self {
        let times = u32::try_from(notes.div_ceil(BUDGET_NOTES).max(1)).unwrap_or(u32::MAX);
        self.limit = self.limit.map(|limit| limit.saturating_mul(times));
        self
    }

    /// Without a limit.
    pub(super) fn unlimited(mut self) -> Self {
        self.limit = None;
        self
    }

    /// Whether there is a limit at all.
    pub(super) fn is_limited(&self) -> bool {
        self.limit.is_some()
    }

    /// Whether work that takes so long ends in time.
    pub(super) fn fits(&self, work: Duration) -> bool {
        self.left().is_none_or(|left| work <= left)
    }

    /// How many of the entries, from the first, make the next slice; 0 when the time is over.
    pub(super) fn slice(&self, entries: &[ScanEntry]) -> usize {
        let most = batch_end(entries, false);
        let Some(left) = self.left() else { return most };
        if self.work_done == 0 {
            let few = &entries[..most.min(FIRST_SLICE_NOTES)];
            return prefix(few, FIRST_SLICE_WORK).max(1).min(most);
        }
        let fitting = |time: Duration| {
            let share = time.as_secs_f64() / self.spent.as_secs_f64().max(1e-9);
            (share * self.work_done as f64) as u64
        };
        if entries.iter().map(work_of).sum::<u64>() <= fitting(left * LATE_HALVES / 2) {
            return most;
        }
        prefix(&entries[..most], fitting(left * NOTES_SHARE / 4))
    }

    /// Takes in what a slice has cost.
    pub(super) fn record(&mut self, slice: &[ScanEntry], took: Duration) {
        self.work_done += slice.iter().map(work_of).sum::<u64>();
        self.spent += took;
    }

    fn left(&self) -> Option<Duration> {
        self.limit.map(|limit| limit.saturating_sub(self.started.elapsed()))
    }
}

fn work_of(entry: &ScanEntry) -> u64 {
    entry.size + NOTE_WORK
}

/// How many entries, from the first, are no more than so much work.
fn prefix(entries: &[ScanEntry], most: u64) -> usize {
    let mut work = 0;
    let fits = |entry: &&ScanEntry| {
        work += work_of(entry);
        work <= most
    };
    entries.iter().take_while(fits).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vault::VaultPath;

    fn entries(count: usize, size: u64) -> Vec<ScanEntry> {
        let path = VaultPath::verbatim("a.md");
        vec![ScanEntry { path, modified_ns: 0, changed_ns: 0, size }; count]
    }

    #[test]
    fn a_few_notes_are_read_however_late_it_is() {
        let over = Budget::begin(Some(Duration::ZERO));
        assert_eq!(over.slice(&entries(500, 100)), FIRST_SLICE_NOTES);
        assert_eq!(over.slice(&entries(5, 1 << 30)), 1);
        let mut after = over.clone();
        after.record(&entries(32, 100), Duration::from_millis(1));
        assert_eq!(after.slice(&entries(500, 100)), 0);
    }

    #[test]
    fn what_fits_is_told_from_what_the_notes_have_cost() {
        let mut budget = Budget::begin(Some(Duration::from_hours(1)));
        let cost = |budget: &mut Budget, minutes| {
            budget.record(&entries(30, 100), Duration::from_mins(minutes));
        };
        cost(&mut budget, 30);
        // A minute a note: 45 minutes of the hour are planned; what takes 90 is done whole.
        assert!((40..=45).contains(&budget.slice(&entries(500, 100))));
        assert_eq!(budget.slice(&entries(80, 100)), 80);
        assert!(!budget.fits(Duration::from_hours(2)) && budget.fits(Duration::from_mins(50)));
    }

    #[test]
    fn without_a_limit_everything_fits_and_a_large_vault_has_more_time() {
        let unlimited = Budget::begin(None);
        assert_eq!(unlimited.slice(&entries(500, 100)), 500);
        let limit = |notes| Budget::begin(Some(Duration::from_secs(1))).of_vault(notes).limit;
        let seconds = |count| Some(Duration::from_secs(count));
        assert_eq!((limit(0), limit(20_000)), (seconds(1), seconds(1)));
        assert_eq!((limit(20_001), limit(100_000)), (seconds(2), seconds(5)));
    }
}
