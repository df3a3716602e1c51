//! Asks a set's queries on all cores and writes the answers as a TREC run. Reads no judgements.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use hiku::{Fusion, Grouping, Index, Mode, Progress, Score, SearchRequest, Settings};

use crate::error::Error;
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
}

impl Default for RunOptions {
    fn default() -> Self {
        RunOptions { mode: Mode::default(), fusion: Fusion::default(), limit: 100 }
    }
}

/// What was found for each query, best first, in the order of the queries.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answers {
    /// Query id, then document ids with scores.
    pub rankings: Vec<(String, Vec<(String, Score)>)>,
}

impl JudgedSet {
    /// Asks every query of the index that [`JudgedSet::index`] made.
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
        progress.begin("queries", self.queries.len());
        let next = AtomicUsize::new(0);
        let rankings = Mutex::new(Vec::with_capacity(self.queries.len()));
        let work = || -> Result<(), Error> {
            let index = Index::open(index, settings)?;
            index.preload()?;
            loop {
                let start = next.fetch_add(QUERIES_PER_TURN, Ordering::Relaxed);
                let Some(queries) = self.queries.get(start..) else { return Ok(()) };
                let turn = &queries[..queries.len().min(QUERIES_PER_TURN)];
                if turn.is_empty() {
                    return Ok(());
                }
                let found = ask(&index, turn, options)?;
                progress.advance(turn.len(), 0);
                let mut rankings =
                    rankings.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                rankings.push((start, found));
            }
        };
        on_all_cores(&work)?;
        let mut turns = rankings.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        turns.sort_by_key(|(start, _)| *start);
        let found = turns.into_iter().flat_map(|(_, found)| found);
        let ids = self.queries.iter().map(|query| query.id.clone());
        Ok(Answers { rankings: ids.zip(found).collect() })
    }
}

fn ask(
    index: &Index,
    queries: &[Query],
    options: RunOptions,
) -> Result<Vec<Vec<(String, Score)>>, Error> {
    queries.iter().map(|query| ranking(index, query, options)).collect()
}

fn ranking(
    index: &Index,
    query: &Query,
    options: RunOptions,
) -> Result<Vec<(String, Score)>, Error> {
    let request = SearchRequest {
        limit: options.limit,
        mode: options.mode,
        fusion: options.fusion,
        by: Grouping::Note,
        passages: false,
        plain: true,
        ..SearchRequest::new(query.text.as_str())
    };
    let response = index
        .search(&request)
        .map_err(|source| Error::Library { query: Some(query.id.clone()), source })?;
    Ok(response.hits.into_iter().map(|hit| (hit.path, hit.score)).collect())
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

impl Answers {
    /// Number of lines in the run.
    pub fn lines(&self) -> usize {
        self.rankings.iter().map(|(_, found)| found.len()).sum()
    }

    /// Writes the run in TREC form: query, `Q0`, document, 1-based rank, score and `hiku`, with
    /// tabs between, so that ids may hold blanks.
    ///
    /// # Errors
    /// The writer's refusal.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        for (query, found) in &self.rankings {
            for (place, (document, score)) in found.iter().enumerate() {
                writeln!(out, "{query}\tQ0\t{document}\t{}\t{score}\thiku", place + 1)?;
            }
        }
        out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_six_fields_and_ids_to_the_letter() {
        let found = vec![("a b.md".to_owned(), 1.5), ("あ".to_owned(), 0.25)];
        let answers =
            Answers { rankings: vec![("q 1".to_owned(), found), ("q2".to_owned(), Vec::new())] };
        let mut run = Vec::new();
        answers.write(&mut run).expect("memory takes all");
        let run = String::from_utf8(run).expect("UTF-8");
        assert_eq!(run, "q 1\tQ0\ta b.md\t1\t1.5\thiku\nq 1\tQ0\tあ\t2\t0.25\thiku\n");
        assert_eq!(answers.lines(), 2);
    }

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
