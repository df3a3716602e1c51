//! The founding documents' pipeline, for comparison: lists of chunks, BM25 in `SQLite` FTS5's form
//! with column weights 1.0/0.5/0.3, 30 chunks from each side, reciprocal rank fusion with k = 60.
//! It works on this index's strong terms and vectors, so that only the ranking differs.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::Result;
use crate::fuse::{Evidence, reciprocal};
use crate::postings::Field;
use crate::ranking::{RankingOptions, Score, bm25_saturation, fts5_idf};
use crate::retrieve::{Document, QueryTerm, for_each_chunk};
use crate::tokenize::Class;

use super::pool::{Candidate, Pool, Ranks, cut_to_best};
use super::types::Grouping;

/// The founding columns: chunk text, section heading, heading context (title, type, tags).
const COLUMNS: [(Field, f64); 4] =
    [(Field::Body, 1.0), (Field::Heading, 0.5), (Field::Title, 0.3), (Field::Context, 0.3)];
/// Chunks that each side brings.
const POOL: usize = 30;
/// FTS5's k1 and b (sqlite.org/fts5.html, section 5.1.1).
const FTS5_K1: f64 = 1.2;
const FTS5_B: f64 = 0.75;

/// A chunk: its note's document and its number.
pub(super) type ChunkKey = (Document, u32);

/// Ranks chunks; gives notes with the number of the chunk that each was found by, equal scores by
/// path and chunk. By note, each note comes once, by its best chunk.
pub(super) fn rank(
    pool: &mut Pool<'_>,
    allowed: &[bool],
    limit: usize,
    by: Grouping,
) -> Result<Vec<(Candidate, u32)>> {
    let mut evidence: FxHashMap<ChunkKey, Evidence> = FxHashMap::default();
    for (key, score, rank) in by_word(pool, allowed)? {
        let entry = evidence.entry(key).or_default();
        (entry.lexical, entry.lexical_rank) = (score, Some(rank));
    }
    for (key, score, rank) in by_meaning(pool)? {
        let entry = evidence.entry(key).or_default();
        (entry.dense, entry.dense_rank) = (score, Some(rank));
    }
    let options = RankingOptions { rrf_k: 60.0, ..RankingOptions::default() };
    let mut hits = Vec::with_capacity(evidence.len());
    for ((document, chunk), evidence) in evidence {
        let fused = reciprocal(evidence, &options);
        hits.push((pool.candidate(document, evidence, fused)?, chunk));
    }
    let order = |(hit, chunk): &(Candidate, u32)| (hit.row.path.clone(), *chunk);
    hits.sort_by(|a, b| {
        b.0.fused.score().total_cmp(&a.0.fused.score()).then_with(|| order(a).cmp(&order(b)))
    });
    let mut best: FxHashMap<Document, Score> = FxHashMap::default();
    for (hit, _) in &hits {
        best.entry(hit.document).or_insert(hit.fused.score());
    }
    let score_of = |document: Document| best.get(&document).copied();
    pool.look_for_copies(hits.iter().map(|(hit, _)| hit), score_of)?;
    hits.retain(|(hit, _)| !pool.copies.folded.contains(&hit.document));
    if by == Grouping::Note {
        let mut seen = FxHashSet::default();
        hits.retain(|(hit, _)| seen.insert(hit.document));
    }
    hits.truncate(limit);
    Ok(hits)
}

/// `idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / mean))` with `idf = ln((N - n + 0.5) /
/// (n + 0.5))` over chunks, `tf` being the sum of a term's counts in each column times the column's
/// weight.
fn by_word(pool: &Pool<'_>, allowed: &[bool]) -> Result<Vec<(ChunkKey, Score, u32)>> {
    let Some(lexical) = pool.lexical else { return Ok(Vec::new()) };
    let lengths = ChunkLengths::load(pool)?;
    let mut scores: FxHashMap<ChunkKey, Score> = FxHashMap::default();
    let strong = lexical.terms.iter().filter(|(term, ..)| term.class == Class::Strong);
    for (term, ..) in strong {
        let counts = weighted_counts(pool, &lengths, term)?;
        let idf = fts5_idf(lengths.chunks, counts.len());
        for (key, count) in counts {
            if allowed[key.0 as usize] {
                let ratio = lengths.of(key) / lengths.mean;
                *scores.entry(key).or_default() +=
                    idf * bm25_saturation(count, ratio, FTS5_K1, FTS5_B);
            }
        }
    }
    Ok(best(scores))
}

/// A term's counts in each chunk, columns weighted. Title and context stand in every chunk of
/// their note.
fn weighted_counts(
    pool: &Pool<'_>,
    lengths: &ChunkLengths,
    term: &QueryTerm,
) -> Result<BTreeMap<ChunkKey, f64>> {
    let mut counts: BTreeMap<ChunkKey, f64> = BTreeMap::new();
    for (field, weight) in COLUMNS {
        for_each_chunk(pool.store, pool.snapshot, field, term, |document, chunk, count| {
            let own = chunk..chunk + 1;
            let chunks = if matches!(field, Field::Title | Field::Context) {
                0..lengths.chunks_of(document)
            } else {
                own
            };
            for chunk in chunks {
                *counts.entry((document, chunk)).or_default() += weight * f64::from(count);
            }
        })?;
    }
    Ok(counts)
}

fn by_meaning(pool: &Pool<'_>) -> Result<Vec<(ChunkKey, Score, u32)>> {
    let Some(dense) = pool.dense else { return Ok(Vec::new()) };
    let mut scores = FxHashMap::default();
    let mut near: Vec<Document> = pool.near.pieces.iter().map(|(document, _)| *document).collect();
    near.dedup();
    for document in near {
        let cosines = dense.cosines(document)?;
        let layout = pool.store.document(pool.snapshot.note_id(document))?.layout;
        let mut piece = 0;
        for (number, chunk) in layout.chunks.iter().enumerate() {
            let pieces = piece..piece + chunk.pieces;
            piece = pieces.end;
            let near = cosines.alone.get(pieces).and_then(|p| p.iter().copied().reduce(f32::max));
            if let Some(near) = near {
                scores.insert((document, number as u32), f64::from(near));
            }
        }
    }
    Ok(best(scores))
}

/// The best of a side's chunks with their ranks; those equal to the last are among them, and equal
/// scores share a rank, so that nothing depends on the order of the index.
fn best(scores: FxHashMap<ChunkKey, Score>) -> Vec<(ChunkKey, Score, u32)> {
    let mut list: Vec<_> = scores.into_iter().collect();
    cut_to_best(&mut list, POOL, |(_, score)| *score);
    let ranks = Ranks::of(list.iter().map(|(_, score)| *score).collect());
    list.into_iter().map(|(key, score)| (key, score, ranks.rank(score))).collect()
}

/// Lengths of all chunks in strong terms.
struct ChunkLengths {
    lengths: Vec<u32>,
    /// First chunk of each document.
    starts: Vec<usize>,
    /// Chunks of each document.
    counts: Vec<u32>,
    chunks: usize,
    mean: f64,
}

impl ChunkLengths {
    fn load(pool: &Pool<'_>) -> Result<Self> {
        let mut all = ChunkLengths {
            lengths: Vec::new(),
            starts: Vec::new(),
            counts: Vec::new(),
            chunks: 0,
            mean: 1.0,
        };
        let mut total = 0u64;
        for columns in &pool.snapshot.segments {
            let lengths = pool.store.chunk_lengths(columns.segment_id)?;
            let mut at = all.lengths.len();
            for (chunks, dead) in columns.chunk_counts.iter().zip(&columns.dead) {
                all.starts.push(at);
                all.counts.push(*chunks);
                let own = lengths.get(at - all.lengths.len()..).unwrap_or_default();
                let own = &own[..own.len().min(*chunks as usize)];
                if !dead {
                    all.chunks += own.len();
                    total += own.iter().map(|length| u64::from(*length)).sum::<u64>();
                }
                at += *chunks as usize;
            }
            all.lengths.extend(lengths);
        }
        all.mean = (total as f64 / all.chunks.max(1) as f64).max(1.0);
        Ok(all)
    }

    fn chunks_of(&self, document: Document) -> u32 {
        self.counts[document as usize]
    }

    /// A note without chunks has its title in chunk 0, which has the mean length.
    fn of(&self, (document, chunk): ChunkKey) -> f64 {
        if chunk >= self.chunks_of(document) {
            return self.mean;
        }
        let at = self.starts[document as usize] + chunk as usize;
        self.lengths.get(at).copied().map_or(self.mean, f64::from)
    }
}
