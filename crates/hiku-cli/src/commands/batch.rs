//! `hiku search --batch`: many queries in one process, one JSON line each, and their timings.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use hiku::vault::Folder;
use hiku::{Index, Stale};

use super::search::request;
use crate::args::SearchArguments;
use crate::exit::{CommandError, Exit};
use crate::messages::Messages;
use crate::plain_file::read_text;
use crate::session::{self, Session, unreadable};
use crate::settings::Place;
use crate::{refresh, wire};

/// Longest file of queries, in bytes.
const MAX_QUERIES_BYTES: u64 = 256 << 20;
/// Queries that are answered once unmeasured before `--timings` measures, as the yardstick of the
/// benchmark does, so that both measure a process that has lived for a while.
const WARM_UP_QUERIES: usize = 20;

/// Reads the queries, one a line; `-` is stdin.
///
/// # Errors
/// Exit code 2 when the file cannot be read.
pub(crate) fn read(file: &Path, messages: Messages) -> Result<String, CommandError> {
    let text = if file == Path::new("-") {
        io::read_to_string(io::stdin())
    } else {
        read_text(file, MAX_QUERIES_BYTES)
    };
    text.map_err(|error| unreadable(messages, file, &error))
}

/// Answers every line of `queries`. A query that cannot be answered gives a line with its error,
/// and the exit code of the first such error is the batch's.
///
/// # Errors
/// Exit codes 1 and 10 from the index.
pub(crate) fn run(
    index: &Index,
    queries: &str,
    stale: Option<&Stale>,
    arguments: &SearchArguments,
    place: &Place,
    session: &Session,
) -> Result<Exit, CommandError> {
    index.preload().map_err(|e| place.failed(e))?;
    let folder = place.folder().ok();
    let batch = Batch { index, folder, stale, arguments, place, session };
    if arguments.timings {
        queries.lines().take(WARM_UP_QUERIES).for_each(|query| drop(batch.answer(query)));
    }
    let mut times = Vec::new();
    let mut exit = Exit::Done;
    session::data(|out| {
        for query in queries.lines() {
            let started = Instant::now();
            let (line, failed) = batch.answer(query);
            times.push(started.elapsed());
            exit = if exit == Exit::Done { failed } else { exit };
            out.write_all(&line)?;
        }
        Ok(())
    })?;
    if arguments.timings {
        session.say(&timing_line(times));
    }
    Ok(exit)
}

struct Batch<'a> {
    index: &'a Index,
    folder: Option<Folder>,
    stale: Option<&'a Stale>,
    arguments: &'a SearchArguments,
    place: &'a Place,
    session: &'a Session,
}

impl Batch<'_> {
    /// The JSON line for one query. Writing to memory does not fail.
    fn answer(&self, query: &str) -> (Vec<u8>, Exit) {
        let mut line = Vec::new();
        let request = request(self.arguments, query.to_owned());
        let rereads = !self.arguments.no_refresh;
        let exit = match refresh::ask(self.index, &request, self.folder.as_ref(), rereads) {
            Ok(mut response) => {
                response.stale = self.stale.cloned();
                let explain = self.arguments.explain;
                let answer = wire::SearchAnswer::new(&response, &self.place.vault, explain);
                let _ = wire::write_line(&mut line, &answer);
                Exit::Done
            }
            Err(error) => {
                let message = self.session.messages().error(&error);
                let _ = wire::write_line(&mut line, &wire::FailedQuery::new(query, message));
                Exit::of(&error)
            }
        };
        (line, exit)
    }
}

/// `queries=N p50_ms=X.XX p95_ms=X.XX`: the median (mean of the middle two) and the value 95 % of
/// the way up the sorted times.
pub(crate) fn timing_line(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let count = times.len();
    let milliseconds = |at: usize| times.get(at).map_or(0.0, |time| time.as_secs_f64() * 1e3);
    let below = milliseconds(count.saturating_sub(1) / 2);
    let middle = f64::midpoint(below, milliseconds(count / 2));
    let high = milliseconds(count * 95 / 100);
    format!("queries={count} p50_ms={middle:.2} p95_ms={high:.2}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timings() {
        let check = |times: &[u64], expected: &str| {
            let times = times.iter().copied().map(Duration::from_millis).collect();
            assert_eq!(timing_line(times), expected);
        };
        check(&[], "queries=0 p50_ms=0.00 p95_ms=0.00");
        check(&[3], "queries=1 p50_ms=3.00 p95_ms=3.00");
        check(&[4, 1], "queries=2 p50_ms=2.50 p95_ms=4.00");
        check(&(1..=100).collect::<Vec<_>>(), "queries=100 p50_ms=50.50 p95_ms=96.00");
    }
}
