//! `hiku read`: parts of notes, confinement, and what the index holds.

use crate::harness::{json, notes, run, shown};

fn read<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    [&["read", "--vault", "vault"][..], arguments].concat()
}

#[test]
fn parts_of_a_note() {
    let vault = notes();
    insta::assert_snapshot!(shown(&vault, &read(&["recipes/soup"])), @r"
    $ hiku read --vault vault recipes/soup
    # Onion soup

    Cut the onions, and cook them slowly in butter.
    [exit 0]
    ");
    insta::assert_snapshot!(shown(&vault, &read(&["2026-04-10", "--heading", "lunch"])), @r"
    $ hiku read --vault vault 2026-04-10 --heading lunch
    ## Lunch
    Soup.
    [exit 0]
    ");
    insta::assert_snapshot!(shown(&vault, &read(&["2026-04-10", "--lines", "5-8"])), @r"
    $ hiku read --vault vault 2026-04-10 --lines 5-8
    # Friday

    ## Secrets
    Installed gitleaks as a pre-commit hook so that no credential is committed.
    [exit 0]
    ");
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
    insta::assert_snapshot!(shown(&vault, &read(&["absent"])), @r#"
    $ hiku read --vault vault absent
    ! error: "absent" is not a note of this vault
    ! hint: find its path: hiku search --paths --vault [DIR]/vault -- absent
    [exit 2]
    "#);
}

#[test]
fn what_the_index_holds_of_a_note() {
    let vault = notes();
    run(&vault, &["index", "--vault", "vault"]);
    let text = shown(&vault, &read(&["--stored", "recipes/soup.md"]));
    for part in [
        "recipes/soup.md\n",
        "title: Onion soup\n",
        "chunk 1, lines 1-3, ",
        "terms (strong)\n",
        "onion",
    ] {
        assert!(text.contains(part), "{part:?} is missing in {text}");
    }
    let stored = json(&vault, &read(&["--stored", "--json", "recipes/soup.md"]));
    assert_eq!(stored["path"], "recipes/soup.md");
    assert!(stored["chunks"].as_array().is_some_and(|chunks| !chunks.is_empty()));
}
