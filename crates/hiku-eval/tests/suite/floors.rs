//! The floor of search quality on the sample vault's golden file, by category. A change that
//! falls below it must say why, and lower it in the same commit.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use hiku::vault::Folder;
use hiku::{Index, Settings, SilentProgress, UpdateOptions};
use hiku_eval::{Golden, Kind, Metric, RunOptions};

/// Category, its least number of queries, and the floors of nDCG@10 and hit@10. Measured: `cargo
/// test -p hiku-eval --test suite floors -- --nocapture`. One query of a category of ten that
/// drops from first to second costs 0.04, and so much room is left.
const FLOORS: [(&str, usize, f64, f64); 8] = [
    ("cross-lingual", 18, 0.55, 0.75),
    ("identifier", 18, 0.95, 1.0),
    ("keyword", 14, 0.95, 1.0),
    ("operator", 4, 0.90, 1.0),
    ("paraphrase", 17, 0.76, 1.0),
    ("recall", 13, 0.91, 1.0),
    ("redaction", 2, 1.0, 1.0),
    ("spelling", 8, 0.95, 1.0),
];
/// Least number of queries that nothing in the vault answers.
const NEGATIVES: usize = 12;

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples")
}

#[test]
fn no_category_of_the_sample_falls_below_its_floor() {
    let place = tempfile::tempdir().expect("a folder");
    let (index, settings) = (place.path().join("i.hiku"), Settings::default());
    let folder = Folder::open(&samples().join("vault"), &settings.vault).expect("the vault");
    let (options, stop) = (UpdateOptions::default(), AtomicBool::new(false));
    Index::update(&folder, &index, &settings, options, &SilentProgress, &stop).expect("an index");
    let golden = Golden::read(&samples().join("queries.jsonl")).expect("the golden file");
    let measured = golden
        .measure(&index, &settings, RunOptions::default(), &SilentProgress)
        .expect("the answers");
    assert_eq!(measured.judgements.missing, [], "labels that name no note");
    assert!(measured.answers.unavailable.is_empty(), "{:?}", measured.answers.unavailable);

    let metrics = [Metric::Ndcg(10), Metric::Hit(10), Metric::Clean(10)];
    let scores = measured.judgements.score(&measured.answers.run, &metrics);
    assert!(scores.count(Kind::Negative) >= NEGATIVES);
    let unwanted: Vec<_> = scores.queries.iter().filter(|q| !q.unwanted.is_empty()).collect();
    assert!(unwanted.is_empty(), "notes that must not be found: {unwanted:#?}");
    let mut figures = BTreeMap::new();
    for category in scores.categories().into_iter().filter(|name| *name != "negative") {
        let means = scores.means(Some(category));
        println!("{category}: {:.4} {:.4} over {}", means[0].mean, means[1].mean, means[0].queries);
        figures.insert(category, (means[0].queries, means[0].mean, means[1].mean));
    }
    let named: Vec<&str> = FLOORS.iter().map(|floor| floor.0).collect();
    assert_eq!(figures.keys().copied().collect::<Vec<_>>(), named, "each category has a floor");
    for (category, queries, ndcg, hit) in FLOORS {
        let found = figures[category];
        let holds = found.0 >= queries && found.1 >= ndcg && found.2 >= hit;
        assert!(holds, "{category}: {found:?} is below {:?}", (queries, ndcg, hit));
    }
}
