//! Asks queries of an index on all cores. Reads no judgements.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use hiku::{
    Fusion, Grouping, Index, Mode, Progress, SearchRequest, SearchResponse, Settings, SignalState,
};

use crate::error::Error;
use crate::run::Run;
use crate::set::{JudgedSet, Query};

/// Queries that a thread takes at once: few enough to share the end of the list evenly.
const QUERIES_PER_TURN: usize = 16;

/// How the queries are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunOptions {
    /// Which signals rank.
    pub mode: Mode,
    /// How they become one ranking.
    pub fusion: Fusion,
    /// Notes to ask for, 1 to [`hiku::MAX_LIMIT`]. Default 100.
    pub limit: usize,
    /// True takes queries as they are: nothing in them is an operator.
    pub plain: bool,
}

impl Default for RunOptions {
    fn default() -> Self {
        RunOptions { mode: Mode::default(), fusion: Fusion::default(), limit: 100, plain: false }
    }
}

/// What was found for each query, and which signals could not help.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answers {
    /// The rankings, in the order of the queries.
    pub run: Run,
    /// Signals that were asked for and did not run, with the reason.
    pub unavailable: Vec<(String, String)>,
}

impl JudgedSet {
    /// Asks every query of the index that [`JudgedSet::index`] made. Nothing in a set's query is an
    /// operator.
    ///
    /// # Errors
    /// What the library says, with the query at fault.
    pub fn answer(
        &self,
        index: &Path,
        settings: &Settings,
        options: RunOptions,
        progress: &dyn Progress,
    ) -> Result<Answers, Error> {
        answer(&self.queries, index, settings, RunOptions { plain: true, ..options }, progress)
    }
}

/// Asks `queries` of the index at `path` on all cores.
pub(crate) fn answer(
    queries: &[Query],
    path: &Path,
    settings: &Settings,
    options: RunOptions,
    progress: &dyn Progress,
) -> Result<Answers, Error> {
    progress.begin("queries", queries.len());
    let next = AtomicUsize::new(0);
    let turns = Mutex::new(Vec::with_capacity(queries.len()));
    let work = || -> Result<(), Error> {
        let index = Index::open(path, settings)?;
        index.preload()?;
        loop {
            let start = next.fetch_add(QUERIES_PER_TURN, Ordering::Relaxed);
            let Some(queries) = queries.get(start..) else { return Ok(()) };
            let turn = &queries[..queries.len().min(QUERIES_PER_TURN)];
            if turn.is_empty() {
                return Ok(());
            }
            let found = ask(&index, turn, options)?;
            progress.advance(turn.len(), 0);
            let mut turns = turns.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            turns.push((start, found));
        }
    };
    on_all_cores(&work)?;
    let mut turns = turns.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    turns.sort_by_key(|(start, _)| *start);
    let found: Vec<SearchResponse> = turns.into_iter().flat_map(|(_, found)| found).collect();
    Ok(Answers { unavailable: unavailable(&found), run: run(queries, found) })
}

fn run(queries: &[Query], found: Vec<SearchResponse>) -> Run {
    let ids = queries.iter().map(|query| query.id.clone());
    let ranking = |response: SearchResponse| {
        response.hits.into_iter().map(|hit| (hit.path, hit.score)).collect()
    };
    Run { rankings: ids.zip(found.into_iter().map(ranking)).collect() }
}

/// Each signal once, with the first reason.
fn unavailable(found: &[SearchResponse]) -> Vec<(String, String)> {
    let mut missing: Vec<(String, String)> = Vec::new();
    for signal in found.iter().flat_map(|response| &response.signals) {
        let is_new = !missing.iter().any(|(name, _)| name == signal.name);
        if signal.state == SignalState::Unavailable && is_new {
            missing.push((signal.name.to_owned(), signal.reason.clone()));
        }
    }
    missing
}

fn ask(
    index: &Index,
    queries: &[Query],
    options: RunOptions,
) -> Result<Vec<SearchResponse>, Error> {
    queries.iter().map(|query| ask_one(index, query, options)).collect()
}

fn ask_one(index: &Index, query: &Query, options: RunOptions) -> Result<SearchResponse, Error> {
    let request = SearchRequest {
        limit: options.limit,
        mode: options.mode,
        fusion: options.fusion,
        by: Grouping::Note,
        passages: false,
        plain: options.plain,
        ..SearchRequest::new(query.text.as_str())
    };
    index
        .search(&request)
        .map_err(|source| Error::Library { query: Some(query.id.clone()), source })
}

/// Runs `work` once on each core and gives the first error.
fn on_all_cores(work: &(impl Fn() -> Result<(), Error> + Sync)) -> Result<(), Error> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| match thread.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_of_any_core_is_the_result() {
        let turns = AtomicUsize::new(0);
        let work = || match turns.fetch_add(1, Ordering::Relaxed) {
            0 => Err(Error::from(hiku::Error::Cancelled)),
            _ => Ok(()),
        };
        assert!(on_all_cores(&work).is_err());
    }
}
