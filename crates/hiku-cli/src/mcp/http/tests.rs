//! The server over real connections with a service that echoes: order, slowness, panics, limits.

use std::io::Read;
use std::net::Shutdown;
use std::sync::Barrier;
use std::time::Instant;

use serde_json::json;

use super::*;

/// Echoes the tool's name; `panic` panics.
struct Echo;

impl Service for Echo {
    fn answer(&mut self, request: &Request) -> Result<Value, Fault> {
        match request.params["name"].as_str() {
            Some("panic") => panic!("as it was told"),
            Some("long") => Ok(json!({ "name": "x".repeat(8 << 20) })),
            name => Ok(json!({ "name": name })),
        }
    }
}

/// Short, for tests that wait until they are over; the others take the real ones.
const LIMITS: Limits = Limits {
    idle: Duration::from_millis(300),
    request: Duration::from_millis(300),
    answer: Duration::from_millis(300),
    farewell: Duration::from_millis(300),
};

fn start(limits: Limits) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("its address");
    Server::start(listener, Guard::new(address, Vec::new(), None), limits, Echo);
    address
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
    stream
}

fn call(name: &str) -> String {
    let params = json!({ "name": name });
    let body = json!({ "jsonrpc": "2.0", "id": name, "method": "tools/call", "params": params });
    post(&body.to_string(), "")
}

fn post(body: &str, lines: &str) -> String {
    let length = body.len();
    format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         MCP-Protocol-Version: 2025-11-25\r\nContent-Length: {length}\r\n{lines}\r\n{body}"
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
    let length = field("Content-Length: ").and_then(|value| value.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).expect("a body");
    let status = head[9..12].parse().expect("a status");
    (status, String::from_utf8(body).expect("UTF-8"))
}

fn send(stream: &mut TcpStream, text: &str) {
    stream.write_all(text.as_bytes()).expect("the server reads");
}

/// True where the server has closed the connection and said no more.
fn is_closed(mut stream: TcpStream) -> bool {
    matches!(stream.read(&mut [0]), Ok(0))
}

#[test]
fn a_panic_ends_one_request() {
    let address = start(Limits::default());
    let mut stream = connect(address);
    for name in ["panic", "echo", "panic", "echo"] {
        send(&mut stream, &call(name));
        let (status, body) = next(&mut stream);
        assert_eq!((status, body.contains("-32603")), (200, name == "panic"), "{body}");
    }
}

#[test]
fn requests_of_one_connection_are_answered_in_order() {
    let mut stream = connect(start(Limits::default()));
    let names: Vec<String> = (0..20).map(|number| number.to_string()).collect();
    send(&mut stream, &names.iter().map(|name| call(name)).collect::<String>());
    for name in names {
        assert!(next(&mut stream).1.contains(&format!("\"id\":\"{name}\"")));
    }
}

#[test]
fn clients_in_parallel_get_their_own_answers() {
    let address = start(Limits::default());
    let together = Arc::new(Barrier::new(8));
    let clients: Vec<_> = (0..8)
        .map(|client| {
            let together = Arc::clone(&together);
            thread::spawn(move || {
                let mut stream = connect(address);
                together.wait();
                for round in 0..50 {
                    let name = format!("{client}-{round}");
                    send(&mut stream, &call(&name));
                    let body = next(&mut stream).1;
                    assert!(body.contains(&format!("\"id\":\"{name}\"")), "{body}");
                    assert!(body.contains(&format!("\"name\":\"{name}\"")), "{body}");
                }
            })
        })
        .collect();
    for client in clients {
        client.join().expect("no panic");
    }
}

#[test]
fn slow_clients_are_told_and_cut_off() {
    let address = start(LIMITS);
    // One byte now and then does not buy more time.
    let drips = |text: &str| {
        let mut stream = connect(address);
        let started = Instant::now();
        for byte in text.bytes() {
            if started.elapsed() > LIMITS.request + Duration::from_millis(100) {
                break;
            }
            let _ = stream.write_all(&[byte]);
            thread::sleep(Duration::from_millis(20));
        }
        next(&mut stream).0
    };
    assert_eq!(drips(&call("a head")), 408);
    let mut stream = connect(address);
    let whole = call("a body");
    send(&mut stream, &whole[..whole.len() - 1]);
    assert_eq!(next(&mut stream).0, 408);
    assert!(is_closed(stream));
    // Who says nothing is let go without a word.
    let stream = connect(address);
    assert!(is_closed(stream));
}

#[test]
fn who_does_not_read_is_cut_off() {
    let address = start(LIMITS);
    let mut stream = connect(address);
    send(&mut stream, &call("long"));
    // From its first byte on its time passes.
    stream.peek(&mut [0]).expect("an answer");
    thread::sleep(LIMITS.answer * 3);
    let mut read = Vec::new();
    let _ = stream.read_to_end(&mut read);
    assert!(read.len() < 8 << 20, "{}", read.len());
    let mut other = connect(address);
    send(&mut other, &call("echo"));
    assert_eq!(next(&mut other).0, 200);
}

#[test]
fn connections_have_a_limit_and_are_freed() {
    let address = start(Limits::default());
    let mut held: Vec<_> = (0..MAX_CONNECTIONS).map(|_| connect(address)).collect();
    for stream in &mut held {
        send(stream, &call("echo"));
        assert_eq!(next(stream).0, 200);
    }
    assert_eq!(next(&mut connect(address)).0, 503);
    drop(held);
    let started = Instant::now();
    loop {
        let mut stream = connect(address);
        send(&mut stream, &call("echo"));
        if next(&mut stream).0 == 200 {
            break;
        }
        assert!(started.elapsed() < Duration::from_secs(10), "no connection was freed");
    }
}

#[test]
fn a_refusal_reaches_who_is_still_sending() {
    let address = start(Limits::default());
    let mut stream = connect(address);
    let length = 8 << 20;
    let lines = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n\r\n"
    );
    send(&mut stream, &lines);
    // The server may hang up before all of it is sent.
    let _ = stream.write_all(&vec![b' '; 64 << 10]);
    let (status, body) = next(&mut stream);
    assert_eq!(status, 413, "{body}");
    let _ = stream.shutdown(Shutdown::Both);
}

#[test]
fn a_client_may_wait_for_a_sign() {
    let mut stream = connect(start(Limits::default()));
    let whole = post(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "Expect: 100-continue\r\n");
    let (head, body) = whole.split_once("\r\n\r\n").expect("a body");
    send(&mut stream, &format!("{head}\r\n\r\n"));
    assert_eq!(next(&mut stream), (100, String::new()));
    send(&mut stream, body);
    assert_eq!(next(&mut stream).0, 200);
}

#[test]
fn a_body_may_come_in_chunks() {
    let mut stream = connect(start(Limits::default()));
    let whole = call("echo");
    let (head, body) = whole.split_once("\r\n\r\n").expect("a body");
    let (first, second) = body.split_at(20);
    let head = head.replace("Content-Length", "Transfer-Encoding: chunked\r\nX");
    let (length, rest) = (first.len(), second.len());
    send(&mut stream, &format!("{head}\r\n\r\n{length:x}\r\n{first}\r\n{rest:x}\r\n{second}"));
    send(&mut stream, &format!("\r\n0\r\n\r\n{whole}"));
    for _ in 0..2 {
        let (status, body) = next(&mut stream);
        assert_eq!((status, body.contains("\"name\":\"echo\"")), (200, true), "{body}");
    }
}

#[test]
fn refusals_without_a_body_keep_the_connection() {
    let mut stream = connect(start(Limits::default()));
    send(&mut stream, "GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_eq!(next(&mut stream).0, 405);
    send(&mut stream, "HEAD /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_eq!(next(&mut stream), (405, String::new()));
    send(&mut stream, &call("echo"));
    assert_eq!(next(&mut stream).0, 200);
    // One that was sent with the body unread would be read as the next request.
    send(&mut stream, &post("{}", "Origin: http://evil.example\r\n"));
    assert_eq!(next(&mut stream).0, 403);
    assert!(is_closed(stream));
}
