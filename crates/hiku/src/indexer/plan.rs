//! Compares a scan with the index: what is new, changed, unchanged and gone.

use std::collections::HashMap;

use rustc_hash::FxHashMap;

use crate::store::NoteRow;
use crate::vault::{Scan, ScanEntry, SkipReason, Skipped};

/// A vault of at most this many notes may lose all of them without a question.
const SMALL_VAULT_NOTES: usize = 20;

/// What has to be done.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Notes to read: new ones, and those whose time or size differs, with the row there is.
    pub(super) read: Vec<(ScanEntry, Option<NoteRow>)>,
    /// Rows whose file is gone.
    pub(super) gone: Vec<NoteRow>,
    /// Number of notes that are as they were.
    pub(super) unchanged: usize,
    /// Number of rows that are kept though their file is not to be seen.
    pub(super) kept: usize,
    /// How many of them because they, or a folder above them, cannot be read.
    pub(super) hidden: usize,
    /// Some notes were not looked at: nothing is known to be gone, nor what else was skipped.
    pub(super) partial: bool,
    /// Then, the paths of the notes with a row that were not looked at.
    pub(super) unseen: Vec<String>,
    /// Decides on the gone ones, once it is known which of them were moved.
    pub(super) guard: Guard,
}

/// Notes to read, the rows that they have by path, and the rows of gone notes by content.
type Parts = (Vec<ScanEntry>, FxHashMap<String, NoteRow>, FxHashMap<Vec<u8>, Vec<NoteRow>>);

impl Plan {
    /// Number of notes to read that have a row.
    pub(super) fn known(&self) -> usize {
        self.read.iter().filter(|(_, row)| row.is_some()).count()
    }

    /// What a refresh works on.
    pub(super) fn into_parts(self) -> Parts {
        let (mut entries, mut known) = (Vec::with_capacity(self.read.len()), FxHashMap::default());
        for (entry, row) in self.read {
            known.extend(row.map(|row| (row.path.clone(), row)));
            entries.push(entry);
        }
        let mut gone: FxHashMap<Vec<u8>, Vec<NoteRow>> = FxHashMap::default();
        for row in self.gone {
            gone.entry(row.hash.clone()).or_default().push(row);
        }
        (entries, known, gone)
    }
}

/// Keeps what looks lost by accident: all notes of a folder that shows none, as an unmounted one
/// does, and more than half of a vault.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Guard {
    /// Believe any loss.
    pub(super) prune: bool,
    /// Notes of the vault before the loss.
    pub(super) total: usize,
    /// Whether the vault shows nothing that is like a note.
    pub(super) empty: bool,
}

impl Guard {
    /// Whether a loss of so many notes looks like an accident.
    pub(super) fn holds(&self, lost: usize) -> bool {
        let most = self.total > SMALL_VAULT_NOTES && lost * 2 > self.total;
        !self.prune && lost > 0 && (self.empty || most)
    }

    /// Parts rows whose files are gone and were not moved: those that may be removed, and those that
    /// are kept. What `left_out` tells to be there, and left out by the vault's rules, is not lost.
    pub(super) fn judge(
        &self,
        gone: Vec<NoteRow>,
        left_out: &dyn Fn(&str) -> bool,
    ) -> (Vec<NoteRow>, Vec<NoteRow>) {
        if !self.holds(gone.len()) {
            return (gone, Vec::new());
        }
        let (mut removed, lost): (Vec<_>, Vec<_>) =
            gone.into_iter().partition(|row| left_out(&row.path));
        if self.holds(lost.len()) {
            return (removed, lost);
        }
        removed.extend(lost);
        (removed, Vec::new())
    }
}

/// By what the plan is made.
pub(super) struct Rules<'r> {
    /// Read every note, whatever its time and size.
    pub(super) everything: bool,
    /// Read notes that have no vectors.
    pub(super) embed: bool,
    /// Believe any loss.
    pub(super) prune: bool,
    /// Tells a note that the vault's rules leave out from one whose file is gone: only the latter
    /// looks like an accident.
    pub(super) left_out: &'r dyn Fn(&str) -> bool,
    /// Notes of the vault when a loss that is still kept was first seen. Notes that came since must
    /// not make the loss look small.
    pub(super) guarded: Option<usize>,
}

/// Makes the plan.
pub(super) fn plan(scan: &Scan, rows: Vec<NoteRow>, rules: &Rules<'_>) -> Plan {
    let total = rules.guarded.map_or(rows.len(), |guarded| guarded.min(rows.len()));
    let mut known: FxHashMap<String, NoteRow> = HashMap::default();
    known.extend(rows.into_iter().map(|row| (row.path.clone(), row)));
    let empty = scan.entries.is_empty() && scan.skipped.is_empty();
    let guard = Guard { prune: rules.prune, total, empty };
    let mut plan = Plan { partial: scan.unfinished, guard, ..Plan::default() };
    for entry in &scan.entries {
        match known.remove(entry.path.as_str()) {
            Some(row) if same(&row, entry) && !rules.asks_for(&row) => plan.unchanged += 1,
            row => plan.read.push((entry.clone(), row)),
        }
    }
    if plan.partial {
        plan.unseen = known.into_keys().collect();
        plan.unseen.sort();
        return plan;
    }
    let (hidden, gone): (Vec<_>, Vec<_>) =
        known.into_values().partition(|row| is_hidden(row, &scan.skipped));
    (plan.kept, plan.hidden, plan.gone) = (hidden.len(), hidden.len(), gone);
    plan.gone.sort_by(|a, b| a.path.cmp(&b.path));
    // Without a new note none was moved, and the loss is known already.
    if plan.read.iter().all(|(_, row)| row.is_some()) {
        let (gone, kept) = guard.judge(std::mem::take(&mut plan.gone), rules.left_out);
        plan.kept += kept.len();
        plan.gone = gone;
    }
    plan
}

impl Rules<'_> {
    /// Whether a note that is as it was is to be read all the same.
    fn asks_for(&self, row: &NoteRow) -> bool {
        self.everything || (self.embed && row.vector_id.is_none())
    }
}

/// Whether a note's file has the times and size that are recorded of it. Two notes that change places
/// keep their times and may have one size; the change of their entries tells it.
pub(crate) fn same(row: &NoteRow, entry: &ScanEntry) -> bool {
    (row.modified_ns, row.changed_ns, row.size) == (entry.modified_ns, entry.changed_ns, entry.size)
}

/// True for a note that the scan could not see, rather than saw to be gone: it or a folder above
/// it is unreadable.
fn is_hidden(row: &NoteRow, skipped: &[Skipped]) -> bool {
    skipped.iter().any(|skip| {
        matches!(skip.reason, SkipReason::Unreadable(_) | SkipReason::NotDownloaded)
            && (row.path == skip.path
                || skip.path.is_empty()
                || row.path.strip_prefix(&skip.path).is_some_and(|rest| rest.starts_with('/')))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vault::VaultPath;

    fn row(path: &str) -> NoteRow {
        NoteRow {
            note_id: 1,
            path: path.to_owned(),
            modified_ns: 5,
            changed_ns: 3,
            size: 7,
            hash: Vec::new(),
            vector_id: None,
            segment_id: 1,
            ordinal: 0,
            stated_day: None,
        }
    }

    fn entry(path: &str, modified_ns: i64) -> ScanEntry {
        ScanEntry { path: VaultPath::verbatim(path), modified_ns, changed_ns: 3, size: 7 }
    }

    const RULES: Rules<'_> = Rules {
        everything: false,
        embed: false,
        prune: false,
        left_out: &|_| false,
        guarded: None,
    };

    #[test]
    fn notes_are_told_apart_by_time_and_size() {
        let scan =
            Scan { entries: vec![entry("a", 5), entry("b", 6), entry("d", 5)], ..Scan::default() };
        let plan = plan(&scan, vec![row("a"), row("b"), row("c")], &RULES);
        let read: Vec<_> = plan.read.iter().map(|(entry, _)| entry.path.as_str()).collect();
        assert_eq!((plan.unchanged, read), (1, vec!["b", "d"]));
        assert_eq!(plan.gone, [row("c")]);
    }

    #[test]
    fn a_changed_entry_is_read_again_and_so_is_a_note_without_vectors_where_there_is_a_model() {
        let swapped = ScanEntry { changed_ns: 4, ..entry("a", 5) };
        let scan = Scan { entries: vec![swapped, entry("b", 5)], ..Scan::default() };
        let rows = || vec![row("a"), row("b")];
        let read = |rules: &Rules<'_>| plan(&scan, rows(), rules).read.len();
        assert_eq!((read(&RULES), read(&Rules { embed: true, ..RULES })), (1, 2));
    }

    #[test]
    fn a_great_loss_is_kept_until_asked_to_prune() {
        let rows = || (0..30).map(|number| row(&format!("n{number}"))).collect::<Vec<_>>();
        let one = Scan { entries: vec![entry("n0", 5)], ..Scan::default() };
        let judged = |scan: &Scan, rows: &[NoteRow], rules: &Rules<'_>| {
            let plan = plan(scan, rows.to_vec(), rules);
            (plan.gone.len(), plan.kept)
        };
        assert_eq!(judged(&one, &rows(), &RULES), (0, 29));
        assert_eq!(judged(&one, &rows(), &Rules { prune: true, ..RULES }), (29, 0));
        assert_eq!(judged(&one, &rows()[..20], &RULES), (19, 0));
        let rules = Rules { left_out: &|path| path.ends_with('1'), ..RULES };
        assert_eq!(judged(&one, &rows(), &rules), (3, 26));
        assert_eq!(judged(&Scan::default(), &rows()[..2], &RULES), (0, 2));
    }

    #[test]
    fn notes_that_came_since_do_not_make_a_loss_look_small() {
        let guard = |total| Guard { total, ..Guard::default() };
        assert!(guard(30).holds(16) && !guard(30).holds(15) && !guard(40).holds(16));
        let rows: Vec<_> = (0..60).map(|number| row(&format!("n{number}"))).collect();
        let entries = (0..40).map(|number| entry(&format!("n{number}"), 5)).collect();
        let scan = Scan { entries, ..Scan::default() };
        let kept = |guarded| plan(&scan, rows.clone(), &Rules { guarded, ..RULES }).kept;
        assert_eq!((kept(None), kept(Some(30))), (0, 20));
    }

    #[test]
    fn what_was_not_looked_at_is_not_gone() {
        let scan = Scan { entries: vec![entry("a", 6)], unfinished: true, ..Scan::default() };
        let plan = plan(&scan, vec![row("a"), row("b")], &RULES);
        assert_eq!((plan.read.len(), plan.gone.len(), plan.partial), (1, 0, true));
        assert_eq!(plan.unseen, ["b"]);
    }

    #[test]
    fn notes_below_an_unreadable_folder_are_kept() {
        let reason = SkipReason::Unreadable("permission denied".to_owned());
        let scan = Scan {
            skipped: vec![Skipped { path: "locked".to_owned(), reason }],
            ..Scan::default()
        };
        let plan = plan(&scan, vec![row("locked/a"), row("lockedx")], &RULES);
        assert_eq!((plan.kept, plan.hidden, plan.gone), (1, 1, vec![row("lockedx")]));
    }
}
