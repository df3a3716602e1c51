//! Runs the binary in an environment of its own and shows all that it did as one text.

use std::ffi::OsStr;
use std::fmt::Write;
use std::process::{Command, Output};

use testkit::TestVault;

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
