//! The flags of `hiku eval` and its subcommands as typed, with their help text.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use hiku_eval::Metric;

use super::{FusionArgument, ModeArgument, PlaceArguments};

/// Flags of `hiku eval`.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "A judged set is indexed in a scratch file, under your config's [ranking], [chunk] \
                  and model. With --golden the vault's index is asked as it is: it is never made, \
                  brought up to date or mended, and nothing is asked over a network. Metrics are \
                  trec_eval's: nDCG with the label as gain, equal scores by id from last to first. \
                  docs/evaluation.md explains how to label queries and read the figures."
)]
pub(crate) struct EvalArguments {
    /// What else to do.
    #[command(subcommand)]
    pub(crate) action: Option<EvalAction>,
    /// The judged set's folder: corpus.jsonl, queries.jsonl, qrels.tsv
    #[arg(value_name = "SET_DIR", required_unless_present = "golden",
          conflicts_with_all = ["golden", "vault", "index"])]
    pub(crate) set: Option<PathBuf>,
    /// Ask the labelled queries in FILE of the vault's index instead
    #[arg(long, value_name = "FILE", conflicts_with = "model")]
    pub(crate) golden: Option<PathBuf>,
    /// Where.
    #[command(flatten)]
    pub(crate) place: PlaceArguments,
    /// Write the TREC run here
    #[arg(long, value_name = "FILE")]
    pub(crate) run: Option<PathBuf>,
    /// Which signals rank
    #[arg(long, value_enum, default_value_t)]
    pub(crate) mode: ModeArgument,
    /// How the signals become one ranking
    #[arg(long, value_enum, default_value_t)]
    pub(crate) fusion: FusionArgument,
    /// Notes to ask for, 1 to 1000
    #[arg(long, value_name = "N", default_value_t = 100,
          value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) limit: u16,
    /// Embed with the static model in DIR, or with the built-in one [else: the config's model]
    #[arg(long, value_name = "DIR|builtin")]
    pub(crate) model: Option<PathBuf>,
    /// Override one number of the config, such as ranking.lexical_share=0.6 (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) overrides: Vec<String>,
    /// Which metrics.
    #[command(flatten)]
    pub(crate) metrics: MetricArguments,
    /// Print one JSON object with every query's figures
    #[arg(long)]
    pub(crate) json: bool,
    /// Write that JSON object to FILE, as a baseline for --gate
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,
    /// Exit with 1 when a metric fell significantly (p < 0.05) since FILE was saved
    #[arg(long, value_name = "FILE")]
    pub(crate) gate: Option<PathBuf>,
}

/// Which metrics, as typed.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct MetricArguments {
    /// Metrics to compute: nDCG@K, recall@K, MRR, MRR@K, hit@K, silence, clean@K [default: nDCG@10,
    /// recall@10, recall@100, MRR, hit@1, hit@10, silence, clean@10]
    #[arg(long = "metrics", value_name = "NAMES", value_delimiter = ',')]
    names: Vec<Metric>,
}

impl MetricArguments {
    /// What was typed, each once, or the default.
    pub(crate) fn chosen(&self) -> Vec<Metric> {
        let names = if self.names.is_empty() { &Metric::DEFAULT[..] } else { &self.names };
        let mut chosen = Vec::new();
        for metric in names {
            if !chosen.contains(metric) {
                chosen.push(*metric);
            }
        }
        chosen
    }
}

/// What `hiku eval` can do beside measuring.
#[derive(Debug, Subcommand)]
pub(crate) enum EvalAction {
    /// Compare two runs of the same queries
    Compare(CompareArguments),
    /// Build a golden file: labelled queries over your own vault
    Golden(GoldenArguments),
}

/// Flags of `hiku eval compare`.
#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// The first run
    #[arg(value_name = "RUN_A")]
    pub(crate) before: PathBuf,
    /// The run that is compared with it
    #[arg(value_name = "RUN_B")]
    pub(crate) after: PathBuf,
    /// What is right: a judged set's folder, a golden file (.jsonl) or a file of TREC judgements
    #[arg(long, value_name = "DIR|FILE")]
    pub(crate) qrels: PathBuf,
    /// Which metrics.
    #[command(flatten)]
    pub(crate) metrics: MetricArguments,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Flags of `hiku eval golden`.
#[derive(Debug, Args)]
pub(crate) struct GoldenArguments {
    /// What to do.
    #[command(subcommand)]
    pub(crate) action: GoldenAction,
}

/// What `hiku eval golden` can do.
#[derive(Debug, Subcommand)]
pub(crate) enum GoldenAction {
    /// Search, ask which results are right, and add the query to a golden file
    Add(AddArguments),
}

/// Flags of `hiku eval golden add`.
#[derive(Debug, Args)]
#[command(
    after_help = "Results are named by their number in the list, other notes by their path. \
                  Without a label flag one line is read from the terminal: the relevant ones, then \
                  after a slash the partly relevant ones, then after another the must-not ones, as \
                  in: 1 3 / 2 / 5. A 0 says that nothing in the vault answers the query; an empty \
                  line adds nothing. The index is asked as it is."
)]
pub(crate) struct AddArguments {
    /// The query as you would type it; words are joined by spaces
    #[arg(value_name = "QUERY", required = true)]
    pub(crate) words: Vec<String>,
    /// The golden file; made if it is missing
    #[arg(long, value_name = "FILE")]
    pub(crate) golden: PathBuf,
    /// Where.
    #[command(flatten)]
    pub(crate) place: PlaceArguments,
    /// What sort of query it is, such as keyword or paraphrase
    #[arg(long, value_name = "NAME", default_value = "")]
    pub(crate) category: String,
    /// A remark for readers
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) comment: String,
    /// Results to show, 1 to 1000
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20,
          value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) limit: u16,
    /// Relevant: numbers or paths, commas between
    #[arg(long, value_name = "NOTES", value_delimiter = ',')]
    pub(crate) relevant: Vec<String>,
    /// Partly relevant
    #[arg(long, value_name = "NOTES", value_delimiter = ',', requires = "relevant")]
    pub(crate) partly: Vec<String>,
    /// Must not be found
    #[arg(long, value_name = "NOTES", value_delimiter = ',')]
    pub(crate) must_not: Vec<String>,
    /// Nothing in the vault answers the query
    #[arg(long, conflicts_with = "relevant")]
    pub(crate) nothing: bool,
}
