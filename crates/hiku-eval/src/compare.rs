//! Two runs over the same queries: differences with their intervals and tests, the queries that
//! moved, and what fell so that chance does not explain it.

use std::collections::{BTreeSet, HashMap};

use crate::error::Error;
use crate::metrics::Metric;
use crate::resample::{self, ROUNDING};
use crate::scores::{QueryScore, Scores};

/// Below this p a difference counts as one that chance does not explain.
pub const SIGNIFICANT: f64 = 0.05;

/// A metric in both runs, over the queries that both have.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The metric.
    pub metric: Metric,
    /// The category; empty for all queries.
    pub category: String,
    /// Queries to which the metric applies in both.
    pub queries: usize,
    /// Mean of the first run.
    pub before: f64,
    /// Mean of the second run.
    pub after: f64,
    /// Lower end of the 95 % bootstrap interval of the difference, second less first.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Two-sided p of the paired randomisation test.
    pub p: f64,
    /// Queries on which the second is better.
    pub wins: usize,
    /// Queries on which both are the same.
    pub ties: usize,
    /// Queries on which the second is worse.
    pub losses: usize,
    /// The queries that changed, greatest change first.
    pub changes: Vec<Change>,
}

/// A query's value in both runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The query's id.
    pub id: String,
    /// What was asked; empty where it is not known.
    pub text: String,
    /// The first run's value.
    pub before: f64,
    /// The second run's value.
    pub after: f64,
}

/// The comparison of two runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Comparison {
    /// Over all queries, then by category; in each the metrics in the order of the second run.
    pub differences: Vec<Difference>,
    /// Ids that only one of the two has, or that mean another query there.
    pub left_out: Vec<String>,
}

impl Difference {
    /// Second less first.
    pub fn difference(&self) -> f64 {
        self.after - self.before
    }

    /// True where the second is worse and chance does not explain it.
    pub fn is_fall(&self) -> bool {
        self.difference() < -ROUNDING && self.p < SIGNIFICANT
    }
}

impl Change {
    /// Second less first.
    pub fn difference(&self) -> f64 {
        self.after - self.before
    }
}

impl Comparison {
    /// Compares `after` with `before`. Queries belong together by id, and by text where both know
    /// it.
    ///
    /// # Errors
    /// No query or no metric in common.
    pub fn of(before: &Scores, after: &Scores) -> Result<Self, Error> {
        let (pairs, left_out) = pairs(before, after);
        if pairs.is_empty() {
            return Err(Error::NothingInCommon { what: "queries" });
        }
        let metrics: Vec<(Metric, usize, usize)> = after
            .metrics
            .iter()
            .enumerate()
            .filter_map(|(place, metric)| {
                let other = before.metrics.iter().position(|known| known == metric)?;
                Some((*metric, other, place))
            })
            .collect();
        if metrics.is_empty() {
            return Err(Error::NothingInCommon { what: "metrics" });
        }
        let categories: BTreeSet<&str> = pairs.iter().map(|(_, a)| a.category.as_str()).collect();
        let mut differences = Vec::new();
        for category in std::iter::once("").chain(categories.into_iter().filter(|c| !c.is_empty()))
        {
            let chosen: Vec<_> = pairs
                .iter()
                .filter(|(_, a)| category.is_empty() || a.category == category)
                .collect();
            differences.extend(metrics.iter().filter_map(|metric| one(&chosen, *metric, category)));
        }
        Ok(Comparison { differences, left_out })
    }

    /// What fell so that chance does not explain it.
    pub fn falls(&self) -> impl Iterator<Item = &Difference> {
        self.differences.iter().filter(|difference| difference.is_fall())
    }
}

type Pair<'a> = (&'a QueryScore, &'a QueryScore);

fn pairs<'a>(before: &'a Scores, after: &'a Scores) -> (Vec<Pair<'a>>, Vec<String>) {
    let mut known: HashMap<&str, &QueryScore> =
        before.queries.iter().map(|query| (query.id.as_str(), query)).collect();
    let (mut pairs, mut left_out) = (Vec::new(), BTreeSet::new());
    for query in &after.queries {
        match known.remove(query.id.as_str()) {
            Some(old) if old.text == query.text || old.text.is_empty() || query.text.is_empty() => {
                pairs.push((old, query));
            }
            _ => drop(left_out.insert(query.id.clone())),
        }
    }
    left_out.extend(known.into_keys().map(str::to_owned));
    (pairs, left_out.into_iter().collect())
}

fn one(
    pairs: &[&Pair<'_>],
    (metric, before_place, after_place): (Metric, usize, usize),
    category: &str,
) -> Option<Difference> {
    let values = pairs.iter().filter_map(|(before, after)| {
        let value = |query: &QueryScore, place: usize| query.values.get(place).copied().flatten();
        Some((*after, value(before, before_place)?, value(after, after_place)?))
    });
    let values: Vec<(&QueryScore, f64, f64)> = values.collect();
    let mean = |values: &mut dyn Iterator<Item = f64>| resample::mean(&values.collect::<Vec<_>>());
    let differences: Vec<f64> = values.iter().map(|(_, before, after)| after - before).collect();
    let (low, high) = resample::interval(&differences);
    let count = |wanted: fn(f64) -> bool| differences.iter().filter(|d| wanted(**d)).count();
    let (wins, losses) = (count(|d| d > ROUNDING), count(|d| d < -ROUNDING));
    (!values.is_empty()).then(|| Difference {
        metric,
        category: category.to_owned(),
        queries: values.len(),
        before: mean(&mut values.iter().map(|(_, before, _)| *before)),
        after: mean(&mut values.iter().map(|(_, _, after)| *after)),
        low,
        high,
        p: resample::paired_p(&differences),
        wins,
        ties: values.len() - wins - losses,
        losses,
        changes: changes(&values),
    })
}

/// Equal changes are in the order of their ids.
fn changes(values: &[(&QueryScore, f64, f64)]) -> Vec<Change> {
    let change = |(query, before, after): &(&QueryScore, f64, f64)| Change {
        id: query.id.clone(),
        text: query.text.clone(),
        before: *before,
        after: *after,
    };
    let mut changes: Vec<Change> =
        values.iter().map(change).filter(|c| c.difference().abs() > ROUNDING).collect();
    changes.sort_by(|a, b| {
        let size = |change: &Change| change.difference().abs();
        size(b).total_cmp(&size(a)).then_with(|| a.id.cmp(&b.id))
    });
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(values: &[(&str, &str, Option<f64>)]) -> Scores {
        let query = |(id, category, value): &(&str, &str, Option<f64>)| QueryScore {
            id: (*id).to_owned(),
            category: (*category).to_owned(),
            values: vec![*value],
            ..QueryScore::default()
        };
        let queries = values.iter().map(query).collect();
        Scores { metrics: vec![Metric::Ndcg(10)], queries, missing: Vec::new() }
    }

    /// Eight queries of category `a` that fall from 1 to `to`, and two of `b` that rise.
    fn fallen(to: f64) -> (Scores, Scores) {
        let names: Vec<String> = (0..8).map(|number| format!("a{number}")).collect();
        let all = |value: f64, other: f64| {
            let mut values: Vec<_> = names.iter().map(|n| (n.as_str(), "a", Some(value))).collect();
            values.extend([("b0", "b", Some(other)), ("b1", "b", Some(other)), ("n", "", None)]);
            scores(&values)
        };
        (all(1.0, 0.5), all(to, 0.75))
    }

    #[test]
    fn a_fall_is_named_by_metric_category_and_queries() {
        let (before, after) = fallen(0.5);
        let comparison = Comparison::of(&before, &after).expect("a comparison");
        let falls: Vec<(&str, usize)> =
            comparison.falls().map(|fall| (fall.category.as_str(), fall.losses)).collect();
        assert_eq!(falls, [("", 8), ("a", 8)]);
        let [all, a, b] = &comparison.differences[..] else { panic!("{comparison:?}") };
        assert_eq!((all.queries, all.wins, all.ties, all.losses), (10, 2, 0, 8));
        assert!((all.difference() + 0.35).abs() < 1e-12 && all.low < -0.35 && all.high > -0.35);
        assert_eq!(a.changes.iter().map(|c| c.id.as_str()).collect::<Vec<_>>()[..2], ["a0", "a1"]);
        assert!(b.difference() > 0.0 && b.p > 0.05, "two queries prove nothing: {}", b.p);
        assert!(a.p < 0.02, "{}", a.p);
    }

    #[test]
    fn the_same_is_no_fall_and_neither_is_a_rise() {
        for to in [1.0, 1.5] {
            let (before, after) = fallen(to);
            let comparison = Comparison::of(&before, &after).expect("a comparison");
            assert_eq!(comparison.falls().count(), 0, "{to}");
        }
        let (before, _) = fallen(1.0);
        let comparison = Comparison::of(&before, &before).expect("a comparison");
        assert!(comparison.differences.iter().all(|d| (d.p - 1.0).abs() < 1e-12));
    }

    #[test]
    fn only_what_both_have_is_compared() {
        let mut before = scores(&[("a", "", Some(1.0)), ("b", "", Some(1.0)), ("c", "", None)]);
        let mut after = scores(&[("a", "", Some(0.0)), ("c", "", Some(1.0)), ("d", "", Some(1.0))]);
        let comparison = Comparison::of(&before, &after).expect("a comparison");
        assert_eq!(comparison.differences[0].queries, 1);
        assert_eq!(comparison.left_out, ["b", "d"]);
        before.queries[0].text = "then".to_owned();
        after.queries[0].text = "now".to_owned();
        let comparison = Comparison::of(&before, &after).expect("a comparison");
        assert_eq!(comparison.left_out, ["a", "b", "d"]);
        after.metrics = vec![Metric::Hit(1)];
        assert!(Comparison::of(&before, &after).is_err());
        assert!(Comparison::of(&scores(&[]), &after).is_err());
    }
}
