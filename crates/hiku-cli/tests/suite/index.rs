//! `hiku index`: reports, mending, and where the file is.

use std::fs;

use crate::harness::{code, json, notes, shown};
use testkit::TestVault;

#[test]
fn the_report_says_what_was_done() {
    let vault = notes();
    insta::assert_snapshot!(shown(&vault, &["index", "--vault", "vault"]), @"");
    vault.write("new.md", "# New\n\nA note.\n");
    vault.rename("recipes/soup.md", "soup.md");
    vault.remove("設計.md");
    insta::assert_snapshot!(shown(&vault, &["index", "--vault", "vault", "--dry-run"]), @"");
    insta::assert_snapshot!(shown(&vault, &["index", "--vault", "vault"]), @"");
    insta::assert_snapshot!(shown(&vault, &["index", "--vault", "vault", "--quiet"]), @"");
}

#[test]
fn skipped_notes_are_listed_and_are_no_failure() {
    let vault = notes();
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc/hostname", vault.root().join("link.md")).expect("a link");
    insta::assert_snapshot!(shown(&vault, &["index", "--vault", "vault"]), @"");
}

#[test]
fn credentials_are_counted_and_never_shown() {
    let vault = TestVault::new("//- a.md\n");
    let secret = format!("ghp_{}", "16C7e42F292c6912E7710c838347Ae178B4a");
    vault.write("a.md", format!("# Keys\n\nThe token is {secret} here.\n"));
    let report = shown(&vault, &["index", "--vault", "vault"]);
    assert!(!report.contains(&secret), "{report}");
    insta::assert_snapshot!(report, @"");
    let answer = json(&vault, &["search", "--vault", "vault", "--json", "token"]);
    assert!(!answer.to_string().contains(&secret), "{answer}");
}

#[test]
fn the_report_as_json() {
    let vault = notes();
    let report = json(&vault, &["index", "--vault", "vault", "--json"]);
    assert_eq!(report["notes"], 3);
    assert_eq!(
        report["added"],
        serde_json::json!(["log/2026-04-10.md", "recipes/soup.md", "設計.md"])
    );
    assert_eq!(report["interrupted"], false);
    assert_eq!(report["skipped"], serde_json::json!([]));
}

#[test]
fn a_dry_run_writes_nothing() {
    let vault = notes();
    assert_eq!(code(&vault, &["index", "--vault", "vault", "--dry-run"]), 0);
    assert!(!vault.outer().join(".local").exists());
}

#[test]
fn an_unusable_index_is_kept_and_rebuilt() {
    let vault = notes();
    let file = vault.index();
    fs::write(&file, "this is no index, but it is long enough to have been something once")
        .expect("a file");
    let arguments = ["index", "--vault", "vault", "--index", "index.hiku"];
    insta::assert_snapshot!(shown(&vault, &arguments), @"");
    assert!(
        fs::read(vault.outer().join("index.hiku.bad-1")).expect("kept").starts_with(b"this is")
    );
    assert_eq!(code(&vault, &["search", "--vault", "vault", "--index", "index.hiku", "onion"]), 0);
}

#[cfg(unix)]
#[test]
fn the_index_is_for_its_owner_only_and_the_vault_is_left_alone() {
    use std::os::unix::fs::PermissionsExt;
    let vault = notes();
    assert_eq!(code(&vault, &["index", "--vault", "vault"]), 0);
    let data = vault.outer().join(".local/share/hiku");
    let mode = |path: &std::path::Path| {
        fs::metadata(path).expect("it is there").permissions().mode() & 0o777
    };
    assert_eq!(mode(&data), 0o700);
    for entry in fs::read_dir(&data).expect("the data folder").flatten() {
        assert_eq!(mode(&entry.path()), 0o600, "{}", entry.path().display());
    }
    let mut names: Vec<_> = fs::read_dir(vault.root())
        .expect("the vault")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names, ["log", "recipes", "設計.md"]);
}

#[test]
fn an_empty_vault_is_indexed_with_a_remark() {
    let vault = TestVault::new("");
    insta::assert_snapshot!(shown(&vault, &["index", "--vault", "vault"]), @"");
}
