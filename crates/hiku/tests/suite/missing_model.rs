//! A chosen model that cannot be used: words are indexed and found, vectors are kept, and the next
//! run with the model makes those that are missing.

use hiku::{Change, Error, ErrorKind, Mode, SearchRequest, Settings, SignalState, UpdateOptions};
use hiku::{MissingModel, chunk::ChunkOptions};
use testkit::TestVault;

use crate::harness::{
    FULL, LetterModel, NOTES, ask, assert_sound, found, lines, open, try_update, update,
};

/// Settings in which the model is gone.
fn without() -> Settings {
    let missing = MissingModel { path: "letters".into(), detail: "it is gone".to_owned() };
    Settings { embedder: None, missing_model: Some(missing), ..Settings::default() }
}

fn with() -> Settings {
    LetterModel::settings("letters-1")
}

fn indexed() -> TestVault {
    let vault = TestVault::new(NOTES);
    update(&vault, &with());
    vault
}

#[test]
fn a_search_answers_by_word_and_says_why() {
    let vault = indexed();
    let index = open(&vault, &without());
    let response = ask(&index, "release");
    assert_eq!(response.hits.len(), 4);
    let dense = response.signals.iter().find(|signal| signal.name == "dense").expect("a signal");
    let expected = (SignalState::Unavailable, "cannot use the model letters: it is gone");
    assert_eq!((dense.state, dense.reason.as_str()), expected);
    let asks = [
        SearchRequest { strict: true, ..SearchRequest::new("release") },
        SearchRequest { mode: Mode::Dense, ..SearchRequest::new("release") },
    ];
    for request in asks {
        let error = index.search(&request).expect_err("a missing signal");
        assert!(matches!(error, Error::SignalMissing { signal: "dense", .. }), "{error}");
    }
}

#[test]
fn an_update_keeps_vectors_and_the_next_one_with_the_model_adds_the_rest() {
    let vault = indexed();
    vault.write("beta.md", "# Beta\n\nRewritten while the model was gone.\n");
    vault.write("new.md", "A new note, written while it was gone.\n");
    vault.rename("alpha.md", "moved/alpha.md");
    let report = update(&vault, &without());
    assert_eq!((report.notes, report.embedded, report.rebuilt), (5, 0, None), "{report:?}");
    assert_eq!(report.unembedded, 3);
    assert_eq!(found(&open(&vault, &without()), "rewritten gone"), ["beta.md", "new.md"]);
    let again = update(&vault, &without());
    assert_eq!((again.generation, again.unembedded), (report.generation, 3));
    let problems = open(&vault, &without()).check().expect("a check");
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].message.contains("has no vectors yet"), "{problems:?}");

    let report = update(&vault, &with());
    let expected = (3, 0, None, 0);
    let got = (report.embedded, report.changes.len(), report.rebuilt, report.unembedded);
    assert_eq!(got, expected, "{report:?}");
    assert_sound(&vault.index());
    assert_eq!(update(&vault, &with()).generation, report.generation);
    assert_answers_as_new(&vault);
}

/// By word to the last bit; by meaning every note is there.
fn assert_answers_as_new(vault: &TestVault) {
    let anew = TestVault::new("");
    let options = UpdateOptions::default();
    try_update(&vault.root(), &anew.index(), &with(), options).expect("an update");
    for query in ["release", "rewritten", "朝"] {
        let ask = |vault: &TestVault, mode| {
            let request = SearchRequest { mode, ..SearchRequest::new(query) };
            open(vault, &with()).search(&request).expect("an answer")
        };
        let by_word = |vault| lines(ask(vault, Mode::Lexical));
        assert_eq!(by_word(vault), by_word(&anew), "{query}");
        let by_meaning = |vault| ask(vault, Mode::Dense).hits.len();
        assert_eq!(by_meaning(vault), by_meaning(&anew), "{query}");
    }
}

#[test]
fn many_changes_do_not_end_the_weights_epoch_of_a_model_that_is_missing() {
    let vault = indexed();
    for number in 0..40 {
        vault.write(&format!("{number}.md"), format!("Note {number} about the release.\n"));
    }
    assert_eq!(update(&vault, &without()).unembedded, 40);
    let report = update(&vault, &with());
    assert!(report.embedded >= 40, "{report:?}");
    assert_sound(&vault.index());
}

#[test]
fn vectors_are_not_thrown_away_for_a_rebuild() {
    let vault = indexed();
    let before = std::fs::read(vault.index()).expect("the index");
    let chunk = ChunkOptions { max_characters: 999, ..ChunkOptions::default() };
    let recut = Settings { chunk, ..without() };
    for (settings, options) in [(without(), FULL), (recut, UpdateOptions::default())] {
        let error = try_update(&vault.root(), &vault.index(), &settings, options);
        let error = error.expect_err("a rebuild without the model");
        assert!(matches!(error, Error::Model { .. }) && error.kind() == ErrorKind::User, "{error}");
        assert!(std::fs::read(vault.index()).expect("the index") == before);
    }
}

#[test]
fn a_first_index_is_by_word_until_the_model_is_there() {
    let vault = TestVault::new(NOTES);
    let report = update(&vault, &without());
    assert_eq!((report.notes, report.unembedded), (4, 4));
    vault.write("beta.md", "# Beta\n\nRewritten before the model came.\n");
    let report = update(&vault, &with());
    assert_eq!((report.count(Change::Changed), report.rebuilt.is_some()), (1, true), "{report:?}");
    assert_sound(&vault.index());
    assert_answers_as_new(&vault);
}
