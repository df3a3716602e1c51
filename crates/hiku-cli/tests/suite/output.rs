//! `hiku output`: what was left out of an extract can be had, and nothing else.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};
use testkit::TestVault;

use crate::harness::{command, notes, run, shown};

const ID: &str = "0123456789abcdef";

fn with_output() -> TestVault {
    let vault = notes();
    let folder = vault.outer().join(".cache/hiku/outputs");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join(format!("{ID}.output")), "first\nError: 失敗\nlast\n")
        .expect("an output");
    vault
}

#[test]
fn a_kept_output_is_printed_whole_or_in_part() {
    let vault = with_output();
    insta::assert_snapshot!(shown(&vault, &["output", ID]), @r"
    $ hiku output 0123456789abcdef
    first
    Error: 失敗
    last
    [exit 0]
    ");
    insta::assert_snapshot!(shown(&vault, &["output", ID, "--lines", "2-"]), @r"
    $ hiku output 0123456789abcdef --lines 2-
    Error: 失敗
    last
    [exit 0]
    ");
    insta::assert_snapshot!(shown(&vault, &["output", ID, "--find", "error"]), @r"
    $ hiku output 0123456789abcdef --find error
    2: Error: 失敗
    [exit 0]
    ");
}

#[test]
fn what_is_not_kept_is_said() {
    let vault = with_output();
    insta::assert_snapshot!(shown(&vault, &["output", "fedcba9876543210"]), @r"
    $ hiku output fedcba9876543210
    ! error: the output fedcba9876543210 is not kept: it expired after some days, gave way to newer ones, or never was
    ! hint: run the command again whose output it was
    [exit 2]
    ");
    insta::assert_snapshot!(shown(&vault, &["output", "../../../notes"]), @r"
    $ hiku output ../../../notes
    ! error: ../../../notes is not the name of an output: that is 16 digits of 0-9 and a-f, at the end of an extract
    [exit 2]
    ");
}

#[test]
fn a_missing_home_is_no_crash() {
    let vault = with_output();
    let output = command(&vault).env_remove("HOME").args(["output", ID]).output().expect("it runs");
    assert!(matches!(output.status.code(), Some(0 | 2)), "{output:?}");
}

/// What the hook answers to a tool's response; `None` for silence.
fn hooked(vault: &TestVault, event: &Value) -> Option<Value> {
    let mut hook = command(vault);
    hook.args(["hook", "post-tool-use"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = hook.spawn().expect("the hook starts");
    write!(child.stdin.take().expect("stdin"), "{event}").expect("the event is read");
    let output = child.wait_with_output().expect("the hook ends");
    assert_eq!(output.status.code(), Some(0));
    (!output.stdout.is_empty()).then(|| serde_json::from_slice(&output.stdout).expect("JSON"))
}

#[test]
fn an_extract_replaces_the_output_and_names_the_whole() {
    let vault = notes();
    let lines: Vec<String> = (0..900).map(|n| format!("module_{n} was checked")).collect();
    let whole = lines.join("\n") + "\nerror: no\n";
    let event = json!({
        "hook_event_name": "PostToolUse", "session_id": "a", "tool_name": "Bash",
        "tool_input": { "command": "./check" },
        "tool_response": { "stdout": whole, "stderr": "", "interrupted": false, "isImage": false },
    });
    let answer = hooked(&vault, &event).expect("a replacement");
    let specific = &answer["hookSpecificOutput"];
    assert_eq!(specific["hookEventName"], "PostToolUse");
    assert_eq!(specific.get("additionalContext"), None);
    let output = &specific["updatedToolOutput"];
    assert_eq!(output["interrupted"], false);
    let text = output["stdout"].as_str().expect("a text");
    assert!(text.len() * 3 < whole.len() && text.contains("\nerror: no\n"), "{text}");
    assert_eq!(hooked(&vault, &event).as_ref(), Some(&answer), "the same run, the same bytes");

    let named = text.split("hiku output ").nth(1).expect("a command");
    let id = named.split_whitespace().next().expect("an id");
    assert_eq!(String::from_utf8_lossy(&run(&vault, &["output", id]).stdout), whole);

    let small = json!({ "tool_name": "Bash", "tool_response": { "stdout": "error: no" } });
    assert_eq!(hooked(&vault, &small), None);
    assert_eq!(hooked(&vault, &json!({})), None);
}
