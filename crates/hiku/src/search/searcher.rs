//! Answers questions from one index: holds the state that searches share and runs the pipeline.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::embed::TokenWeights;
use crate::error::{Error, Result};
use crate::indexer::{confirm_vault, epoch_weights};
use crate::query::Query;
use crate::retrieve::{
    DenseQuery, Lexical, QueryVector, Snapshot, VectorCache, allowed, query_terms,
};
use crate::scrub::Scrubber;
use crate::settings::Settings;
use crate::snippet::Snippeter;
use crate::store::{NoteRow, Store};
use crate::text::nfkc;
use crate::tokenize::{Analyzer, Class};

use super::budget::omit;
use super::copies::Copies;
use super::current::{NoteIds, Seen, Sight};
use super::founding;
use super::halves::both;
use super::hits::HitMaker;
use super::passages::PassageMaker;
use super::pool::{Candidate, Pool};
use super::types::{
    Filters, Fusion, Grouping, MAX_LIMIT, MAX_QUERY_CHARACTERS, Mode, Omitted, SearchRequest,
    SearchResponse, Signal, SignalState, TermReport,
};

/// An analyzer that has seen this many terms is replaced: a process that lives long must not
/// remember every word it was ever shown.
const MAX_ANALYZER_TERMS: usize = 200_000;
/// Notes whose chunks are looked at for hits by chunk, as a multiple of the limit.
const NOTES_A_CHUNK_HIT: usize = 2;
/// How many times a question is asked again without the notes that turned out to be gone. Each time
/// costs a search; whole folders that vanish at once are seldom, and the next update takes them out.
const MOST_ROUNDS: usize = 6;
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

    /// The index file.
    pub(super) fn path(&self) -> std::path::PathBuf {
        self.state().store.path().to_path_buf()
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
            self.answer(state, request, &NoteIds::default())
        })
    }

    /// Answers a question with notes that are there: `see` is asked of each note among the hits, of
    /// equal ones once. Other hits take the places of those that are gone.
    ///
    /// # Errors
    /// See [`crate::Index::search`].
    pub(super) fn search_seen(
        &self,
        request: &SearchRequest,
        see: &mut dyn FnMut(&NoteRow) -> Seen,
    ) -> Result<SearchResponse> {
        check(request)?;
        let mut state = self.state();
        state.in_view(|state| {
            state.refresh()?;
            let mut sight = Sight::default();
            for _ in 0..MOST_ROUNDS {
                let mut response = self.answer(state, request, &sight.gone)?;
                if !sight.look_at(&mut response.hits, &state.store, see)? {
                    return Ok(response);
                }
            }
            let mut response = self.answer(state, request, &sight.gone)?;
            sight.look_at(&mut response.hits, &state.store, see)?;
            response.hits.retain(|hit| !sight.gone.contains(&hit.note_id));
            Ok(response)
        })
    }

    /// Answers as if the notes in `without` were not there, but for the weights of words.
    fn answer(
        &self,
        state: &mut State,
        request: &SearchRequest,
        without: &NoteIds,
    ) -> Result<SearchResponse> {
        let query =
            if request.plain { Query::plain(&request.query) } else { Query::parse(&request.query) };
        let snapshot = Arc::clone(&state.snapshot);
        let cache = state.cache.clone();
        let options = &self.settings.ranking;
        let vector = self.query_vector(state, request, &query)?;
        let signals = signals(request, &vector);
        refuse_missing(&signals, request.strict || request.mode == Mode::Dense)?;
        let mut response = new_response(request, state, signals)?;
        if query.is_empty() && !asks_by_filter(&query, request) {
            return Ok(response);
        }
        let (store, analyzer) = (&state.store, &mut state.analyzer);
        let mut allowed = allowed(store, &snapshot, analyzer, &query, &request.filters)?;
        leave_out(without, &snapshot, &mut allowed);
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
            copies: Copies::default(),
        };
        report_terms(&mut response, lexical.as_ref());
        response.lexical_share = pool.share();
        let (candidates, chunks, matching) = if query.is_empty() {
            let newest = pool.newest(&allowed, request.limit)?;
            let chunks = vec![None; newest.len()];
            let listed = allowed.iter().filter(|allowed| **allowed).count();
            (newest, chunks, listed - pool.copies.folded.len())
        } else {
            let (candidates, chunks) = rank(&mut pool, request, &allowed)?;
            let matching = lexical.as_ref().map_or(0, |lexical| lexical.matching);
            (candidates, chunks, matching.saturating_sub(pool.folded_matches()))
        };
        let maker = HitMaker {
            request,
            passages: PassageMaker {
                scrubber: &self.scrubber,
                snippeter: snippeter(lexical.as_ref()),
            },
            by_word: lexical.is_some(),
            by_meaning: dense.is_some(),
            copies: &pool.copies,
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
            let snapshot = Snapshot::load(&self.store)?;
            self.cache = self.load_vectors(&snapshot)?;
            self.snapshot = Arc::new(snapshot);
        }
        Ok(())
    }

    /// Reads sketches and vectors into memory where they are to be kept and there is room. By a
    /// connection of its own that does not map the file: mapped pages would count twice. Where the
    /// index has moved on since the view began, the next refresh reads them.
    fn load_vectors(&self, snapshot: &Snapshot) -> Result<Option<Arc<VectorCache>>> {
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

fn leave_out(notes: &NoteIds, snapshot: &Snapshot, allowed: &mut [bool]) {
    if notes.is_empty() {
        return;
    }
    for (document, allowed) in (0..).zip(allowed) {
        *allowed = *allowed && !notes.contains(&snapshot.note_id(document));
    }
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

/// Under `strict`, an unavailable signal is an error.
fn refuse_missing(signals: &[Signal], strict: bool) -> Result<()> {
    let missing = signals.iter().find(|signal| signal.state == SignalState::Unavailable);
    match missing.filter(|_| strict) {
        Some(missing) => {
            Err(Error::SignalMissing { signal: missing.name, reason: missing.reason.clone() })
        }
        None => Ok(()),
    }
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
        lexical_share: 0.0,
        stale: None,
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
        instead_of: term.instead_of.clone(),
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
