//! One connection: heads and bodies from it, answers to it, each within a time. Knows what a head
//! is, and nothing of what is asked.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use super::chunks;
use super::head::{Body, Head};
use super::reply::{Refusal, Reply};

/// Bytes of one read.
const READ_BYTES: usize = 8 << 10;

/// How long a client may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// To begin the next request.
    pub(super) idle: Duration,
    /// To send a request, from its first byte to its last.
    pub(super) request: Duration,
    /// To take an answer.
    pub(super) answer: Duration,
    /// To take note of a refusal, before the connection is cut.
    pub(super) farewell: Duration,
}

impl Default for Limits {
    /// Agents keep a connection for seconds, at most for minutes, and send a request in one piece.
    fn default() -> Self {
        Limits {
            idle: Duration::from_mins(1),
            request: Duration::from_secs(10),
            answer: Duration::from_secs(10),
            farewell: Duration::from_secs(1),
        }
    }
}

/// What a read came to.
enum Came {
    /// There is more.
    More,
    /// The client has gone.
    End,
    /// The time is over.
    Late,
}

/// A connection to a client.
pub(super) struct Connection {
    stream: TcpStream,
    limits: Limits,
    /// Bytes that have come and belong to no request yet.
    unread: Vec<u8>,
    /// When the request at hand must have come.
    deadline: Instant,
}

impl Connection {
    /// A connection that nothing was read from yet.
    ///
    /// # Errors
    /// The operating system's refusal.
    pub(super) fn new(stream: TcpStream, limits: Limits) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        Ok(Connection { stream, limits, unread: Vec::new(), deadline: Instant::now() })
    }

    /// The next head; `None` where the client has gone or is idle for too long.
    ///
    /// # Errors
    /// As [`Head::read`]; 408 for a client that is too slow.
    pub(super) fn head(&mut self) -> Result<Option<Head>, Refusal> {
        if self.unread.is_empty() {
            match self.read_more(Instant::now() + self.limits.idle) {
                Came::More => {}
                Came::End | Came::Late => return Ok(None),
            }
        }
        self.deadline = Instant::now() + self.limits.request;
        loop {
            if let Some((head, length)) = Head::read(&self.unread)? {
                self.unread.drain(..length);
                return Ok(Some(head));
            }
            match self.read_more(self.deadline) {
                Came::More => {}
                Came::End => return Ok(None),
                Came::Late => return Err(too_slow()),
            }
        }
    }

    /// The body that follows a head.
    ///
    /// # Errors
    /// As [`Head::body`] and [`chunks::take`]; 408 for a client that is too slow, 400 for one that
    /// has gone.
    pub(super) fn body(&mut self, head: &Head) -> Result<Vec<u8>, Refusal> {
        let kind = head.body()?;
        if head.awaits_go_on()? && self.unread.is_empty() && kind != Body::Length(0) {
            // Where this fails, so does the next read.
            let _ = self.write(b"HTTP/1.1 100 Continue\r\n\r\n");
        }
        let mut body = Vec::new();
        loop {
            match kind {
                Body::Length(length) if self.unread.len() >= length => {
                    let rest = self.unread.split_off(length);
                    return Ok(std::mem::replace(&mut self.unread, rest));
                }
                Body::Chunks if chunks::take(&mut self.unread, &mut body)? => return Ok(body),
                Body::Length(_) | Body::Chunks => {}
            }
            match self.read_more(self.deadline) {
                Came::More => {}
                Came::End => return Err(Refusal::new(400, "the body ended early")),
                Came::Late => return Err(too_slow()),
            }
        }
    }

    /// Reads what is there, or waits for it until `deadline`.
    fn read_more(&mut self, deadline: Instant) -> Came {
        let mut bytes = [0; READ_BYTES];
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            // A timeout of nothing is an error here.
            if left.is_zero() {
                return Came::Late;
            }
            if self.stream.set_read_timeout(Some(left)).is_err() {
                return Came::End;
            }
            match self.stream.read(&mut bytes) {
                Ok(0) => return Came::End,
                Ok(count) => {
                    self.unread.extend_from_slice(&bytes[..count]);
                    return Came::More;
                }
                // Which of the two a timeout is depends on the system; the time decides.
                Err(error) if is_passing(&error) => {}
                Err(_) => return Came::End,
            }
        }
    }

    /// Sends an answer. Whether the connection may go on: the client has taken all of it, and
    /// `stays_open`.
    pub(super) fn send(&mut self, reply: &Reply, stays_open: bool) -> bool {
        self.write(&reply.bytes(stays_open)).is_ok() && stays_open
    }

    fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        let deadline = Instant::now() + self.limits.answer;
        while !bytes.is_empty() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            self.stream.set_write_timeout(Some(left))?;
            match self.stream.write(bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => bytes = &bytes[count..],
                Err(error) if is_passing(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Ends the connection so that the client can read what it was sent last: a system that closes
    /// a connection with bytes unread takes back what is on its way.
    pub(super) fn farewell(mut self) {
        let deadline = Instant::now() + self.limits.farewell;
        if self.stream.shutdown(Shutdown::Write).is_ok() {
            while matches!(self.read_more(deadline), Came::More) {
                self.unread.clear();
            }
        }
    }
}

fn too_slow() -> Refusal {
    Refusal::new(408, "the request took too long to come")
}

/// True for a wait that was cut short.
fn is_passing(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), Interrupted | TimedOut | WouldBlock)
}
