//! Answers are of the vault as it is now: an update within a budget of time, and hits that are held
//! against their files.

use std::fs;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use hiku::vault::{Folder, Scan, Source, VaultPath};
use hiku::{
    Change, Grouping, Index, SearchRequest, SearchResponse, Settings, SilentProgress, StaleReason,
    UpdateOptions, UpdateReport,
};
use testkit::TestVault;

use crate::harness::{
    assert_sound, by_word, found, indexed, numbered, open, paths, try_update, update,
};

/// No time at all.
const SPENT: UpdateOptions = UpdateOptions {
    full: false,
    dry_run: false,
    prune: false,
    mend: hiku::Mend::Never,
    budget: Some(Duration::ZERO),
};

/// A folder that is looked at whole, however little time there is.
struct Unhurried(Folder);

impl Source for Unhurried {
    fn scan(&self) -> hiku::Result<Scan> {
        self.0.scan()
    }

    fn folder(&self) -> Option<&std::path::Path> {
        self.0.folder()
    }

    fn read(&self, path: &VaultPath) -> std::io::Result<Vec<u8>> {
        self.0.read(path)
    }
}

fn folder(vault: &TestVault) -> Folder {
    Folder::open(&vault.root(), &by_word().vault).expect("a vault")
}

/// An update that has no time left once the vault was looked at.
fn update_late(vault: &TestVault, settings: &Settings) -> UpdateReport {
    let (source, stop) = (Unhurried(folder(vault)), AtomicBool::new(false));
    Index::update(&source, &vault.index(), settings, SPENT, &SilentProgress, &stop)
        .expect("an update")
}

/// Asks an index of the vault as it is.
fn ask_now(vault: &TestVault, index: &Index, query: &str, rereads: bool) -> SearchResponse {
    index.search_current(&SearchRequest::new(query), &folder(vault), rereads).expect("an answer")
}

fn found_now(vault: &TestVault, index: &Index, query: &str) -> Vec<String> {
    let response = ask_now(vault, index, query, true);
    assert!(response.hits.iter().all(|hit| !hit.stale), "{response:?}");
    paths(&response).into_iter().map(str::to_owned).collect()
}

#[test]
fn beyond_the_budget_the_newest_notes_are_read_and_the_others_are_named() {
    let vault = TestVault::new("//- old/0.md\nOld boats.\n");
    update(&vault, &by_word());
    for number in 0..50 {
        let path = format!("new/{number:02}.md");
        vault.write(&path, format!("New boats, number {number}.\n"));
        vault.set_modified(&path, 1_000_000 + number);
    }
    vault.rename("old/0.md", "old/1.md");
    vault.set_modified("old/1.md", 1_000);
    let mut report = update_late(&vault, &by_word());
    let read = report.count(Change::Added);
    assert!((1..50).contains(&read) && report.pending.len() == 51 - read, "{report:?}");
    assert!(report.pending.contains(&"old/1.md".to_owned()), "{report:?}");
    let last = report.changes.iter().map(|(_, path)| path.as_str()).min().expect("a change");
    assert!(report.pending.iter().all(|path| path.as_str() < last || path == "old/1.md"));
    let stale = report.stale().expect("what is stale");
    assert_eq!((stale.why, stale.notes), (StaleReason::Pending, report.pending.len()));
    assert_eq!(stale.parts, ["new/", "old/"]);
    let index = open(&vault, &by_word());
    assert_eq!((found(&index, "old boats")[0].as_str(), report.kept), ("old/0.md", 0));
    assert_sound(&vault.index());
    for _ in 0..3 {
        report = update_late(&vault, &by_word());
        assert_sound(&vault.index());
    }
    assert_eq!((report.stale(), report.notes), (None, 51), "each run gets on: {report:?}");
    assert_eq!(found(&index, "old boats")[0], "old/1.md");
}

#[test]
fn a_few_changes_are_never_put_off() {
    let (vault, index) = indexed("//- a.md\nBoats.\n//- b.md\nTrains.\n", &by_word());
    vault.write("a.md", "About planes now.\n");
    vault.remove("b.md");
    vault.write("c.md", "Planes as well.\n");
    let report = update_late(&vault, &by_word());
    assert_eq!((report.stale(), report.changes.len()), (None, 3));
    assert_eq!(found(&index, "planes").len(), 2);
}

#[test]
fn a_vault_that_was_not_looked_at_loses_nothing() {
    let (vault, index) = indexed("//- a/b.md\nBoats.\n//- a/c.md\nBoats too.\n", &by_word());
    vault.remove("a/b.md");
    vault.write("d.md", "New boats.\n");
    let report = try_update(&vault.root(), &vault.index(), &by_word(), SPENT).expect("an update");
    let stale = report.stale().expect("what is stale");
    assert_eq!((stale.why, stale.notes), (StaleReason::Unseen, 2));
    assert_eq!(stale.parts, ["a/b.md", "a/c.md"]);
    assert_eq!((report.changes.len(), found(&index, "boats").len()), (0, 2));
}

#[test]
fn the_first_filling_of_an_index_knows_no_budget() {
    let texts: Vec<_> = (0..60).map(|number| format!("Boat number {number}.\n")).collect();
    let vault = TestVault::new(&numbered(texts.iter().map(String::as_str)));
    let report = try_update(&vault.root(), &vault.index(), &by_word(), SPENT).expect("an update");
    assert_eq!((report.stale(), report.notes), (None, 60));
}

#[test]
fn with_time_enough_an_update_in_a_budget_is_like_one_without() {
    let settings = Settings::default();
    let vault = TestVault::new("//- a.md\nBoats.\n//- b.md\nTrains.\n");
    update(&vault, &settings);
    vault.write("c.md", "Planes.\n");
    vault.rename("a.md", "d.md");
    vault.remove("b.md");
    let options = UpdateOptions { budget: Some(Duration::from_mins(10)), ..SPENT };
    let report = try_update(&vault.root(), &vault.index(), &settings, options).expect("an update");
    assert_eq!((report.stale(), report.embedded, report.notes), (None, 1, 2));
    assert_eq!(report.count(Change::Moved), 1);
}

#[test]
fn a_changed_hit_is_read_anew_and_the_question_asked_again() {
    let files = "//- a.md\nBoats sail.\n//- b.md\nBoats row, and trains run.\n";
    let (vault, index) = indexed(files, &Settings::default());
    assert_eq!(found_now(&vault, &index, "boats").len(), 2);
    vault.write("a.md", "# Harbour\n\nBoats lie in the harbour.\n");
    let response = ask_now(&vault, &index, "boats", true);
    let hit = response.hits.iter().find(|hit| hit.path == "a.md").expect("the changed note");
    assert_eq!((hit.title.as_str(), hit.stale), ("Harbour", false));
    assert!(hit.passages[0].text.contains("lie in the harbour"), "{hit:?}");
    vault.write("a.md", "Planes fly.\n");
    let request = SearchRequest { mode: hiku::Mode::Lexical, ..SearchRequest::new("harbour") };
    let gone = index.search_current(&request, &folder(&vault), true).expect("an answer");
    assert_eq!(paths(&gone), [""; 0], "it holds the word no more");
    assert_sound(&vault.index());
}

#[test]
fn a_touched_hit_is_no_stale_one() {
    let (vault, index) = indexed("//- a.md\nBoats sail.\n", &by_word());
    vault.set_modified("a.md", 1_000);
    let response = ask_now(&vault, &index, "boats", false);
    assert_eq!((response.hits.len(), response.hits[0].stale), (1, false));
}

#[test]
fn where_nothing_may_be_written_a_changed_hit_is_marked() {
    let (vault, index) = indexed("//- a.md\nBoats sail.\n//- b.md\nBoats row.\n", &by_word());
    let generation = index.status().expect("a status").generation;
    vault.write("a.md", "Planes fly.\n");
    let stale = |rereads| {
        let response = ask_now(&vault, &index, "boats", rereads);
        let marks = response.hits.into_iter().map(|hit| (hit.path, hit.stale));
        marks.collect::<std::collections::BTreeMap<_, _>>()
    };
    let marked = [("a.md".to_owned(), true), ("b.md".to_owned(), false)];
    assert_eq!(stale(false), marked.clone().into());
    // The same while another process writes.
    let lock = fs::File::open(vault.outer().join("index.hiku.lock")).expect("the lock");
    lock.lock().expect("the lock is taken");
    assert_eq!(stale(true), marked.into());
    assert_eq!(index.status().expect("a status").generation, generation);
    drop(lock);
    assert_eq!(found_now(&vault, &index, "boats"), ["b.md"]);
}

#[test]
fn a_deleted_hit_gives_its_place_to_the_next() {
    let texts: Vec<_> = (0..12).map(|number| format!("Boats. {}\n", "x ".repeat(number))).collect();
    let (vault, index) = indexed(&numbered(texts.iter().map(String::as_str)), &by_word());
    let before = found(&index, "boats");
    assert_eq!(before.len(), 10, "the usual limit");
    vault.remove(&before[0]);
    vault.rename(&before[4], "elsewhere.md");
    let now = found_now(&vault, &index, "boats");
    let left = |path: &&String| **path != before[0] && **path != before[4];
    assert_eq!(now[..8], before.iter().filter(left).cloned().collect::<Vec<_>>());
    assert_eq!(now.len(), 10);
    for by in [Grouping::Note, Grouping::Chunk] {
        let request = SearchRequest { limit: 1, by, ..SearchRequest::new("boats") };
        let first = index.search_current(&request, &folder(&vault), false).expect("an answer");
        assert_eq!(paths(&first), [before[1].as_str()]);
    }
    // A renamed note is found under its new name once the index has followed.
    update(&vault, &by_word());
    assert!(found_now(&vault, &index, "boats").contains(&"elsewhere.md".to_owned()));
}

#[test]
fn a_vault_that_shows_nothing_keeps_its_hits_and_marks_them() {
    let (vault, index) = indexed("//- a.md\nBoats sail.\n", &by_word());
    vault.remove("a.md");
    let response = ask_now(&vault, &index, "boats", true);
    assert_eq!((response.hits.len(), response.hits[0].stale), (1, true));
    assert_eq!((update(&vault, &by_word()).kept, found(&index, "boats").len()), (1, 1));
}

#[cfg(unix)]
#[test]
fn nothing_outside_the_vault_is_read_by_way_of_a_hit() {
    let (vault, index) =
        indexed("//- a.md\nBoats.\n//- b/c.md\nBoats.\n//- d.md\nBoats.\n", &by_word());
    let outside = vault.outer().join("outside");
    fs::create_dir(&outside).expect("a folder");
    for name in ["a.md", "c.md"] {
        fs::write(outside.join(name), "Boats, and a secret.\n").expect("a file");
    }
    vault.remove("a.md");
    fs::remove_dir_all(vault.root().join("b")).expect("the folder");
    std::os::unix::fs::symlink(outside.join("a.md"), vault.root().join("a.md")).expect("a link");
    std::os::unix::fs::symlink(&outside, vault.root().join("b")).expect("a link");
    assert_eq!(found_now(&vault, &index, "boats"), ["d.md"]);
    assert_eq!(found_now(&vault, &index, "secret"), [""; 0]);
}
