//! `hiku mcp --http` over real connections: the same answers as stdout gives, who is let in, and
//! that neither hostile bytes nor a signal does harm.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::TestVault;

use crate::harness::{code, command, notes, run, shown};

/// How long anything may take before a test fails.
const PATIENCE: Duration = Duration::from_secs(30);
const TOKEN: &str = "0123456789abcdef-test";

/// A server and where it listens. Killed when dropped.
struct Server {
    child: Child,
    address: String,
    /// What stdout said.
    url: String,
}

impl Server {
    fn start(vault: &TestVault) -> Self {
        Server::spawn(command(vault).args(["mcp", "--vault", "vault", "--http", "127.0.0.1:0"]))
    }

    fn spawn(command: &mut Command) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the server starts");
        let mut url = String::new();
        let mut output = BufReader::new(child.stdout.take().expect("its stdout"));
        output.read_line(&mut url).expect("a line");
        let rest = url.strip_prefix("http://").and_then(|rest| rest.strip_suffix("/mcp\n"));
        let address = rest.unwrap_or_else(|| panic!("{url:?}")).replace("0.0.0.0", "127.0.0.1");
        Server { child, address, url }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream
    }

    /// The status and the body that answer bytes, over a connection of their own.
    fn answer(&self, bytes: &[u8]) -> (u16, String) {
        let mut stream = self.connect();
        stream.write_all(bytes).expect("the server reads");
        next(&mut stream)
    }

    /// The status and the body that answer a message of a revision with a handshake.
    fn post(&self, body: &str, lines: &str) -> (u16, String) {
        self.answer(post(body, &format!("MCP-Protocol-Version: 2025-11-25\r\n{lines}")).as_bytes())
    }

    fn signal(&self, name: &str) {
        let process = self.child.id().to_string();
        let sent = Command::new("kill").args([format!("-{name}"), process]).status();
        assert!(sent.expect("kill runs").success());
    }

    /// Waits for the end; the exit code, and stderr.
    fn ended(mut self) -> (Option<i32>, String) {
        let status = self.child.wait().expect("the server ends");
        let mut said = String::new();
        let mut stderr = self.child.stderr.take().expect("its stderr");
        stderr.read_to_string(&mut said).expect("UTF-8");
        (status.code(), said)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn post(body: &str, lines: &str) -> String {
    let length = body.len();
    format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: \
         application/json, text/event-stream\r\nContent-Length: {length}\r\n{lines}\r\n{body}"
    )
}

/// The status and the body of the next answer.
fn next(stream: &mut TcpStream) -> (u16, String) {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).expect("a head");
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).expect("UTF-8");
    let field = |name: &str| head.lines().find_map(|line| line.strip_prefix(name));
    let length: usize = field("Content-Length: ").expect("a length").parse().expect("a number");
    assert_eq!(field("Content-Type: "), (length > 0).then_some("application/json"), "{head}");
    let mut body = vec![0; length];
    stream.read_exact(&mut body).expect("a body");
    (head[9..12].parse().expect("a status"), String::from_utf8(body).expect("UTF-8"))
}

fn request(method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string()
}

fn call(tool: &str, arguments: &Value) -> String {
    request("tools/call", &json!({ "name": tool, "arguments": arguments }))
}

/// What stdout answers to lines, one line each.
fn spoken(vault: &TestVault, lines: &[String]) -> Vec<String> {
    let mut child = command(vault)
        .args(["mcp", "--vault", "vault"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the server starts");
    let mut input = child.stdin.take().expect("its stdin");
    let mut output = BufReader::new(child.stdout.take().expect("its stdout"));
    let answer = |line: &String| {
        input.write_all(format!("{line}\n").as_bytes()).expect("the server reads");
        let mut answer = String::new();
        output.read_line(&mut answer).expect("the server writes");
        answer
    };
    let answers = lines.iter().map(answer).collect();
    drop(input);
    child.wait().expect("the server ends");
    answers
}

#[test]
fn answers_are_those_of_stdout_byte_for_byte() {
    let vault = notes();
    run(&vault, &["index", "--vault", "vault"]);
    let server = Server::start(&vault);
    let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" });
    let bodies = [
        request("initialize", &json!({ "protocolVersion": "2025-11-25" })),
        request("ping", &json!({})),
        request("tools/list", &json!({})),
        call("search", &json!({ "query": "gitleaks入れたときどうやった" })),
        call("search", &json!({ "query": "onions", "tag": ["x"] })),
        call("read", &json!({ "note": "設計" })),
        call("related", &json!({ "note": "設計" })),
        call("status", &json!({})),
        call("serch", &json!({})),
        request("resources/list", &json!({})),
        request("resources/read", &json!({ "uri": "hiku://note/設計.md" })),
        request("resources/read", &json!({ "uri": "file:///etc/passwd" })),
        request("resources/templates/list", &json!({})),
        request("prompts/list", &json!({})),
        "{]".to_owned(),
        format!("[{}]", request("ping", &json!({}))),
    ];
    let modern = [
        ("server/discover", json!({ "_meta": meta }), ""),
        ("tools/list", json!({ "_meta": meta }), ""),
        (
            "tools/call",
            json!({ "_meta": meta, "name": "search", "arguments": { "query": "soup" } }),
            "Mcp-Name: search\r\n",
        ),
        ("prompts/list", json!({ "_meta": meta }), ""),
    ];
    let newer = modern.iter().map(|(method, params, _)| request(method, params));
    let lines: Vec<String> = bodies.iter().cloned().chain(newer).collect();
    let expected = spoken(&vault, &lines);
    // All over one connection.
    let mut stream = server.connect();
    for (at, line) in lines.iter().enumerate() {
        let fields = match at.checked_sub(bodies.len()).map(|at| &modern[at]) {
            None => "MCP-Protocol-Version: 2025-11-25\r\n".to_owned(),
            Some((method, _, name)) => {
                format!("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n{name}")
            }
        };
        stream.write_all(post(line, &fields).as_bytes()).expect("the server reads");
        let (status, body) = next(&mut stream);
        assert_eq!(body, expected[at], "{line}");
        let is_wrong = !line.starts_with("{\"");
        let is_unknown = fields.contains("prompts/list");
        let status_expected = if is_wrong { 400 } else { 200 + 204 * u16::from(is_unknown) };
        assert_eq!(status, status_expected, "{line}");
    }
}

#[test]
fn what_is_no_request_of_ours_has_its_status() {
    let vault = notes();
    let server = Server::start(&vault);
    let ping = request("ping", &json!({}));
    assert_eq!(server.post(&ping, "").0, 200);
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(server.post(initialized, ""), (202, String::new()));
    assert_eq!(server.post(&ping, "Origin: http://evil.example\r\n").0, 403);
    assert_eq!(server.post(&ping, "Origin: http://localhost:5173\r\n").0, 200);
    // A page whose own name was made to point here.
    let rebound = post(&ping, "").replace("Host: localhost", "Host: evil.example");
    assert_eq!(server.answer(rebound.as_bytes()).0, 421);
    assert_eq!(server.answer(post(&ping, "").as_bytes()).0, 400);
    let future = post(&ping, "MCP-Protocol-Version: 2031-01-01\r\n");
    assert_eq!(server.answer(future.as_bytes()).0, 400);
    let edited = |from: &str, to: &str| {
        let text = post(&ping, "MCP-Protocol-Version: 2025-11-25\r\n").replace(from, to);
        server.answer(text.as_bytes()).0
    };
    assert_eq!(edited("POST /mcp", "POST /"), 404);
    assert_eq!(edited("POST /mcp", "DELETE /mcp"), 405);
    assert_eq!(edited("POST /mcp", "OPTIONS /mcp"), 405);
    assert_eq!(edited("application/json\r\nAccept", "text/plain\r\nAccept"), 415);
    assert_eq!(edited("application/json, text/event", "text/event"), 406);
    assert_eq!(edited("Content-Length: ", "Content-Length: 9999999"), 413);
    assert_eq!(edited("Content-Length", "Transfer-Encoding: chunked\r\nX"), 400);
    let get = b"GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n";
    assert_eq!(server.answer(get).0, 405);
    // A wrong argument is an answer of the tool, as on stdout.
    let (status, body) = server.post(&call("search", &json!({ "query": 3 })), "");
    assert!(status == 200 && body.contains("\"isError\":true"), "{body}");
}

#[test]
fn two_clients_at_once_and_a_slow_one() {
    let vault = notes();
    run(&vault, &["index", "--vault", "vault"]);
    let server = Server::start(&vault);
    let mut slow = server.connect();
    slow.write_all(b"POST /mcp HTTP/1.1\r\nHost: local").expect("the server reads");
    let queries = [("gitleaks", "log/2026-04-10.md"), ("onions", "recipes/soup.md")];
    std::thread::scope(|scope| {
        for (query, path) in queries {
            let mut stream = server.connect();
            scope.spawn(move || {
                let body = call("search", &json!({ "query": query, "limit": 1 }));
                let message = post(&body, "MCP-Protocol-Version: 2025-06-18\r\n");
                for _ in 0..20 {
                    stream.write_all(message.as_bytes()).expect("the server reads");
                    let (status, body) = next(&mut stream);
                    let body: Value = serde_json::from_str(&body).expect("JSON");
                    let found = &body["result"]["structuredContent"]["hits"][0]["path"];
                    assert_eq!((status, found), (200, &path.into()), "{body}");
                }
            });
        }
    });
    // Its time is not over yet.
    slow.write_all(b"host\r\n\r\n").expect("the server reads");
    assert_eq!(next(&mut slow).0, 415);
}

#[test]
fn hostile_bytes_do_no_harm() {
    let vault = notes();
    run(&vault, &["index", "--vault", "vault"]);
    let server = Server::start(&vault);
    let body = call("search", &json!({ "query": "onions" }));
    let whole = post(&body, "MCP-Protocol-Version: 2025-11-25\r\n").into_bytes();
    let mut state = 1_u64;
    let mut random = || {
        // Constants of MMIX's generator (Knuth), with its high bits.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize
    };
    for round in 0..300 {
        let mut bytes = whole.clone();
        match round % 3 {
            0 => bytes.truncate(random() % whole.len()),
            1 => bytes = (0..random() % 4_000).map(|_| random() as u8).collect(),
            _ => (0..8).for_each(|_| {
                let at = random() % whole.len();
                bytes[at] = random() as u8;
            }),
        }
        let mut stream = server.connect();
        // The server may have hung up before all of it is written.
        let _ = stream.write_all(&bytes);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 "), "{round}: {answer:?}");
    }
    for bytes in [&b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..], b"PRI * HTTP/2.0\r\n\r\n"] {
        assert_eq!(server.answer(bytes).0, 400);
    }
    assert_eq!(server.answer(&whole).0, 200);
}

#[cfg(unix)]
fn token_file(vault: &TestVault, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    let file = vault.outer().join("token");
    fs::write(&file, format!("{TOKEN}\n")).expect("a file");
    fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("its mode");
}

#[cfg(unix)]
#[test]
fn a_wider_address_needs_a_token() {
    let vault = notes();
    token_file(&vault, 0o600);
    let from_file = ["mcp", "--vault", "vault", "--http", "0.0.0.0:0", "--token-file", "token"];
    let mut by_variable = command(&vault);
    by_variable.args(&from_file[..5]).env("HIKU_MCP_TOKEN", TOKEN);
    for command in [command(&vault).args(from_file), &mut by_variable] {
        let server = Server::spawn(command);
        let ping = request("ping", &json!({}));
        assert_eq!(server.post(&ping, "").0, 401);
        let bearer = |token: &str| format!("Authorization: Bearer {token}\r\n");
        assert_eq!(server.post(&ping, &bearer("0123456789abcdef-tesT")).0, 401);
        let (status, body) = server.post(&ping, &bearer(TOKEN));
        assert_eq!(status, 200);
        let url = server.url.clone();
        server.signal("TERM");
        let (exit, said) = server.ended();
        assert_eq!(exit, Some(0), "{said}");
        assert!(said.contains("is not encrypted") || said.contains("nothing on the way"), "{said}");
        assert!(![&said, &url, &body].iter().any(|text| text.contains(TOKEN)), "{said}");
    }
}

#[cfg(unix)]
#[test]
fn a_server_does_not_start_open() {
    let vault = notes();
    let wide = ["mcp", "--vault", "vault", "--http", "0.0.0.0:0"];
    insta::assert_snapshot!(shown(&vault, &wide), @r"
    $ hiku mcp --vault vault --http 0.0.0.0:0
    ! error: --http 0.0.0.0:0 lets in more than this machine, so a token is needed, and none is set
    ! hint: make one: (umask 077; openssl rand -hex 32 > ~/.hiku-mcp-token), and add --token-file ~/.hiku-mcp-token
    [exit 2]
    ");
    let named = ["mcp", "--vault", "vault", "--http", "--allow-host", "notes.example"];
    insta::assert_snapshot!(shown(&vault, &named), @r"
    $ hiku mcp --vault vault --http --allow-host notes.example
    ! error: --allow-host notes.example lets in more than this machine, so a token is needed, and none is set
    ! hint: make one: (umask 077; openssl rand -hex 32 > ~/.hiku-mcp-token), and add --token-file ~/.hiku-mcp-token
    [exit 2]
    ");
    let with_file = ["mcp", "--vault", "vault", "--http", "--token-file", "token"];
    token_file(&vault, 0o640);
    insta::assert_snapshot!(shown(&vault, &with_file), @r"
    $ hiku mcp --vault vault --http --token-file token
    ! error: others than its owner may read the token in [DIR]/token
    ! hint: keep it to yourself: chmod 600 [DIR]/token
    [exit 2]
    ");
    token_file(&vault, 0o600);
    fs::write(vault.outer().join("token"), "too short\n").expect("a file");
    insta::assert_snapshot!(shown(&vault, &with_file), @r"
    $ hiku mcp --vault vault --http --token-file token
    ! error: [DIR]/token holds no token: one has at least 16 of the characters A-Z a-z 0-9 - . _ ~ + /
    ! hint: make one: (umask 077; openssl rand -hex 32 > ~/.hiku-mcp-token), and add --token-file ~/.hiku-mcp-token
    [exit 2]
    ");
    fs::remove_file(vault.outer().join("token")).expect("it was there");
    assert_eq!(code(&vault, &with_file), 2);
    for empty in ["", "short"] {
        let mut command = command(&vault);
        let output = command.args(&wide[..4]).env("HIKU_MCP_TOKEN", empty).output();
        assert_eq!(output.expect("the binary runs").status.code(), Some(2), "{empty:?}");
    }
    // What belongs to HTTP is refused without it, and a name is never looked up.
    assert_eq!(code(&vault, &["mcp", "--token-file", "token"]), 2);
    assert_eq!(code(&vault, &["mcp", "--http", "example.com:80"]), 2);
}

#[test]
fn a_port_that_is_taken_is_named() {
    let vault = notes();
    let server = Server::start(&vault);
    let output = run(&vault, &["mcp", "--vault", "vault", "--http", &server.address]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(said.contains(&format!("cannot listen at {}", server.address)), "{said}");
    assert!(said.contains("hint: ") && said.contains("mcp --http 127.0.0.1:0 --vault"), "{said}");
}

#[cfg(unix)]
#[test]
fn signals_end_it_and_a_kill_leaves_the_index_whole() {
    let vault = notes();
    let search = call("search", &json!({ "query": "onions" }));
    for name in ["TERM", "INT"] {
        let server = Server::start(&vault);
        // The first one builds the index in this process, which listens to signals, too.
        assert_eq!(server.post(&search, "").0, 200);
        let _idle = server.connect();
        let started = Instant::now();
        server.signal(name);
        let (exit, said) = server.ended();
        assert_eq!(exit, Some(0), "{name}: {said}");
        assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
    }
    let server = Server::start(&vault);
    let address = server.address.clone();
    assert_eq!(server.post(&search, "").0, 200);
    server.signal("KILL");
    assert_eq!(server.ended().0, None);
    let again =
        Server::spawn(command(&vault).args(["mcp", "--vault", "vault", "--http", &address]));
    assert_eq!(again.post(&search, "").0, 200);
    assert_eq!(code(&vault, &["doctor", "--vault", "vault"]), 0);
}
