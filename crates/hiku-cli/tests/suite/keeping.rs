//! What the binary makes of an index, a model or a file that is not as it should be: another vault's
//! index, damage inside, a model that is gone, pipes and devices in place of files.

use std::fs;

use crate::harness::{code, json, notes, run, shown};
use testkit::TestVault;

const PLACE: [&str; 4] = ["--vault", "vault", "--index", "index.hiku"];

fn with_place<'a>(command: &[&'a str]) -> Vec<&'a str> {
    [command, &PLACE].concat()
}

#[test]
fn the_index_of_another_vault_is_refused() {
    let vault = notes();
    let other = vault.outer().join("other");
    fs::create_dir(&other).expect("a folder");
    fs::write(other.join("boats.md"), "About boats.\n").expect("a note");
    assert_eq!(code(&vault, &["index", "--vault", "other", "--index", "index.hiku"]), 0);
    insta::assert_snapshot!(shown(&vault, &with_place(&["search", "soup"])), @r"
    $ hiku search soup --vault vault --index index.hiku
    ! error: the index [DIR]/index.hiku is not of the vault [DIR]/vault, but of another
    ! hint: choose another file: --index FILE; or make this one the vault's: hiku index --full --vault [DIR]/vault --index [DIR]/index.hiku
    [exit 2]
    ");
    let commands: [&[&str]; 6] = [
        &["index"],
        &["index", "--dry-run"],
        &["search", "--no-refresh", "soup"],
        &["status"],
        &["doctor"],
        &["read", "--stored", "boats.md"],
    ];
    for command in commands {
        assert_eq!(code(&vault, &with_place(command)), 2, "{command:?}");
    }
    assert_eq!(code(&vault, &with_place(&["index", "--full"])), 0);
    assert_eq!(json(&vault, &with_place(&["search", "soup", "--json"]))["index"]["notes"], 3);
    assert_eq!(code(&vault, &["status", "--vault", "other", "--index", "index.hiku"]), 2);
}

/// Alters every stored text of an index on disk: the mark that each zstd frame begins with.
fn alter_texts(vault: &TestVault) {
    let mut bytes = fs::read(vault.index()).expect("the index");
    let frames: Vec<usize> =
        (0..bytes.len() - 4).filter(|at| bytes[*at..*at + 4] == [0x28, 0xB5, 0x2F, 0xFD]).collect();
    assert!(!frames.is_empty());
    for at in frames {
        bytes[at + 7] ^= 1;
    }
    fs::write(vault.index(), bytes).expect("the index");
}

#[test]
fn a_search_that_meets_damage_mends_the_index_and_answers() {
    let vault = notes();
    assert_eq!(code(&vault, &with_place(&["index"])), 0);
    alter_texts(&vault);
    assert_eq!(code(&vault, &with_place(&["doctor"])), 1);
    let text = shown(&vault, &with_place(&["search", "--no-refresh", "onion"]));
    assert!(text.ends_with("[exit 10]") && text.contains("hiku index --full"), "{text}");
    let text = shown(&vault, &with_place(&["search", "--paths", "--mode", "lexical", "onion"]));
    assert!(text.contains("\nrecipes/soup.md\n! warning: the index was unusable"), "{text}");
    assert!(text.ends_with("[exit 0]") && vault.outer().join("index.hiku.bad-1").exists());
    assert_eq!(code(&vault, &with_place(&["doctor"])), 0);
}

#[test]
fn an_update_that_meets_damage_mends_the_index() {
    let vault = notes();
    assert_eq!(code(&vault, &with_place(&["index"])), 0);
    let mut bytes = fs::read(vault.index()).expect("the index");
    let page = 16_384;
    for at in (page..bytes.len()).step_by(page) {
        bytes[at..at + 64].fill(0xA5);
    }
    fs::write(vault.index(), bytes).expect("the index");
    let text = shown(&vault, &with_place(&["index", "--quiet"]));
    assert!(
        text.contains("! warning: the index was unusable") && text.ends_with("[exit 0]"),
        "{text}"
    );
    assert_eq!(code(&vault, &with_place(&["doctor"])), 0);
}

#[test]
fn without_its_model_a_vault_is_searched_by_word_and_keeps_its_vectors() {
    let vault = notes();
    run(&vault, &["index", "--vault", "vault"]);
    let config = vault.outer().join(".config/hiku/config.toml");
    fs::create_dir_all(config.parent().expect("its folder")).expect("a folder");
    fs::write(&config, "model = \"gone.hikumodel\"\n").expect("a config");
    vault.write("new.md", "Leeks are another matter.\n");
    let text = shown(&vault, &["index", "--vault", "vault"]);
    let expected = "embedded 0\n! warning: cannot use the model [DIR]/gone.hikumodel: ";
    assert!(text.contains(expected) && text.contains("; 1 note without vectors"), "{text}");
    assert!(text.ends_with("[exit 0]"), "{text}");
    let answer = json(&vault, &["search", "--vault", "vault", "--json", "leeks"]);
    assert_eq!(answer["hits"][0]["path"], "new.md");
    assert_eq!(answer["signals"]["dense"]["state"], "unavailable");
    let reason = answer["signals"]["dense"]["reason"].as_str().expect("a reason");
    assert!(reason.contains("gone.hikumodel"), "{reason}");
    let check = |arguments: &[&str], expected: i32| {
        let arguments = [arguments, &["--vault", "vault"]].concat();
        assert_eq!(code(&vault, &arguments), expected, "{arguments:?}");
    };
    check(&["search", "--strict", "leeks"], 3);
    check(&["search", "--mode", "dense", "leeks"], 3);
    check(&["search", "--mode", "lexical", "--strict", "leeks"], 0);
    check(&["index", "--full"], 2);
    check(&["status"], 0);
    check(&["read", "new.md"], 0);
    assert_eq!(code(&vault, &["vaults"]), 0);
    fs::remove_file(&config).expect("the config");
    let report = json(&vault, &["index", "--vault", "vault", "--json"]);
    assert_eq!((&report["embedded"], &report["rebuilt"]), (&1.into(), &serde_json::Value::Null));
    check(&["doctor"], 0);
}

#[cfg(unix)]
#[test]
fn pipes_devices_and_links_in_place_of_files_are_never_opened() {
    let vault = notes();
    vault.pipe("hiku.toml");
    let text = shown(&vault, &["index", "--vault", "vault"]);
    let expected = "! warning: [DIR]/vault/hiku.toml: not a regular file; it is ignored\n[exit 0]";
    assert!(text.ends_with(expected), "{text}");
    vault.remove("hiku.toml");
    fs::write(vault.outer().join("outside.toml"), "[vault]\nexclude = [\"**\"]\n").expect("a file");
    std::os::unix::fs::symlink("../outside.toml", vault.root().join("hiku.toml")).expect("a link");
    let text = shown(&vault, &["index", "--vault", "vault"]);
    let expected = "hiku.toml: a symbolic link, not followed; it is ignored\n[exit 0]";
    assert!(text.contains("3 notes") && text.ends_with(expected), "{text}");
    vault.remove("hiku.toml");
    vault.pipe("pipe");
    for file in ["vault/pipe", "/dev/zero", "vault"] {
        let arguments = ["search", "--vault", "vault", "--batch", file];
        assert_eq!(code(&vault, &arguments), 2, "{file}");
        let config = crate::harness::command(&vault)
            .env("HIKU_CONFIG", file)
            .args(["status", "--vault", "vault"])
            .status();
        assert_eq!(config.expect("the binary runs").code(), Some(1), "{file}");
        assert_ne!(code(&vault, &["model", "use", file]), 0, "{file}");
    }
    let config = crate::harness::command(&vault)
        .env("HIKU_CONFIG", "/dev/null")
        .args(["status", "--vault", "vault"])
        .status();
    assert_eq!(config.expect("the binary runs").code(), Some(0), "the null device is empty");
}
