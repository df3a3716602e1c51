//! Ranked notes to hits: reads their texts, chooses chunks, makes passages. Ranks no notes.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::Result;
use crate::indexer::day_text;
use crate::store::{Attributes, DocumentRow};
use crate::text::sanitize;

use super::copies::Copies;
use super::halves::wait_awake;
use super::passages::{ChunkScore, PassageMaker, chosen, rank_chunks};
use super::pool::{Candidate, Pool};
use super::types::{Contribution, Fusion, Grouping, Hit, Passage, SearchRequest};

/// Turns ranked notes into hits.
pub(super) struct HitMaker<'h> {
    pub(super) request: &'h SearchRequest,
    pub(super) passages: PassageMaker<'h>,
    /// Whether each signal ran.
    pub(super) by_word: bool,
    pub(super) by_meaning: bool,
    pub(super) copies: &'h Copies,
}

/// A ranked note with what its passages are made of.
struct Found<'f> {
    candidate: &'f Candidate,
    document: DocumentRow,
    /// Its chunks, best first.
    chunks: Vec<ChunkScore>,
    /// The chunk that it was found by, under the founding pipeline.
    by_chunk: Option<u32>,
}

impl HitMaker<'_> {
    /// The hits of the ranked notes, in their order; by chunk, in the order of the chunks.
    pub(super) fn hits(
        &self,
        pool: &Pool<'_>,
        candidates: &[Candidate],
        found_by: &[Option<u32>],
    ) -> Result<Vec<Hit>> {
        if !self.request.passages {
            return candidates.iter().map(|candidate| self.bare(pool, candidate)).collect();
        }
        let lexical = self.chunk_scores(pool, candidates)?;
        let notes = candidates.iter().zip(found_by).zip(&lexical);
        let notes = notes.map(|((candidate, by_chunk), lexical)| {
            Self::read(pool, candidate, *by_chunk, lexical)
        });
        let keeps_threads = pool.dense.is_some_and(|dense| dense.cache.is_some());
        let made = if keeps_threads { self.make_beside(notes)? } else { self.make_all(notes)? };
        let mut hits: Vec<Hit> = made.into_iter().flatten().collect();
        if self.request.by == Grouping::Chunk && self.request.fusion != Fusion::Founding {
            hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.path.cmp(&b.path)));
        }
        hits.truncate(self.request.limit);
        Ok(hits)
    }

    fn make_all<'f>(
        &self,
        notes: impl Iterator<Item = Result<Found<'f>>>,
    ) -> Result<Vec<Vec<Hit>>> {
        notes.map(|found| found.map(|found| self.make(&found))).collect()
    }

    /// Makes the hits of each note on another thread, while this one reads the next note.
    fn make_beside<'f>(
        &self,
        notes: impl ExactSizeIterator<Item = Result<Found<'f>>>,
    ) -> Result<Vec<Vec<Hit>>> {
        let mut made: Vec<Vec<Hit>> = vec![Vec::new(); notes.len()];
        let pending = AtomicUsize::new(0);
        rayon::in_place_scope(|scope| {
            for (place, found) in made.iter_mut().zip(notes) {
                let (found, pending) = (found?, &pending);
                pending.fetch_add(1, Ordering::Relaxed);
                scope.spawn(move |_| {
                    *place = self.make(&found);
                    pending.fetch_sub(1, Ordering::Release);
                });
            }
            wait_awake(&pending);
            Ok(())
        })?;
        Ok(made)
    }

    /// What the chunks of each candidate score by word.
    fn chunk_scores(&self, pool: &Pool<'_>, candidates: &[Candidate]) -> Result<Vec<Vec<f64>>> {
        let documents: Vec<_> = candidates.iter().map(|candidate| candidate.document).collect();
        let Some(lexical) = pool.lexical else { return Ok(vec![Vec::new(); documents.len()]) };
        let every = self.request.by == Grouping::Chunk;
        lexical.chunk_scores(pool.store, pool.snapshot, &documents, pool.options, every)
    }

    fn read<'f>(
        pool: &Pool<'_>,
        candidate: &'f Candidate,
        by_chunk: Option<u32>,
        lexical: &[f64],
    ) -> Result<Found<'f>> {
        let document = pool.store.document(candidate.row.note_id)?;
        let ideal = pool.lexical.map_or(0.0, |lexical| lexical.ideal);
        let cosines = pool.dense.map(|dense| dense.cosines(candidate.document)).transpose()?;
        let layout = &document.layout;
        let mut chunks = rank_chunks(layout, lexical, ideal, cosines.as_ref(), pool.share());
        if let Some(at) = chunks.iter().position(|s| Some(s.number as u32) == by_chunk) {
            chunks[..=at].rotate_right(1);
        }
        Ok(Found { candidate, document, chunks, by_chunk })
    }

    /// The hits of one note: one, or by chunk one for each chunk that matches.
    fn make(&self, found: &Found<'_>) -> Vec<Hit> {
        let Found { candidate, document, chunks, by_chunk } = found;
        let note = self.bare_of(candidate, &document.title, &document.attributes);
        let passage =
            |number: usize| self.passages.passage(candidate.row.note_id, document, number);
        if self.request.by == Grouping::Chunk {
            if let Some(number) = by_chunk {
                return vec![Hit { passages: vec![passage(*number as usize)], ..note }];
            }
            let matching = chunks.iter().filter(|score| score.total() > 0.0);
            return matching.map(|score| chunk_hit(&note, *score, passage(score.number))).collect();
        }
        let mut passages: Vec<_> =
            chosen(chunks).iter().map(|score| passage(score.number)).collect();
        if passages.is_empty() {
            passages.push(passage(0));
        }
        vec![Hit { passages, ..note }]
    }

    fn bare(&self, pool: &Pool<'_>, candidate: &Candidate) -> Result<Hit> {
        let (title, attributes) = pool.store.attributes(candidate.row.note_id)?;
        Ok(self.bare_of(candidate, &title, &attributes))
    }

    /// A hit without passages.
    fn bare_of(&self, candidate: &Candidate, title: &str, attributes: &Attributes) -> Hit {
        let (evidence, fused) = (candidate.evidence, candidate.fused);
        let mut contributions = Vec::with_capacity(2);
        if self.by_word {
            contributions.push(Contribution {
                signal: "lexical",
                rank: evidence.lexical_rank,
                score: evidence.lexical,
                share: fused.lexical,
            });
        }
        if self.by_meaning {
            contributions.push(Contribution {
                signal: "dense",
                rank: evidence.dense_rank,
                score: evidence.dense,
                share: fused.dense,
            });
        }
        Hit {
            note_id: candidate.row.note_id,
            path: candidate.row.path.clone(),
            title: sanitize(title).into_owned(),
            score: fused.score(),
            contributions,
            passages: Vec::new(),
            tags: attributes.tags.iter().map(|tag| sanitize(tag).into_owned()).collect(),
            note_type: Some(attributes.note_type.clone()).filter(|kind| !kind.is_empty()),
            date: day_text(candidate.row.day()),
            modified_ns: candidate.row.modified_ns,
            conflict_of: self.copies.original.get(&candidate.document).cloned(),
            conflict_copies: self
                .copies
                .shown_with
                .get(&candidate.document)
                .cloned()
                .unwrap_or_default(),
            stale: false,
        }
    }
}

/// A hit for one chunk: the mean of its own and its note's shares, so that a good passage of a good
/// note comes first.
fn chunk_hit(note: &Hit, score: ChunkScore, passage: Passage) -> Hit {
    let mut hit = note.clone();
    for contribution in &mut hit.contributions {
        let own = if contribution.signal == "lexical" { score.lexical } else { score.dense };
        contribution.share = f64::midpoint(contribution.share, own);
    }
    hit.score = hit.contributions.iter().map(|contribution| contribution.share).sum();
    hit.passages = vec![passage];
    hit
}
