//! Each kind of damage is found and named; sound indexes have no problem.

use testkit::TestVault;

use super::*;
use crate::inspect::tests::{indexed, refresh, refresh_with};
use crate::settings::{MissingModel, Settings};
use crate::store::tests::{CHECKED_COLUMNS, DAMAGES, alter, damage};

const NOTES: &str = "//- a.md\n# Alpha\n\nFirst text of the first note.\n\n## More\nSecond text, long \
    enough to be a chunk.\n//- b.md\n検索の仕組みを説明する文章。\n//- c.md\nThird note text.\n";

fn messages(vault: &TestVault) -> Vec<String> {
    messages_with(vault, &Settings::default())
}

fn messages_with(vault: &TestVault, settings: &Settings) -> Vec<String> {
    found(vault, settings, Depth::Parts)
}

/// With the texts looked at too.
fn all_messages(vault: &TestVault, settings: &Settings) -> Vec<String> {
    found(vault, settings, Depth::Texts)
}

fn found(vault: &TestVault, settings: &Settings, depth: Depth) -> Vec<String> {
    let problems = check(&vault.index(), settings, depth).expect("a check");
    problems.into_iter().map(|problem| problem.message).collect()
}

const NONE: [&str; 0] = [];

#[test]
fn sound_indexes_have_no_problem() {
    let vault = indexed("");
    assert_eq!(all_messages(&vault, &Settings::default()), NONE, "empty");
    vault.write("a.md", "The first note.\n");
    refresh(&vault);
    assert_eq!(all_messages(&vault, &Settings::default()), NONE, "no longer empty");
    let vault = indexed(NOTES);
    assert_eq!(all_messages(&vault, &Settings::default()), NONE, "new");
    vault.write("b.md", "Changed text of the second note.\n");
    vault.write("d.md", "A fourth note.\n");
    refresh(&vault);
    assert_eq!(all_messages(&vault, &Settings::default()), NONE, "changed");
    vault.remove("a.md");
    vault.rename("c.md", "e/c.md");
    refresh(&vault);
    assert_eq!(all_messages(&vault, &Settings::default()), NONE, "removed and moved");
    vault.write("f.md", "A fourth note.\n");
    vault.write("empty.md", "");
    refresh(&vault);
    assert_eq!(all_messages(&vault, &Settings::default()), NONE, "two of the same content");
    vault.write("board.canvas", r#"{"nodes":[{"id":"1","type":"text","text":"A board's text."}]}"#);
    refresh(&vault);
    assert_eq!(all_messages(&vault, &Settings::default()), NONE, "with a canvas");
}

#[test]
fn without_a_model_there_are_no_vectors_to_miss() {
    let vault = TestVault::new(NOTES);
    let without = Settings { embedder: None, ..Settings::default() };
    refresh_with(&vault, &without);
    assert_eq!(all_messages(&vault, &without), NONE, "none from the start");
    refresh(&vault);
    assert_eq!(all_messages(&vault, &Settings::default()), NONE, "given later");
    let vault = indexed(NOTES);
    refresh_with(&vault, &without);
    assert_eq!(all_messages(&vault, &without), NONE, "taken away");
    refresh(&vault);
    assert_eq!(all_messages(&vault, &Settings::default()), NONE, "given back");
}

#[test]
fn vectors_of_another_model_are_told() {
    let vault = indexed(NOTES);
    let without = Settings { embedder: None, ..Settings::default() };
    let found = messages_with(&vault, &without);
    let expected = "the vectors are of another model than the one in use: multilingual";
    assert!(found.len() == 1 && found[0].starts_with(expected), "{found:#?}");
    let missing = MissingModel { path: "gone".into(), detail: "it is not there".to_owned() };
    let missing = Settings { missing_model: Some(missing), ..without };
    assert_eq!(messages_with(&vault, &missing), NONE, "one that is missing cannot be compared");
}

#[test]
fn one_altered_bit_of_any_record_is_found() {
    let vault = indexed(NOTES);
    let good = std::fs::read(vault.index()).expect("the file");
    for (table, column) in CHECKED_COLUMNS {
        for part in 0..8 {
            std::fs::write(vault.index(), &good).expect("the file");
            alter(&vault.index(), table, column, part);
            let found = messages(&vault);
            let told =
                |message: &String| message.starts_with("a record is not as it was written: ");
            assert!(found.iter().any(told), "{table}.{column}, part {part}: {found:#?}");
        }
    }
}

#[test]
fn each_damage_is_named() {
    for (name, expected) in [
        ("content of a note is gone", "a note has no stored text: b.md"),
        ("note of a content is gone", "a stored text belongs to no note: note "),
        ("attributes", "a note's attributes cannot be read: a.md and 2 more"),
        ("layout", "a note's chunks cannot be read: a.md"),
        ("text", "a note's text cannot be read: a.md"),
        ("shorter text", "a chunk does not lie inside its note's text: a.md"),
        ("segment", "a note is not in the term index: a.md and 2 more"),
        ("ordinal", "a note is not in the term index: b.md"),
        ("exchanged places", "a note's place in the term index is another note's: a.md and 1 more"),
        ("dead document", "a note counts as removed in the term index: "),
        ("document of no note", "a living document of the term index is no note's: document "),
        ("other chunks", "a note has other chunks in the term index: "),
        ("vectors are gone", "a note's vectors are missing: a.md"),
        ("vectors of another", "a note's vectors are those of another text: a.md"),
        ("orphaned vectors", "vectors belong to no note: vectors "),
        ("title vector is gone", "a note's title vector is missing: a.md"),
        ("orphaned title vector", "a title vector belongs to no note: note 999"),
        ("title vector's length", "title vectors differ in length: "),
        ("pieces", "a note's vectors, norms, chunks and term index disagree on its pieces: a.md"),
        ("norms", "a note's vectors, norms, chunks and term index disagree on its pieces: a.md"),
        ("sketches", "a part of the index cannot be read: a segment's columns disagree"),
        ("columns", "a part of the index cannot be read: a segment's columns disagree"),
        ("type of a value", "a part of the index cannot be read: "),
        ("lengths", "a document's lengths are not those of its term lists: document 0"),
        ("chunk lengths", "the chunks' lengths are not those of their term lists: segment 1"),
        ("block", "a block of term lists cannot be read: "),
        ("first term", "term lists are not in the order of their terms: "),
        ("list", "a term list names a document or chunk that is not there: "),
        ("lists of no segment", "term lists or sketches belong to no segment: segment 7"),
        ("fact", "a fact about the index is missing: rules"),
        ("generation", "a fact about the index is missing: generation"),
        ("token counts", "a fact about the index is missing: epoch_counts"),
    ] {
        let vault = indexed(NOTES);
        damage(&vault.index(), name);
        let found = messages(&vault);
        assert!(found.iter().any(|m| m.starts_with(expected)), "{name}: {found:#?}");
        assert!(found.len() <= 5, "{name} is reported too often: {found:#?}");
    }
}

#[test]
fn every_damage_is_found() {
    for (name, _) in DAMAGES {
        let vault = indexed(NOTES);
        damage(&vault.index(), name);
        let problems = check(&vault.index(), &Settings::default(), Depth::Parts).expect("a check");
        assert!(!problems.is_empty(), "{name}");
        assert!(problems.iter().all(|problem| problem.remedy.contains("hiku index")), "{name}");
    }
}

#[test]
fn a_damaged_page_is_found_by_sqlite() {
    let vault = indexed(NOTES);
    let mut bytes = std::fs::read(vault.index()).expect("the file");
    let page = 16_384;
    bytes[page * 2..page * 2 + 64].fill(0xA5);
    std::fs::write(vault.index(), bytes).expect("the file");
    let found = messages(&vault);
    assert!(found.iter().any(|m| m.starts_with("the file is damaged: ")), "{found:#?}");
}

#[test]
fn garbled_bytes_end_nothing() {
    let good = std::fs::read(indexed(NOTES).index()).expect("the file");
    let vault = TestVault::new("");
    for width in [1, 3, 40, 700] {
        for place in (100..good.len() - width).step_by(good.len() / 97) {
            let mut bytes = good.clone();
            for (at, byte) in bytes[place..place + width].iter_mut().enumerate() {
                *byte ^= (at * 31 + 7) as u8 | 1;
            }
            std::fs::write(vault.index(), bytes).expect("the file");
            for kind in [
                check(&vault.index(), &Settings::default(), Depth::Parts)
                    .err()
                    .map(|error| error.kind()),
                crate::inspect::status(&vault.index()).err().map(|error| error.kind()),
                crate::inspect::stored(&vault.index(), "a").err().map(|error| error.kind()),
            ] {
                assert!(kind != Some(crate::ErrorKind::Internal), "{width} at {place}");
            }
        }
    }
}

#[test]
fn no_index_is_an_error_and_an_unpublished_one_a_problem() {
    let vault = TestVault::new("//- a.md\nText.\n");
    assert!(matches!(
        check(&vault.index(), &Settings::default(), Depth::Parts),
        Err(Error::IndexMissing { .. })
    ));
    drop(Store::open_for_writing(&vault.index()).expect("an empty index"));
    assert_eq!(messages(&vault), ["nothing was published in the index yet: generation 0"]);
}
