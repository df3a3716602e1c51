//! `hiku search` answers from the vault as it is: edits just before, what does not fit into its
//! budget of time, files that are gone or moved, and vaults that are not there.

use std::fs;

use testkit::TestVault;

use crate::harness::{code, json, notes, run, shown};

/// A search, printed as paths.
fn paths(vault: &TestVault, arguments: &[&str]) -> String {
    shown(vault, &[&["search", "--vault", "vault", "--paths"], arguments].concat())
}

/// A vault that is indexed.
fn indexed() -> TestVault {
    let vault = notes();
    run(&vault, &["index", "--vault", "vault"]);
    vault
}

#[test]
fn what_was_written_moved_or_deleted_just_before_is_seen() {
    let vault = indexed();
    vault.write("new.md", "Leeks are another matter.\n");
    vault.write("recipes/soup.md", "# Leek soup\n\nNo onions this time.\n");
    vault.rename("設計.md", "archive/設計.md");
    insta::assert_snapshot!(paths(&vault, &["leek"]), @r"
    $ hiku search --vault vault --paths leek
    recipes/soup.md
    new.md
    [exit 0]
    ");
    insta::assert_snapshot!(paths(&vault, &["-n1", "許可の射程"]), @r"
    $ hiku search --vault vault --paths -n1 許可の射程
    archive/設計.md
    [exit 0]
    ");
    vault.remove("recipes/soup.md");
    insta::assert_snapshot!(paths(&vault, &["--mode", "lexical", "leek"]), @r"
    $ hiku search --vault vault --paths --mode lexical leek
    new.md
    [exit 0]
    ");
}

#[test]
fn beyond_the_budget_the_part_that_may_be_stale_is_named() {
    let vault = indexed();
    vault.write("new.md", "Gitleaks again.\n");
    let search = ["search", "--vault", "vault", "--refresh-budget", "0"];
    let with = |arguments: &[&str]| shown(&vault, &[&search[..], arguments].concat());
    insta::assert_snapshot!(with(&["--paths", "gitleaks"]), @r"
    $ hiku search --vault vault --refresh-budget 0 --paths gitleaks
    log/2026-04-10.md
    ! warning: 3 notes not looked at, so as not to keep you waiting: log/, recipes/, 設計.md; what changed there may be missing; to index all: hiku index --vault [DIR]/vault
    [exit 0]
    ");
    let arguments = [&search[..], &["--json", "gitleaks"]].concat();
    let stale = serde_json::json!({
        "why": "unseen", "notes": 3, "parts": ["log/", "recipes/", "設計.md"],
    });
    assert_eq!(json(&vault, &arguments)["stale"], stale);
    fs::write(vault.outer().join("queries"), "gitleaks\n").expect("the queries");
    let arguments = [&search[..], &["--batch", "queries"]].concat();
    assert_eq!(json(&vault, &arguments)["stale"], stale);
    assert!(json(&vault, &["search", "--vault", "vault", "--json", "soup"])["stale"].is_null());
}

#[test]
fn the_budget_is_the_configs_and_the_flags() {
    let vault = indexed();
    let config = vault.outer().join(".config/hiku/config.toml");
    fs::create_dir_all(config.parent().expect("its folder")).expect("a folder");
    let set = |value: &str| {
        fs::write(&config, format!("[search]\nrefresh_budget_ms = {value}\n")).expect("a config");
    };
    let stale = |arguments: &[&str]| {
        let base = ["search", "--vault", "vault", "--json", "soup"];
        !json(&vault, &[&base, arguments].concat())["stale"].is_null()
    };
    set("0");
    assert!(stale(&[]) && !stale(&["--refresh-budget", "600000"]));
    set("600001");
    insta::assert_snapshot!(paths(&vault, &["soup"]), @r"
    $ hiku search --vault vault --paths soup
    ! error: [DIR]/.config/hiku/config.toml:2:21: search.refresh_budget_ms is 600001, and must be 0 to 600000
    ! hint: give a value from 0 to 600000
    [exit 2]
    ");
    vault.write("hiku.toml", "[search]\nrefresh_budget_ms = 0\n");
    set("1000");
    assert!(!stale(&[]), "a vault does not set it");
    assert_eq!(code(&vault, &["search", "--refresh-budget", "600001", "soup"]), 2);
    assert_eq!(code(&vault, &["search", "--refresh-budget", "1", "--no-refresh", "soup"]), 2);
}

#[test]
fn hits_are_held_against_their_files() {
    let vault = indexed();
    vault.write("recipes/soup.md", "# Soup\n\nLeeks in place of the onions.\n");
    vault.remove("log/2026-04-10.md");
    let no_time = ["--refresh-budget", "0", "--jsonl", "--mode", "lexical"];
    let asked = |arguments: &[&str]| {
        let arguments = [&["search", "--vault", "vault"], arguments].concat();
        let output = run(&vault, &arguments).stdout;
        let lines = String::from_utf8(output).expect("UTF-8");
        let hit = |line| serde_json::from_str::<serde_json::Value>(line).expect("a hit");
        lines.lines().map(hit).collect::<Vec<_>>()
    };
    let marked = ["search", "--vault", "vault", "-n1", "--no-refresh", "onion"];
    insta::assert_snapshot!(shown(&vault, &marked), @r"
    $ hiku search --vault vault -n1 --no-refresh onion
    recipes/soup.md:1  Onion soup
        Cut the onions, and cook them slowly in butter.
        0.886  lexical #1, dense #1; changed since it was indexed

    answered by lexical + dense
    [exit 0]
    ");
    let context = ["search", "--vault", "vault", "--no-refresh", "--context", "onion"];
    let text = shown(&vault, &context);
    assert!(text.contains("source: recipes/soup.md:1-3 (changed since it was indexed)"), "{text}");
    let hits = asked(&[&no_time[..], &["onion"]].concat());
    assert_eq!(hits.len(), 1);
    assert_eq!((&hits[0]["title"], &hits[0]["stale"]), (&"Soup".into(), &().into()));
    assert_eq!(asked(&[&no_time[..], &["gitleaks"]].concat()).len(), 0);
    assert_eq!(asked(&["--no-refresh", "--jsonl", "--mode", "lexical", "gitleaks"]).len(), 0);
}

#[test]
fn a_vault_that_shows_nothing_loses_nothing() {
    let vault = indexed();
    let away = vault.outer().join("away");
    fs::rename(vault.root(), &away).expect("the vault goes away");
    let text = shown(&vault, &["search", "--vault", "vault", "soup"]);
    assert!(text.contains("does not exist") && text.ends_with("[exit 2]"), "{text}");
    fs::create_dir(vault.root()).expect("an empty mount point");
    insta::assert_snapshot!(shown(&vault, &["search", "--vault", "vault", "-n1", "onion"]), @r"
    $ hiku search --vault vault -n1 onion
    recipes/soup.md:1  Onion soup
        Cut the onions, and cook them slowly in butter.
        0.886  lexical #1, dense #1; changed since it was indexed

    answered by lexical + dense
    ! warning: 3 notes gone from the vault: kept in the index, since so many at once look like an accident; if it is meant: hiku index --prune --vault [DIR]/vault
    [exit 0]
    ");
    insta::assert_snapshot!(shown(&vault, &["index", "--vault", "vault"]), @r"
    $ hiku index --vault vault
    3 notes, 3 chunks in [TIME] s
    added 0, changed 0, moved 0, removed 0, embedded 0
    3 notes gone from the vault: kept in the index, since so many at once look like an accident; if it is meant: hiku index --prune --vault [DIR]/vault
    [exit 0]
    ");
    fs::remove_dir(vault.root()).expect("the mount point");
    fs::rename(&away, vault.root()).expect("the vault comes back");
    let report = json(&vault, &["index", "--vault", "vault", "--json"]);
    assert_eq!((&report["notes"], &report["embedded"]), (&3.into(), &0.into()), "{report}");
}

#[test]
fn more_than_half_is_kept_until_it_is_said_to_be_meant() {
    let vault = TestVault::new("//- kept.md\nOne that stays.\n");
    for number in 0..20 {
        vault.write(&format!("many/{number}.md"), format!("Number {number}.\n"));
    }
    run(&vault, &["index", "--vault", "vault"]);
    fs::remove_dir_all(vault.root().join("many")).expect("the folder goes");
    insta::assert_snapshot!(paths(&vault, &["--mode", "lexical", "number"]), @r"
    $ hiku search --vault vault --paths --mode lexical number
    ! warning: 20 notes gone from the vault: kept in the index, since so many at once look like an accident; if it is meant: hiku index --prune --vault [DIR]/vault
    [exit 0]
    ");
    assert_eq!(json(&vault, &["status", "--vault", "vault", "--json"])["index"]["notes"], 21);
    let pruned = json(&vault, &["index", "--vault", "vault", "--prune", "--json"]);
    assert_eq!(pruned["notes"], 1, "{pruned}");
}
