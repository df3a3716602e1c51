//! A golden file asked of an index: what is missing, what is empty, and that nothing is changed.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use hiku::vault::Folder;
use hiku::{Index, Settings, SilentProgress, UpdateOptions};
use hiku_eval::{Error, Golden, Kind, Measured, Metric, RunOptions};
use testkit::TestVault;

const NOTES: &str = "//- a.md\nAll about apples.\n//- deep/b c.md\nAll about bread.\n//- か\u{3099}.md\n\
                     All about gardens.\n";

fn indexed(files: &str) -> TestVault {
    let vault = TestVault::new(files);
    let settings = Settings::default();
    let folder = Folder::open(&vault.root(), &settings.vault).expect("the vault");
    let (options, stop) = (UpdateOptions::default(), AtomicBool::new(false));
    Index::update(&folder, &vault.index(), &settings, options, &SilentProgress, &stop)
        .expect("an index");
    vault
}

fn measure(vault: &TestVault, index: &Path, golden: &str) -> Result<Measured, Error> {
    let file = vault.outer().join("golden.jsonl");
    fs::write(&file, golden).expect("the file");
    Golden::read(&file).expect("a golden file").measure(
        index,
        &Settings::default(),
        RunOptions::default(),
        &SilentProgress,
    )
}

const GOLDEN: &str = r#"
{"id": "1", "query": "apples", "relevant": ["a.md"], "partly": ["gone.md"], "must_not": ["also gone.md"]}
{"id": "2", "query": "bread", "relevant": ["b c"]}
{"id": "3", "query": "gardens", "relevant": ["が.md"]}
{"id": "4", "query": "cellars", "relevant": ["gone.md"], "partly": ["a.md"]}
{"id": "5", "query": "xyzzy"}
"#;

#[test]
fn missing_labels_are_reported_and_their_queries_not_scored() {
    let vault = indexed(NOTES);
    let measured = measure(&vault, &vault.index(), GOLDEN).expect("the answers");
    let missing: Vec<(&str, &str)> = measured
        .judgements
        .missing
        .iter()
        .map(|missing| (missing.query.as_str(), missing.label.as_str()))
        .collect();
    assert_eq!(missing, [("1", "also gone.md"), ("1", "gone.md"), ("4", "gone.md")]);
    let metrics = [Metric::Hit(1), Metric::Ndcg(10)];
    let scores = measured.judgements.score(&measured.answers.run, &metrics);
    let kinds: Vec<Kind> = scores.queries.iter().map(|query| query.kind).collect();
    let scored = Kind::Scored;
    assert_eq!(kinds, [scored, scored, scored, Kind::LabelsMissing, Kind::Negative]);
    // Labels may be in any spelling that names one note.
    for mean in scores.means(None) {
        assert_eq!((mean.queries, mean.mean), (3, 1.0), "{mean:?}");
    }
}

#[test]
fn the_index_is_left_as_it_is() {
    let vault = indexed(NOTES);
    let state = || {
        let bytes = fs::read(vault.index()).expect("the index");
        (bytes, Index::open(&vault.index(), &Settings::default()).expect("it").status())
    };
    let generation = |state: &(Vec<u8>, hiku::Result<hiku::Status>)| {
        state.1.as_ref().expect("a status").generation
    };
    let before = state();
    vault.write("new.md", "More about apples.");
    measure(&vault, &vault.index(), GOLDEN).expect("the answers");
    let after = state();
    assert!(before.0 == after.0, "the file changed");
    assert_eq!(generation(&before), generation(&after));
}

#[test]
fn a_missing_or_empty_index_is_an_error() {
    let vault = indexed("");
    let empty = measure(&vault, &vault.index(), GOLDEN).expect_err("no notes").to_string();
    assert!(empty.contains("has no notes") || empty.contains("there is no index"), "{empty}");
    let absent = vault.outer().join("absent.hiku");
    let error = measure(&vault, &absent, GOLDEN).expect_err("no index");
    let Error::Library { source: hiku::Error::IndexMissing { .. }, .. } = error else {
        panic!("{error}");
    };
    assert!(!absent.exists(), "it is not made");
}
