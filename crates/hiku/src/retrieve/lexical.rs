//! By word: BM25 over whole notes, each class of terms with lengths and document frequencies of its
//! own, plus the same over titles, headings and context, weighted.
//!
//! `score = sum over fields f, classes c: w(f) * w(c) * sum over terms t: idf(t) * tf * (k1 + 1) /
//! (tf + k1 * (1 - b + b * length / mean length))` with `idf(t) = ln(1 + (N - n + 0.5) / (n +
//! 0.5))` (Robertson & Zaragoza 2009, with Lucene's idf, which is never negative), each query term
//! counted once. `ideal` is what a note would score in its body that held every term without end:
//! `sum: w(c) * (k1 + 1) * idf(t)`.
//!
//! Documents that may not be found still count in `N`, `n` and the mean length: a filter changes
//! which notes are shown, not what their words weigh.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::frequent::COMMON_IDF;
use super::near_terms::nearest;
use super::snapshot::{Document, Snapshot};
use crate::error::Result;
use crate::postings::{Field, SCORED, documents, entries, slot, term_key, whole_term_key};
use crate::ranking::{RankingOptions, bm25_saturation, idf};
use crate::store::Store;
use crate::text::{Script, nfkc};
use crate::tokenize::{Analyzer, CHAIN_MARK, Class, WHOLE_MARK};

/// A word of fewer letters is hardly two joined ones.
const MIN_JOINED_BYTES: usize = 6;

/// A term of a query.
///
/// Distinct by class and text: a word typed twice counts once.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct QueryTerm {
    /// Its class.
    pub class: Class,
    /// Its text, marks included.
    pub text: String,
    /// True for a lone kana: every bigram that starts with it counts as the term.
    pub is_prefix: bool,
    /// True for a form that the query's own words already stand for: it counts where a note has it,
    /// and is no miss where none has.
    pub is_bonus: bool,
    /// What the query has in its place, which no note holds.
    pub instead_of: Option<String>,
}

/// The distinct terms of a text, in order of first appearance.
pub(crate) fn query_terms(analyzer: &mut Analyzer, text: &str) -> Vec<QueryTerm> {
    let mut numbers = Vec::new();
    analyzer.analyze(text, &mut numbers);
    let lone = lone_kana(text);
    let mut seen = FxHashSet::default();
    numbers.retain(|number| seen.insert(*number));
    let term = |number: u32| {
        let (class, text) = analyzer.term(number);
        let single = class == Class::Bigram && text.chars().nth(1).is_none();
        let is_bonus = text.as_bytes().first() == Some(&CHAIN_MARK);
        QueryTerm {
            class,
            text: text.to_owned(),
            is_prefix: single && lone,
            is_bonus,
            instead_of: None,
        }
    };
    let mut terms: Vec<QueryTerm> = numbers
        .into_iter()
        .map(term)
        // The last kana of a longer run says nothing that its bigrams do not.
        .filter(|term| {
            term.class != Class::Bigram || term.is_prefix || term.text.chars().nth(1).is_some()
        })
        .collect();
    add_joined_words(analyzer, text, &mut terms);
    terms
}

/// One word may be written with capitals inside or without: requestanimationframe asks for the
/// whole form that requestAnimationFrame is indexed by, and the other way round.
fn add_joined_words(analyzer: &mut Analyzer, text: &str, terms: &mut Vec<QueryTerm>) {
    let mut numbers = Vec::new();
    for word in nfkc(text).split(|c: char| !c.is_ascii_alphanumeric()) {
        if word.len() < MIN_JOINED_BYTES {
            continue;
        }
        let mut forms = Vec::new();
        if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            forms.push(format!("{}{word}", char::from(WHOLE_MARK)));
        } else if word.bytes().skip(1).any(|byte| byte.is_ascii_uppercase()) {
            numbers.clear();
            analyzer.analyze(&word.to_ascii_lowercase(), &mut numbers);
            forms.extend(numbers.iter().map(|number| analyzer.term(*number).1.to_owned()));
        }
        for text in forms {
            let term = QueryTerm {
                class: Class::Strong,
                text,
                is_prefix: false,
                is_bonus: true,
                instead_of: None,
            };
            if terms.iter().all(|known| known.class != term.class || known.text != term.text) {
                terms.push(term);
            }
        }
    }
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

/// All lists of one term.
#[derive(Debug, Default)]
pub(super) struct TermLists {
    /// (segment, field number, where in `bytes`), segments ascending.
    places: Vec<(usize, u8, Range<usize>)>,
    bytes: Vec<u8>,
}

impl TermLists {
    /// Reads the lists of a term.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(super) fn find(store: &Store, snapshot: &Snapshot, term: &QueryTerm) -> Result<Self> {
        let prefix = if term.is_prefix {
            term_key(term.class, &term.text)
        } else {
            whole_term_key(term.class, &term.text)
        };
        let mut lists = TermLists::default();
        for (segment, columns) in snapshot.segments.iter().enumerate() {
            store.term_lists(columns.segment_id, &prefix, |key, list| {
                let field = key.last().copied().unwrap_or_default();
                let start = lists.bytes.len();
                lists.bytes.extend_from_slice(list);
                lists.places.push((segment, field, start..lists.bytes.len()));
            })?;
        }
        Ok(lists)
    }

    /// (segment, list) of one field.
    fn of(&self, field: Field) -> impl Iterator<Item = (usize, &[u8])> {
        let own = self.places.iter().filter(move |(_, of, _)| *of == field as u8);
        own.map(|(segment, _, range)| (*segment, &self.bytes[range.clone()]))
    }

    /// In how many living documents' bodies the term stands.
    ///
    /// # Errors
    /// `Corrupt`.
    pub(super) fn frequency(&self, store: &Store, snapshot: &Snapshot) -> Result<usize> {
        let mut found = Vec::new();
        self.collect(store, snapshot, Field::Body, &mut found)?;
        Ok(found.len())
    }

    /// Living documents of one field with their counts, ascending, each once, in `found`.
    ///
    /// # Errors
    /// `Corrupt`.
    pub(super) fn collect(
        &self,
        store: &Store,
        snapshot: &Snapshot,
        field: Field,
        found: &mut Vec<(Document, u32)>,
    ) -> Result<()> {
        found.clear();
        let mut before = None;
        let mut several = false;
        for (segment, list) in self.of(field) {
            several |= before.replace(segment) == Some(segment);
            let base = snapshot.bases[segment];
            let dead = &snapshot.segments[segment].dead;
            let sound = documents(list, |document, count| {
                if dead.get(document as usize) == Some(&false) {
                    found.push((base + document, count));
                }
            });
            sound.ok_or_else(|| store.unreadable_list())?;
        }
        if several {
            sum_repeats(found);
        }
        Ok(())
    }
}

/// Sorts by document and adds up the counts of each.
fn sum_repeats(found: &mut Vec<(Document, u32)>) {
    found.sort_unstable_by_key(|(document, _)| *document);
    found.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
}

/// The lexical half of an answer.
#[derive(Debug)]
pub(crate) struct Lexical {
    /// Score of each document; 0 where nothing matches or the document may not be found.
    pub scores: Vec<f64>,
    /// Number of documents that match. By at least one term, in any scored field.
    pub matching: usize,
    /// Best score.
    pub best: f64,
    /// What a perfect note would score. In the body alone, a term that no note holds counting as
    /// the rarest; 0 for a query without terms.
    pub ideal: f64,
    /// The part of `ideal` that is of terms which some note holds.
    known: f64,
    /// The terms with their document frequency in bodies and idf.
    pub terms: Vec<(QueryTerm, usize, f64)>,
    lists: Vec<TermLists>,
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

fn term_weight(options: &RankingOptions, term: &QueryTerm) -> f64 {
    let nearness = if term.instead_of.is_some() { options.near_term_weight } else { 1.0 };
    class_weight(options, term.class) * nearness
}

impl Lexical {
    /// Scores all documents. `allowed` tells which may be found; all living ones count in the
    /// statistics.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn search(
        store: &Store,
        snapshot: &Snapshot,
        terms: &[QueryTerm],
        allowed: &[bool],
        options: &RankingOptions,
    ) -> Result<Self> {
        let mut lexical = Lexical {
            scores: vec![0.0; snapshot.documents],
            matching: 0,
            best: 0.0,
            ideal: 0.0,
            known: 0.0,
            terms: Vec::with_capacity(terms.len()),
            lists: Vec::with_capacity(terms.len()),
        };
        let terms = lexical.find_lists(store, snapshot, terms, options)?;
        lexical.add_bodies(store, snapshot, &terms, options)?;
        lexical.add_other_fields(store, snapshot, &terms, options)?;
        for (score, allowed) in lexical.scores.iter_mut().zip(allowed) {
            if !allowed {
                *score = 0.0;
            }
            lexical.matching += usize::from(*score > 0.0);
            lexical.best = lexical.best.max(*score);
        }
        Ok(lexical)
    }

    /// Reads the lists of all terms. A term that no note holds is replaced by the nearest one that
    /// some note holds, where there is one.
    fn find_lists(
        &mut self,
        store: &Store,
        snapshot: &Snapshot,
        terms: &[QueryTerm],
        options: &RankingOptions,
    ) -> Result<Vec<QueryTerm>> {
        let mut asked = terms.to_vec();
        for term in &mut asked {
            let mut lists = TermLists::find(store, snapshot, term)?;
            if options.near_term_weight > 0.0
                && let Some((text, near)) = nearest(store, snapshot, term, &lists)?
            {
                term.instead_of = Some(std::mem::replace(&mut term.text, text));
                lists = near;
            }
            self.lists.push(lists);
        }
        Ok(asked)
    }

    /// Scores the bodies. Terms that most notes hold come last, and only where no rarer one is
    /// found: they hardly tell one note from another, and their lists are the longest to read.
    fn add_bodies(
        &mut self,
        store: &Store,
        snapshot: &Snapshot,
        terms: &[QueryTerm],
        options: &RankingOptions,
    ) -> Result<()> {
        let mut found = Vec::new();
        let mut common = Vec::new();
        let mut finds_rare = false;
        for (number, term) in terms.iter().enumerate() {
            let known = snapshot.frequent.frequency(term);
            let frequency = if let Some(frequency) = known {
                frequency
            } else {
                self.lists[number].collect(store, snapshot, Field::Body, &mut found)?;
                found.len()
            };
            let idf = idf(snapshot.notes, frequency);
            self.terms.push((term.clone(), frequency, idf));
            if known.is_some() || snapshot.is_common(frequency) {
                snapshot.frequent.remember(term, frequency);
                common.push(number);
                continue;
            }
            finds_rare |= term.class == Class::Strong && frequency > 0;
            self.add_body(snapshot, options, number, &found);
        }
        for number in common.into_iter().filter(|_| !finds_rare) {
            self.lists[number].collect(store, snapshot, Field::Body, &mut found)?;
            self.add_body(snapshot, options, number, &found);
        }
        Ok(())
    }

    fn add_body(
        &mut self,
        snapshot: &Snapshot,
        options: &RankingOptions,
        number: usize,
        found: &[(Document, u32)],
    ) {
        let (term, frequency, idf) = &self.terms[number];
        let weight = term_weight(options, term) * idf;
        if !term.is_bonus {
            let reach = options.bm25_k1 + 1.0;
            self.ideal += class_weight(options, term.class) * idf * reach;
            self.known += if *frequency > 0 { weight * reach } else { 0.0 };
        }
        self.add(snapshot, options, Field::Body, term.class, weight, found);
    }

    fn add_other_fields(
        &mut self,
        store: &Store,
        snapshot: &Snapshot,
        terms: &[QueryTerm],
        options: &RankingOptions,
    ) -> Result<()> {
        let mut found = Vec::new();
        for (number, term) in terms.iter().enumerate() {
            for field in SCORED.into_iter().filter(|field| *field != Field::Body) {
                let weight = field_weight(options, field) * term_weight(options, term);
                if weight == 0.0 {
                    continue;
                }
                self.lists[number].collect(store, snapshot, field, &mut found)?;
                let weight = weight * idf(snapshot.notes, found.len());
                self.add(snapshot, options, field, term.class, weight, &found);
            }
        }
        Ok(())
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
                weight * bm25_saturation(count, length / mean, k1, b);
        }
    }

    /// The share of the query's weight that is of terms which some note holds, 0 to 1; 0 for a
    /// query without terms.
    pub(crate) fn known_share(&self) -> f64 {
        if self.ideal > 0.0 { self.known / self.ideal } else { 0.0 }
    }

    /// Best score over the ideal: how much of the query's weight the best note holds. 0 where
    /// nothing matches; above 1 only by titles and context.
    pub(crate) fn coverage(&self) -> f64 {
        if self.ideal > 0.0 { self.best / self.ideal } else { 0.0 }
    }

    /// For each of `documents`, what each of its chunks has: `sum: weight * tf / (tf + k1)`, the
    /// same saturation as BM25 without the length, since chunks are of like size. Without
    /// `every_term`, terms that most notes hold are left out where the query has rarer ones.
    ///
    /// # Errors
    /// `Corrupt`.
    pub(crate) fn chunk_scores(
        &self,
        store: &Store,
        snapshot: &Snapshot,
        wanted: &[Document],
        options: &RankingOptions,
        every_term: bool,
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
        let best = self.terms.iter().fold(0.0f64, |best, (_, _, idf)| best.max(*idf));
        for ((term, _, idf), lists) in self.terms.iter().zip(&self.lists) {
            if !every_term && *idf < COMMON_IDF && best > COMMON_IDF * 2.0 {
                continue;
            }
            let weight = class_weight(options, term.class) * idf * (options.bm25_k1 + 1.0);
            for (segment, list) in lists.of(Field::Body) {
                let base = snapshot.bases[segment];
                let sound = entries(list, |document, chunk, count| {
                    let number = at.get((base + document) as usize).copied().unwrap_or(u32::MAX);
                    let chunks = scores.get_mut(number as usize);
                    if let Some(score) = chunks.and_then(|chunks| chunks.get_mut(chunk as usize)) {
                        let count = f64::from(count);
                        *score += weight * count / (count + options.bm25_k1);
                    }
                });
                sound.ok_or_else(|| store.unreadable_list())?;
            }
        }
        Ok(scores)
    }
}

/// Calls `each` with (document, chunk, count) for every living entry of a term in a field.
///
/// # Errors
/// `Corrupt` and `Io`.
pub(crate) fn for_each_chunk(
    store: &Store,
    snapshot: &Snapshot,
    field: Field,
    term: &QueryTerm,
    mut each: impl FnMut(Document, u32, u32),
) -> Result<()> {
    for (segment, list) in TermLists::find(store, snapshot, term)?.of(field) {
        let base = snapshot.bases[segment];
        let dead = &snapshot.segments[segment].dead;
        let sound = entries(list, |document, chunk, count| {
            if dead.get(document as usize) == Some(&false) {
                each(base + document, chunk, count);
            }
        });
        sound.ok_or_else(|| store.unreadable_list())?;
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
    let term = QueryTerm {
        class: Class::Strong,
        text: text.to_owned(),
        is_prefix: false,
        is_bonus: false,
        instead_of: None,
    };
    let mut found = Vec::new();
    TermLists::find(store, snapshot, &term)?.collect(store, snapshot, field, &mut found)?;
    Ok(found.into_iter().map(|(document, _)| document).collect())
}

/// Living documents whose body has every one of the terms. Ascending; none for no terms.
pub(super) fn having_all(
    store: &Store,
    snapshot: &Snapshot,
    terms: &[QueryTerm],
) -> Result<Vec<Document>> {
    let mut counts = vec![0usize; snapshot.documents];
    let mut found = Vec::new();
    for term in terms {
        let lists = TermLists::find(store, snapshot, term)?;
        lists.collect(store, snapshot, Field::Body, &mut found)?;
        for (document, _) in &found {
            counts[*document as usize] += 1;
        }
    }
    let all = counts.iter().enumerate().filter(|(_, count)| **count == terms.len());
    Ok(all.map(|(document, _)| document as Document).collect())
}
