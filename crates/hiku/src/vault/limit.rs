//! How long a walk that somebody waits for may take. Walks nothing itself.

use std::time::{Duration, Instant};

/// Files and folders that a walk with a limit of time looks at however late it is, unless it has no
/// time at all: a small vault is always seen whole, at some microseconds each.
const FEW_ENTRIES: usize = 256;

/// The limit of one walk.
#[derive(Debug)]
pub(super) struct Limit {
    started: Instant,
    /// For each `notes` entries seen, begun ones included.
    time: Duration,
    notes: usize,
}

impl Limit {
    /// Begins to count.
    pub(super) fn begin(time: Duration, notes: usize) -> Self {
        Limit { started: Instant::now(), time, notes: notes.max(1) }
    }

    /// Whether the time of a walk that has seen so many files and folders is over.
    pub(super) fn is_over(&self, seen: usize) -> bool {
        self.is_spent(self.started.elapsed(), seen)
    }

    fn is_spent(&self, elapsed: Duration, seen: usize) -> bool {
        if seen < FEW_ENTRIES && !self.time.is_zero() {
            return false;
        }
        let times = u32::try_from(1 + seen / self.notes).unwrap_or(u32::MAX);
        elapsed >= self.time.saturating_mul(times)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vault::{Folder, Source, VaultOptions};
    use testkit::TestVault;

    #[test]
    fn a_large_vault_has_more_time() {
        let limit = Limit::begin(Duration::from_secs(2), 100);
        let spent = |seconds| {
            [255, 256, 299, 300].map(|seen| limit.is_spent(Duration::from_secs(seconds), seen))
        };
        assert_eq!((spent(5), spent(7)), ([false; 4], [false, true, true, false]));
    }

    #[test]
    fn a_walk_in_no_time_looks_at_nothing_and_in_little_at_a_few() {
        let vault = TestVault::new("");
        let scanned = |nanoseconds| {
            let folder = Folder::open(&vault.root(), &VaultOptions::default()).expect("it opens");
            let scan = folder.scan_within(Duration::from_nanos(nanoseconds), 20_000);
            let scan = scan.expect("it scans");
            (scan.entries.len(), scan.unfinished)
        };
        for number in 0..100 {
            vault.write(&format!("{number}.md"), "");
        }
        assert_eq!((scanned(0), scanned(1)), ((0, true), (100, false)));
        for number in 100..400 {
            vault.write(&format!("{number}.md"), "");
        }
        let (seen, unfinished) = scanned(1);
        assert!(unfinished && (200..=256).contains(&seen), "{seen}");
    }
}
