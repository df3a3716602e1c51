//! `hiku watch`: what happens in a vault is in its index soon after, whatever else runs.

use std::fs;

use crate::harness::{Background, command, eventually, json, notes, run};
use testkit::TestVault;

const PLACE: [&str; 4] = ["--vault", "vault", "--index", "index.hiku"];

fn with_place<'a>(command: &[&'a str]) -> Vec<&'a str> {
    [command, &PLACE].concat()
}

fn watch(vault: &TestVault) -> Background {
    let watch = Background::start(command(vault), &with_place(&["watch"]));
    watch.wait_for("watching");
    watch
}

/// True where the index as it is finds this path for the words.
fn finds(vault: &TestVault, words: &str, path: &str) -> bool {
    let search = with_place(&["search", "--no-refresh", "--mode=lexical", "--paths", words]);
    String::from_utf8_lossy(&run(vault, &search).stdout).lines().any(|line| line == path)
}

#[test]
fn changes_are_followed_and_a_rename_embeds_nothing() {
    let vault = notes();
    let mut watch = watch(&vault);
    vault.write("new.md", "# Boats\n\nA zeppelin is no boat.\n");
    watch.wait_for("+ new.md");
    assert!(finds(&vault, "zeppelin", "new.md"));
    vault.write("new.md", "# Boats\n\nA xylophone is no boat.\n");
    watch.wait_for("~ new.md");
    assert!(finds(&vault, "xylophone", "new.md") && !finds(&vault, "zeppelin", "new.md"));
    fs::create_dir(vault.root().join("harbour")).expect("a folder");
    fs::rename(vault.root().join("new.md"), vault.root().join("harbour/old.md")).expect("a rename");
    watch.wait_for("> harbour/old.md");
    // A folder that is new has its own watch, also for what was in it from the beginning.
    vault.write("harbour/second.md", "A marimba.\n");
    watch.wait_for("+ harbour/second.md");
    vault.remove("harbour/old.md");
    watch.wait_for("- harbour/old.md");
    assert!(watch.terminate().success());
}

#[test]
fn a_vault_that_goes_away_is_waited_for() {
    let vault = notes();
    let watch = watch(&vault);
    let elsewhere = vault.outer().join("elsewhere");
    fs::rename(vault.root(), &elsewhere).expect("it goes away");
    watch.wait_for("is not there");
    let status = ["status", "--json", "--index", "index.hiku", "--vault", "elsewhere"];
    assert_eq!(json(&vault, &status)["index"]["notes"], 3, "the index stays as it is");
    fs::write(elsewhere.join("late.md"), "A zeppelin.\n").expect("a note");
    fs::rename(&elsewhere, vault.root()).expect("it returns");
    watch.wait_for("is back");
    watch.wait_for("+ late.md");
    vault.write("after.md", "A xylophone.\n");
    watch.wait_for("+ after.md");
    // An empty folder in its place, as a mount point is: nothing is lost.
    fs::rename(vault.root(), &elsewhere).expect("it goes away");
    fs::create_dir(vault.root()).expect("an empty folder");
    fs::remove_dir(vault.root()).expect("and it goes");
    fs::rename(&elsewhere, vault.root()).expect("it returns");
    vault.write("last.md", "A marimba.\n");
    watch.wait_for("+ last.md");
    assert!(finds(&vault, "xylophone", "after.md"));
}

#[test]
fn an_index_that_is_removed_ends_it() {
    let vault = notes();
    let mut watch = watch(&vault);
    vault.write("new.md", "A zeppelin.\n");
    watch.wait_for("+ new.md");
    for end in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(vault.outer().join(format!("index.hiku{end}")));
    }
    assert_eq!(watch.ended().code(), Some(10));
}

#[test]
fn settings_are_read_anew() {
    let vault = notes();
    let watch = watch(&vault);
    eventually("the first comparison", || finds(&vault, "onions", "recipes/soup.md"));
    vault.write("hiku.toml", "[vault]\nexclude = [\"recipes\"]\n");
    watch.wait_for("- recipes/soup.md");
    vault.write("hiku.toml", "no settings at all");
    watch.wait_for("cannot understand the settings");
    vault.write("hiku.toml", "");
    watch.wait_for("+ recipes/soup.md");
}

#[test]
fn it_writes_while_others_search_and_index() {
    let vault = notes();
    let mut watch = watch(&vault);
    let search = with_place(&["search", "--mode=lexical", "--paths", "onions"]);
    std::thread::scope(|scope| {
        let searches: Vec<_> = (0..20).map(|_| scope.spawn(|| run(&vault, &search))).collect();
        let index = scope.spawn(|| run(&vault, &with_place(&["index"])));
        for number in 0..10 {
            vault.write(&format!("new-{number}.md"), "A zeppelin.\n");
        }
        for answer in searches {
            let answer = answer.join().expect("no panic");
            let errors = String::from_utf8_lossy(&answer.stderr).into_owned();
            assert!(answer.status.success(), "{errors}");
            assert_eq!(String::from_utf8_lossy(&answer.stdout).trim(), "recipes/soup.md");
        }
        let indexed = index.join().expect("no panic");
        assert!(indexed.status.success(), "{}", String::from_utf8_lossy(&indexed.stderr));
    });
    eventually("the last note", || finds(&vault, "zeppelin", "new-9.md"));
    assert!(watch.terminate().success());
}
