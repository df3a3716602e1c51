//! The Model Context Protocol over HTTP: a server at one address for any number of clients, over the
//! same worker as stdin and stdout. Only what must be known to read a request (`head`, `chunks`), to let it in
//! (`guard`) and to answer it (`endpoint`) is spoken of HTTP/1.1; nothing is encrypted.
//!
//! A thread takes connections, and each has one of its own; all ask one worker. A panic ends one
//! connection.

mod chunks;
mod connection;
mod endpoint;
mod guard;
mod head;
mod reply;
#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::GRACE;
use super::protocol::{self, Fault, INTERNAL_ERROR, Request};
use super::warm::Warm;
use super::worker::{Job, Service, work};
use crate::exit::{CommandError, Exit};
use crate::refresh;
use crate::session::{self, Session};
use crate::settings::{Place, Token};
use connection::{Connection, Limits};
use guard::Guard;
pub(crate) use guard::is_local;
use head::Head;
use reply::{Refusal, Reply};

/// Most connections at a time. An agent has one or two; each may hold a body in memory.
const MAX_CONNECTIONS: usize = 64;
/// How often it is asked whether a signal came. Fast enough for a person who waits, and too seldom
/// to be seen in a process list.
const SIGNAL_PAUSE: Duration = Duration::from_millis(100);
/// How long to wait when the system gives no connection, as where files have run out.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// What the command line says of the server.
#[derive(Debug)]
pub(crate) struct HttpOptions {
    /// Where it listens.
    pub(crate) address: SocketAddr,
    /// What clients must show; none where any may come.
    pub(crate) token: Option<Token>,
    /// Further names that clients may call it by.
    pub(crate) hosts: Vec<String>,
}

/// Serves clients at an address until a signal ends it. The endpoint's URL goes to stdout.
///
/// # Errors
/// Exit code 1 where the address cannot be had.
pub(super) fn serve(
    place: Place,
    options: HttpOptions,
    session: &Session,
) -> Result<Exit, CommandError> {
    let stop = refresh::stop_on_signals()?;
    let (messages, asked) = (session.messages(), options.address);
    let listen = || -> io::Result<_> {
        let listener = TcpListener::bind(asked)?;
        let address = listener.local_addr()?;
        Ok((listener, address))
    };
    let (listener, address) = listen().map_err(|cause| {
        let other = SocketAddr::new(asked.ip(), 0);
        CommandError::new(Exit::Failed, messages.cannot_listen(asked, cause))
            .hint(messages.hint_listen(place.command(&format!("mcp --http {other}"))))
    })?;
    if !is_local(address) {
        session.warn(&messages.http_unencrypted(address));
    }
    session.say(&messages.serving_http(place.vault.display()));
    let guard = Guard::new(address, options.hosts, options.token);
    let warm = Warm::new(place, Session::new(session.environment.clone()));
    let server = Server::start(listener, guard, Limits::default(), warm);
    // A server serves, whether or not somebody reads where.
    let _ = session::data(|out| writeln!(out, "http://{address}{}", endpoint::PATH));
    while !stop.load(Ordering::Relaxed) {
        thread::sleep(SIGNAL_PAUSE);
    }
    server.requests.wait_for_none(GRACE);
    Ok(Exit::Done)
}

/// What the threads of a server share.
struct Server {
    guard: Guard,
    limits: Limits,
    worker: Sender<Asked>,
    connections: Arc<Gauge>,
    requests: Arc<Gauge>,
}

impl Server {
    /// Starts the threads that take connections and that answer.
    fn start(
        listener: TcpListener,
        guard: Guard,
        limits: Limits,
        service: impl Service + Send + 'static,
    ) -> Arc<Self> {
        let (worker, jobs) = mpsc::channel();
        thread::spawn(move || work(&jobs, service));
        let (connections, requests) = (Arc::default(), Arc::default());
        let server = Arc::new(Server { guard, limits, worker, connections, requests });
        let shared = Arc::clone(&server);
        thread::spawn(move || {
            for stream in listener.incoming() {
                match stream {
                    Ok(stream) => shared.take(stream),
                    Err(_) => thread::sleep(ACCEPT_PAUSE),
                }
            }
        });
        server
    }

    /// Gives a connection its thread, or turns it away.
    fn take(self: &Arc<Self>, mut stream: TcpStream) {
        let Some(inside) = self.connections.enter(MAX_CONNECTIONS) else {
            let refusal = Refusal::new(503, "too many connections; try again soon");
            // Little enough for the system's buffer, so that this waits for nobody.
            let _ = stream.write(&Reply::from(refusal).bytes(false));
            return;
        };
        let server = Arc::clone(self);
        // Where the system has no thread to give, the connection is closed.
        let _ = thread::Builder::new().spawn(move || {
            server.converse(stream);
            drop(inside);
        });
    }

    /// Answers a client until it goes, or has to.
    fn converse(&self, stream: TcpStream) {
        let Ok(mut connection) = Connection::new(stream, self.limits) else { return };
        loop {
            match connection.head() {
                Ok(None) => return,
                Ok(Some(head)) => {
                    let _under_way = self.requests.enter(usize::MAX);
                    if !self.exchange(&mut connection, &head) {
                        break;
                    }
                }
                Err(refusal) => {
                    connection.send(&refusal.into(), false);
                    break;
                }
            }
        }
        connection.farewell();
    }

    /// Answers one request; whether another may follow.
    fn exchange(&self, connection: &mut Connection, head: &Head) -> bool {
        let (reply, is_read) = match self.answer(connection, head) {
            Ok(reply) => (reply, true),
            // What was not read of the body would be taken for the next request.
            Err(refusal) => (Reply::from(refusal), head.has_no_body()),
        };
        let reply = if head.method == "HEAD" { Reply::empty(reply.status) } else { reply };
        connection.send(&reply, is_read && head.keeps_alive())
    }

    fn answer(&self, connection: &mut Connection, head: &Head) -> Result<Reply, Refusal> {
        self.guard.admit(head)?;
        endpoint::check(head)?;
        let body = connection.body(head)?;
        Ok(endpoint::answer(head, &body, |request| self.ask(request)))
    }

    /// The worker's answer to a request, as a message.
    fn ask(&self, request: Request) -> Value {
        let id = request.id.clone();
        let (answer, message) = mpsc::channel();
        // A worker that is gone drops the way back, too.
        let _ = self.worker.send(Asked { request, answer });
        message.recv().unwrap_or_else(|_| {
            let message = "this is a fault of hiku: start the server again";
            protocol::error(&id, &Fault::new(INTERNAL_ERROR, message))
        })
    }
}

/// A request that came by HTTP, and the way back to the thread that waits for its answer.
struct Asked {
    request: Request,
    answer: Sender<Value>,
}

impl Job for Asked {
    fn request(&self) -> &Request {
        &self.request
    }

    fn is_wanted(&self) -> bool {
        true
    }

    fn finish(self, outcome: Result<Value, Fault>) -> io::Result<()> {
        // A thread that is gone keeps no other from its answer.
        let _ = self.answer.send(protocol::answer(&self.request, outcome));
        Ok(())
    }
}

/// Counts what is under way.
#[derive(Debug, Default)]
struct Gauge {
    count: Mutex<usize>,
    has_changed: Condvar,
}

/// One of what a [`Gauge`] counts, until it is dropped.
struct Inside(Arc<Gauge>);

impl Gauge {
    /// Counts one more; `None` where there are `most` already.
    fn enter(self: &Arc<Self>, most: usize) -> Option<Inside> {
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(Inside(Arc::clone(self)))
    }

    /// Waits until there are none, or for the time that is given.
    fn wait_for_none(&self, most: Duration) {
        let count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        // Either way there is nothing left to do.
        drop(self.has_changed.wait_timeout_while(count, most, |count| *count > 0));
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        *self.0.count.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.has_changed.notify_all();
    }
}
