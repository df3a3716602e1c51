//! Runs the binary in an environment of its own and shows all that it did as one text.

use std::ffi::OsStr;
use std::fmt::Write;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use testkit::TestVault;

/// How long a test waits for another process before it fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// Two English notes and a Japanese one.
pub(crate) const NOTES: &str = "\
//- log/2026-04-10.md
---
tags: [work/log]
type: log
---
# Friday

## Secrets
Installed gitleaks as a pre-commit hook so that no credential is committed.

## Lunch
Soup.
//- recipes/soup.md
# Onion soup

Cut the onions, and cook them slowly in butter.
//- 設計.md
# 権限の設計

エージェントの許可は射程を狭くしておく。
";

/// A vault with [`NOTES`].
pub(crate) fn notes() -> TestVault {
    TestVault::new(NOTES)
}

/// The binary with a home of its own, in the folder that holds the vault.
pub(crate) fn command(vault: &TestVault) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hiku"));
    command.env_clear().env("HOME", vault.outer()).current_dir(vault.outer());
    command
}

/// Runs the binary.
pub(crate) fn run<S: AsRef<OsStr>>(vault: &TestVault, arguments: &[S]) -> Output {
    command(vault).args(arguments).output().expect("the binary runs")
}

/// Runs the binary on the vault; its exit code.
pub(crate) fn code(vault: &TestVault, arguments: &[&str]) -> i32 {
    run(vault, arguments).status.code().expect("no signal")
}

/// Runs the binary and parses its stdout.
pub(crate) fn json(vault: &TestVault, arguments: &[&str]) -> serde_json::Value {
    let output = run(vault, arguments);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    serde_json::from_str(&text)
        .unwrap_or_else(|_| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)))
}

/// Exit code, stdout and stderr of a run, paths and times redacted.
pub(crate) fn shown(vault: &TestVault, arguments: &[&str]) -> String {
    shown_as(vault, arguments, &run(vault, arguments))
}

/// What [`shown`] shows, for a run that was made otherwise.
pub(crate) fn shown_as(vault: &TestVault, arguments: &[&str], output: &Output) -> String {
    let mut text = format!("$ hiku {}\n", arguments.join(" "));
    text.push_str(&String::from_utf8_lossy(&output.stdout));
    for line in String::from_utf8_lossy(&output.stderr).lines() {
        let _ = writeln!(text, "! {line}");
    }
    let _ = write!(text, "[exit {}]", output.status.code().expect("no signal"));
    redacted(vault, &text)
}

fn redacted(vault: &TestVault, text: &str) -> String {
    let outer = vault.outer().canonicalize().expect("the folder is there");
    let text = text
        .replace(&*outer.to_string_lossy(), "[DIR]")
        .replace(&*vault.outer().to_string_lossy(), "[DIR]");
    let lines: Vec<String> = text.lines().map(|line| without_hash(&without_time(line))).collect();
    lines.join("\n")
}

/// `in 0.1 s` becomes `in [TIME] s`.
fn without_time(line: &str) -> String {
    match line.rsplit_once(" in ") {
        Some((before, time)) if time.ends_with(" s") => format!("{before} in [TIME] s"),
        _ => line.to_owned(),
    }
}

/// `vault-0123456789abcdef.hiku` becomes `vault-[HASH].hiku`.
fn without_hash(line: &str) -> String {
    let Some(end) = line.find(".hiku") else { return line.to_owned() };
    let start = end.saturating_sub(16);
    match line.get(start..end) {
        Some(hash) if hash.bytes().all(|byte| byte.is_ascii_hexdigit()) && hash.len() == 16 => {
            format!("{}[HASH]{}", &line[..start], &line[end..])
        }
        _ => line.to_owned(),
    }
}

/// A process that lives on while a test does other things. Ended, and waited for, when dropped.
#[derive(Debug)]
pub(crate) struct Background {
    child: Child,
    lines: Receiver<String>,
}

impl Background {
    /// Starts the binary; the lines of both of its streams can be waited for.
    pub(crate) fn start(mut command: Command, arguments: &[&str]) -> Self {
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary runs");
        let (sender, lines) = mpsc::channel();
        let streams: [Box<dyn Read + Send>; 2] = [
            Box::new(child.stdout.take().expect("its stdout")),
            Box::new(child.stderr.take().expect("its stderr")),
        ];
        for stream in streams {
            let sender = sender.clone();
            std::thread::spawn(move || {
                let lines = BufReader::new(stream).lines();
                lines.map_while(Result::ok).all(|line| sender.send(line).is_ok())
            });
        }
        Background { child, lines }
    }

    /// Waits for a line that holds `part`, and returns it.
    pub(crate) fn wait_for(&self, part: &str) -> String {
        let end = Instant::now() + PATIENCE;
        let mut seen = String::new();
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) if line.contains(part) => return line,
                Ok(line) => seen = format!("{seen}{line}\n"),
                Err(error) => panic!("no line with {part:?} ({error}) in:\n{seen}"),
            }
        }
    }

    /// Its process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for its end, by itself.
    pub(crate) fn ended(&mut self) -> ExitStatus {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("its status") {
                return status;
            }
            assert!(Instant::now() < end, "process {} goes on", self.id());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Asks it to end by a signal, as a service manager does, and waits.
    pub(crate) fn terminate(&mut self) -> ExitStatus {
        signal(self.id(), "TERM");
        self.ended()
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a signal to a process that the test started.
pub(crate) fn signal(process: u32, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &process.to_string()]).status();
    assert!(sent.expect("kill runs").success(), "-{name} to {process}");
}

/// Tries until it holds, for a while that no healthy machine needs.
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < end, "never: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
