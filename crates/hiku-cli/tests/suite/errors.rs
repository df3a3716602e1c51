//! Every error names the thing, the cause and the next step, with its exit code.

use std::fs;

use testkit::TestVault;

use crate::harness::{code, command, notes, run, shown, shown_as};

#[test]
fn no_vault_and_a_wrong_one() {
    let vault = notes();
    insta::assert_snapshot!(shown(&vault, &["search", "soup"]), @r"
    $ hiku search soup
    ! error: no vault is chosen: [DIR] and its parents hold no .obsidian/ and no hiku.toml
    ! hint: name one with --vault DIR, or set HIKU_VAULT, or choose one for good: hiku vaults default DIR
    [exit 2]
    ");
    insta::assert_snapshot!(shown(&vault, &["search", "--vault", "absent", "soup"]), @r"
    $ hiku search --vault absent soup
    ! error: vault [DIR]/absent does not exist
    ! hint: name one with --vault DIR, or set HIKU_VAULT, or choose one for good: hiku vaults default DIR
    [exit 2]
    ");
    insta::assert_snapshot!(shown(&vault, &["index", "--vault", "vault/設計.md"]), @r"
    $ hiku index --vault vault/設計.md
    ! error: vault [DIR]/vault/設計.md is not a folder
    ! hint: name one with --vault DIR, or set HIKU_VAULT, or choose one for good: hiku vaults default DIR
    [exit 2]
    ");
}

#[test]
fn wrong_flags() {
    let vault = notes();
    insta::assert_snapshot!(shown(&vault, &["search", "--limit", "0", "soup"]), @r"
    $ hiku search --limit 0 soup
    ! error: invalid value '0' for '--limit <N>': 0 is not in 1..=1000
    ! 
    ! For more information, try '--help'.
    [exit 2]
    ");
    insta::assert_snapshot!(shown(&vault, &["search", "--after", "today", "soup"]), @r"
    $ hiku search --after today soup
    ! error: invalid value 'today' for '--after <DATE>': not a day of the form YYYY-MM-DD
    ! 
    ! For more information, try '--help'.
    [exit 2]
    ");
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
fn wrong_flags_in_japanese() {
    let vault = notes();
    let output = command(&vault)
        .env("HIKU_LANG", "ja")
        .args(["search", "--limit", "0", "soup"])
        .output()
        .expect("the binary runs");
    insta::assert_snapshot!(shown_as(&vault, &["search"], &output), @r"
    $ hiku search
    ! エラー: --limit <N> の値 0 は正しくありません: 0 は 1 から 1000 の範囲にありません
    ! 
    ! 詳しくは --help を付けて実行してください。
    [exit 2]
    ");
}

/// Every command that a hint prints works when it is pasted.
#[test]
fn hints_name_vault_and_index() {
    let vault = TestVault::new("//- two words.md\n# A\n//- x/b.md\n# B\n//- y/b.md\n# B\n");
    let place = ["--vault", "vault", "--index", "my index.hiku"];
    run(&vault, &[&["index"][..], &place].concat());
    let check = |arguments: &[&str], expected: &str| {
        let text = shown(&vault, &[arguments, &place].concat());
        let hint = text.lines().find_map(|line| line.strip_prefix("! hint: "));
        let flags = "--vault [DIR]/vault --index '[DIR]/my index.hiku'";
        assert_eq!(hint, Some(expected.replace("FLAGS", flags).as_str()), "{text}");
    };
    check(&["read", "no such"], "find its path: hiku search --paths FLAGS -- 'no such'");
    check(&["read", "b"], "give the path of one: hiku read FLAGS -- x/b.md");
    check(
        &["read", "two words", "--heading", "Z"],
        "read all of it: hiku read FLAGS -- 'two words.md'",
    );
    fs::write(vault.outer().join("my index.hiku"), "no index, though long enough to be one")
        .expect("a file");
    check(
        &["status"],
        "choose another file: --index FILE; or keep this one beside a new index: hiku index FLAGS",
    );
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
    insta::assert_snapshot!(shown(&vault, &arguments), @r"
    $ hiku search --vault vault --index index.hiku soup
    ! error: [DIR]/index.hiku is not an index that Hiku made
    ! hint: choose another file: --index FILE; or keep this one beside a new index: hiku index --vault [DIR]/vault --index [DIR]/index.hiku
    [exit 10]
    ");
    assert_eq!(code(&vault, &["status", "--vault", "vault", "--index", "index.hiku"]), 10);
}

#[test]
fn an_index_of_a_newer_hiku() {
    let vault = notes();
    assert_eq!(code(&vault, &["index", "--vault", "vault", "--index", "index.hiku"]), 0);
    let mut bytes = fs::read(vault.index()).expect("the index");
    bytes[60..64].copy_from_slice(&99u32.to_be_bytes());
    fs::write(vault.index(), bytes).expect("the index");
    let arguments = ["status", "--vault", "vault", "--index", "index.hiku"];
    insta::assert_snapshot!(shown(&vault, &arguments), @r"
    $ hiku status --vault vault --index index.hiku
    ! error: the index [DIR]/index.hiku has format 99; this program reads format 2
    ! hint: update hiku, which wrote it; or keep it beside a new index: hiku index --vault [DIR]/vault --index [DIR]/index.hiku
    [exit 10]
    ");
}

#[test]
fn a_place_where_no_index_can_stand() {
    let vault = notes();
    for command in [&["index"][..], &["search", "soup"], &["search", "--no-refresh", "soup"]] {
        let arguments = [command, &["--vault", "vault", "--index", "vault"]].concat();
        let text = shown(&vault, &arguments);
        let expected = "! error: there can be no index at [DIR]/vault: it is a folder, and an index \
            is a file\n! hint: choose a place for the index: --index FILE (or set HIKU_INDEX)\n[exit 2]";
        assert!(text.ends_with(expected), "{text}");
    }
    if std::path::Path::new("/dev/full").exists() {
        assert_eq!(code(&vault, &["index", "--vault", "vault", "--index", "/dev/full"]), 2);
        assert!(!std::path::Path::new("/dev/full.lock").exists());
    }
}

#[test]
fn a_vault_may_not_set_what_is_the_users() {
    let vault = notes();
    vault.write("hiku.toml", "model = \"/evil\"\n[vault]\nexclude = [\"log\"]\n");
    insta::assert_snapshot!(shown(&vault, &["index", "--vault", "vault"]), @r"
    $ hiku index --vault vault
    2 notes, 2 chunks in [TIME] s
    added 2, changed 0, moved 0, removed 0, embedded 2
    ! warning: [DIR]/vault/hiku.toml:1:9: a vault may not set model; it is ignored (your own config may)
    [exit 0]
    ");
    vault.write("hiku.toml", "[vault\n");
    insta::assert_snapshot!(shown(&vault, &["index", "--vault", "vault"]), @r"
    $ hiku index --vault vault
    ! error: cannot understand the settings at [DIR]/vault/hiku.toml:1:7: unclosed table, expected `]`
    ! hint: correct it: ${EDITOR:-vi} [DIR]/vault/hiku.toml
    [exit 2]
    ");
}

#[test]
fn a_broken_config_stops_only_what_needs_it() {
    let vault = notes();
    run(&vault, &["index", "--vault", "vault"]);
    fs::create_dir_all(vault.outer().join(".config/hiku")).expect("a folder");
    fs::write(vault.outer().join(".config/hiku/config.toml"), b"model = 3 # \xff\n")
        .expect("a file");
    insta::assert_snapshot!(shown(&vault, &["read", "--vault", "vault", "設計", "--lines", "1"]), @r"
    $ hiku read --vault vault 設計 --lines 1
    # 権限の設計
    ! warning: cannot understand the settings at [DIR]/.config/hiku/config.toml:1:13: it is not UTF-8 text; going on without it
    [exit 0]
    ");
    for arguments in
        [&["vaults"][..], &["vaults", "--json"], &["config", "path"], &["config", "show"]]
    {
        assert_eq!(code(&vault, arguments), 0, "{arguments:?}");
    }
    for arguments in [&["vaults", "default", "vault"][..], &["search", "--vault", "vault", "soup"]]
    {
        assert_eq!(code(&vault, arguments), 2, "{arguments:?}");
    }
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
        shown(&vault, &["search", "--vault", "vault", "--batch", "absent.txt"]), @r"
    $ hiku search --vault vault --batch absent.txt
    ! error: cannot read absent.txt: No such file or directory (os error 2)
    ! hint: check the path: ls -l absent.txt
    [exit 2]
    ");
}
