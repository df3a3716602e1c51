//! Every error names the thing, the cause and the next step, with its exit code.

use std::fs;

use crate::harness::{code, command, notes, shown};

#[test]
fn no_vault_and_a_wrong_one() {
    let vault = notes();
    insta::assert_snapshot!(shown(&vault, &["search", "soup"]), @"");
    insta::assert_snapshot!(shown(&vault, &["search", "--vault", "absent", "soup"]), @"");
    insta::assert_snapshot!(shown(&vault, &["index", "--vault", "vault/設計.md"]), @"");
}

#[test]
fn wrong_flags() {
    let vault = notes();
    insta::assert_snapshot!(shown(&vault, &["search", "--limit", "0", "soup"]), @"");
    insta::assert_snapshot!(shown(&vault, &["search", "--after", "today", "soup"]), @"");
    let wrong: [&[&str]; 5] = [
        &[],
        &["sarch"],
        &["search", "--json", "--paths", "x"],
        &["search", "--mode", "magic", "x"],
        &["read"],
    ];
    for arguments in wrong {
        assert_eq!(code(&vault, arguments), 2, "{arguments:?}");
    }
}

#[test]
fn a_query_that_is_too_long() {
    let vault = notes();
    let long = "長".repeat(8_001);
    assert_eq!(code(&vault, &["search", "--vault", "vault", &long]), 2);
    assert_eq!(code(&vault, &["search", "--vault", "vault", &"㍿".repeat(3_000)]), 2);
}

#[test]
fn an_unusable_index() {
    let vault = notes();
    fs::write(vault.index(), "no index at all, though this is a file of some length")
        .expect("a file");
    let arguments = ["search", "--vault", "vault", "--index", "index.hiku", "soup"];
    insta::assert_snapshot!(shown(&vault, &arguments), @"");
    assert_eq!(code(&vault, &["status", "--vault", "vault", "--index", "index.hiku"]), 10);
}

#[test]
fn a_vault_may_not_set_what_is_the_users() {
    let vault = notes();
    vault.write("hiku.toml", "model = \"/evil\"\n[vault]\nexclude = [\"log\"]\n");
    insta::assert_snapshot!(shown(&vault, &["index", "--vault", "vault"]), @"");
    vault.write("hiku.toml", "[vault\n");
    insta::assert_snapshot!(shown(&vault, &["index", "--vault", "vault"]), @"");
}

#[test]
fn the_environment_chooses_vault_and_index() {
    let vault = notes();
    let status = command(&vault)
        .env("HIKU_VAULT", vault.root())
        .env("HIKU_INDEX", vault.index())
        .args(["index", "--quiet"])
        .status()
        .expect("the binary runs");
    assert!(status.success() && vault.index().exists());
}

#[test]
fn a_file_of_queries_that_is_not_there() {
    let vault = notes();
    insta::assert_snapshot!(
        shown(&vault, &["search", "--vault", "vault", "--batch", "absent.txt"]), @"");
}
