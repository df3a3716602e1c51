//! The check of an index: the database's own, then whether the parts agree. Finds faults and mends
//! nothing; whether the index agrees with the vault is the update's business.

mod deep;
mod lists;
mod notes;
mod vectors;

use std::fmt::Display;
use std::path::Path;

use rustc_hash::FxHashMap;

use super::Problem;
use crate::error::{Error, Result};
use crate::settings::Settings;
use crate::store::{NoteRow, SegmentColumns, Store};

/// What mends a part that disagrees with the others.
const REBUILD: &str = "make the index anew: hiku index --full";
/// What mends a file that the database itself cannot read: a rebuild inside it could fail too.
const REPLACE: &str = "delete the index file, then: hiku index";
/// What fills an index in which nothing was published.
const UPDATE: &str = "run the update again: hiku index";

/// Facts that every published index has.
const FACTS: [&str; 6] =
    ["generation", "tokenizer", "rules", "settings", "model", "title_vector_weight"];

/// How much of an index is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Its parts, each read once and compared with one another.
    Parts,
    /// And what the stored texts come to, made again and compared.
    Texts,
}

/// Checks that the parts of an index agree, with one another and with the model in use. One problem a kind of fault, with the first place where
/// it was found and the number of further ones.
///
/// # Errors
/// `Corrupt` when there is no index; `Incompatible`, `Io`. Damage is a result.
pub(crate) fn check(path: &Path, settings: &Settings, depth: Depth) -> Result<Vec<Problem>> {
    let mut findings = Findings::default();
    match Store::open(path) {
        Ok(store) => look(&store, settings, depth, &mut findings)?,
        Err(Error::IndexDamaged { detail, .. }) => {
            findings.add_with(REPLACE, "the file is damaged", detail);
        }
        Err(other) => return Err(other),
    }
    Ok(findings.problems())
}

fn look(store: &Store, settings: &Settings, depth: Depth, findings: &mut Findings) -> Result<()> {
    let begun = store.begin_view();
    if findings.pass(begun)?.is_none() {
        return Ok(());
    }
    for fault in store.integrity_faults()? {
        findings.add_with(REPLACE, "the file is damaged", fault);
    }
    let altered = altered(store, findings);
    findings.pass(altered)?;
    let model = other_model(store, settings, findings);
    findings.pass(model)?;
    let (notes, segments) = (findings.pass(store.notes())?, findings.pass(store.segments())?);
    let (Some(notes), Some(segments)) = (notes, segments) else { return Ok(()) };
    let mut parts = Parts::new(store, notes, segments);
    notes::places(&parts, findings);
    let passes: [fn(&mut Parts<'_>, &mut Findings) -> Result<()>; 4] =
        [facts, notes::documents, vectors::vectors, lists::lists];
    for part in passes {
        let result = part(&mut parts, findings);
        findings.pass(result)?;
    }
    if depth == Depth::Texts {
        let result = deep::deep(&parts, settings, findings);
        findings.pass(result)?;
    }
    findings.pass(store.end_view()).map(drop)
}

/// Every record is as it was written.
fn altered(store: &Store, findings: &mut Findings) -> Result<()> {
    store.for_each_altered(|what, id| {
        findings.add("a record is not as it was written", format_args!("{what} {id}"));
    })
}

/// The vectors are of the model in use. A model that is missing cannot be compared.
fn other_model(store: &Store, settings: &Settings, findings: &mut Findings) -> Result<()> {
    let stored = store.meta_text("model")?.unwrap_or_default();
    let wanted = settings.embedder.as_ref().map(|embedder| embedder.id()).unwrap_or_default();
    if settings.missing_model.is_none() && stored != wanted && store.generation()? > 0 {
        let name = |id: &str| if id.is_empty() { "none".to_owned() } else { id.to_owned() };
        findings.add_with(
            UPDATE,
            "the vectors are of another model than the one in use",
            format_args!("{}, in use is {}", name(&stored), name(wanted)),
        );
    }
    Ok(())
}

/// What the parts of the check look at together.
struct Parts<'s> {
    store: &'s Store,
    notes: Vec<NoteRow>,
    /// Where each note stands in `notes`.
    by_id: FxHashMap<i64, usize>,
    segments: Vec<SegmentColumns>,
    /// Vector pieces of each note by its layout.
    layout_pieces: FxHashMap<i64, usize>,
}

impl<'s> Parts<'s> {
    fn new(store: &'s Store, notes: Vec<NoteRow>, segments: Vec<SegmentColumns>) -> Self {
        let by_id = notes.iter().enumerate().map(|(at, row)| (row.note_id, at)).collect();
        Parts { store, notes, by_id, segments, layout_pieces: FxHashMap::default() }
    }

    fn segment(&self, segment_id: i64) -> Option<&SegmentColumns> {
        let at = self.segments.binary_search_by_key(&segment_id, |columns| columns.segment_id);
        self.segments.get(at.ok()?)
    }

    /// The note's path, to be named in a finding.
    fn path(&self, note_id: i64) -> String {
        match self.by_id.get(&note_id) {
            Some(at) => self.notes[*at].path.clone(),
            None => format!("note {note_id}"),
        }
    }
}

/// The facts of a published index are there; token counts once there are notes to count in.
fn facts(parts: &mut Parts<'_>, findings: &mut Findings) -> Result<()> {
    let store = parts.store;
    if store.meta_number("generation")? == Some(0) {
        findings.add_with(UPDATE, "nothing was published in the index yet", "generation 0");
        return Ok(());
    }
    for key in FACTS {
        if !store.has_fact(key)? {
            findings.add("a fact about the index is missing", key);
        }
    }
    let model = store.meta_text("model")?.unwrap_or_default();
    let counts = store.meta_numbers("epoch_counts")?.unwrap_or_default();
    if !model.is_empty() && !parts.notes.is_empty() && counts.is_empty() {
        findings.add("a fact about the index is missing", "epoch_counts");
    }
    Ok(())
}

/// What was found, alike faults counted together.
#[derive(Debug, Default)]
struct Findings {
    found: Vec<Finding>,
}

#[derive(Debug)]
struct Finding {
    remedy: &'static str,
    what: &'static str,
    first: String,
    more: usize,
}

impl Findings {
    /// Adds a fault (a clause) with the place where it was found.
    fn add(&mut self, what: &'static str, place: impl Display) {
        self.add_with(REBUILD, what, place);
    }

    fn add_with(&mut self, remedy: &'static str, what: &'static str, place: impl Display) {
        match self.found.iter_mut().find(|finding| finding.what == what) {
            Some(finding) => finding.more += 1,
            None => {
                self.found.push(Finding { remedy, what, first: place.to_string(), more: 0 });
            }
        }
    }

    /// Takes damage for a finding, so that the check goes on with the next part.
    fn pass<T>(&mut self, result: Result<T>) -> Result<Option<T>> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(Error::IndexDamaged { detail, .. }) => {
                self.add("a part of the index cannot be read", detail);
                Ok(None)
            }
            Err(other) => Err(other),
        }
    }

    fn problems(self) -> Vec<Problem> {
        let problem = |Finding { remedy, what, first, more }| Problem {
            message: match more {
                0 => format!("{what}: {first}"),
                _ => format!("{what}: {first} and {more} more"),
            },
            remedy,
        };
        self.found.into_iter().map(problem).collect()
    }
}

#[cfg(test)]
mod tests;
