//! The rules of the endpoint, case by case, without a connection.

use serde_json::json;

use super::*;

const LEGACY: &str = "2025-11-25";
const MODERN: &str = "2026-07-28";
const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;

fn head(start: &str, lines: &str) -> Head {
    let text = format!("{start} HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n");
    Head::read(text.as_bytes()).expect("a head").expect("all of it").0
}

/// The status of the refusal; 0 where there is none.
fn refused(start: &str, lines: &str) -> u16 {
    check(&head(start, lines)).map_or_else(|refusal| refusal.status, |()| 0)
}

#[test]
fn what_is_asked_of_a_head() {
    let json = "Content-Type: application/json\r\n";
    assert_eq!(refused("POST /mcp", json), 0);
    assert_eq!(refused("POST /mcp?a=b", json), 0);
    assert_eq!(refused("POST /mcp", "Content-Type: Application/JSON; charset=utf-8\r\n"), 0);
    for path in ["/", "/mcp/", "/MCP", "/mcp/x", "//mcp", "http://localhost/mcp", "*"] {
        assert_eq!(refused(&format!("POST {path}"), json), 404, "{path}");
    }
    for method in ["GET", "DELETE", "PUT", "OPTIONS", "HEAD", "post"] {
        assert_eq!(refused(&format!("{method} /mcp"), json), 405, "{method}");
    }
    for kind in ["text/plain", "application/jsonx", "", "multipart/form-data"] {
        assert_eq!(refused("POST /mcp", &format!("Content-Type: {kind}\r\n")), 415, "{kind}");
    }
    assert_eq!(refused("POST /mcp", ""), 415);
    assert_eq!(refused("POST /mcp", &json.repeat(2)), 400);
}

#[test]
fn clients_must_take_json() {
    let accept =
        |lines: &str| refused("POST /mcp", &format!("Content-Type: application/json\r\n{lines}"));
    for range in [
        "application/json, text/event-stream",
        "text/event-stream;q=1, Application/JSON;q=0.1",
        "*/*",
        "application/*",
    ] {
        assert_eq!(accept(&format!("Accept: {range}\r\n")), 0, "{range}");
    }
    assert_eq!(accept("Accept: text/event-stream\r\nAccept: application/json\r\n"), 0);
    for range in ["text/event-stream", "text/*", "application/json;q=0", "", "json"] {
        assert_eq!(accept(&format!("Accept: {range}\r\n")), 406, "{range}");
    }
}

/// Status and body of an answer; the worker echoes the method.
fn answered(lines: &str, body: &str) -> (u16, Value) {
    let ask = |request: Request| json!({ "asked": request.method });
    let reply = answer(&head("POST /mcp", lines), body.as_bytes(), ask);
    let bytes = String::from_utf8(reply.bytes(true)).expect("UTF-8");
    let (_, body) = bytes.split_once("\r\n\r\n").expect("a head");
    (reply.status, serde_json::from_str(body).unwrap_or_default())
}

/// The code of the error that a status goes with.
fn code(lines: &str, body: &str) -> (u16, Option<i64>) {
    let (status, body) = answered(lines, body);
    (status, body["error"]["code"].as_i64())
}

fn revision(name: &str) -> String {
    format!("MCP-Protocol-Version: {name}\r\n")
}

#[test]
fn a_conversation_with_a_handshake() {
    let begin = |revision: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"{revision}"}}}}"#
        )
    };
    for (asked, given) in [("2025-06-18", "2025-06-18"), (LEGACY, LEGACY), ("2024-11-05", LEGACY)] {
        let (status, body) = answered("", &begin(asked));
        assert_eq!((status, &body["result"]["protocolVersion"]), (200, &given.into()));
    }
    assert_eq!(answered(&revision(LEGACY), &begin(LEGACY)).0, 200);
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search"}}"#;
    for name in ["2025-06-18", LEGACY] {
        let (status, body) = answered(&revision(name), call);
        assert_eq!((status, body), (200, json!({ "asked": "tools/call" })), "{name}");
    }
    // An unknown method is an answer like any other.
    let unknown = r#"{"jsonrpc":"2.0","id":1,"method":"prompts/list"}"#;
    assert_eq!(code(&revision(LEGACY), unknown), (200, Some(-32_601)));
}

#[test]
fn the_revision_must_be_named_and_spoken() {
    let ping = r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;
    assert_eq!(code("", ping), (400, Some(-32_020)));
    for name in ["2025-03-26", "2031-01-01", "", "x"] {
        let (status, body) = answered(&revision(name), ping);
        assert_eq!((status, &body["error"]["code"]), (400, &(-32_022).into()), "{name}");
        assert_eq!((&body["id"], &body["error"]["data"]["requested"]), (&7.into(), &name.into()));
    }
    assert_eq!(code(&revision(LEGACY).repeat(2), ping), (400, Some(-32_600)));
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(code(&revision(LEGACY), notification), (202, None));
    assert_eq!(code("", notification), (202, None));
    assert_eq!(code(&revision("2031-01-01"), notification), (400, Some(-32_022)));
    let cancelled =
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    assert_eq!(code(&revision(LEGACY), cancelled), (202, None));
    assert_eq!(code(&revision(LEGACY), r#"{"jsonrpc":"2.0","id":1,"result":{}}"#), (202, None));
}

#[test]
fn what_is_no_request_is_refused() {
    for name in ["2025-06-18", LEGACY, MODERN] {
        let check = |body: &str, expected: i64| {
            assert_eq!(code(&revision(name), body), (400, Some(expected)), "{body}");
        };
        check("", -32_700);
        check("{", -32_700);
        check("\u{0}", -32_700);
        check(r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32_600);
        check(r#"{"id":1,"method":"ping"}"#, -32_600);
    }
}

fn modern(method: &str, parameter: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{META}{parameter}}}}}"#)
}

#[test]
fn a_request_that_stands_for_itself() {
    let fields = |method: &str| format!("{}Mcp-Method: {method}\r\n", revision(MODERN));
    let (status, body) = answered(&fields("server/discover"), &modern("server/discover", ""));
    assert_eq!((status, &body["result"]["resultType"]), (200, &"complete".into()));
    let call = modern("tools/call", r#","name":"search""#);
    let with_name = |name: &str| format!("{}Mcp-Name: {name}\r\n", fields("tools/call"));
    assert_eq!(answered(&with_name("search"), &call), (200, json!({ "asked": "tools/call" })));
    assert_eq!(answered(&with_name("=?base64?c2VhcmNo?="), &call).0, 200);
    let read = modern("resources/read", r#","uri":"hiku://note/設計.md""#);
    let encoded = "=?base64?aGlrdTovL25vdGUv6Kit6KiILm1k?=";
    let lines = format!("{}Mcp-Name: {encoded}\r\n", fields("resources/read"));
    assert_eq!(answered(&lines, &read).0, 200);
    // Here an unknown method has a status of its own.
    assert_eq!(code(&fields("x/y"), &modern("x/y", "")), (404, Some(-32_601)));
}

#[test]
fn fields_must_repeat_the_body() {
    let version = revision(MODERN);
    let list = modern("tools/list", "");
    let check = |lines: &str, body: &str| {
        assert_eq!(code(lines, body), (400, Some(-32_020)), "{lines}{body}");
    };
    check("Mcp-Method: tools/list\r\n", &list);
    check(&format!("{}Mcp-Method: tools/list\r\n", revision(LEGACY)), &list);
    check(&version, &list);
    check(&format!("{version}Mcp-Method: Tools/List\r\n"), &list);
    // The revision of the field has no handshake, and the body names none.
    let plain = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    check(&format!("{version}Mcp-Method: tools/list\r\n"), plain);
    let call = modern("tools/call", r#","name":"search""#);
    let method = format!("{version}Mcp-Method: tools/call\r\n");
    check(&method, &call);
    for name in ["read", "=?base64?c2VhcmNo", "=?base64?!?=", "=?base64?cmVhZA==?="] {
        check(&format!("{method}Mcp-Name: {name}\r\n"), &call);
    }
    // A revision that is spoken by nobody says so in the body, too.
    let unheard = list.replace(MODERN, "2031-01-01");
    let lines = format!("{}Mcp-Method: tools/list\r\n", revision("2031-01-01"));
    assert_eq!(code(&lines, &unheard), (400, Some(-32_022)));
}
