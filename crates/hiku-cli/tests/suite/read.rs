//! `hiku read`: parts of notes, confinement, and what the index holds.

use crate::harness::{json, notes, run, shown};

fn read<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    [&["read", "--vault", "vault"][..], arguments].concat()
}

#[test]
fn parts_of_a_note() {
    let vault = notes();
    insta::assert_snapshot!(shown(&vault, &read(&["recipes/soup"])), @"");
    insta::assert_snapshot!(shown(&vault, &read(&["2026-04-10", "--heading", "lunch"])), @"");
    insta::assert_snapshot!(shown(&vault, &read(&["2026-04-10", "--lines", "5-8"])), @"");
    let note = json(&vault, &read(&["--json", "設計.md", "--lines", "3-"]));
    assert_eq!(
        note["text"].as_str().map(str::trim_end),
        Some("エージェントの許可は射程を狭くしておく。")
    );
    assert_eq!((&note["line_start"], &note["line_end"]), (&3.into(), &3.into()));
}

#[test]
fn notes_outside_the_vault_are_refused() {
    let vault = notes();
    std::fs::write(vault.outer().join("secret.md"), "secret").expect("a file");
    for path in ["../secret.md", "/etc/hostname", "log/../../secret.md", "absent"] {
        let output = run(&vault, &read(&[path]));
        assert_eq!(output.status.code(), Some(2), "{path}");
        assert!(output.stdout.is_empty(), "{path}");
    }
    insta::assert_snapshot!(shown(&vault, &read(&["absent"])), @"");
}

#[test]
fn what_the_index_holds_of_a_note() {
    let vault = notes();
    run(&vault, &["index", "--vault", "vault"]);
    insta::assert_snapshot!(shown(&vault, &read(&["--stored", "recipes/soup.md"])), @"");
    let stored = json(&vault, &read(&["--stored", "--json", "recipes/soup.md"]));
    assert_eq!(stored["path"], "recipes/soup.md");
    assert!(stored["chunks"].as_array().is_some_and(|chunks| !chunks.is_empty()));
}
