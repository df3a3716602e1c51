//! Answers questions from one index: holds the state that searches share and runs the pipeline.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::embed::TokenWeights;
use crate::error::{Error, Result};
use crate::indexer::{confirm_vault, epoch_weights};
use crate::query::Query;
use crate::retrieve::{
    Comparer, DenseQuery, Document, FirstPass, Lexical, Near, QueryVector, Snapshot, VectorCache,
    allowed, query_terms,
};
use crate::scrub::Scrubber;
use crate::settings::Settings;
use crate::snippet::Snippeter;
use crate::store::Store;
use crate::text::{estimate_tokens, nfkc};
use crate::tokenize::{Analyzer, Class};

use super::founding;
use super::hits::HitMaker;
use super::passages::PassageMaker;
use super::pool::{Candidate, Pool};
use super::types::{
    Filters, Fusion, Grouping, Hit, MAX_LIMIT, MAX_QUERY_CHARACTERS, Mode, Omitted, SearchRequest,
    SearchResponse, Signal, SignalState, TermReport,
};

/// An analyzer that has seen this many terms is replaced: a process that lives long must not
/// remember every word it was ever shown.
const MAX_ANALYZER_TERMS: usize = 200_000;
/// Hits for which the dense first pass keeps pieces, at most.
const MAX_DENSE_POOL: usize = 100;
/// Notes whose chunks are looked at for hits by chunk, as a multiple of the limit.
const NOTES_A_CHUNK_HIT: usize = 2;
/// Vectors are kept in memory up to this many bytes; a larger index reads them as needed.
const MAX_PRELOADED_BYTES: usize = 56 << 20;

/// Searches one index file.
#[derive(Debug)]
pub(crate) struct Searcher {
    settings: Settings,
    scrubber: Scrubber,
    state: Mutex<State>,
}

/// What is remembered between searches, of one generation.
#[derive(Debug)]
struct State {
    store: Store,
    snapshot: Arc<Snapshot>,
    /// Token weights, and the generation that they were read from.
    weights: Option<(i64, Arc<TokenWeights>)>,
    cache: Option<Arc<VectorCache>>,
    /// Dimensions of the vectors to keep in memory, if they are to be kept.
    keep_vectors: Option<usize>,
    analyzer: Analyzer,
}

impl Searcher {
    /// Opens an index for searching.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub(crate) fn open(path: &Path, settings: &Settings) -> Result<Self> {
        let store = Store::open(path)?;
        // A first run that has published nothing yet, or could not, is no index to answer from.
        if store.generation()? == 0 {
            return Err(Error::IndexMissing { path: path.to_path_buf() });
        }
        let state = State {
            snapshot: Arc::new(Snapshot { generation: -1, ..Snapshot::default() }),
            store,
            weights: None,
            cache: None,
            keep_vectors: None,
            analyzer: Analyzer::new(),
        };
        let scrubber = Scrubber::new(&settings.scrub);
        Ok(Searcher { settings: settings.clone(), scrubber, state: Mutex::new(state) })
    }

    /// Refuses an index that is not of the vault in the folder `root`.
    ///
    /// # Errors
    /// `User` for one of another vault; `Corrupt` and `Io`.
    pub(crate) fn confirm_vault(&self, root: &Path) -> Result<()> {
        self.state().in_view(|state| confirm_vault(&state.store, root))
    }

    /// The settings in use.
    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Loads what makes later searches fast.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn preload(&self) -> Result<()> {
        let mut state = self.state();
        state.store.map_file(false)?;
        state.keep_vectors = self.settings.embedder.as_ref().map(|e| e.dimensions());
        state.in_view(State::refresh)
    }

    /// Answers a question.
    ///
    /// # Errors
    /// See [`crate::Index::search`].
    pub(crate) fn search(&self, request: &SearchRequest) -> Result<SearchResponse> {
        check(request)?;
        let mut state = self.state();
        state.in_view(|state| {
            state.refresh()?;
            self.answer(state, request)
        })
    }

    fn answer(&self, state: &mut State, request: &SearchRequest) -> Result<SearchResponse> {
        let query =
            if request.plain { Query::plain(&request.query) } else { Query::parse(&request.query) };
        let snapshot = Arc::clone(&state.snapshot);
        let cache = state.cache.clone();
        let options = &self.settings.ranking;
        let vector = self.query_vector(state, request, &query)?;
        let signals = signals(request, &vector);
        if (request.strict || request.mode == Mode::Dense)
            && let Some(missing) = signals.iter().find(|s| s.state == SignalState::Unavailable)
        {
            let reason = missing.reason.clone();
            return Err(Error::SignalMissing { signal: missing.name, reason });
        }
        let mut response = new_response(request, state, signals)?;
        if query.is_empty() && !asks_by_filter(&query, request) {
            return Ok(response);
        }
        let (store, analyzer) = (&state.store, &mut state.analyzer);
        let allowed = allowed(store, &snapshot, analyzer, &query, &request.filters)?;
        let terms = query_terms(analyzer, &query.text);
        let dense = vector.as_ref().ok().map(|vector| DenseQuery {
            store,
            snapshot: &snapshot,
            cache: cache.as_deref(),
            query: vector,
            title_weight: options.title_vector_weight as f32,
        });
        let by_word = || match request.mode {
            Mode::Dense => Ok(None),
            _ => Lexical::search(store, &snapshot, &terms, &allowed, options).map(Some),
        };
        let (lexical, nearby) = both(by_word, dense.as_ref(), &allowed, request.limit)?;
        let mut pool = Pool {
            store,
            snapshot: &snapshot,
            options,
            lexical: lexical.as_ref(),
            dense: dense.as_ref(),
            cosines: nearby.cosines.iter().copied().collect(),
            near: &nearby.near,
        };
        report_terms(&mut response, lexical.as_ref());
        let (candidates, chunks) = if query.is_empty() {
            let newest = pool.newest(&allowed, request.limit)?;
            let chunks = vec![None; newest.len()];
            (newest, chunks)
        } else {
            rank(&mut pool, request, &allowed)?
        };
        let matching = match &lexical {
            _ if query.is_empty() => allowed.iter().filter(|allowed| **allowed).count(),
            Some(lexical) => lexical.matching,
            None => 0,
        };
        let maker = HitMaker {
            request,
            passages: PassageMaker {
                scrubber: &self.scrubber,
                snippeter: snippeter(lexical.as_ref()),
            },
            by_word: lexical.is_some(),
            by_meaning: dense.is_some(),
        };
        response.hits = maker.hits(&pool, &candidates, &chunks)?;
        response.omitted = omit(&mut response.hits, matching, request);
        Ok(response)
    }

    /// The query's vector, or why there is none.
    fn query_vector(
        &self,
        state: &mut State,
        request: &SearchRequest,
        query: &Query,
    ) -> Result<Result<QueryVector, (SignalState, String)>> {
        if request.mode == Mode::Lexical {
            return Ok(Err((SignalState::Off, String::new())));
        }
        let missing = |reason: &str| Ok(Err((SignalState::Unavailable, reason.to_owned())));
        let Some(embedder) = self.settings.embedder.as_deref() else {
            return missing(&match &self.settings.missing_model {
                Some(model) => model.error().to_string(),
                None => "no embedding model is in use".to_owned(),
            });
        };
        let stored = state.store.meta_text("model")?.unwrap_or_default();
        if stored != embedder.id() {
            return missing("the index holds vectors of another model: run `hiku index`");
        }
        let Some(weights) = state.weights()? else {
            return missing("the index holds no vectors yet: run `hiku index`");
        };
        match QueryVector::new(embedder, &weights, &query.text) {
            Some(vector) => Ok(Ok(vector)),
            None => Ok(Err((SignalState::Off, "the model knows no word of the query".to_owned()))),
        }
    }
}

impl State {
    /// Runs `work` on one published state.
    fn in_view<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.store.begin_view()?;
        let result = work(self);
        let ended = self.store.end_view();
        result.and_then(|value| ended.map(|()| value))
    }

    /// Loads the columns anew where the index has a newer generation.
    fn refresh(&mut self) -> Result<()> {
        if self.analyzer.seen() > MAX_ANALYZER_TERMS {
            self.analyzer = Analyzer::new();
        }
        if self.snapshot.generation != self.store.generation()? {
            let mut snapshot = Snapshot::load(&self.store)?;
            self.cache = self.load_vectors(&mut snapshot)?;
            self.snapshot = Arc::new(snapshot);
        }
        Ok(())
    }

    /// Reads sketches and vectors into memory where they are to be kept and there is room. By a
    /// connection of its own that does not map the file: mapped pages would count twice. Where the
    /// index has moved on since the view began, the next refresh reads them.
    fn load_vectors(&self, snapshot: &mut Snapshot) -> Result<Option<Arc<VectorCache>>> {
        let Some(dimensions) = self.keep_vectors else { return Ok(None) };
        if VectorCache::bytes_needed(snapshot, dimensions) > MAX_PRELOADED_BYTES {
            return Ok(None);
        }
        let store = Store::open(self.store.path())?;
        store.map_file(false)?;
        store.begin_view()?;
        if store.generation()? != snapshot.generation {
            return Ok(None);
        }
        snapshot.keep_sketches(&store)?;
        Ok(Some(Arc::new(VectorCache::load(&store, snapshot, dimensions)?)))
    }

    fn weights(&mut self) -> Result<Option<Arc<TokenWeights>>> {
        let generation = self.snapshot.generation;
        if let Some((read, weights)) = &self.weights
            && *read == generation
        {
            return Ok(Some(Arc::clone(weights)));
        }
        let Some(weights) = epoch_weights(&self.store)?.map(Arc::new) else { return Ok(None) };
        self.weights = Some((generation, Arc::clone(&weights)));
        Ok(Some(weights))
    }
}

/// What the dense signal found before any fusion.
#[derive(Default)]
struct Nearby {
    near: Near,
    /// Cosine of the best near piece of a document, where it was compared already.
    cosines: Vec<(Document, f64)>,
}

/// Runs the lexical search and the dense one, side by side where all vectors are in memory.
fn both(
    by_word: impl FnOnce() -> Result<Option<Lexical>>,
    dense: Option<&DenseQuery<'_>>,
    allowed: &[bool],
    limit: usize,
) -> Result<(Option<Lexical>, Nearby)> {
    let limit = limit.min(MAX_DENSE_POOL);
    let Some(dense) = dense else { return Ok((by_word()?, Nearby::default())) };
    let (snapshot, query, title_weight) = (dense.snapshot, dense.query, dense.title_weight);
    let Some(cache) = dense.cache else {
        let lexical = by_word()?;
        let near = FirstPass { snapshot, query, store: Some(dense.store) }.run(allowed, limit)?;
        return Ok((lexical, Nearby { near, cosines: Vec::new() }));
    };
    let mut nearby = Ok(Nearby::default());
    let lexical = rayon::in_place_scope(|scope| {
        scope.spawn(|_| {
            let first = FirstPass { snapshot, query, store: None };
            nearby = first.run(allowed, limit).map(|near| {
                let comparer = Comparer { query, title_weight };
                let cosines = cache.best_of_near(snapshot, comparer, &near);
                Nearby { near, cosines }
            });
        });
        by_word()
    });
    Ok((lexical?, nearby?))
}

/// Refuses what is out of range.
fn check(request: &SearchRequest) -> Result<()> {
    if !(1..=MAX_LIMIT).contains(&request.limit) {
        return Err(Error::OutOfRange {
            name: "limit",
            value: request.limit as u64,
            minimum: 1,
            maximum: MAX_LIMIT as u64,
        });
    }
    let characters = request.query.chars().count();
    let characters = characters.max(nfkc(&request.query).chars().count());
    if characters > MAX_QUERY_CHARACTERS {
        return Err(Error::OutOfRange {
            name: "length of the query in characters",
            value: characters as u64,
            minimum: 0,
            maximum: MAX_QUERY_CHARACTERS as u64,
        });
    }
    Ok(())
}

fn signals(
    request: &SearchRequest,
    vector: &Result<QueryVector, (SignalState, String)>,
) -> Vec<Signal> {
    let lexical = match request.mode {
        Mode::Dense => SignalState::Off,
        _ => SignalState::Used,
    };
    let (dense, reason) = match vector {
        Ok(_) => (SignalState::Used, String::new()),
        Err((state, reason)) => (*state, reason.clone()),
    };
    vec![
        Signal { name: "lexical", state: lexical, reason: String::new() },
        Signal { name: "dense", state: dense, reason },
    ]
}

fn new_response(
    request: &SearchRequest,
    state: &State,
    signals: Vec<Signal>,
) -> Result<SearchResponse> {
    Ok(SearchResponse {
        query: request.query.clone(),
        signals,
        hits: Vec::new(),
        omitted: Omitted::default(),
        generation: state.snapshot.generation,
        notes: state.snapshot.notes,
        chunks: state.snapshot.chunks,
        model: state.store.meta_text("model")?.unwrap_or_default(),
        terms: Vec::new(),
        coverage: 0.0,
    })
}

/// True for a question without words that names tags, folders, types, days or links: its answer is
/// a list of notes.
fn asks_by_filter(query: &Query, request: &SearchRequest) -> bool {
    let wants = |filters: &Filters| {
        let lists = [&filters.tags, &filters.paths, &filters.types];
        let named = lists.iter().any(|list| list.iter().any(|condition| !condition.exclude));
        named || filters.after.is_some() || filters.before.is_some()
    };
    !query.links.is_empty() || wants(&query.filters) || wants(&request.filters)
}

/// Ranks notes; under the founding pipeline with the chunk that each was found by.
fn rank(
    pool: &mut Pool<'_>,
    request: &SearchRequest,
    allowed: &[bool],
) -> Result<(Vec<Candidate>, Vec<Option<u32>>)> {
    if request.fusion == Fusion::Founding {
        let hits = founding::rank(pool, allowed, request.limit, request.by)?;
        return Ok(hits.into_iter().map(|(hit, chunk)| (hit, Some(chunk))).unzip());
    }
    let limit = match request.by {
        Grouping::Note => request.limit,
        Grouping::Chunk => request.limit * NOTES_A_CHUNK_HIT,
    };
    let candidates = pool.rank(request.fusion, limit)?;
    let chunks = vec![None; candidates.len()];
    Ok((candidates, chunks))
}

fn report_terms(response: &mut SearchResponse, lexical: Option<&Lexical>) {
    let Some(lexical) = lexical else { return };
    response.coverage = lexical.coverage();
    let report = |(term, frequency, idf): &(crate::retrieve::QueryTerm, usize, f64)| TermReport {
        term: term.text.clone(),
        class: term.class.name(),
        document_frequency: *frequency,
        idf: *idf,
    };
    let counted = lexical.terms.iter().filter(|(term, count, _)| !term.is_bonus || *count > 0);
    response.terms = counted.map(report).collect();
}

/// Looks for the query's terms, weak ones at a weak term's weight.
fn snippeter(lexical: Option<&Lexical>) -> Snippeter {
    let weight = |class, idf: f64| if class == Class::Strong { idf } else { idf * 0.2 };
    let terms = lexical.iter().flat_map(|lexical| &lexical.terms);
    Snippeter::new(terms.map(|(term, _, idf)| (term.text.as_str(), weight(term.class, *idf))))
}

/// Cuts a text to an estimated number of tokens, on a character boundary. Longer text never costs
/// less, so that the end is found by halving.
fn cut_to_tokens(text: &mut String, budget: usize) {
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let fitting = ends.partition_point(|end| estimate_tokens(&text[..*end]) <= budget);
    text.truncate(fitting.checked_sub(1).map_or(0, |last| ends[last]));
}

/// Cuts the hits to the token budget and says what is left out.
fn omit(hits: &mut Vec<Hit>, matching: usize, request: &SearchRequest) -> Omitted {
    let mut why = if matching > hits.len() { "limit" } else { "" };
    if let Some(budget) = request.max_tokens {
        let mut left = budget;
        for (number, hit) in hits.iter_mut().enumerate() {
            let fitting = hit.passages.iter().take_while(|passage| {
                let cost = estimate_tokens(&passage.text);
                let fits = cost <= left;
                left -= if fits { cost } else { 0 };
                fits
            });
            let kept = fitting.count();
            if kept < hit.passages.len() {
                why = "max_tokens";
            }
            if kept == 0 && number == 0 {
                // The best passage is cut to fit: nothing would look as if nothing were found.
                hit.passages.truncate(1);
                if let Some(best) = hit.passages.first_mut() {
                    cut_to_tokens(&mut best.text, left);
                }
                hits.truncate(1);
                break;
            }
            hit.passages.truncate(kept);
            if kept == 0 && number > 0 {
                hits.truncate(number);
                break;
            }
        }
    }
    Omitted { count: matching.saturating_sub(hits.len()), why }
}
