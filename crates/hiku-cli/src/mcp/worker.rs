//! The one worker that answers what needs the index: in order, whoever asked, and so that a panic
//! ends one request. Knows neither how requests come nor where answers go.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, TryRecvError};

use serde_json::Value;

use super::protocol::{Fault, INTERNAL_ERROR, Request};
use super::warm::Warm;
use super::{resources, tools, unknown_method};

/// Answers what needs the index; one request at a time.
pub(super) trait Service {
    /// The result of a request.
    fn answer(&mut self, request: &Request) -> Result<Value, Fault>;

    /// Nobody waits just now.
    fn rest(&mut self) {}

    /// The last request was broken off in the middle.
    fn reset(&mut self) {}
}

impl Service for Warm {
    fn answer(&mut self, request: &Request) -> Result<Value, Fault> {
        match request.method.as_str() {
            "tools/call" => tools::call(self, request),
            "resources/list" => resources::list(self, request),
            "resources/read" => resources::read(self, request),
            other => Err(unknown_method(other)),
        }
    }

    fn rest(&mut self) {
        self.preload();
    }

    fn reset(&mut self) {
        self.close();
    }
}

/// A request that waits for the worker, and the way back to its client.
pub(super) trait Job {
    /// What is asked.
    fn request(&self) -> &Request;

    /// False where the client has taken it back.
    fn is_wanted(&self) -> bool;

    /// Hands the outcome to the client.
    ///
    /// # Errors
    /// Nobody listens any more, to this job or to any other.
    fn finish(self, outcome: Result<Value, Fault>) -> io::Result<()>;
}

/// Does jobs in order until there are no more, or nobody listens.
pub(super) fn work(jobs: &Receiver<impl Job>, mut service: impl Service) {
    while let Some(job) = next(jobs, &mut service) {
        if !job.is_wanted() {
            continue;
        }
        let outcome = guarded(&mut service, job.request());
        if job.finish(outcome).is_err() {
            return;
        }
    }
}

/// The next job; `None` when there will be no more.
fn next<J>(jobs: &Receiver<J>, service: &mut impl Service) -> Option<J> {
    match jobs.try_recv() {
        Ok(job) => Some(job),
        Err(TryRecvError::Disconnected) => None,
        Err(TryRecvError::Empty) => {
            // In the worst case a panic here costs speed.
            let _ = catch_unwind(AssertUnwindSafe(|| service.rest()));
            jobs.recv().ok()
        }
    }
}

/// The outcome of one request; a panic ends it and nothing else.
fn guarded(service: &mut impl Service, request: &Request) -> Result<Value, Fault> {
    catch_unwind(AssertUnwindSafe(|| service.answer(request))).unwrap_or_else(|_| {
        service.reset();
        let message = "this is a fault of hiku; its standard error has the details";
        Err(Fault::new(INTERNAL_ERROR, message))
    })
}
