//! One batch of notes through the pipeline and into the store: prepared and embedded on all cores,
//! written by one.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rustc_hash::FxHashMap;

use crate::embed::TokenWeights;
use crate::error::Result;
use crate::postings::{SegmentBuilder, combine};
use crate::settings::Settings;
use crate::store::{NoteRow, StoredSegment, Writer};
use crate::vault::{ScanEntry, Skipped};

use super::prepare::{Outcome, Prepared, Preparer};
use super::report::{Change, Progress, UpdateReport};
use super::vectors::{EmbedJob, NoteVectors, embed_all};

/// How many notes a worker takes at a time.
const TAKE: usize = 16;

/// The prepared notes of a batch, each in the builder of the worker that prepared it, whose
/// documents are the notes in the same order.
#[derive(Default)]
pub(super) struct PreparedBatch {
    pub(super) notes: Vec<Prepared>,
    builders: Vec<SegmentBuilder>,
    pub(super) skipped: Vec<Skipped>,
    /// Notes whose content is as stored.
    pub(super) touched: Vec<ScanEntry>,
}

/// Prepares notes on `threads` cores. Stops early, with what is done, when `stop` is set.
pub(super) fn prepare_all(
    preparer: &Preparer<'_>,
    entries: &[ScanEntry],
    threads: usize,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> PreparedBatch {
    let next = AtomicUsize::new(0);
    let finished: Mutex<Vec<(SegmentBuilder, Vec<Prepared>)>> = Mutex::default();
    let skipped: Mutex<Vec<Skipped>> = Mutex::default();
    let touched: Mutex<Vec<ScanEntry>> = Mutex::default();
    let work = || {
        let mut builder = SegmentBuilder::default();
        let mut notes = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            let start = next.fetch_add(TAKE, Ordering::Relaxed);
            let Some(taken) = entries.get(start..entries.len().min(start + TAKE)) else { break };
            if taken.is_empty() {
                break;
            }
            for entry in taken {
                match preparer.prepare(entry, &mut builder) {
                    Ok(Outcome::Ready(note)) => notes.push(*note),
                    Ok(Outcome::Same) => lock(&touched).push(entry.clone()),
                    Err(skip) => lock(&skipped).push(skip),
                }
            }
            progress.advance(taken.len(), taken.iter().map(|entry| entry.size).sum());
        }
        lock(&finished).push((builder, notes));
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.max(1) {
            scope.spawn(work);
        }
        work();
    });
    let mut batch = PreparedBatch {
        skipped: skipped.into_inner().unwrap_or_default(),
        touched: touched.into_inner().unwrap_or_default(),
        ..PreparedBatch::default()
    };
    for (builder, notes) in finished.into_inner().unwrap_or_default() {
        batch.builders.push(builder);
        batch.notes.extend(notes);
    }
    batch
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// What writing a batch needs beside the notes.
pub(super) struct Placing<'p> {
    /// Rows of the notes that are in the index, by path.
    pub(super) known: &'p FxHashMap<String, NoteRow>,
    /// Rows whose files are gone, by content: a new note of the same content is one of them, moved.
    pub(super) gone: &'p mut FxHashMap<Vec<u8>, Vec<NoteRow>>,
    pub(super) weights: Option<&'p TokenWeights>,
    pub(super) settings: &'p Settings,
    pub(super) threads: usize,
}

/// Embeds and writes a prepared batch inside the publication that the caller has begun.
pub(super) fn write(
    writer: &Writer,
    batch: PreparedBatch,
    placing: &mut Placing<'_>,
    report: &mut UpdateReport,
) -> Result<()> {
    let PreparedBatch { mut notes, builders, .. } = batch;
    let known = known_pieces(writer, &notes)?;
    let jobs: Vec<EmbedJob<'_>> = notes
        .iter()
        .zip(known)
        .map(|(note, known)| EmbedJob { tokens: &note.tokens, known })
        .collect();
    let (segment, vectors) = std::thread::scope(|scope| {
        let building = scope.spawn(|| combine(&builders));
        let vectors = embed(&jobs, placing);
        (building.join().unwrap_or_default(), vectors)
    });
    drop(jobs);
    drop(builders);
    let mut stored = StoredSegment { segment, ..StoredSegment::default() };
    let segment_id = writer.next_segment_id()?;
    let mut replaced: FxHashMap<i64, Vec<u32>> = FxHashMap::default();
    let mut old_vectors = Vec::new();
    for (ordinal, note) in notes.iter_mut().enumerate() {
        let (change, old) = place(note, placing);
        if let Some(old) = &old {
            replaced.entry(old.segment_id).or_default().push(old.ordinal);
            old_vectors.extend(old.vector_id);
        }
        let fresh = vectors.as_ref().map(|vectors| &vectors[ordinal]);
        if let (None, Some(old)) = (fresh, &old) {
            writer.remove_placement(old.note_id)?;
        }
        let vector_id = match fresh {
            Some(NoteVectors { pieces: Some(pieces), .. }) => {
                report.embedded += 1;
                Some(writer.put_vectors(&note.hash, pieces)?)
            }
            Some(_) => writer.store().vector_id(&note.hash)?,
            None => None,
        };
        let row = row_of(note, old.as_ref(), segment_id, ordinal, vector_id);
        let note_id = writer.put_note(&row, &std::mem::take(&mut note.content))?;
        if let Some(fresh) = fresh {
            writer.put_placement(note_id, &fresh.title, &fresh.norms)?;
            stored.sketches.extend_from_slice(&fresh.sketches);
        }
        stored.piece_counts.push(fresh.map_or(0, |fresh| fresh.norms.len() as u32));
        stored.notes.push(note_id);
        record(note, change, report);
    }
    if !stored.notes.is_empty() {
        writer.put_placed_segment(&stored)?;
    }
    for (segment_id, ordinals) in replaced {
        writer.mark_dead(segment_id, &ordinals)?;
    }
    writer.drop_unused_vectors(&old_vectors)
}

fn embed(jobs: &[EmbedJob<'_>], placing: &Placing<'_>) -> Option<Vec<NoteVectors>> {
    let embedder = placing.settings.embedder.as_deref()?;
    let weight = placing.settings.ranking.title_vector_weight as f32;
    Some(embed_all(embedder, placing.weights?, weight, jobs, placing.threads))
}

/// Stored pieces of the contents that have been embedded before.
fn known_pieces(writer: &Writer, notes: &[Prepared]) -> Result<Vec<Option<Vec<u8>>>> {
    let store = writer.store();
    notes
        .iter()
        .map(|note| match store.vector_id(&note.hash)? {
            Some(vector_id) => store.pieces(vector_id, <[u8]>::to_vec),
            None => Ok(None),
        })
        .collect()
}

/// Which note of the index this is, if any: the one at its path, else a gone one of its content.
/// And what happened to it: nothing where only its vectors were missing.
fn place(note: &Prepared, placing: &mut Placing<'_>) -> (Option<Change>, Option<NoteRow>) {
    if let Some(row) = placing.known.get(note.entry.path.as_str()) {
        return ((row.hash != note.hash).then_some(Change::Changed), Some(row.clone()));
    }
    match placing.gone.get_mut(&note.hash).and_then(Vec::pop) {
        Some(row) => (Some(Change::Moved), Some(row)),
        None => (Some(Change::Added), None),
    }
}

fn row_of(
    note: &Prepared,
    old: Option<&NoteRow>,
    segment_id: i64,
    ordinal: usize,
    vector_id: Option<i64>,
) -> NoteRow {
    NoteRow {
        note_id: old.map_or(0, |row| row.note_id),
        path: note.entry.path.to_string(),
        modified_ns: note.entry.modified_ns,
        changed_ns: note.entry.changed_ns,
        size: note.entry.size,
        hash: note.hash.clone(),
        vector_id,
        segment_id,
        ordinal: ordinal as u32,
        stated_day: note.stated_day,
    }
}

fn record(note: &Prepared, change: Option<Change>, report: &mut UpdateReport) {
    let path = note.entry.path.to_string();
    for (line, message) in &note.attributes.warnings {
        report.warnings.push((path.clone(), *line, message.clone()));
    }
    for (rule, count) in &note.attributes.redactions {
        *report.redactions.entry((path.clone(), rule.clone())).or_default() += count;
    }
    report.changes.extend(change.map(|change| (change, path)));
}
