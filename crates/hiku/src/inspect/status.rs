//! The index at a glance: counts, versions, and what the notes' own records report. Reads columns
//! and attributes, no text, no term list and no vector.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Status;
use crate::error::Result;
use crate::store::{FORMAT_VERSION, Store};

/// The index at a glance.
///
/// # Errors
/// `Corrupt` and `Io`.
pub(crate) fn status(path: &Path) -> Result<Status> {
    let store = Store::open(path)?;
    store.begin_view()?;
    let mut status = Status {
        generation: store.generation()?,
        model: store.meta_text("model")?.unwrap_or_default(),
        format: FORMAT_VERSION,
        tokenizer: version(&store, "tokenizer")?,
        rules: version(&store, "rules")?,
        bytes: bytes_of(path),
        epoch_notes: store.meta_number("epoch_notes")?.unwrap_or(0) as usize,
        skipped: store.skipped()?,
        ..Status::default()
    };
    count(&store, &mut status)?;
    report(&store, &mut status)?;
    store.end_view()?;
    Ok(status)
}

/// A version among the facts; 0 where none was recorded yet.
fn version(store: &Store, key: &str) -> Result<u32> {
    Ok(store.meta_number(key)?.and_then(|number| u32::try_from(number).ok()).unwrap_or(0))
}

/// Bytes of the file and of its write-ahead log, which is missing between publications.
fn bytes_of(path: &Path) -> u64 {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    [path.to_path_buf(), PathBuf::from(log)]
        .iter()
        .filter_map(|path| std::fs::metadata(path).ok())
        .map(|metadata| metadata.len())
        .sum()
}

/// Counts over the living documents of all segments.
fn count(store: &Store, status: &mut Status) -> Result<()> {
    let segments = store.segments()?;
    status.segments = segments.len();
    for columns in &segments {
        let counts = columns.chunk_counts.iter().zip(&columns.piece_counts);
        for ((chunks, pieces), _) in counts.zip(&columns.dead).filter(|(_, dead)| !**dead) {
            status.notes += 1;
            status.chunks += *chunks as usize;
            status.pieces += *pieces as usize;
        }
    }
    Ok(())
}

/// Collects warnings, encodings and redactions. Attributes that cannot be read are for a check to report.
fn report(store: &Store, status: &mut Status) -> Result<()> {
    let mut redactions: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut encodings: BTreeMap<String, usize> = BTreeMap::new();
    let mut warned = Vec::new();
    store.for_each_attributes(|note_id, attributes| {
        let Some(attributes) = attributes else { return };
        for (rule, count) in attributes.redactions {
            let total = redactions.entry(rule).or_default();
            *total = (total.0.saturating_add(count), total.1 + 1);
        }
        if !attributes.encoding.is_empty() {
            *encodings.entry(attributes.encoding).or_default() += 1;
        }
        if !attributes.warnings.is_empty() {
            warned.push((note_id, attributes.warnings));
        }
    })?;
    for (note_id, warnings) in warned {
        let path = store.note(note_id)?.map(|row| row.path).unwrap_or_default();
        let warnings = warnings.into_iter();
        status.warnings.extend(warnings.map(|(line, message)| (path.clone(), line, message)));
    }
    status.warnings.sort();
    status.encodings = encodings.into_iter().collect();
    let totals = redactions.into_iter();
    status.redactions = totals.map(|(rule, (count, notes))| (rule, count, notes)).collect();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspect::tests::{indexed, refresh};
    use testkit::TestVault;

    #[test]
    fn it_counts_what_is_living() {
        let vault = indexed(
            "//- a.md\n# One\nFirst text of the note.\n\n## Two\nSecond text, which is long enough.\n\
             //- b.md\nOnly one chunk in this note.\n//- c.md\nThis note will go.\n",
        );
        let before = status(&vault.index()).expect("a status");
        assert_eq!((before.notes, before.segments, before.generation), (3, 1, 1));
        assert_eq!((before.format, before.epoch_notes), (FORMAT_VERSION, 3));
        assert!(before.tokenizer > 0 && before.rules > 0 && before.bytes > 10_000, "{before:?}");
        assert_eq!(before.pieces, before.chunks);
        vault.remove("c.md");
        refresh(&vault);
        let after = status(&vault.index()).expect("a status");
        assert_eq!((after.notes, after.generation), (2, 2));
        assert_eq!((after.chunks, after.pieces), (before.chunks - 1, before.pieces - 1));
    }

    #[test]
    fn warnings_and_redactions_are_those_of_the_notes_now() {
        let token = format!("ghp_{}", "7wQmZ2kTfR9vLx4NbY1cHsJ8pDgE5uWaKt3o");
        let vault = indexed(&format!(
            "//- a.md\n---\ntitle: [\n---\nA note whose front matter is broken.\n\
             //- b.md\nThe token is {token} here.\n"
        ));
        let status_now = || status(&vault.index()).expect("a status");
        let warned: Vec<_> = status_now().warnings.iter().map(|(path, ..)| path.clone()).collect();
        assert_eq!(warned, ["a.md"]);
        let redacted: usize = status_now().redactions.iter().map(|(_, count, _)| count).sum();
        assert_eq!(redacted, 1, "{:?}", status_now().redactions);
        vault.write("a.md", "Mended.\n");
        vault.remove("b.md");
        refresh(&vault);
        assert_eq!((status_now().warnings.len(), status_now().redactions.len()), (0, 0));
    }

    #[test]
    fn notes_that_obsidian_hides_leave_the_index() {
        let vault = indexed("//- a.md\nText.\n//- templates/b.md\nText of a template.\n");
        assert_eq!(status(&vault.index()).expect("a status").notes, 2);
        vault.write(".obsidian/app.json", r#"{"userIgnoreFilters": ["templates/"]}"#);
        refresh(&vault);
        assert_eq!(status(&vault.index()).expect("a status").notes, 1);
    }

    #[test]
    fn a_missing_index_is_named() {
        let vault = TestVault::new("//- a.md\nText.\n");
        let error = status(&vault.index()).expect_err("no index");
        assert_eq!(error.kind(), crate::ErrorKind::Corrupt, "{error}");
    }
}
