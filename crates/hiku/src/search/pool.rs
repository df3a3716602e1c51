//! The candidates of a search: what each signal says of them, their fused scores, their order.

use rustc_hash::FxHashMap;

use crate::error::Result;
use crate::fuse::{Evidence, Fused, convex, reciprocal};
use crate::ranking::{RankingOptions, Score, best_first};
use crate::retrieve::{DenseQuery, Document, Lexical, Near, Snapshot};
use crate::store::{NoteRow, Store};

use super::types::Fusion;

/// Notes that the lexical list brings at least, whatever the limit.
const MIN_LEXICAL_POOL: usize = 100;

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
}

impl Pool<'_> {
    /// The best `limit` notes by the fusion asked for.
    pub(super) fn rank(&mut self, fusion: Fusion, limit: usize) -> Result<Vec<Candidate>> {
        let wanted = match fusion {
            Fusion::Rrf => self.options.rrf_pool.max(1),
            _ => MIN_LEXICAL_POOL.max(limit * 2),
        };
        let by_word = self.by_word(wanted);
        let by_meaning = self.by_meaning()?;
        let documents = match fusion {
            Fusion::Rrf => {
                let near = self.best_of(&by_meaning, wanted, |pool, d| pool.cosine(d));
                merged(&by_word, &near)
            }
            _ => merged(&by_word, &by_meaning),
        };
        for document in &documents {
            self.look_up(*document)?;
        }
        let ranks = self.ranks(&documents, fusion, wanted)?;
        let mut scored: Vec<(Document, Evidence, Fused)> =
            documents.into_iter().map(|document| self.score(document, fusion, &ranks)).collect();
        scored.retain(|(_, _, fused)| fused.score() > 0.0);
        cut_to_best(&mut scored, limit, |(_, _, fused)| fused.score());
        let mut candidates = Vec::with_capacity(scored.len());
        for (document, evidence, fused) in scored {
            candidates.push(Candidate { document, row: self.row(document)?, evidence, fused });
        }
        candidates.sort_by(|a, b| {
            best_first((a.fused.score(), &a.row.path), (b.fused.score(), &b.row.path))
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
        let mut documents = Vec::with_capacity(self.near.pieces.len());
        for pieces in self.near.pieces.chunk_by(|a, b| a.0 == b.0) {
            let document = pieces[0].0;
            self.cosines.insert(document, dense.best_of(document, pieces)?);
            documents.push(document);
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

    fn look_up(&mut self, document: Document) -> Result<()> {
        if let Some(dense) = self.dense
            && !self.cosines.contains_key(&document)
        {
            let pieces = self.near.of(self.snapshot, document);
            self.cosines.insert(document, dense.best_of(document, &pieces)?);
        }
        Ok(())
    }

    fn cosine(&self, document: Document) -> Score {
        self.cosines.get(&document).copied().unwrap_or(0.0)
    }

    fn lexical_score(&self, document: Document) -> Score {
        self.lexical.map_or(0.0, |lexical| lexical.scores[document as usize])
    }

    /// Ranks of the candidates in each signal's own list, equal scores by path.
    fn ranks(
        &self,
        documents: &[Document],
        fusion: Fusion,
        pool: usize,
    ) -> Result<[FxHashMap<Document, u32>; 2]> {
        let mut ranks = [FxHashMap::default(), FxHashMap::default()];
        let by = [
            |pool: &Self, document| pool.lexical_score(document),
            |pool: &Self, document| pool.cosine(document),
        ];
        for (ranks, score) in ranks.iter_mut().zip(by) {
            let mut list: Vec<(Document, Score)> =
                documents.iter().map(|d| (*d, score(self, *d))).filter(|(_, s)| *s > 0.0).collect();
            list.sort_by(|a, b| b.1.total_cmp(&a.1));
            self.order_ties(&mut list)?;
            if fusion == Fusion::Rrf {
                list.truncate(pool);
            }
            ranks.extend(list.iter().zip(1u32..).map(|((document, _), rank)| (*document, rank)));
        }
        Ok(ranks)
    }

    /// Orders runs of equal scores by path, reading paths only there.
    fn order_ties(&self, list: &mut [(Document, Score)]) -> Result<()> {
        let mut start = 0;
        while start < list.len() {
            let score = list[start].1;
            let same =
                list[start..].iter().take_while(|(_, s)| s.total_cmp(&score).is_eq()).count();
            if same > 1 {
                let mut paths = Vec::with_capacity(same);
                for (document, score) in &list[start..start + same] {
                    paths.push((self.row(*document)?.path, *document, *score));
                }
                paths.sort_by(|a, b| a.0.cmp(&b.0));
                for (slot, (_, document, score)) in list[start..].iter_mut().zip(paths) {
                    *slot = (document, score);
                }
            }
            start += same;
        }
        Ok(())
    }

    fn score(
        &self,
        document: Document,
        fusion: Fusion,
        ranks: &[FxHashMap<Document, u32>; 2],
    ) -> (Document, Evidence, Fused) {
        let evidence = Evidence {
            lexical: self.lexical_score(document),
            lexical_rank: ranks[0].get(&document).copied(),
            dense: self.cosine(document),
            dense_rank: ranks[1].get(&document).copied(),
        };
        let fused = match fusion {
            Fusion::Rrf => reciprocal(evidence, self.options),
            _ => convex(evidence, self.lexical.map_or(0.0, |l| l.ideal), self.share()),
        };
        (document, evidence, fused)
    }

    /// The lexical share, renormalised where only one signal runs.
    pub(super) fn share(&self) -> f64 {
        match (self.lexical, self.dense) {
            (Some(_), None) => 1.0,
            (None, Some(_)) => 0.0,
            _ => self.options.lexical_share,
        }
    }
}

/// Both lists' documents, each once, ascending.
fn merged(a: &[Document], b: &[Document]) -> Vec<Document> {
    let mut all: Vec<Document> = a.iter().chain(b).copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Keeps the items with the `wanted` best scores and those equal to the last of them.
fn cut_to_best<T>(items: &mut Vec<T>, wanted: usize, score: impl Fn(&T) -> Score) {
    if items.len() > wanted && wanted > 0 {
        items.select_nth_unstable_by(wanted - 1, |a, b| score(b).total_cmp(&score(a)));
        let bound = score(&items[wanted - 1]);
        items.retain(|item| score(item).total_cmp(&bound).is_ge());
    } else if wanted == 0 {
        items.clear();
    }
}
