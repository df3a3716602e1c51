//! JSON-RPC 2.0 as the Model Context Protocol uses it: what a line is, which revision it speaks, and
//! the form of results and errors. Knows no tool, no index and no stream.
//!
//! Two sorts of revision are spoken. Up to 2025-11-25 a client begins with `initialize`; from
//! 2026-07-28 on every request carries its revision in `_meta`, and results name their type. Which
//! sort holds is read from each request, so that nothing is remembered between them. Batches, which
//! no revision from 2025-06-18 on knows, are refused.

use serde_json::{Map, Value, json};

/// Revisions that are spoken, oldest first.
pub(super) const REVISIONS: [&str; 3] = ["2025-06-18", "2025-11-25", "2026-07-28"];
/// The newest revision that begins with `initialize`; offered to clients that ask for an unknown one.
const NEWEST_WITH_HANDSHAKE: &str = "2025-11-25";
/// Where a request of the newer sort names its revision.
const REVISION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
/// Where a result of the newer sort names the program that made it.
const SERVER_KEY: &str = "io.modelcontextprotocol/serverInfo";

/// The line is no JSON.
pub(super) const PARSE_ERROR: i32 = -32_700;
/// The JSON is no request.
pub(super) const INVALID_REQUEST: i32 = -32_600;
/// There is no such method.
pub(super) const METHOD_NOT_FOUND: i32 = -32_601;
/// The parameters are wrong, or name what is not there.
pub(super) const INVALID_PARAMS: i32 = -32_602;
/// A fault of this program.
pub(super) const INTERNAL_ERROR: i32 = -32_603;
/// There is no such resource, for revisions up to 2025-11-25.
const RESOURCE_NOT_FOUND: i32 = -32_002;
/// The fields of an HTTP head say other than the body, from 2026-07-28 on.
pub(super) const HEADER_MISMATCH: i32 = -32_020;
/// The revision is not spoken, from 2026-07-28 on.
const UNSUPPORTED_REVISION: i32 = -32_022;

/// A request that wants an answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Request {
    /// A string or a whole number.
    pub(super) id: Value,
    /// Its method.
    pub(super) method: String,
    /// Its parameters; empty where it has none.
    pub(super) params: Map<String, Value>,
    /// True where it carries its own revision.
    pub(super) is_stateless: bool,
}

impl Request {
    /// The revision that it carries; `None` for one that began with a handshake.
    pub(super) fn revision(&self) -> Option<&str> {
        self.params.get("_meta")?.get(REVISION_KEY)?.as_str()
    }
}

/// True for a revision of which a conversation begins with `initialize`.
pub(super) fn begins_with_handshake(revision: &str) -> bool {
    // They are days, written so that their order is that of their letters.
    revision <= NEWEST_WITH_HANDSHAKE
}

/// What a line holds.
#[derive(Debug, PartialEq)]
pub(super) enum Incoming {
    /// A request.
    Request(Request),
    /// A client takes back the request of this id.
    Cancelled(Value),
    /// Another notification, or an answer to a question that was never asked.
    Nothing,
    /// What cannot be a request: the error that answers it.
    Wrong(Value),
}

/// Why a request has no result.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fault {
    /// The protocol's number for it.
    pub(super) code: i32,
    /// One sentence.
    pub(super) message: String,
    /// More of it, for programs.
    pub(super) data: Option<Value>,
}

impl Fault {
    /// A fault without data.
    pub(super) fn new(code: i32, message: impl Into<String>) -> Self {
        Fault { code, message: message.into(), data: None }
    }

    /// A resource that is not there; its number depends on the revision.
    pub(super) fn no_resource(request: &Request, uri: &str, message: String) -> Self {
        let code = if request.is_stateless { INVALID_PARAMS } else { RESOURCE_NOT_FOUND };
        Fault { code, message, data: Some(json!({ "uri": uri })) }
    }
}

/// Reads one line.
pub(super) fn read(line: &[u8]) -> Incoming {
    match serde_json::from_slice(line) {
        Ok(Value::Object(message)) => read_object(message),
        Ok(Value::Array(_)) => wrong(&Value::Null, INVALID_REQUEST, "batches are not supported"),
        Ok(_) => wrong(&Value::Null, INVALID_REQUEST, "a message is an object"),
        Err(error) => wrong(&Value::Null, PARSE_ERROR, &format!("not JSON: {error}")),
    }
}

fn read_object(mut message: Map<String, Value>) -> Incoming {
    let id = message.remove("id");
    let known = id.clone().filter(is_id).unwrap_or(Value::Null);
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return wrong(&known, INVALID_REQUEST, "jsonrpc must be \"2.0\"");
    }
    let method = match message.remove("method") {
        Some(Value::String(method)) => method,
        None if message.contains_key("result") || message.contains_key("error") => {
            return Incoming::Nothing;
        }
        _ => return wrong(&known, INVALID_REQUEST, "method must be a string"),
    };
    let params = match message.remove("params") {
        Some(Value::Object(params)) => params,
        None | Some(Value::Null) => Map::new(),
        Some(_) => return wrong(&known, INVALID_PARAMS, "params must be an object"),
    };
    match id {
        None => notification(&method, &params),
        Some(id) if !is_id(&id) => {
            wrong(&Value::Null, INVALID_REQUEST, "id must be a string or a whole number")
        }
        Some(id) => request(id, method, params),
    }
}

fn is_id(id: &Value) -> bool {
    id.is_string() || id.is_i64() || id.is_u64()
}

fn notification(method: &str, params: &Map<String, Value>) -> Incoming {
    match params.get("requestId") {
        Some(id) if method == "notifications/cancelled" => Incoming::Cancelled(id.clone()),
        _ => Incoming::Nothing,
    }
}

fn request(id: Value, method: String, params: Map<String, Value>) -> Incoming {
    let stated = params.get("_meta").and_then(|meta| meta.get(REVISION_KEY));
    let is_stateless = stated.is_some();
    match stated {
        Some(revision) if !revision.as_str().is_some_and(|name| REVISIONS.contains(&name)) => {
            Incoming::Wrong(unsupported(&id, revision))
        }
        _ => Incoming::Request(Request { id, method, params, is_stateless }),
    }
}

/// The answer to a request of a revision that is not spoken.
pub(super) fn unsupported(id: &Value, requested: &Value) -> Value {
    let data = json!({ "supported": REVISIONS, "requested": requested });
    let message = "Unsupported protocol version".to_owned();
    error(id, &Fault { code: UNSUPPORTED_REVISION, message, data: Some(data) })
}

fn wrong(id: &Value, code: i32, message: &str) -> Incoming {
    Incoming::Wrong(error(id, &Fault::new(code, message)))
}

/// The answer to a request.
pub(super) fn answer(request: &Request, outcome: Result<Value, Fault>) -> Value {
    match outcome {
        Ok(result) => {
            let result = if request.is_stateless { complete(request, result) } else { result };
            json!({ "jsonrpc": "2.0", "id": request.id, "result": result })
        }
        Err(fault) => error(&request.id, &fault),
    }
}

/// The answer to a request that has no result.
pub(super) fn error(id: &Value, fault: &Fault) -> Value {
    let mut error = json!({ "code": fault.code, "message": fault.message });
    if let Some(data) = &fault.data {
        error["data"] = data.clone();
    }
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}

/// Adds what the revisions without a handshake want in every result.
fn complete(request: &Request, mut result: Value) -> Value {
    result["resultType"] = "complete".into();
    result["_meta"][SERVER_KEY] = server();
    if let Some((milliseconds, scope)) = may_be_kept(&request.method) {
        result["ttlMs"] = milliseconds.into();
        result["cacheScope"] = scope.into();
    }
    result
}

/// How long in milliseconds a client may keep a method's result, and whether others may see it.
/// What this program offers changes with its version only; what a vault holds, at any time.
fn may_be_kept(method: &str) -> Option<(u32, &'static str)> {
    match method {
        "server/discover" | "tools/list" | "resources/templates/list" => {
            Some((3_600_000, "public"))
        }
        "resources/list" | "resources/read" => Some((0, "private")),
        _ => None,
    }
}

/// The result of `initialize`: the revision that the client asks for, if it is spoken and begins so.
pub(super) fn initialized(params: &Map<String, Value>, instructions: &str) -> Value {
    let asked = params.get("protocolVersion").and_then(Value::as_str);
    let spoken = |name: &&str| REVISIONS.contains(name) && begins_with_handshake(name);
    json!({
        "protocolVersion": asked.filter(spoken).unwrap_or(NEWEST_WITH_HANDSHAKE),
        "capabilities": capabilities(),
        "serverInfo": server(),
        "instructions": instructions,
    })
}

/// The result of `server/discover`.
pub(super) fn discovered(instructions: &str) -> Value {
    json!({
        "supportedVersions": REVISIONS,
        "capabilities": capabilities(),
        "instructions": instructions,
    })
}

fn capabilities() -> Value {
    json!({ "tools": {}, "resources": {} })
}

fn server() -> Value {
    json!({ "name": "hiku", "title": "Hiku", "version": env!("CARGO_PKG_VERSION") })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code_of(line: &str) -> Option<i64> {
        match read(line.as_bytes()) {
            Incoming::Wrong(error) => error["error"]["code"].as_i64(),
            _ => None,
        }
    }

    #[test]
    fn what_is_no_request_has_its_code() {
        let check = |line: &str, code: i32| assert_eq!(code_of(line), Some(code.into()), "{line}");
        check("", PARSE_ERROR);
        check("{", PARSE_ERROR);
        check("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\u{1}\"}", PARSE_ERROR);
        check("3", INVALID_REQUEST);
        check(r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, INVALID_REQUEST);
        check("[]", INVALID_REQUEST);
        check(r#"{"id":1,"method":"ping"}"#, INVALID_REQUEST);
        check(r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, INVALID_REQUEST);
        check(r#"{"jsonrpc":"2.0","id":1}"#, INVALID_REQUEST);
        check(r#"{"jsonrpc":"2.0","id":1,"method":3}"#, INVALID_REQUEST);
        check(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, INVALID_REQUEST);
        check(r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, INVALID_REQUEST);
        check(r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#, INVALID_PARAMS);
    }

    #[test]
    fn errors_carry_the_id_where_there_is_one() {
        let check = |line: &str, id: Value| match read(line.as_bytes()) {
            Incoming::Wrong(error) => assert_eq!(error["id"], id, "{line}"),
            other => panic!("{line}: {other:?}"),
        };
        check(r#"{"id":7,"method":"ping"}"#, 7.into());
        check(r#"{"jsonrpc":"2.0","id":"a","method":"x","params":3}"#, "a".into());
        check("{", Value::Null);
    }

    #[test]
    fn notifications_and_answers_want_no_answer() {
        for line in [
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","method":"unheard/of","params":{"a":1}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}"#,
        ] {
            assert_eq!(read(line.as_bytes()), Incoming::Nothing, "{line}");
        }
        let line =
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}"#;
        assert_eq!(read(line.as_bytes()), Incoming::Cancelled(3.into()));
    }

    fn request_of(line: &str) -> Request {
        match read(line.as_bytes()) {
            Incoming::Request(request) => request,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_revision_is_negotiated() {
        let check = |asked: &str, expected: &str| {
            let line = format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"{asked}"}}}}"#
            );
            let result = initialized(&request_of(&line).params, "");
            assert_eq!(result["protocolVersion"], expected, "{asked}");
        };
        check("2025-06-18", "2025-06-18");
        check("2025-11-25", "2025-11-25");
        check("2026-07-28", "2025-11-25");
        check("2024-11-05", "2025-11-25");
        check("tomorrow", "2025-11-25");
    }

    #[test]
    fn a_request_may_carry_its_revision() {
        let line = |revision: &str| {
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{"_meta":{{"{REVISION_KEY}":"{revision}"}}}}}}"#
            )
        };
        let request = request_of(&line("2026-07-28"));
        let result = answer(&request, Ok(json!({ "tools": [] })));
        assert_eq!(result["result"]["resultType"], "complete");
        assert_eq!(result["result"]["cacheScope"], "public");
        assert_eq!(result["result"]["_meta"][SERVER_KEY]["name"], "hiku");
        assert_eq!(code_of(&line("2031-01-01")), Some(UNSUPPORTED_REVISION.into()));
        let older = request_of(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
        let result = answer(&older, Ok(json!({ "tools": [] })));
        assert_eq!(result["result"], json!({ "tools": [] }));
    }
    #[test]
    fn a_missing_resource_has_the_number_of_its_revision() {
        let mut request = request_of(r#"{"jsonrpc":"2.0","id":1,"method":"resources/read"}"#);
        assert_eq!(Fault::no_resource(&request, "x", String::new()).code, RESOURCE_NOT_FOUND);
        request.is_stateless = true;
        assert_eq!(Fault::no_resource(&request, "x", String::new()).code, INVALID_PARAMS);
    }
}
