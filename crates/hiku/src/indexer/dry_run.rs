//! A comparison of vault and index that reports what an update would do, and writes nothing.

use std::cell::OnceCell;
use std::path::Path;

use super::identity::{self, Rebuild};
use super::plan::{Rules, plan};
use super::prepare;
use super::report::{Change, UpdateOptions, UpdateReport};
use super::{confirm_vault, guarded_notes, new_report};
use crate::error::{Error, Result};
use crate::settings::Settings;
use crate::store::{NoteRow, Store};
use crate::vault::{Scan, Source, VaultPath};

/// Compares and reports without writing.
pub(super) fn dry_run(
    source: &dyn Source,
    path: &Path,
    settings: &Settings,
    options: UpdateOptions,
    scan: &Scan,
) -> Result<UpdateReport> {
    let mut report = new_report(scan);
    let mut guarded = None;
    let (rows, everything) = match Store::open(path) {
        Err(Error::IndexMissing { .. }) => (Vec::new(), true),
        Err(error) => return Err(error),
        Ok(store) => {
            match source.folder().map(|root| confirm_vault(&store, root)) {
                Some(Err(Error::OtherVault { .. })) if options.full => {}
                Some(Err(error)) => return Err(error),
                _ => {}
            }
            let rebuild = identity::needed(&store, settings)?;
            if let Rebuild::Vectors(reason) | Rebuild::Everything(reason) = rebuild {
                report.rebuilt = Some(reason);
            }
            report.generation = store.generation()?;
            guarded = guarded_notes(&store)?;
            (store.notes()?, options.full || matches!(rebuild, Rebuild::Everything(_)))
        }
    };
    let left_out = |path: &str| is_left_out(source, path);
    let prune = options.prune;
    let rules = Rules { everything, embed: false, prune, left_out: &left_out, guarded };
    let plan = plan(scan, rows, &rules);
    let mut gone = plan.gone;
    for (entry, row) in &plan.read {
        let hash = OnceCell::new();
        let same = |row: &NoteRow| {
            let read = || source.read(&entry.path).ok().map(|bytes| prepare::content_hash(&bytes));
            hash.get_or_init(read).as_ref() == Some(&row.hash)
        };
        let change = match row {
            Some(row) if !everything && same(row) => continue,
            Some(_) => Change::Changed,
            None => match gone.iter().position(same) {
                Some(at) => {
                    gone.remove(at);
                    Change::Moved
                }
                None => Change::Added,
            },
        };
        report.changes.push((change, entry.path.to_string()));
    }
    let (gone, kept) = plan.guard.judge(gone, &left_out);
    (report.kept, report.hidden) = (plan.kept + kept.len(), plan.hidden);
    report.changes.extend(gone.into_iter().map(|row| (Change::Removed, row.path)));
    report.changes.sort_by(|a, b| a.1.cmp(&b.1));
    Ok(report)
}

/// True for a note that the vault's rules leave out, though its file is there.
pub(super) fn is_left_out(source: &dyn Source, path: &str) -> bool {
    VaultPath::new(path).is_some_and(|path| source.is_left_out(&path))
}
