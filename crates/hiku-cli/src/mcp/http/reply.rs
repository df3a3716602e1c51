//! What is answered to an HTTP request: its status, fields and body, and their bytes.

use std::io::Write;

use serde_json::Value;

use crate::mcp::protocol::{self, Fault, INVALID_REQUEST};
use crate::wire;

/// Why a request is not taken, before it is one of the protocol.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Refusal {
    /// The status.
    pub(super) status: u16,
    /// One sentence, with what to do.
    message: String,
}

impl Refusal {
    /// A refusal with its sentence.
    pub(super) fn new(status: u16, message: impl Into<String>) -> Self {
        Refusal { status, message: message.into() }
    }
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Reply {
    /// The status.
    pub(super) status: u16,
    /// Its body, JSON; empty for none.
    body: Vec<u8>,
}

impl Reply {
    /// An answer without a body.
    pub(super) fn empty(status: u16) -> Self {
        Reply { status, body: Vec::new() }
    }

    /// A message of the protocol, byte for byte the line that stdout would carry.
    pub(super) fn message(status: u16, message: &Value) -> Self {
        let mut body = Vec::new();
        match wire::write_line(&mut body, message) {
            Ok(()) => Reply { status, body },
            // Memory refuses nothing, and a `Value` is always JSON.
            Err(_) => Reply::empty(500),
        }
    }

    /// The bytes that answer a request.
    ///
    /// `stays_open` says whether the connection is kept for a further one.
    pub(super) fn bytes(&self, stays_open: bool) -> Vec<u8> {
        let (status, reason) = (self.status, reason(self.status));
        let connection = if stays_open { "keep-alive" } else { "close" };
        let mut bytes = Vec::with_capacity(self.body.len() + 256);
        let mut write = |line: &str| {
            // Memory refuses nothing.
            let _ = write!(bytes, "{line}\r\n");
        };
        write(&format!("HTTP/1.1 {status} {reason}"));
        write(&format!("Date: {}", date()));
        if !self.body.is_empty() {
            write("Content-Type: application/json");
        }
        write(&format!("Content-Length: {}", self.body.len()));
        // What a vault holds is nobody else's, and is old at once.
        write("Cache-Control: no-store");
        write("X-Content-Type-Options: nosniff");
        if let Some(line) = field_of(self.status) {
            write(line);
        }
        write(&format!("Connection: {connection}\r\n"));
        bytes.extend_from_slice(&self.body);
        bytes
    }
}

impl From<Refusal> for Reply {
    fn from(refusal: Refusal) -> Self {
        let fault = Fault::new(INVALID_REQUEST, refusal.message);
        Reply::message(refusal.status, &protocol::error(&Value::Null, &fault))
    }
}

/// What RFC 9110 wants beside a status.
fn field_of(status: u16) -> Option<&'static str> {
    match status {
        401 => Some("WWW-Authenticate: Bearer"),
        405 => Some("Allow: POST"),
        503 => Some("Retry-After: 1"),
        _ => None,
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        202 => "Accepted",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        408 => "Request Timeout",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        417 => "Expectation Failed",
        421 => "Misdirected Request",
        431 => "Request Header Fields Too Large",
        501 => "Not Implemented",
        503 => "Service Unavailable",
        _ => "Internal Server Error",
    }
}

/// The time as RFC 9110 wants it in every answer.
fn date() -> String {
    let printer = jiff::fmt::rfc2822::DateTimePrinter::new();
    printer.timestamp_to_rfc9110_string(&jiff::Timestamp::now()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_of_an_answer() {
        let shown = |reply: &Reply, stays_open: bool| {
            let text = String::from_utf8(reply.bytes(stays_open)).expect("UTF-8");
            let is_date = |line: &&str| line.starts_with("Date: ") && line.ends_with(" GMT");
            assert_eq!(text.lines().filter(is_date).count(), 1, "{text}");
            text.lines().filter(|line| !is_date(line)).collect::<Vec<_>>().join("\n")
        };
        insta::assert_snapshot!(shown(&Refusal::new(401, "who are you").into(), true), @r#"
        HTTP/1.1 401 Unauthorized
        Content-Type: application/json
        Content-Length: 76
        Cache-Control: no-store
        X-Content-Type-Options: nosniff
        WWW-Authenticate: Bearer
        Connection: keep-alive

        {"error":{"code":-32600,"message":"who are you"},"id":null,"jsonrpc":"2.0"}
        "#);
        insta::assert_snapshot!(shown(&Reply::empty(202), false), @r"
        HTTP/1.1 202 Accepted
        Content-Length: 0
        Cache-Control: no-store
        X-Content-Type-Options: nosniff
        Connection: close
        ");
    }
}
