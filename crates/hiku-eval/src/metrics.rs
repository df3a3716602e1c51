//! The formulas: what one ranking is worth for one judged query. Pure; means and intervals are
//! taken elsewhere.
//!
//! A *grade* above 0 is a gain; for everything but nDCG a document is relevant when its grade
//! reaches the judgements' level. Documents without a judgement have grade 0. Ranks start at 1.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;
use crate::judgements::{JudgedQuery, Kind};

/// A figure of merit; higher is better, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Metric {
    /// Normalised discounted cumulative gain of the first k: the sum of grade / log2(rank + 1)
    /// over that of the best order there can be (Järvelin & Kekäläinen 2002, with the discount of
    /// `trec_eval`'s `ndcg_cut`). The best order is that of the judgements, not of what was found.
    Ndcg(usize),
    /// Share of the relevant documents that are among the first k (`trec_eval`'s `recall`).
    Recall(usize),
    /// 1 / rank of the first relevant document, 0 if none is among the first k; `usize::MAX` takes
    /// the whole ranking (`trec_eval`'s `recip_rank`). Its mean is the MRR.
    ReciprocalRank(usize),
    /// 1 where a relevant document is among the first k (`trec_eval`'s `success`).
    Hit(usize),
    /// Of a query that nothing answers: 1 where nothing was found.
    Silence,
    /// Of a query that names documents it must not find: 1 where none is among the first k.
    Clean(usize),
}

/// What [`Metric::from_str`] reads, for messages.
const KNOWN: &str = "nDCG@K, recall@K, MRR, MRR@K, hit@K, silence and clean@K, K being 1 to 1000";

impl Metric {
    /// What is computed where nothing else is asked for.
    pub const DEFAULT: [Metric; 8] = [
        Metric::Ndcg(10),
        Metric::Recall(10),
        Metric::Recall(100),
        Metric::ReciprocalRank(usize::MAX),
        Metric::Hit(1),
        Metric::Hit(10),
        Metric::Silence,
        Metric::Clean(10),
    ];

    /// How far down a ranking the metric looks; `None` for what looks at all of it.
    pub fn depth(self) -> Option<usize> {
        match self {
            Metric::ReciprocalRank(usize::MAX) | Metric::Silence => None,
            Metric::Ndcg(k)
            | Metric::Recall(k)
            | Metric::ReciprocalRank(k)
            | Metric::Hit(k)
            | Metric::Clean(k) => Some(k),
        }
    }

    /// The metric's value for one query; `None` where it does not apply. `ranking` is best first,
    /// each document once.
    pub(crate) fn value(self, ranking: &[&str], query: &JudgedQuery, level: i64) -> Option<f64> {
        match self {
            Metric::Silence => (query.kind == Kind::Negative).then(|| one_if(ranking.is_empty())),
            Metric::Clean(k) => (!query.must_not.is_empty()).then(|| {
                let unwanted = |id: &&str| query.must_not.iter().any(|unwanted| unwanted == *id);
                one_if(!ranking.iter().take(k).any(unwanted))
            }),
            _ if query.kind != Kind::Scored => None,
            Metric::Ndcg(k) => Some(ndcg(ranking, query, k)),
            Metric::Recall(k) => {
                let found = relevant_ranks(ranking, query, level).filter(|rank| *rank <= k);
                let all = query.grades.values().filter(|grade| **grade >= level).count();
                Some(found.count() as f64 / all as f64)
            }
            Metric::ReciprocalRank(k) => {
                let first = relevant_ranks(ranking, query, level).next().filter(|rank| *rank <= k);
                Some(first.map_or(0.0, |rank| 1.0 / rank as f64))
            }
            Metric::Hit(k) => {
                Some(one_if(relevant_ranks(ranking, query, level).any(|rank| rank <= k)))
            }
        }
    }
}

fn one_if(condition: bool) -> f64 {
    f64::from(u8::from(condition))
}

/// Ranks of the relevant documents, rising.
fn relevant_ranks(
    ranking: &[&str],
    query: &JudgedQuery,
    level: i64,
) -> impl Iterator<Item = usize> {
    let ranks = ranking.iter().zip(1usize..);
    ranks.filter(move |(id, _)| query.grade(id) >= level).map(|(_, rank)| rank)
}

fn ndcg(ranking: &[&str], query: &JudgedQuery, k: usize) -> f64 {
    let gain = |grades: &mut dyn Iterator<Item = i64>| -> f64 {
        let places = grades.take(k).zip(2u32..);
        places.map(|(grade, place)| grade.max(0) as f64 / f64::from(place).log2()).sum()
    };
    let mut best: Vec<i64> = query.grades.values().copied().collect();
    best.sort_unstable_by(|a, b| b.cmp(a));
    let ideal = gain(&mut best.into_iter());
    let found = gain(&mut ranking.iter().map(|id| query.grade(id)));
    if ideal > 0.0 { found / ideal } else { 0.0 }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Metric::Ndcg(k) => write!(f, "nDCG@{k}"),
            Metric::Recall(k) => write!(f, "recall@{k}"),
            Metric::ReciprocalRank(usize::MAX) => write!(f, "MRR"),
            Metric::ReciprocalRank(k) => write!(f, "MRR@{k}"),
            Metric::Hit(k) => write!(f, "hit@{k}"),
            Metric::Silence => write!(f, "silence"),
            Metric::Clean(k) => write!(f, "clean@{k}"),
        }
    }
}

impl FromStr for Metric {
    type Err = Error;

    /// Reads a name as it is printed, in any case, and as `ir_measures` has it: `R@10`, `RR`,
    /// `Success@1`.
    fn from_str(text: &str) -> Result<Self, Error> {
        let unknown = || Error::Metric { name: text.to_owned(), known: KNOWN };
        let (name, k) = match text.split_once('@') {
            None => (text, None),
            Some((name, k)) => {
                let k = k.parse::<usize>().ok().filter(|k| (1..=1000).contains(k));
                (name, Some(k.ok_or_else(unknown)?))
            }
        };
        match (name.to_ascii_lowercase().as_str(), k) {
            ("ndcg", Some(k)) => Ok(Metric::Ndcg(k)),
            ("recall" | "r", Some(k)) => Ok(Metric::Recall(k)),
            ("mrr" | "rr", k) => Ok(Metric::ReciprocalRank(k.unwrap_or(usize::MAX))),
            ("hit" | "success", Some(k)) => Ok(Metric::Hit(k)),
            ("silence", None) => Ok(Metric::Silence),
            ("clean", Some(k)) => Ok(Metric::Clean(k)),
            _ => Err(unknown()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(grades: &[(&str, i64)], must_not: &[&str]) -> JudgedQuery {
        let grades = grades.iter().map(|(id, grade)| ((*id).to_owned(), *grade)).collect();
        let must_not = must_not.iter().map(ToString::to_string).collect();
        JudgedQuery { grades, must_not, kind: Kind::Scored, ..JudgedQuery::default() }
    }

    #[test]
    fn values_are_those_of_the_formulas() {
        let graded = query(&[("a", 2), ("b", 1), ("c", 0), ("d", -1), ("e", 2)], &[]);
        let check = |metric: &str, level: i64, ranking: &[&str], expected: f64| {
            let metric: Metric = metric.parse().expect("a metric");
            let found = metric.value(ranking, &graded, level).expect("it applies");
            assert!((found - expected).abs() < 1e-12, "{metric} of {ranking:?}: {found}");
        };
        let ideal = 2.0 + 2.0 / 3f64.log2() + 1.0 / 2.0;
        check("nDCG@10", 1, &["a", "e", "b"], 1.0);
        check("nDCG@10", 1, &["d", "x", "a"], 1.0 / ideal);
        check("nDCG@2", 1, &["b", "a"], (1.0 + 2.0 / 3f64.log2()) / (2.0 + 2.0 / 3f64.log2()));
        check("nDCG@10", 1, &[], 0.0);
        check("recall@2", 1, &["x", "b", "a"], 1.0 / 3.0);
        check("recall@10", 2, &["x", "b", "a"], 0.5);
        check("MRR", 1, &["x", "b", "a"], 0.5);
        check("MRR", 2, &["x", "b", "a"], 1.0 / 3.0);
        check("MRR@2", 2, &["x", "b", "a"], 0.0);
        check("hit@1", 1, &["b"], 1.0);
        check("hit@1", 2, &["b", "a"], 0.0);
        check("hit@2", 2, &["b", "a"], 1.0);
    }

    #[test]
    fn what_does_not_apply_has_no_value() {
        let negative = JudgedQuery { kind: Kind::Negative, ..JudgedQuery::default() };
        let scored = query(&[("a", 1)], &["m"]);
        let value = |metric: Metric, ranking: &[&str], query| metric.value(ranking, query, 1);
        assert_eq!(value(Metric::Silence, &[], &negative), Some(1.0));
        assert_eq!(value(Metric::Silence, &["a"], &negative), Some(0.0));
        assert_eq!(value(Metric::Silence, &[], &scored), None);
        assert_eq!(value(Metric::Ndcg(10), &["a"], &negative), None);
        assert_eq!(value(Metric::Clean(10), &["a"], &negative), None);
        assert_eq!(value(Metric::Clean(2), &["a", "m"], &scored), Some(0.0));
        assert_eq!(value(Metric::Clean(1), &["a", "m"], &scored), Some(1.0));
    }

    #[test]
    fn names_are_read_as_they_are_printed_and_as_others_print_them() {
        for metric in Metric::DEFAULT {
            assert_eq!(metric.to_string().parse::<Metric>().expect("a metric"), metric);
        }
        let check = |name: &str, expected: Metric| {
            assert_eq!(name.parse::<Metric>().expect("a metric"), expected);
        };
        assert_eq!(Metric::DEFAULT.map(Metric::depth)[2..4], [Some(100), None]);
        check("R@5", Metric::Recall(5));
        check("RR", Metric::ReciprocalRank(usize::MAX));
        check("mrr@10", Metric::ReciprocalRank(10));
        check("Success@1", Metric::Hit(1));
        for wrong in ["", "nDCG", "nDCG@0", "nDCG@1001", "P@10", "silence@1", "hit@x", "hit@"] {
            assert!(wrong.parse::<Metric>().is_err(), "{wrong:?}");
        }
    }
}
