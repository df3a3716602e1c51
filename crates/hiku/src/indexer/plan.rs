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
}

/// Makes the plan.
pub(super) fn plan(scan: &Scan, rows: Vec<NoteRow>, rules: &Rules<'_>) -> Plan {
    let total = rows.len();
    let mut known: FxHashMap<String, NoteRow> = HashMap::default();
    known.extend(rows.into_iter().map(|row| (row.path.clone(), row)));
    let mut plan = Plan::default();
    for entry in &scan.entries {
        match known.remove(entry.path.as_str()) {
            Some(row) if same(&row, entry) && !rules.asks_for(&row) => plan.unchanged += 1,
            row => plan.read.push((entry.clone(), row)),
        }
    }
    let (hidden, gone): (Vec<_>, Vec<_>) =
        known.into_values().partition(|row| is_hidden(row, &scan.skipped));
    plan.kept = hidden.len();
    plan.hidden = hidden.len();
    plan.gone = gone;
    plan.gone.sort_by(|a, b| a.path.cmp(&b.path));
    let moved_in = plan.read.iter().filter(|(_, row)| row.is_none()).count();
    let lost = plan.gone.len().saturating_sub(moved_in);
    if !rules.prune && total > SMALL_VAULT_NOTES && lost * 2 > total {
        let gone = plan.gone.len();
        plan.gone.retain(|row| (rules.left_out)(&row.path));
        plan.kept += gone - plan.gone.len();
    }
    plan
}

impl Rules<'_> {
    /// Whether a note that is as it was is to be read all the same.
    fn asks_for(&self, row: &NoteRow) -> bool {
        self.everything || (self.embed && row.vector_id.is_none())
    }
}

/// Two notes that change places keep their times and may have one size; the change of their entries
/// tells it.
fn same(row: &NoteRow, entry: &ScanEntry) -> bool {
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

    const RULES: Rules<'_> =
        Rules { everything: false, embed: false, prune: false, left_out: &|_| false };

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
        let empty = Scan::default();
        let kept = plan(&empty, rows(), &RULES);
        assert_eq!((kept.gone.len(), kept.kept), (0, 30));
        assert_eq!(plan(&empty, rows(), &Rules { prune: true, ..RULES }).gone.len(), 30);
        assert_eq!(plan(&empty, rows()[..20].to_vec(), &RULES).gone.len(), 20);
        let rules = Rules { left_out: &|path| path.ends_with('1'), ..RULES };
        let left_out = plan(&empty, rows(), &rules);
        assert_eq!((left_out.gone.len(), left_out.kept), (3, 27));
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
