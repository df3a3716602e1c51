//! `hiku related`: what it prints, and how it fails.

use testkit::TestVault;

use crate::harness::{code, json, shown};

const NOTES: &str = "\
//- home.md
---
tags: [plan, 設計]
---
# Home

See [[Plan#Part|the plan]], [[absent]] and ![[plan]].
//- work/plan.md
---
tags: [plan]
---
# The plan of the home

Back to [[home]].
//- work/log.md
# Log

Thought about [[home]] and soup.
";

#[test]
fn notes_around_a_note_are_listed_with_reasons() {
    let vault = TestVault::new(NOTES);
    insta::assert_snapshot!(shown(&vault, &["related", "home", "--vault", "vault"]), @r"
    $ hiku related home --vault vault
    home.md  Home

    It links to:
        work/plan.md  The plan of the home
            [[Plan#Part]], line 6
        no note: [[absent]], line 6

    These link to it:
        work/log.md  Log
            [[home]], line 3
        work/plan.md  The plan of the home
            [[home]], line 6

    Notes like it:
        work/plan.md  The plan of the home
            0.410  shared tags: plan
        work/log.md  Log
            0.115
    ! no index yet, building it for [DIR]/vault
    [exit 0]
    ");
    let line = ["related", "work/log", "-n", "1", "--vault", "vault"];
    let command = crate::harness::command(&vault).env("HIKU_LANG", "ja").args(line).output();
    let output = command.expect("the binary runs");
    insta::assert_snapshot!(crate::harness::shown_as(&vault, &line, &output), @r"
    $ hiku related work/log -n 1 --vault vault
    work/log.md  Log

    このノートからのリンク:
        home.md  Home
            [[home]], 3 行目

    似ているノート:
        home.md  Home
            0.154
    [exit 0]
    ");
}

#[test]
fn the_json_form_holds_the_same() {
    let vault = TestVault::new(NOTES);
    let answer = json(&vault, &["related", "home", "-n", "1", "--json", "--vault", "vault"]);
    assert_eq!(answer["path"], "home.md");
    assert_eq!(
        (&answer["links"][0]["path"], &answer["links"][0]["line"]),
        (&"work/plan.md".into(), &6.into())
    );
    assert_eq!(answer["backlinks"][0]["path"], "work/log.md");
    assert_eq!(answer["similar"][0]["shared_tags"][0], "plan");
    assert_eq!(answer["omitted"], 2);
}

#[test]
fn a_note_that_is_not_there_is_a_usage_error() {
    let vault = TestVault::new(NOTES);
    assert_eq!(code(&vault, &["related", "home", "--no-refresh", "--vault", "vault"]), 10);
    assert_eq!(code(&vault, &["related", "nothing", "--vault", "vault"]), 2);
    assert_eq!(code(&vault, &["related", "home", "-n", "51", "--vault", "vault"]), 2);
}
