//! A run against judgements: every metric of every query, and their means with intervals, over all
//! queries and by category. The formulas are in `metrics`.

use std::collections::BTreeSet;

use crate::judgements::{JudgedQuery, Judgements, Kind, MissingLabel};
use crate::metrics::Metric;
use crate::resample;
use crate::run::Run;

/// Hits that are looked at for documents that must not come.
pub const UNWANTED_WITHIN: usize = 10;

/// One query's figures.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QueryScore {
    /// Its identity.
    pub id: String,
    /// What was asked; empty where it is not known.
    pub text: String,
    /// Its category, or empty.
    pub category: String,
    /// What it is good for.
    pub kind: Kind,
    /// A value for each metric; `None` where the metric does not apply.
    pub values: Vec<Option<f64>>,
    /// Number of documents that were found.
    pub found: usize,
    /// Documents among the first [`UNWANTED_WITHIN`] that must not be found.
    pub unwanted: Vec<String>,
}

/// The figures of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scores {
    /// What was computed.
    pub metrics: Vec<Metric>,
    /// The queries in the order of the judgements.
    pub queries: Vec<QueryScore>,
    /// Labels that name what the index does not hold.
    pub missing: Vec<MissingLabel>,
}

/// A metric's mean over some queries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mean {
    /// The metric.
    pub metric: Metric,
    /// Queries to which it applies, at least 1.
    pub queries: usize,
    /// The mean.
    pub mean: f64,
    /// Lower end of its 95 % bootstrap interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Judgements {
    /// Scores a run. A judged query that the run does not have counts as one for which nothing was
    /// found; what the run has beyond the judgements is passed over.
    pub fn score(&self, run: &Run, metrics: &[Metric]) -> Scores {
        let ordered = run.ordered();
        let score = |query: &JudgedQuery| {
            let found = ordered.get(query.id.as_str()).map_or(&[][..], Vec::as_slice);
            self.score_query(query, found, metrics)
        };
        Scores {
            metrics: metrics.to_vec(),
            queries: self.queries.iter().map(score).collect(),
            missing: self.missing.clone(),
        }
    }

    fn score_query(&self, query: &JudgedQuery, found: &[&str], metrics: &[Metric]) -> QueryScore {
        let is_neutral = |id: &&str| query.neutral.iter().any(|neutral| neutral == id);
        let ranking: Vec<&str> = found.iter().copied().filter(|id| !is_neutral(id)).collect();
        let value = |metric: &Metric| metric.value(&ranking, query, self.level);
        let first = ranking.iter().take(UNWANTED_WITHIN);
        let unwanted = first.filter(|id| query.must_not.iter().any(|unwanted| unwanted == *id));
        QueryScore {
            id: query.id.clone(),
            text: query.text.clone(),
            category: query.category.clone(),
            kind: query.kind,
            values: metrics.iter().map(value).collect(),
            found: ranking.len(),
            unwanted: unwanted.map(ToString::to_string).collect(),
        }
    }
}

impl Scores {
    /// Number of queries of a kind.
    pub fn count(&self, kind: Kind) -> usize {
        self.queries.iter().filter(|query| query.kind == kind).count()
    }

    /// The names of the categories, sorted, without the empty one.
    pub fn categories(&self) -> Vec<&str> {
        let names: BTreeSet<&str> = self.queries.iter().map(|q| q.category.as_str()).collect();
        names.into_iter().filter(|name| !name.is_empty()).collect()
    }

    /// The metrics' means over one category, or over all queries. A metric that applies to none of
    /// them is left out.
    pub fn means(&self, category: Option<&str>) -> Vec<Mean> {
        let mean = |(place, metric): (usize, &Metric)| {
            let chosen = self.queries.iter().filter(|q| category.is_none_or(|c| c == q.category));
            let values: Vec<f64> = chosen.filter_map(|query| query.values[place]).collect();
            let (low, high) = resample::interval(&values);
            let queries = values.len();
            (queries > 0).then(|| Mean {
                metric: *metric,
                queries,
                mean: resample::mean(&values),
                low,
                high,
            })
        };
        self.metrics.iter().enumerate().filter_map(mean).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn judged(id: &str, category: &str, grades: &[(&str, i64)]) -> JudgedQuery {
        JudgedQuery {
            id: id.to_owned(),
            category: category.to_owned(),
            kind: if grades.is_empty() { Kind::Negative } else { Kind::Scored },
            grades: grades.iter().map(|(id, g)| ((*id).to_owned(), *g)).collect::<HashMap<_, _>>(),
            must_not: vec!["bad".to_owned()],
            neutral: vec!["neutral".to_owned()],
            ..JudgedQuery::default()
        }
    }

    fn run(rankings: &[(&str, &[&str])]) -> Run {
        let scored = |found: &[&str]| {
            let places = found.iter().zip(0u32..);
            places.map(|(id, place)| ((*id).to_owned(), -f64::from(place))).collect()
        };
        Run { rankings: rankings.iter().map(|(id, f)| ((*id).to_owned(), scored(f))).collect() }
    }

    #[test]
    fn queries_without_answers_count_as_zero_and_neutral_documents_not_at_all() {
        let queries = vec![
            judged("a", "x", &[("d", 1)]),
            judged("b", "y", &[("d", 1)]),
            judged("c", "y", &[]),
        ];
        let judgements = Judgements { queries, level: 1, missing: Vec::new() };
        let run = run(&[("a", &["neutral", "d", "bad"]), ("c", &["e"]), ("z", &["d"])]);
        let metrics = [Metric::Hit(1), Metric::Silence, Metric::Clean(10)];
        let scores = judgements.score(&run, &metrics);
        let means = |category| -> Vec<(usize, f64)> {
            scores.means(category).iter().map(|mean| (mean.queries, mean.mean)).collect()
        };
        assert_eq!(means(None), [(2, 0.5), (1, 0.0), (3, 2.0 / 3.0)]);
        assert_eq!(means(Some("x")), [(1, 1.0), (1, 0.0)]);
        assert_eq!(means(Some("y")), [(1, 0.0), (1, 0.0), (2, 1.0)]);
        assert_eq!(scores.categories(), ["x", "y"]);
        assert_eq!(scores.queries[0].unwanted, ["bad"]);
        assert_eq!(scores.queries.iter().map(|query| query.found).collect::<Vec<_>>(), [2, 0, 1]);
        assert_eq!((scores.count(Kind::Scored), scores.count(Kind::Negative)), (2, 1));
    }
}
