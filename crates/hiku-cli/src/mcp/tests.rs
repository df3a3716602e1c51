//! The exchange with a client over lines in memory: order, panics, requests taken back.

use std::io::{Cursor, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use serde_json::{Value, json};

use super::protocol::{Fault, INTERNAL_ERROR, Request};
use super::*;

/// Echoes the tool's name; `panic` panics, `wait` waits until it is told to go on.
struct Echo {
    begun: Sender<()>,
    go_on: Receiver<()>,
}

impl Service for Echo {
    fn answer(&mut self, request: &Request) -> Result<Value, Fault> {
        match request.params["name"].as_str() {
            Some("panic") => panic!("as it was told"),
            Some("wait") => {
                let _ = self.begun.send(());
                let _ = self.go_on.recv();
                Ok(json!({ "name": "wait" }))
            }
            name => Ok(json!({ "name": name })),
        }
    }
}

/// Lines that come one by one, as a client sends them.
struct Lines(Receiver<String>, Cursor<Vec<u8>>);

impl std::io::Read for Lines {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.1.read(buffer)?;
        if read > 0 || buffer.is_empty() {
            return Ok(read);
        }
        let Ok(line) = self.0.recv() else { return Ok(0) };
        self.1 = Cursor::new(format!("{line}\n").into_bytes());
        self.1.read(buffer)
    }
}

#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Written {
    fn messages(&self) -> Vec<Value> {
        let bytes = self.0.lock().expect("no panic").clone();
        let text = String::from_utf8(bytes).expect("UTF-8");
        text.lines().map(|line| serde_json::from_str(line).expect("a message")).collect()
    }
}

fn call(id: u64, name: &str) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": name } })
        .to_string()
}

/// What is answered to lines that come at once.
fn answered(lines: &[String]) -> Vec<Value> {
    let (begun, _kept) = channel();
    let (_go, go_on) = channel();
    let written = Written::default();
    let input = Cursor::new(lines.join("\n").into_bytes());
    exchange(input, &Outgoing::new(written.clone()), Echo { begun, go_on }).expect("memory");
    written.messages()
}

#[test]
fn a_panic_ends_one_request() {
    let answers = answered(&[call(1, "panic"), call(2, "echo"), call(3, "panic"), call(4, "x")]);
    let code = |at: usize| answers[at]["error"]["code"].as_i64();
    assert_eq!((code(0), code(2)), (Some(INTERNAL_ERROR.into()), Some(INTERNAL_ERROR.into())));
    assert_eq!((&answers[1]["result"]["name"], &answers[3]["id"]), (&"echo".into(), &4.into()));
}

#[test]
fn requests_of_one_client_are_answered_in_order() {
    let lines: Vec<String> = (1..=20).map(|id| call(id, "echo")).collect();
    let ids: Vec<_> = answered(&lines).iter().filter_map(|answer| answer["id"].as_u64()).collect();
    assert_eq!(ids, (1..=20).collect::<Vec<_>>());
}

#[test]
fn a_busy_server_answers_a_ping_and_leaves_out_what_is_taken_back() {
    let (begun, has_begun) = channel();
    let (go, go_on) = channel();
    let (client, lines) = channel();
    let written = Written::default();
    let output = Outgoing::new(written.clone());
    let input = io::BufReader::new(Lines(lines, Cursor::default()));
    let server = thread::spawn(move || exchange(input, &output, Echo { begun, go_on }));
    let cancel = |id: u64| {
        let params = json!({ "requestId": id });
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params })
            .to_string()
    };
    client.send(call(1, "wait")).expect("the server reads");
    has_begun.recv().expect("the first call begins");
    let ping = json!({ "jsonrpc": "2.0", "id": 9, "method": "ping" }).to_string();
    for line in [call(2, "echo"), call(3, "echo"), cancel(1), cancel(2), cancel(77), ping] {
        client.send(line).expect("the server reads");
    }
    while written.messages().is_empty() {
        thread::yield_now();
    }
    assert_eq!(written.messages()[0]["id"], 9);
    go.send(()).expect("the call goes on");
    drop(client);
    server.join().expect("no panic").expect("memory");
    let ids: Vec<_> = written.messages().iter().map(|answer| answer["id"].clone()).collect();
    assert_eq!(ids, [9, 3].map(Value::from));
}

#[test]
fn a_call_that_never_ends_does_not_keep_the_process() {
    let (begun, _kept) = channel();
    let (_go, go_on) = channel();
    let started = Instant::now();
    let input = Cursor::new(call(1, "wait").into_bytes());
    exchange(input, &Outgoing::new(Written::default()), Echo { begun, go_on }).expect("memory");
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
}

#[test]
fn lines_have_an_end() {
    let long = "x".repeat(MAX_LINE_BYTES as usize * 2);
    let mut input = Cursor::new(format!("\n  \r\n{long}\nshort\nlast").into_bytes());
    let mut length = || next_line(&mut input).expect("memory").map(|line| line.len());
    assert_eq!(length(), Some(MAX_LINE_BYTES as usize));
    assert_eq!((length(), length(), length()), (Some(6), Some(4), None));
}
