//! `hiku vaults`, `status`, `doctor`, `config` and `model`.

use crate::harness::{code, json, notes, run, shown};

#[test]
fn an_index_is_listed_chosen_and_removed() {
    let vault = notes();
    insta::assert_snapshot!(shown(&vault, &["vaults"]), @r"
    $ hiku vaults
    ! no vault is indexed yet
    [exit 0]
    ");
    run(&vault, &["index", "--vault", "vault"]);
    let known = json(&vault, &["vaults", "--json"]);
    let root = vault.root().canonicalize().expect("the vault");
    assert_eq!(known["vaults"][0]["vault"], *root.to_string_lossy());
    assert!(known["vaults"][0]["bytes"].as_u64().is_some_and(|bytes| bytes > 0));
    assert_eq!(known["vaults"][0]["default"], false);
    assert_eq!(code(&vault, &["status"]), 2);
    insta::assert_snapshot!(shown(&vault, &["vaults", "default", "vault"]), @r"
    $ hiku vaults default vault
    ! [DIR]/vault is the default vault now
    [exit 0]
    ");
    assert_eq!(code(&vault, &["status"]), 0);
    assert_eq!(json(&vault, &["vaults", "--json"])["vaults"][0]["default"], true);
    insta::assert_snapshot!(shown(&vault, &["vaults", "remove", "vault"]), @r"
    $ hiku vaults remove vault
    ! removed [DIR]/.local/share/hiku/vault-[HASH].hiku
    [exit 0]
    ");
    insta::assert_snapshot!(shown(&vault, &["vaults", "remove", "vault"]), @r"
    $ hiku vaults remove vault
    ! error: [DIR]/vault has no index in the data folder
    ! hint: see which vaults have one: hiku vaults
    [exit 2]
    ");
    assert_eq!(json(&vault, &["vaults", "--json"])["vaults"], serde_json::json!([]));
    assert!(vault.root().join("recipes/soup.md").exists());
}

#[test]
fn an_index_that_is_written_is_not_removed() {
    use std::io::Write;
    let vault = notes();
    run(&vault, &["index", "--vault", "vault"]);
    let folder = vault.outer().join(".local/share/hiku");
    let listed = || {
        let entries = std::fs::read_dir(&folder).expect("the data folder").flatten();
        let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
        names.sort();
        names
    };
    let before = listed();
    let name = before.iter().find(|name| name.to_string_lossy().ends_with(".lock"));
    let mut options = std::fs::OpenOptions::new();
    let mut lock = options.write(true).open(folder.join(name.expect("a lock"))).expect("a lock");
    lock.lock().expect("it is free");
    lock.write_all(b"process 4711").expect("its holder");
    insta::assert_snapshot!(shown(&vault, &["vaults", "remove", "vault"]), @r"
    $ hiku vaults remove vault
    ! error: another process is writing the index [DIR]/.local/share/hiku/vault-[HASH].hiku (process 4711)
    ! hint: run the same command again when it is done; meanwhile this answers: hiku search --no-refresh WORDS
    [exit 4]
    ");
    assert_eq!(listed(), before);
    drop(lock);
    // A process that another test starts at this moment holds the lock too, until it runs.
    let mut remove = std::iter::repeat_with(|| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        code(&vault, &["vaults", "remove", "vault"])
    });
    assert_eq!(remove.by_ref().take(100).find(|code| *code != 4), Some(0));
    assert_eq!(listed(), ["vaults.toml"]);
}

#[test]
fn a_deep_check_tells_behind_from_damaged() {
    let vault = notes();
    run(&vault, &["index", "--vault", "vault"]);
    insta::assert_snapshot!(shown(&vault, &["doctor", "--deep", "--vault", "vault"]), @r"
    $ hiku doctor --deep --vault vault
    the index is sound
    [exit 0]
    ");
    vault.write("recipes/soup.md", "# Onion soup\n\nAnother soup.\n");
    vault.write("new.md", "A new note.\n");
    vault.remove("設計.md");
    insta::assert_snapshot!(shown(&vault, &["doctor", "--deep", "--vault", "vault"]), @r"
    $ hiku doctor --deep --vault vault
    the index is sound
    3 notes changed since, new.md the first; no fault, and brought up to date by: hiku index --vault [DIR]/vault
    [exit 0]
    ");
    let answer = json(&vault, &["doctor", "--deep", "--vault", "vault", "--json"]);
    let changes: Vec<_> = answer["stale"].as_array().expect("a list").iter().collect();
    let of = |at: usize| (changes[at]["path"].as_str(), changes[at]["change"].as_str());
    assert_eq!(of(0), (Some("new.md"), Some("added")));
    assert_eq!(of(1), (Some("recipes/soup.md"), Some("changed")));
    assert_eq!(of(2), (Some("設計.md"), Some("removed")));
    assert!(json(&vault, &["doctor", "--vault", "vault", "--json"]).get("stale").is_none());
}

#[test]
fn status_and_doctor() {
    let vault = notes();
    insta::assert_snapshot!(shown(&vault, &["doctor", "--vault", "vault"]), @r"
    $ hiku doctor --vault vault
    ! error: there is no index at [DIR]/.local/share/hiku/vault-[HASH].hiku
    ! hint: build it: hiku index --vault [DIR]/vault
    [exit 10]
    ");
    run(&vault, &["index", "--vault", "vault"]);
    insta::assert_snapshot!(shown(&vault, &["doctor", "--vault", "vault"]), @r"
    $ hiku doctor --vault vault
    the index is sound
    [exit 0]
    ");
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
    insta::assert_snapshot!(shown(&vault, &["config", "path"]), @r"
    $ hiku config path
    [DIR]/.config/hiku/config.toml
    [exit 0]
    ");
    insta::assert_snapshot!(shown(&vault, &["config", "show"]), @r"
    $ hiku config show
    ! there is no config file at [DIR]/.config/hiku/config.toml; every default is in use
    [exit 0]
    ");
    run(&vault, &["vaults", "default", "vault"]);
    insta::assert_snapshot!(shown(&vault, &["config", "show"]), @r#"
    $ hiku config show
    default_vault = "[DIR]/vault"
    [exit 0]
    "#);
}
