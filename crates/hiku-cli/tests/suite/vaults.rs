//! `hiku vaults`, `status`, `doctor`, `config` and `model`.

use crate::harness::{code, json, notes, run, shown};

#[test]
fn an_index_is_listed_chosen_and_removed() {
    let vault = notes();
    insta::assert_snapshot!(shown(&vault, &["vaults"]), @"");
    run(&vault, &["index", "--vault", "vault"]);
    let known = json(&vault, &["vaults", "--json"]);
    let root = vault.root().canonicalize().expect("the vault");
    assert_eq!(known["vaults"][0]["vault"], *root.to_string_lossy());
    assert!(known["vaults"][0]["bytes"].as_u64().is_some_and(|bytes| bytes > 0));
    assert_eq!(known["vaults"][0]["default"], false);
    assert_eq!(code(&vault, &["status"]), 2);
    insta::assert_snapshot!(shown(&vault, &["vaults", "default", "vault"]), @"");
    assert_eq!(code(&vault, &["status"]), 0);
    assert_eq!(json(&vault, &["vaults", "--json"])["vaults"][0]["default"], true);
    insta::assert_snapshot!(shown(&vault, &["vaults", "remove", "vault"]), @"");
    insta::assert_snapshot!(shown(&vault, &["vaults", "remove", "vault"]), @"");
    assert_eq!(json(&vault, &["vaults", "--json"])["vaults"], serde_json::json!([]));
    assert!(vault.root().join("recipes/soup.md").exists());
}

#[test]
fn status_and_doctor() {
    let vault = notes();
    insta::assert_snapshot!(shown(&vault, &["doctor", "--vault", "vault"]), @"");
    run(&vault, &["index", "--vault", "vault"]);
    insta::assert_snapshot!(shown(&vault, &["doctor", "--vault", "vault"]), @"");
    let status = json(&vault, &["status", "--vault", "vault", "--json"]);
    assert_eq!(status["index"]["notes"], 3);
    let doctor = json(&vault, &["doctor", "--vault", "vault", "--json"]);
    assert_eq!(doctor["problems"], serde_json::json!([]));
    let text = shown(&vault, &["status", "--vault", "vault"]);
    assert!(text.contains("vault: [DIR]/vault\n") && text.contains("notes: 3\n"), "{text}");
}

#[test]
fn config_file() {
    let vault = notes();
    insta::assert_snapshot!(shown(&vault, &["config", "path"]), @"");
    insta::assert_snapshot!(shown(&vault, &["config", "show"]), @"");
    run(&vault, &["vaults", "default", "vault"]);
    insta::assert_snapshot!(shown(&vault, &["config", "show"]), @"");
}
