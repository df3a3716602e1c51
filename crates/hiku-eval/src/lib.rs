//! Measuring: judged sets in BEIR layout, golden files over a vault, runs in TREC form, metrics
//! with intervals, and comparisons of two runs. Uses the library's public face only; prints
//! nothing, reads no environment, calls no model over a network.

mod answer;
mod compare;
mod error;
mod golden;
mod judgements;
mod lines;
mod metrics;
mod qrels;
mod resample;
mod run;
mod scores;
mod set;
mod source;
mod vault;

pub use answer::{Answers, RunOptions};
pub use compare::{Change, Comparison, Difference, SIGNIFICANT};
pub use error::Error;
pub use golden::{Golden, GoldenQuery};
pub use judgements::{JudgedQuery, Judgements, Kind, MissingLabel};
pub use metrics::Metric;
pub use run::Run;
pub use scores::{Mean, QueryScore, Scores, UNWANTED_WITHIN};
pub use set::{Document, JudgedSet, Query, QueryMetadata};
pub use vault::Measured;
