//! What the protocol asks of a request over HTTP, by revision, and the answer to it. No sessions
//! are issued: every request stands for itself, as each revision allows and the newest wants it.
//!
//! A revision that begins with `initialize` is named by a field of the head from the second request
//! on. A newer one is named in the body too, and further fields repeat what the body says, so that
//! what stands between may go by them; where they differ, who reads the other one would be told
//! something else, and the request is refused.

use std::borrow::Cow;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;

use super::head::Head;
use super::reply::{Refusal, Reply};
use crate::mcp::protocol::{self, Fault, HEADER_MISMATCH, Incoming, METHOD_NOT_FOUND, Request};
use crate::mcp::{at_once, protocol::REVISIONS};
use crate::safe;

/// The only path.
pub(super) const PATH: &str = "/mcp";
/// The field that names the revision.
const REVISION_FIELD: &str = "MCP-Protocol-Version";
/// The field that repeats the method.
const METHOD_FIELD: &str = "Mcp-Method";
/// The field that repeats the name of a tool or the address of a resource.
const NAME_FIELD: &str = "Mcp-Name";

/// Whether a request is one to the endpoint at all; asked before its body is read.
///
/// # Errors
/// 404 for another path, 405 for another method, 415 for a body that is no JSON, 406 for a client
/// that takes no JSON.
pub(super) fn check(head: &Head) -> Result<(), Refusal> {
    if head.path() != PATH {
        return Err(Refusal::new(404, format!("there is nothing here; ask {PATH}")));
    }
    if head.method != "POST" {
        return Err(Refusal::new(405, "this server offers no stream and no session: use POST"));
    }
    if head.text("content-type")?.map(media_type).as_deref() != Some("application/json") {
        return Err(Refusal::new(415, "send Content-Type: application/json"));
    }
    if !takes_json(head) {
        let message = "answers are JSON: send Accept: application/json, text/event-stream";
        return Err(Refusal::new(406, message));
    }
    Ok(())
}

/// A media type without its parameters, in lower case.
fn media_type(text: &str) -> String {
    text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// True where the client takes JSON. Each revision has clients name a stream of events too; since
/// none is ever sent, its absence does no harm. RFC 9110: without the field, anything is taken.
fn takes_json(head: &Head) -> bool {
    let mut values = head.all("accept").peekable();
    values.peek().is_none()
        || values.flat_map(|value| value.split(|byte| *byte == b',')).any(|range| {
            let range = String::from_utf8_lossy(range);
            let is_json = ["application/json", "application/*", "*/*"];
            is_json.contains(&media_type(&range).as_str()) && !is_refused(&range)
        })
}

/// True for a range of media types with the weight 0, which RFC 9110 reads as "not this".
fn is_refused(range: &str) -> bool {
    range.split(';').skip(1).any(|parameter| {
        let weight = parameter.trim().to_ascii_lowercase();
        weight.strip_prefix("q=").is_some_and(|weight| weight.parse() == Ok(0.0_f32))
    })
}

/// The answer to a request. `ask` gives that of the worker, as a message.
pub(super) fn answer(head: &Head, body: &[u8], ask: impl FnOnce(Request) -> Value) -> Reply {
    let outcome = match protocol::read(body) {
        Incoming::Wrong(error) => return Reply::message(400, &error),
        // Without sessions nobody can tell whose request it is that is taken back: ids are unique
        // for one client only.
        Incoming::Cancelled(_) | Incoming::Nothing => {
            return accept(head).unwrap_or_else(Reply::from);
        }
        Incoming::Request(request) => check_fields(head, &request).map(|()| respond(request, ask)),
    };
    outcome.unwrap_or_else(|refused| refused)
}

/// Takes what wants no answer.
fn accept(head: &Head) -> Result<Reply, Refusal> {
    match head.text(REVISION_FIELD)? {
        Some(name) if !REVISIONS.contains(&name) => {
            Ok(Reply::message(400, &protocol::unsupported(&Value::Null, &name.into())))
        }
        _ => Ok(Reply::empty(202)),
    }
}

fn respond(request: Request, ask: impl FnOnce(Request) -> Value) -> Reply {
    let Some(outcome) = at_once(&request) else { return Reply::message(200, &ask(request)) };
    let is_unknown = outcome.as_ref().is_err_and(|fault| fault.code == METHOD_NOT_FOUND);
    let status = if is_unknown && is_modern(&request) { 404 } else { 200 };
    Reply::message(status, &protocol::answer(&request, outcome))
}

/// True where the request is of a revision without a handshake.
fn is_modern(request: &Request) -> bool {
    request.revision().is_some_and(|name| !protocol::begins_with_handshake(name))
}

/// Checks the fields that each revision wants.
///
/// # Errors
/// The answer, with status 400.
fn check_fields(head: &Head, request: &Request) -> Result<(), Reply> {
    let refused = |message: String| {
        let fault = Fault::new(HEADER_MISMATCH, message);
        Err(Reply::message(400, &protocol::error(&request.id, &fault)))
    };
    let begins = request.method == "initialize";
    match (head.text(REVISION_FIELD)?, request.revision()) {
        (Some(name), _) if !REVISIONS.contains(&name) => {
            return Err(Reply::message(400, &protocol::unsupported(&request.id, &name.into())));
        }
        (Some(name), Some(stated)) if name != stated => {
            return refused(format!("{REVISION_FIELD} is {name}, and the body says {stated}"));
        }
        (Some(name), None) if !begins && !protocol::begins_with_handshake(name) => {
            return refused(format!("{REVISION_FIELD} is {name}, and the body names none"));
        }
        // Earlier revisions than those that are spoken had no such field.
        (None, stated) if !begins || stated.is_some() => {
            let names = REVISIONS.join(", ");
            return refused(format!("{REVISION_FIELD} is missing; spoken are {names}"));
        }
        _ => {}
    }
    if !is_modern(request) {
        return Ok(());
    }
    for (field, expected) in repeated(request) {
        let given = head.one(field)?.and_then(plain);
        if given.as_deref() != Some(expected.as_bytes()) {
            let expected = safe::label(expected);
            return refused(format!("{field} is missing or other than the body's {expected}"));
        }
    }
    Ok(())
}

/// Fields that repeat something of the body, with what they must say.
fn repeated(request: &Request) -> impl Iterator<Item = (&'static str, &str)> {
    let name = match request.method.as_str() {
        "tools/call" => request.params.get("name"),
        "resources/read" => request.params.get("uri"),
        _ => None,
    };
    let name = name.and_then(Value::as_str).map(|name| (NAME_FIELD, name));
    [(METHOD_FIELD, request.method.as_str())].into_iter().chain(name)
}

/// The value of a field, decoded where it is written as `=?base64?...?=`; `None` where that is no
/// base64.
fn plain(value: &[u8]) -> Option<Cow<'_, [u8]>> {
    let inner = value.strip_prefix(b"=?base64?").and_then(|rest| rest.strip_suffix(b"?="));
    match inner {
        Some(inner) => BASE64_STANDARD.decode(inner).ok().map(Cow::Owned),
        None => Some(Cow::Borrowed(value)),
    }
}

#[cfg(test)]
#[path = "endpoint_tests.rs"]
mod tests;
