//! By word: BM25 over whole notes, each class of terms with lengths and document frequencies of its
//! own, plus the same over titles, headings and context, weighted.
//!
//! `score = sum over fields f, classes c: w(f) * w(c) * sum over terms t: idf(t) * tf * (k1 + 1) /
//! (tf + k1 * (1 - b + b * length / mean length))` with `idf(t) = ln(1 + (N - n + 0.5) / (n + 0.5))`
//! (Robertson & Zaragoza 2009, with Lucene's idf, which is never negative), each query term counted
//! once. `ideal` is what a note would score in its body that held every term without end:
//! `sum: w(c) * (k1 + 1) * idf(t)`.

use rustc_hash::FxHashSet;

use super::snapshot::{Document, Snapshot};
use crate::error::Result;
use crate::postings::{Field, SCORED, documents, entries, key, slot};
use crate::ranking::RankingOptions;
use crate::store::Store;
use crate::text::{Script, nfkc};
use crate::tokenize::{Analyzer, CHAIN_MARK, Class};

/// A term of a query.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct QueryTerm {
    /// Its class.
    pub class: Class,
    /// Its text, marks included.
    pub text: String,
    /// True for a lone kana: every bigram that starts with it counts as the term.
    pub is_prefix: bool,
}

/// The distinct terms of a text, in order of first appearance.
pub fn query_terms(analyzer: &mut Analyzer, text: &str) -> Vec<QueryTerm> {
    let mut numbers = Vec::new();
    analyzer.analyze(text, &mut numbers);
    let lone = lone_kana(text);
    let mut seen = FxHashSet::default();
    numbers.retain(|number| seen.insert(*number));
    let term = |number: u32| {
        let (class, text) = analyzer.term(number);
        let single = class == Class::Bigram && text.chars().nth(1).is_none();
        QueryTerm { class, text: text.to_owned(), is_prefix: single && lone }
    };
    numbers
        .into_iter()
        .map(term)
        // The last kana of a longer run says nothing that its bigrams do not.
        .filter(|term| {
            term.class != Class::Bigram || term.is_prefix || term.text.chars().nth(1).is_some()
        })
        .collect()
}

/// True where every Japanese run of the text is a single character, one of them a kana.
fn lone_kana(text: &str) -> bool {
    let normal = nfkc(text);
    let (mut run, mut kana, mut long) = (0, false, false);
    for character in normal.chars() {
        let script = Script::of(character);
        run = if script.is_japanese() { run + 1 } else { 0 };
        kana |= matches!(script, Script::Hiragana | Script::Katakana);
        long |= run > 1;
    }
    kana && !long
}

/// What one term has in one field of the whole index.
#[derive(Debug)]
struct TermLists {
    /// Weight of the term here: field, class and idf.
    weight: f64,
    /// Number of the term in the query.
    term: usize,
    /// (segment, list) pairs.
    lists: Vec<(usize, Vec<u8>)>,
}

/// The lexical half of an answer.
#[derive(Debug)]
pub struct Lexical {
    /// Score of each document; 0 where nothing matches or the document may not be found.
    pub scores: Vec<f64>,
    /// What a perfect note would score.
    pub ideal: f64,
    /// The terms with their document frequency in bodies and idf.
    pub terms: Vec<(QueryTerm, usize, f64)>,
    body: Vec<TermLists>,
}

/// Weight of a field.
fn field_weight(options: &RankingOptions, field: Field) -> f64 {
    match field {
        Field::Body => 1.0,
        Field::Title => options.title_weight,
        Field::Heading => options.heading_weight,
        Field::Context => options.context_weight,
        Field::Link | Field::Tag | Field::Type => 0.0,
    }
}

fn class_weight(options: &RankingOptions, class: Class) -> f64 {
    if class == Class::Strong { 1.0 } else { options.weak_weight }
}

/// `ln(1 + (N - n + 0.5) / (n + 0.5))`
fn idf(notes: usize, frequency: usize) -> f64 {
    let (notes, frequency) = (notes as f64, frequency as f64);
    (1.0 + (notes - frequency + 0.5).max(0.0) / (frequency + 0.5)).ln()
}

impl Lexical {
    /// Scores all documents. `allowed` tells which may be found; all living ones count in the
    /// statistics.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub fn search(
        store: &Store,
        snapshot: &Snapshot,
        terms: &[QueryTerm],
        allowed: &[bool],
        options: &RankingOptions,
    ) -> Result<Self> {
        let mut lexical = Lexical {
            scores: vec![0.0; snapshot.documents],
            ideal: 0.0,
            terms: Vec::with_capacity(terms.len()),
            body: Vec::with_capacity(terms.len()),
        };
        let mut found = Vec::new();
        for (number, term) in terms.iter().enumerate() {
            for field in SCORED {
                let weight = field_weight(options, field) * class_weight(options, term.class);
                if weight == 0.0 && field != Field::Body {
                    continue;
                }
                let lists = term_lists(store, snapshot, field, term)?;
                found.clear();
                collect(store, snapshot, &lists, &mut found)?;
                let idf = idf(snapshot.notes, found.len());
                lexical.add(snapshot, options, field, term.class, weight * idf, &found);
                if field == Field::Body {
                    if term.text.as_bytes().first() != Some(&CHAIN_MARK) {
                        lexical.ideal += weight * (options.bm25_k1 + 1.0) * idf;
                    }
                    lexical.terms.push((term.clone(), found.len(), idf));
                    lexical.body.push(TermLists { weight: weight * idf, term: number, lists });
                }
            }
        }
        for (score, allowed) in lexical.scores.iter_mut().zip(allowed) {
            if !allowed {
                *score = 0.0;
            }
        }
        Ok(lexical)
    }

    fn add(
        &mut self,
        snapshot: &Snapshot,
        options: &RankingOptions,
        field: Field,
        class: Class,
        weight: f64,
        found: &[(Document, u32)],
    ) {
        let slot = slot(field, class);
        let mean = snapshot.mean_lengths[slot].max(f64::MIN_POSITIVE);
        let (k1, b) = (options.bm25_k1, options.bm25_b);
        let mut segment = 0;
        for (document, count) in found {
            while snapshot.bases.get(segment + 1).is_some_and(|base| base <= document) {
                segment += 1;
            }
            let ordinal = (document - snapshot.bases[segment]) as usize;
            let length = f64::from(snapshot.segments[segment].lengths[ordinal][slot]);
            let count = f64::from(*count);
            self.scores[*document as usize] +=
                weight * count * (k1 + 1.0) / (count + k1 * (1.0 - b + b * length / mean));
        }
    }

    /// Best score over the ideal: how much of the query's weight the best note holds.
    pub fn coverage(&self) -> f64 {
        let best = self.scores.iter().fold(0.0f64, |best, score| best.max(*score));
        if self.ideal > 0.0 { best / self.ideal } else { 0.0 }
    }

    /// For each of `documents`, what each of its chunks has: `sum: weight * tf / (tf + k1)`, the
    /// same saturation as BM25 without the length, since chunks are of like size.
    ///
    /// # Errors
    /// `Corrupt`.
    pub fn chunk_scores(
        &self,
        store: &Store,
        snapshot: &Snapshot,
        wanted: &[Document],
        options: &RankingOptions,
    ) -> Result<Vec<Vec<f64>>> {
        let mut scores: Vec<Vec<f64>> = wanted
            .iter()
            .map(|document| {
                let (segment, ordinal) = snapshot.place(*document);
                vec![0.0; snapshot.segments[segment].chunk_counts[ordinal] as usize]
            })
            .collect();
        let mut at = vec![u32::MAX; snapshot.documents];
        for (number, document) in wanted.iter().enumerate() {
            at[*document as usize] = number as u32;
        }
        for TermLists { weight, lists, .. } in &self.body {
            for (segment, list) in lists {
                let base = snapshot.bases[*segment];
                let sound = entries(list, |document, chunk, count| {
                    let number = at.get((base + document) as usize).copied().unwrap_or(u32::MAX);
                    let chunks = scores.get_mut(number as usize);
                    if let Some(score) = chunks.and_then(|chunks| chunks.get_mut(chunk as usize)) {
                        let count = f64::from(count);
                        *score +=
                            weight * count * (options.bm25_k1 + 1.0) / (count + options.bm25_k1);
                    }
                });
                sound.ok_or_else(|| store.unreadable_list())?;
            }
        }
        Ok(scores)
    }

    /// For each document, chunk and strong term: calls `each` with (document, chunk, number of the
    /// term, count).
    ///
    /// # Errors
    /// `Corrupt`.
    pub fn for_each_chunk(
        &self,
        store: &Store,
        snapshot: &Snapshot,
        mut each: impl FnMut(Document, u32, usize, u32),
    ) -> Result<()> {
        for TermLists { term, lists, .. } in &self.body {
            if self.terms[*term].0.class != Class::Strong {
                continue;
            }
            for (segment, list) in lists {
                let base = snapshot.bases[*segment];
                let dead = &snapshot.segments[*segment].dead;
                let sound = entries(list, |document, chunk, count| {
                    if dead.get(document as usize) == Some(&false) {
                        each(base + document, chunk, *term, count);
                    }
                });
                sound.ok_or_else(|| store.unreadable_list())?;
            }
        }
        Ok(())
    }
}

fn term_lists(
    store: &Store,
    snapshot: &Snapshot,
    field: Field,
    term: &QueryTerm,
) -> Result<Vec<(usize, Vec<u8>)>> {
    let key = key(field, term.class, &term.text);
    let mut lists = Vec::with_capacity(snapshot.segments.len());
    for (number, columns) in snapshot.segments.iter().enumerate() {
        if term.is_prefix {
            let found = store.prefix_lists(columns.segment_id, &key)?;
            lists.extend(found.into_iter().map(|list| (number, list)));
        } else {
            let mut list = Vec::new();
            if store.term_list(columns.segment_id, &key, &mut list)? {
                lists.push((number, list));
            }
        }
    }
    Ok(lists)
}

/// Living documents with their counts, ascending, each once.
fn collect(
    store: &Store,
    snapshot: &Snapshot,
    lists: &[(usize, Vec<u8>)],
    found: &mut Vec<(Document, u32)>,
) -> Result<()> {
    for (segment, list) in lists {
        let base = snapshot.bases[*segment];
        let dead = &snapshot.segments[*segment].dead;
        let sound = documents(list, |document, count| {
            if dead.get(document as usize) == Some(&false) {
                found.push((base + document, count));
            }
        });
        sound.ok_or_else(|| store.unreadable_list())?;
    }
    let several = lists.windows(2).any(|pair| pair[0].0 == pair[1].0);
    if several {
        found.sort_unstable_by_key(|(document, _)| *document);
        found.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
    }
    Ok(())
}

/// Living documents that have a term which is not analysed: a tag, a type, a link target.
pub(super) fn having(
    store: &Store,
    snapshot: &Snapshot,
    field: Field,
    text: &str,
) -> Result<Vec<Document>> {
    let term = QueryTerm { class: Class::Strong, text: text.to_owned(), is_prefix: false };
    let lists = term_lists(store, snapshot, field, &term)?;
    let mut found = Vec::new();
    collect(store, snapshot, &lists, &mut found)?;
    Ok(found.into_iter().map(|(document, _)| document).collect())
}

/// Living documents whose body has every one of the terms.
pub(super) fn having_all(
    store: &Store,
    snapshot: &Snapshot,
    terms: &[QueryTerm],
) -> Result<Vec<Document>> {
    let mut counts = vec![0usize; snapshot.documents];
    let mut found = Vec::new();
    for term in terms {
        found.clear();
        let lists = term_lists(store, snapshot, Field::Body, term)?;
        collect(store, snapshot, &lists, &mut found)?;
        for (document, _) in &found {
            counts[*document as usize] += 1;
        }
    }
    let all = counts.iter().enumerate().filter(|(_, count)| **count == terms.len());
    Ok(all.map(|(document, _)| document as Document).collect())
}
