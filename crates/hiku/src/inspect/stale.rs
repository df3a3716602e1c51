//! In what an index is behind its vault, by the notes' bytes and not by their times. Being behind is
//! no fault: the next update mends it.

use std::path::Path;

use rustc_hash::FxHashMap;

use crate::error::Result;
use crate::indexer::{Change, content_hash};
use crate::store::{NoteRow, Store};
use crate::vault::Source;

/// The notes that an update would read, or remove, by path. A note that cannot be read now is not
/// among them.
///
/// # Errors
/// `User` and `Io` from the vault; `Corrupt`, `Incompatible` and `Io` from the file.
pub(crate) fn stale(path: &Path, source: &dyn Source) -> Result<Vec<(Change, String)>> {
    let rows = Store::open(path)?.notes()?;
    let scan = source.scan()?;
    let mut known: FxHashMap<&str, &NoteRow> =
        rows.iter().map(|row| (row.path.as_str(), row)).collect();
    let mut stale = Vec::new();
    for entry in &scan.entries {
        let change = match known.remove(entry.path.as_str()) {
            None => Change::Added,
            Some(row) => match source.read(&entry.path) {
                Ok(bytes) if content_hash(&bytes) != row.hash => Change::Changed,
                _ => continue,
            },
        };
        stale.push((change, entry.path.to_string()));
    }
    let is_hidden = |path: &str| {
        let hides = |skipped: &str| {
            let rest = path.strip_prefix(skipped);
            rest.is_some_and(|rest| skipped.is_empty() || rest.is_empty() || rest.starts_with('/'))
        };
        scan.skipped.iter().any(|skip| hides(&skip.path))
    };
    let gone = known.into_keys().filter(|path| !is_hidden(path));
    stale.extend(gone.map(|path| (Change::Removed, path.to_owned())));
    stale.sort_by(|a, b| a.1.cmp(&b.1));
    Ok(stale)
}
