//! The candidates of a search: what each signal says of them, their fused scores, their order.
//!
//! Candidates are the best notes by word and all notes near by meaning; each then gets both scores
//! exactly, so that a note in one list only is not judged by half.

use rustc_hash::FxHashMap;

use crate::error::Result;
use crate::fuse::{Evidence, Fused, convex, lexical_share, reciprocal};
use crate::ranking::{RankingOptions, Score, best_first};
use crate::retrieve::{DenseQuery, Document, Lexical, Near, Snapshot};
use crate::store::{NoteRow, Store};

use super::copies::Copies;
use super::types::Fusion;

/// Notes that the lexical list brings at least, whatever the limit. Or four times the limit, if
/// that is more.
const MIN_LEXICAL_POOL: usize = 50;

/// A candidate with its fused score.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) document: Document,
    pub(super) row: NoteRow,
    pub(super) evidence: Evidence,
    pub(super) fused: Fused,
}

/// Everything that was gathered for a query.
pub(super) struct Pool<'p> {
    pub(super) store: &'p Store,
    pub(super) snapshot: &'p Snapshot,
    pub(super) options: &'p RankingOptions,
    pub(super) lexical: Option<&'p Lexical>,
    pub(super) dense: Option<&'p DenseQuery<'p>>,
    /// Cosine of the best piece of each document that was looked at.
    pub(super) cosines: FxHashMap<Document, Score>,
    /// What the dense first pass found.
    pub(super) near: &'p Near,
    /// What is known of conflict copies.
    pub(super) copies: Copies,
}

impl Pool<'_> {
    /// The best `limit` notes by the fusion asked for.
    pub(super) fn rank(&mut self, fusion: Fusion, limit: usize) -> Result<Vec<Candidate>> {
        let wanted = match fusion {
            Fusion::Rrf => self.options.rrf_pool.max(1),
            _ => MIN_LEXICAL_POOL.max(limit * 4),
        };
        let by_word = self.by_word(wanted);
        let by_meaning = self.by_meaning()?;
        let documents = match fusion {
            Fusion::Rrf => {
                let near = self.best_of(&by_meaning, wanted, Pool::cosine);
                merged(&by_word, &near)
            }
            _ => merged(&by_word, &by_meaning),
        };
        self.look_up(&documents)?;
        let of = |score: &dyn Fn(Document) -> Score| {
            Ranks::of(documents.iter().map(|document| score(*document)).collect())
        };
        let ranks = [of(&|d| self.lexical_score(d)), of(&|d| self.cosine(d))];
        let mut scored: Vec<(Document, Evidence, Fused)> =
            documents.iter().map(|document| self.score(*document, fusion, &ranks)).collect();
        scored.retain(|(_, _, fused)| fused.score() > 0.0);
        self.best_notes(&scored, limit)
    }

    /// The best `limit` of some scored documents, which are in ascending order. Conflict copies that
    /// are shown with their originals take no place.
    fn best_notes(
        &mut self,
        scored: &[(Document, Evidence, Fused)],
        limit: usize,
    ) -> Result<Vec<Candidate>> {
        let score_of = |document: Document| {
            let at = scored.binary_search_by_key(&document, |(document, ..)| *document).ok();
            at.map(|at| scored[at].2.score())
        };
        let mut wanted = limit;
        loop {
            let mut best = scored.to_vec();
            cut_to_best(&mut best, wanted, |(_, _, fused)| fused.score());
            let is_all = best.len() == scored.len();
            let mut candidates = Vec::with_capacity(best.len());
            for (document, evidence, fused) in best {
                candidates.push(Candidate { document, row: self.row(document)?, evidence, fused });
            }
            self.look_for_copies(&candidates, score_of)?;
            candidates.retain(|candidate| !self.copies.folded.contains(&candidate.document));
            if candidates.len() >= limit || is_all {
                candidates.sort_by(|a, b| {
                    best_first((a.fused.score(), &a.row.path), (b.fused.score(), &b.row.path))
                });
                candidates.truncate(limit);
                return Ok(candidates);
            }
            wanted += limit;
        }
    }

    /// Finds out which candidates are conflict copies, and which of those are folded into their
    /// originals. `score_of` gives a candidate's score.
    pub(super) fn look_for_copies<'c>(
        &mut self,
        candidates: impl IntoIterator<Item = &'c Candidate>,
        score_of: impl Fn(Document) -> Option<Score>,
    ) -> Result<()> {
        for candidate in candidates {
            let place = (candidate.document, &candidate.row);
            self.copies.look_at(place, (self.store, self.snapshot), &score_of)?;
        }
        Ok(())
    }

    /// Number of folded copies among the notes that match by word.
    pub(super) fn folded_matches(&self) -> usize {
        let folded = self.copies.folded.iter();
        folded.filter(|document| self.lexical_score(**document) > 0.0).count()
    }

    /// Allowed notes by date, the newest first, equal dates by path; for questions without words.
    pub(super) fn newest(&mut self, allowed: &[bool], limit: usize) -> Result<Vec<Candidate>> {
        let mut candidates = Vec::new();
        for (document, _) in (0..).zip(allowed).filter(|(_, allowed)| **allowed) {
            candidates.push(self.candidate(document, Evidence::default(), Fused::default())?);
        }
        self.look_for_copies(&candidates, |document| {
            allowed.get(document as usize).is_some_and(|allowed| *allowed).then_some(0.0)
        })?;
        candidates.retain(|candidate| !self.copies.folded.contains(&candidate.document));
        candidates.sort_by(|a, b| {
            b.row.day().cmp(&a.row.day()).then_with(|| a.row.path.cmp(&b.row.path))
        });
        candidates.truncate(limit);
        Ok(candidates)
    }

    /// A candidate of another pipeline's making.
    pub(super) fn candidate(
        &self,
        document: Document,
        evidence: Evidence,
        fused: Fused,
    ) -> Result<Candidate> {
        Ok(Candidate { document, row: self.row(document)?, evidence, fused })
    }

    fn row(&self, document: Document) -> Result<NoteRow> {
        let note_id = self.snapshot.note_id(document);
        let row = self.store.note(note_id)?;
        row.ok_or_else(|| self.store.missing_note())
    }

    /// Documents with the best lexical scores, ties at the end included.
    fn by_word(&self, wanted: usize) -> Vec<Document> {
        let Some(lexical) = self.lexical else { return Vec::new() };
        let mut found: Vec<(Document, Score)> = lexical
            .scores
            .iter()
            .enumerate()
            .filter(|(_, score)| **score > 0.0)
            .map(|(document, score)| (document as Document, *score))
            .collect();
        cut_to_best(&mut found, wanted, |(_, score)| *score);
        found.into_iter().map(|(document, _)| document).collect()
    }

    /// Documents that are near by their sketches, with their cosines looked up.
    fn by_meaning(&mut self) -> Result<Vec<Document>> {
        let Some(dense) = self.dense else { return Ok(Vec::new()) };
        let near = self.near.pieces.chunk_by(|a, b| a.0 == b.0);
        let documents: Vec<Document> = near.map(|own| own[0].0).collect();
        if documents.iter().any(|document| !self.cosines.contains_key(document)) {
            self.cosines.extend(dense.best_of(&self.near.pieces)?);
        }
        Ok(documents)
    }

    fn best_of(
        &self,
        documents: &[Document],
        wanted: usize,
        score: impl Fn(&Self, Document) -> Score,
    ) -> Vec<Document> {
        let mut scored: Vec<_> = documents.iter().map(|d| (*d, score(self, *d))).collect();
        cut_to_best(&mut scored, wanted, |(_, score)| *score);
        scored.into_iter().map(|(document, _)| document).collect()
    }

    /// Looks up the cosines of the documents that have none yet.
    fn look_up(&mut self, documents: &[Document]) -> Result<()> {
        let Some(dense) = self.dense else { return Ok(()) };
        let missing = documents.iter().filter(|document| !self.cosines.contains_key(document));
        let pieces: Vec<_> =
            missing.flat_map(|document| self.near.of(self.snapshot, *document)).collect();
        self.cosines.extend(dense.best_of(&pieces)?);
        Ok(())
    }

    fn cosine(&self, document: Document) -> Score {
        self.cosines.get(&document).copied().unwrap_or(0.0)
    }

    fn lexical_score(&self, document: Document) -> Score {
        self.lexical.map_or(0.0, |lexical| lexical.scores[document as usize])
    }

    fn score(
        &self,
        document: Document,
        fusion: Fusion,
        ranks: &[Ranks; 2],
    ) -> (Document, Evidence, Fused) {
        let (lexical, dense) = (self.lexical_score(document), self.cosine(document));
        let pool = if fusion == Fusion::Rrf { self.options.rrf_pool as u32 } else { u32::MAX };
        let rank = |ranks: &Ranks, score: Score| {
            Some(ranks.rank(score)).filter(|rank| score > 0.0 && *rank <= pool)
        };
        let evidence = Evidence {
            lexical,
            lexical_rank: rank(&ranks[0], lexical),
            dense,
            dense_rank: rank(&ranks[1], dense),
        };
        let fused = match fusion {
            Fusion::Rrf => reciprocal(evidence, self.options),
            _ => convex(evidence, self.lexical.map_or(0.0, |l| l.ideal), self.share()),
        };
        (document, evidence, fused)
    }

    /// The lexical share of this query, renormalised where only one signal runs.
    pub(super) fn share(&self) -> f64 {
        match (self.lexical, self.dense) {
            (Some(_), None) => 1.0,
            (Some(lexical), Some(_)) => lexical_share(lexical.known_share(), self.options),
            (None, _) => 0.0,
        }
    }
}

/// The ranks of a list of scores, from 1; equal scores share a rank, so that no rank depends on the
/// order of the index.
pub(super) struct Ranks {
    /// Best first.
    scores: Vec<Score>,
}

impl Ranks {
    pub(super) fn of(mut scores: Vec<Score>) -> Self {
        scores.sort_unstable_by(|a, b| b.total_cmp(a));
        Ranks { scores }
    }

    /// One more than there are better scores.
    pub(super) fn rank(&self, score: Score) -> u32 {
        1 + self.scores.partition_point(|better| better.total_cmp(&score).is_gt()) as u32
    }
}

/// Both lists' documents, each once, ascending.
fn merged(a: &[Document], b: &[Document]) -> Vec<Document> {
    let mut all: Vec<Document> = a.iter().chain(b).copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Keeps the items with the `wanted` best scores and those equal to the last of them. More than
/// `wanted` where scores are equal there: to cut among equals would let the order of the index
/// decide.
pub(super) fn cut_to_best<T>(items: &mut Vec<T>, wanted: usize, score: impl Fn(&T) -> Score) {
    if items.len() > wanted && wanted > 0 {
        items.select_nth_unstable_by(wanted - 1, |a, b| score(b).total_cmp(&score(a)));
        let bound = score(&items[wanted - 1]);
        items.retain(|item| score(item).total_cmp(&bound).is_ge());
    } else if wanted == 0 {
        items.clear();
    }
}
