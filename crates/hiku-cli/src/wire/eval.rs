//! The JSON forms of figures and comparisons. The first is also read again, as a baseline.

use std::collections::BTreeMap;

use hiku_eval::{Comparison, Kind, Mean, Metric, QueryScore, Scores};
use serde::{Deserialize, Serialize};

use super::SCHEMA;

/// The figures of a run.
#[derive(Debug, Serialize)]
pub(crate) struct EvalAnswer<'a> {
    schema: u32,
    unavailable: Vec<SignalForm<'a>>,
    metrics: Vec<MeanForm>,
    categories: BTreeMap<&'a str, Vec<MeanForm>>,
    counts: CountsForm,
    missing_labels: Vec<LabelForm<'a>>,
    queries: Vec<QueryForm<'a>>,
}

#[derive(Debug, Serialize)]
struct SignalForm<'a> {
    name: &'a str,
    reason: &'a str,
}

#[derive(Debug, Serialize)]
struct MeanForm {
    metric: String,
    queries: usize,
    mean: f64,
    low: f64,
    high: f64,
}

#[derive(Debug, Serialize)]
struct CountsForm {
    scored: usize,
    negative: usize,
    negative_with_hits: usize,
    unjudged: usize,
    labels_missing: usize,
    with_must_not_hits: usize,
}

#[derive(Debug, Serialize)]
struct LabelForm<'a> {
    query: &'a str,
    label: &'a str,
}

#[derive(Debug, Serialize)]
struct QueryForm<'a> {
    id: &'a str,
    query: &'a str,
    category: &'a str,
    kind: &'static str,
    values: BTreeMap<String, f64>,
    found: usize,
    must_not: &'a [String],
}

impl<'a> EvalAnswer<'a> {
    /// The JSON form of `scores`; `unavailable` names the signals that did not run.
    pub(crate) fn new(scores: &'a Scores, unavailable: &'a [(String, String)]) -> Self {
        let categories = scores.categories().into_iter();
        let missing = scores.missing.iter();
        EvalAnswer {
            schema: SCHEMA,
            unavailable: unavailable
                .iter()
                .map(|(name, reason)| SignalForm { name, reason })
                .collect(),
            metrics: means(&scores.means(None)),
            categories: categories.map(|name| (name, means(&scores.means(Some(name))))).collect(),
            counts: counts(scores),
            missing_labels: missing
                .map(|m| LabelForm { query: &m.query, label: &m.label })
                .collect(),
            queries: scores
                .queries
                .iter()
                .map(|query| query_form(query, &scores.metrics))
                .collect(),
        }
    }
}

fn means(means: &[Mean]) -> Vec<MeanForm> {
    let form = |mean: &Mean| MeanForm {
        metric: mean.metric.to_string(),
        queries: mean.queries,
        mean: mean.mean,
        low: mean.low,
        high: mean.high,
    };
    means.iter().map(form).collect()
}

fn counts(scores: &Scores) -> CountsForm {
    let with_hits = |query: &&QueryScore| query.kind == Kind::Negative && query.found > 0;
    CountsForm {
        scored: scores.count(Kind::Scored),
        negative: scores.count(Kind::Negative),
        negative_with_hits: scores.queries.iter().filter(with_hits).count(),
        unjudged: scores.count(Kind::Unjudged),
        labels_missing: scores.count(Kind::LabelsMissing),
        with_must_not_hits: scores.queries.iter().filter(|q| !q.unwanted.is_empty()).count(),
    }
}

fn query_form<'a>(query: &'a QueryScore, metrics: &[Metric]) -> QueryForm<'a> {
    let values = metrics.iter().zip(&query.values);
    QueryForm {
        id: &query.id,
        query: &query.text,
        category: &query.category,
        kind: match query.kind {
            Kind::Scored => "scored",
            Kind::Negative => "negative",
            Kind::Unjudged => "unjudged",
            Kind::LabelsMissing => "labels_missing",
        },
        values: values
            .filter_map(|(metric, value)| Some((metric.to_string(), (*value)?)))
            .collect(),
        found: query.found,
        must_not: &query.unwanted,
    }
}

/// What is read of a baseline.
#[derive(Debug, Deserialize)]
struct BaselineForm {
    schema: u32,
    queries: Vec<BaselineQuery>,
}

#[derive(Debug, Deserialize)]
struct BaselineQuery {
    id: String,
    query: String,
    category: String,
    values: BTreeMap<String, f64>,
}

/// Reads figures that [`EvalAnswer`] wrote.
///
/// # Errors
/// What is wrong with the text.
pub(crate) fn read_scores(text: &str) -> Result<Scores, String> {
    let form: BaselineForm = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if form.schema != SCHEMA {
        return Err(format!("its schema is {}, and this program reads {SCHEMA}", form.schema));
    }
    let mut metrics = Vec::new();
    for name in form.queries.iter().flat_map(|query| query.values.keys()) {
        let metric: Metric = name.parse().map_err(|error: hiku_eval::Error| error.to_string())?;
        if !metrics.contains(&metric) {
            metrics.push(metric);
        }
    }
    let score = |query: BaselineQuery| QueryScore {
        values: metrics.iter().map(|m| query.values.get(&m.to_string()).copied()).collect(),
        id: query.id,
        text: query.query,
        category: query.category,
        ..QueryScore::default()
    };
    let queries = form.queries.into_iter().map(score).collect();
    Ok(Scores { metrics, queries, missing: Vec::new() })
}

/// Two runs compared.
#[derive(Debug, Serialize)]
pub(crate) struct CompareAnswer<'a> {
    schema: u32,
    differences: Vec<DifferenceForm<'a>>,
    left_out: &'a [String],
}

#[derive(Debug, Serialize)]
struct DifferenceForm<'a> {
    metric: String,
    category: &'a str,
    queries: usize,
    before: f64,
    after: f64,
    difference: f64,
    low: f64,
    high: f64,
    p: f64,
    wins: usize,
    ties: usize,
    losses: usize,
    changes: Vec<ChangeForm<'a>>,
}

#[derive(Debug, Serialize)]
struct ChangeForm<'a> {
    id: &'a str,
    query: &'a str,
    before: f64,
    after: f64,
}

impl<'a> CompareAnswer<'a> {
    /// The JSON form of `comparison`.
    pub(crate) fn new(comparison: &'a Comparison) -> Self {
        let change = |change: &'a hiku_eval::Change| ChangeForm {
            id: &change.id,
            query: &change.text,
            before: change.before,
            after: change.after,
        };
        let form = |difference: &'a hiku_eval::Difference| DifferenceForm {
            metric: difference.metric.to_string(),
            category: &difference.category,
            queries: difference.queries,
            before: difference.before,
            after: difference.after,
            difference: difference.difference(),
            low: difference.low,
            high: difference.high,
            p: difference.p,
            wins: difference.wins,
            ties: difference.ties,
            losses: difference.losses,
            changes: difference.changes.iter().map(change).collect(),
        };
        CompareAnswer {
            schema: SCHEMA,
            differences: comparison.differences.iter().map(form).collect(),
            left_out: &comparison.left_out,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_as_they_were_written() {
        let query = |id: &str, values: [Option<f64>; 2]| QueryScore {
            id: id.to_owned(),
            text: format!("{id} とは"),
            category: "c".to_owned(),
            values: values.to_vec(),
            ..QueryScore::default()
        };
        let scores = Scores {
            metrics: vec![Metric::Ndcg(10), Metric::ReciprocalRank(usize::MAX)],
            queries: vec![query("a", [Some(0.1 + 0.2), Some(1.0 / 3.0)]), query("b", [None, None])],
            missing: Vec::new(),
        };
        let mut text = Vec::new();
        super::super::write_line(&mut text, &EvalAnswer::new(&scores, &[])).expect("memory");
        let text = String::from_utf8(text).expect("UTF-8");
        let read = read_scores(&text).expect("figures");
        let mut expected = scores.clone();
        if read.metrics != scores.metrics {
            expected.metrics.reverse();
            expected.queries.iter_mut().for_each(|query| query.values.reverse());
        }
        assert_eq!(read, expected);
        for wrong in ["", "{}", "{\"schema\": 9, \"queries\": []}"] {
            assert!(read_scores(wrong).is_err(), "{wrong}");
        }
    }
}
