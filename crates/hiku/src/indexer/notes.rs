//! Reads some notes of an index anew, and looks at no others: for a search that met a changed one.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use crate::error::Result;
use crate::settings::Settings;
use crate::store::{NoteRow, Writer, WriterLock};
use crate::vault::{ScanEntry, Source};

use super::budget::Budget;
use super::identity::{self, Rebuild};
use super::plan::Plan;
use super::report::SilentProgress;
use super::{LOCK_WAIT, Run, UpdateReport, confirm_vault, prepare};

/// Whether these are the bytes that the note in the index was made of.
pub(crate) fn has_hash(row: &NoteRow, bytes: &[u8]) -> bool {
    row.hash == prepare::content_hash(bytes)
}

/// Reads notes that are in the index anew. False where the index first needs an update of another
/// sort.
///
/// # Errors
/// As [`crate::Index::update`].
pub(crate) fn update_notes(
    source: &dyn Source,
    path: &Path,
    settings: &Settings,
    notes: Vec<(i64, ScanEntry)>,
) -> Result<bool> {
    let lock = WriterLock::acquire(path, LOCK_WAIT)?;
    let writer = Writer::open(path, &lock)?;
    if let Some(root) = source.folder() {
        confirm_vault(writer.store(), root)?;
    }
    if identity::needed(writer.store(), settings)? != Rebuild::Nothing {
        return Ok(false);
    }
    let stop = AtomicBool::new(false);
    let budget = Budget::begin(None);
    let run = Run::new(source, settings, &SilentProgress, &stop, budget.clone());
    let mut plan = Plan { partial: true, ..Plan::default() };
    for (note_id, entry) in notes {
        let row = writer.store().note(note_id)?.filter(|row| row.path == entry.path.as_str());
        plan.read.extend(row.map(|row| (entry, Some(row))));
    }
    let mut report = UpdateReport::default();
    let result = run.refresh(&writer, plan, Rebuild::Nothing, budget, &mut report);
    if result.is_err() {
        writer.discard();
    }
    result.map(|()| true)
}
