//! Figures against those of `ir_measures` 0.4.3 (with `pytrec_eval`, that is `trec_eval`'s own
//! code), for a committed run. Its scores are rounded to two digits, so that there are many ties.
//!
//! The three files of `tests/data` were made there with:
//!
//! ```sh
//! hiku eval --golden ../../../../samples/queries.jsonl --vault ../../../../samples/vault \
//!     --limit 12 --run long.run
//! sed 's/ /%20/g' long.run |
//!     awk -F'\t' -v OFS='\t' '{ $5 = sprintf("%.2f", $5); print }' > sample.run
//! jq -r '.id as $id | ((.relevant[] | [., 2]), (.partly[] | [., 1]), (.must_not[] | [., 0]))
//!     | [$id, 0, (.[0] | gsub(" "; "%20")), .[1]] | @tsv' \
//!     ../../../../samples/queries.jsonl > sample.qrels
//! pip install ir_measures==0.4.3
//! ir_measures sample.qrels sample.run 'nDCG@5 nDCG@10 R@5 R@10 RR Success@1 Success@5
//!     R(rel=2)@5 R(rel=2)@10 RR(rel=2) Success(rel=2)@1 Success(rel=2)@5' > sample.figures
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use hiku_eval::{Judgements, Metric, Run};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

#[test]
fn figures_agree_with_ir_measures_to_four_digits() {
    let run = Run::read(&data("sample.run")).expect("the run");
    let mut judgements = Judgements::read(&data("sample.qrels")).expect("the judgements");
    let figures = fs::read_to_string(data("sample.figures")).expect("the figures");
    assert_eq!(figures.lines().count(), 12);
    for line in figures.lines() {
        let (name, expected) = line.split_once('\t').expect("a name and a figure");
        judgements.level = if name.contains("(rel=2)") { 2 } else { 1 };
        let metric: Metric = name.replace("(rel=2)", "").parse().expect("a metric");
        let scores = judgements.score(&run, &[metric]);
        let means = scores.means(None);
        let [mean] = &means[..] else { panic!("{name}: {means:?}") };
        assert_eq!(format!("{:.4}", mean.mean), expected, "{name}");
        assert!(mean.low <= mean.mean && mean.mean <= mean.high, "{mean:?}");
    }
}
