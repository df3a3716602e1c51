//! Keeping the index in shape: merging segments, and making all vectors anew when the model or the
//! vault's token counts have changed.

use std::time::Duration;

use rustc_hash::FxHashMap;

use crate::chunk::Chunk;
use crate::embed::TokenWeights;
use crate::error::Result;
use crate::markdown::{self, Note};
use crate::settings::Settings;
use crate::store::{DocumentRow, SegmentColumns, Store, Writer};

use super::budget::Budget;
use super::prepare::body_of;
use super::report::{Progress, UpdateReport};
use super::tokens::Tokens;
use super::vectors::{EmbedJob, NoteVectors, count_tokens, embed_all};

/// A segment is merged with the one before it once it has half as many documents: sizes then
/// double from the newest to the oldest, and a vault of a million notes has about 20 segments.
const MERGE_RATIO: usize = 2;
/// A segment is rewritten once this share of its documents, one in so many, is dead.
const DEAD_SHARE: usize = 3;
/// A run that was cut short merges up to this many times the documents that it wrote: merging one
/// is several times cheaper than making it.
const SHORT_MERGE: usize = 4;
/// Time that one note's vectors take to be made anew, about; to tell whether a whole vault's fit
/// into a budget.
const EMBED_A_NOTE: Duration = Duration::from_micros(200);
/// The weights epoch ends when changes since its beginning exceed half of the notes it counted and
/// this many, and at the first change where it counted none: token weights vary little between
/// samples, and making vectors anew costs seconds.
const EPOCH_SLACK: i64 = 16;

/// Publishes a part of a first run, whose segments stay as they are.
pub(super) fn publish_part(writer: &Writer) -> Result<()> {
    set_totals(writer, &writer.store().segments()?)?;
    writer.publish()
}

/// Records how many documents and chunks are living, so that a run which finds nothing to do need
/// not count them.
fn set_totals(writer: &Writer, segments: &[SegmentColumns]) -> Result<()> {
    let counts = segments.iter().flat_map(|columns| columns.chunk_counts.iter().zip(&columns.dead));
    let living: Vec<i64> =
        counts.filter(|(_, dead)| !**dead).map(|(chunks, _)| i64::from(*chunks)).collect();
    writer.set_number("documents", living.len() as i64)?;
    writer.set_number("chunks", living.iter().sum())
}

/// Records the totals, and merges segments until their sizes double from the newest to the oldest.
/// After a run that was cut short with `done` notes, only where that costs about as much as they
/// did: a run that comes to the end makes up for it.
pub(super) fn merge_segments(writer: &Writer, done: Option<usize>) -> Result<()> {
    let segments = writer.store().segments()?;
    set_totals(writer, &segments)?;
    let living = |columns: &SegmentColumns| columns.dead.iter().filter(|dead| !**dead).count();
    let mut from = segments.len().saturating_sub(1);
    let mut size = segments.last().map_or(0, living);
    while from > 0 && living(&segments[from - 1]) <= size * MERGE_RATIO {
        from -= 1;
        size += living(&segments[from]);
    }
    let mut due = &segments[from.min(segments.len())..];
    if due.len() < 2 {
        due = &[];
    }
    let decayed = |columns: &&SegmentColumns| {
        let dead = columns.dead.len() - living(columns);
        dead > 0 && dead * DEAD_SHARE >= columns.dead.len()
    };
    if due.is_empty() {
        // Renumbering the oldest alone keeps the order by age: it is written behind the others, so
        // all segments newer than the first decayed one go with it.
        let Some(first) = segments.iter().position(|columns| decayed(&columns)) else {
            return Ok(());
        };
        due = &segments[first..];
    }
    let most = done.map_or(usize::MAX, |done| done * SHORT_MERGE);
    if due.iter().map(|columns| columns.dead.len()).sum::<usize>() > most {
        return Ok(());
    }
    writer.merge_segments(due)
}

/// True where the weights epoch has ended, and making all vectors anew fits into the budget: the old
/// ones serve until an update has the time.
pub(super) fn epoch_is_over(store: &Store, budget: &Budget) -> Result<bool> {
    let notes = store.meta_number("documents")?.and_then(|notes| u32::try_from(notes).ok());
    if !budget.fits(EMBED_A_NOTE * notes.unwrap_or(0)) {
        return Ok(false);
    }
    let counted = store.meta_number("epoch_notes")?.unwrap_or(0);
    let changes = store.meta_number("epoch_changes")?.unwrap_or(0);
    Ok(changes > counted / 2 + EPOCH_SLACK || (counted == 0 && changes > 0))
}

/// Records the beginning of a weights epoch.
pub(super) fn begin_epoch(writer: &Writer, weights: &TokenWeights) -> Result<()> {
    writer.set_number("epoch_notes", i64::from(weights.notes()))?;
    writer.set_number("epoch_changes", 0)?;
    writer.set_numbers("epoch_counts", weights.counts())
}

/// The weights of the current epoch, not computed ahead.
pub(crate) fn epoch_weights(store: &Store) -> Result<Option<TokenWeights>> {
    let Some(counts) = store.meta_numbers("epoch_counts")? else { return Ok(None) };
    let notes = store.meta_number("epoch_notes")?.unwrap_or(0);
    Ok(Some(TokenWeights::new(u32::try_from(notes).unwrap_or(0), counts)))
}

/// Makes all vectors anew from the stored texts, in the publication that the caller has begun.
pub(super) fn embed_everything(
    writer: &Writer,
    settings: &Settings,
    threads: usize,
    progress: &dyn Progress,
    report: &mut UpdateReport,
) -> Result<()> {
    writer.clear_vectors()?;
    let store = writer.store();
    let notes = store.notes()?;
    let Some(embedder) = settings.embedder.as_deref() else {
        return replace_sketches(writer, &FxHashMap::default());
    };
    progress.begin("embed", notes.len());
    let mut tokens = Vec::with_capacity(notes.len());
    for note in &notes {
        tokens.push(tokenize_stored(&store.document(note.note_id)?, settings));
    }
    let weights = count_tokens(tokens.iter(), embedder.vocabulary_size());
    let jobs: Vec<_> = tokens.iter().map(|tokens| EmbedJob { tokens, known: None }).collect();
    let title_weight = settings.ranking.title_vector_weight as f32;
    let vectors = embed_all(embedder, &weights, title_weight, &jobs, threads);
    let mut by_note = FxHashMap::default();
    for (note, vectors) in notes.iter().zip(vectors) {
        let pieces = vectors.pieces.as_deref().unwrap_or_default();
        let vector_id = writer.put_vectors(&note.hash, pieces)?;
        writer.set_vector(note.note_id, Some(vector_id))?;
        writer.put_placement(note.note_id, &vectors.title, &vectors.norms)?;
        by_note.insert(note.note_id, vectors);
        progress.advance(1, note.size);
    }
    report.embedded = notes.len();
    replace_sketches(writer, &by_note)?;
    begin_epoch(writer, &weights)
}

/// Tokens of a note's pieces and title, from what is stored of it.
fn tokenize_stored(document: &DocumentRow, settings: &Settings) -> Tokens {
    let embedder = settings.embedder.as_deref();
    Tokens::of(embedder, &settings.chunk, &document.title, &stored_bodies(document)).0
}

/// A stored note's text, parsed as it was when the note was prepared.
pub(crate) fn stored_note(document: &DocumentRow) -> Note {
    if document.attributes.given_title {
        markdown::parse_body(&document.text)
    } else {
        markdown::parse(&document.text)
    }
}

/// The indexed text of each stored chunk, as it was when the note was prepared.
pub(crate) fn stored_bodies(document: &DocumentRow) -> Vec<String> {
    let note = stored_note(document);
    let body = |layout: &crate::store::ChunkLayout| {
        let chunk = Chunk {
            span: layout.span.clone(),
            overlap: layout.overlap,
            headings: layout.headings.clone(),
        };
        body_of(&note, &document.text, &chunk)
    };
    document.layout.chunks.iter().map(body).collect()
}

fn replace_sketches(writer: &Writer, by_note: &FxHashMap<i64, NoteVectors>) -> Result<()> {
    for columns in writer.store().segments()? {
        let mut counts = Vec::with_capacity(columns.notes.len());
        let mut sketches = Vec::new();
        for (note_id, dead) in columns.notes.iter().zip(&columns.dead) {
            match by_note.get(note_id).filter(|_| !dead) {
                Some(vectors) => {
                    counts.push(vectors.norms.len() as u32);
                    sketches.extend_from_slice(&vectors.sketches);
                }
                None => counts.push(0),
            }
        }
        writer.set_sketches(columns.segment_id, &counts, &sketches)?;
    }
    Ok(())
}
