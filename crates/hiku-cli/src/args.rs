//! What was typed: the command line as clap reads it, with its help text. Decides nothing; what
//! the flags mean together with environment and config files is worked out in `settings` and in
//! each command.

#![expect(clippy::doc_markdown, reason = "doc comments are help text, printed as they stand")]
#![expect(clippy::struct_excessive_bools, reason = "each is one flag as typed")]

mod eval;
mod hook;
mod install;
mod output;
mod related;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use eval::{AddArguments, CompareArguments, EvalAction, EvalArguments, GoldenAction};
pub(crate) use hook::{HookArguments, HookEvent};
pub(crate) use install::{AgentArgument, InstallArguments};
pub(crate) use output::ToolOutputArguments;
pub(crate) use related::RelatedArguments;

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "hiku",
    version,
    about = "Finds the right passage in a folder of Markdown notes, by word and by meaning",
    long_about = "Hiku indexes a folder of Markdown notes (an Obsidian vault, a docs tree, a \
                  journal) into one file and finds the right passage by word and by meaning, in \
                  English and Japanese, offline. The notes are only ever read.",
    after_help = "Exit codes: 0 done (also when nothing was found), 1 failed or problems found, \
                  2 usage, 3 a signal was missing under --strict, 4 busy: another writer holds \
                  the index, 10 the index is unusable, or missing under --no-refresh, 130 an \
                  index run was interrupted.",
    max_term_width = 100
)]
pub(crate) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Bring the index to the state of the vault
    Index(IndexArguments),
    /// Find passages by word and by meaning
    Search(Box<SearchArguments>),
    /// Print a note, one section or some lines of it, credentials redacted
    Read(ReadArguments),
    /// Show the index at a glance
    Status(StatusArguments),
    /// Check the index and list what was skipped, misread or redacted
    Doctor(DoctorArguments),
    /// Follow the vault and keep its index current, until interrupted
    Watch(WatchArguments),
    /// List the vaults with an index, choose the default one, remove an index
    Vaults(VaultsArguments),
    /// Serve the vault to agents by the Model Context Protocol, on stdin and stdout
    Mcp(McpArguments),
    /// Tell an agent how to start the server
    Install(InstallArguments),
    /// Answer an event of a coding agent: its JSON on stdin, what the agent is told on stdout
    Hook(HookArguments),
    /// Print a tool's output of which an agent saw an extract
    Output(ToolOutputArguments),
    /// Measure search quality on judged queries, compare two runs, label queries of your own
    Eval(Box<EvalArguments>),
    /// List the notes around a note: its links, those that link to it, and those like it
    Related(RelatedArguments),
    /// Show or choose the embedding model
    Model(ModelArguments),
    /// Show the user's config
    Config(ConfigArguments),
    /// Print a completion script for a shell
    Completions(CompletionsArguments),
    /// Print this reference as Markdown
    #[command(hide = true)]
    Reference,
}

/// Which vault and which index file.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct PlaceArguments {
    /// The vault's folder [else: HIKU_VAULT, the nearest parent with .obsidian/ or hiku.toml, the
    /// config's default_vault]
    #[arg(long, value_name = "DIR")]
    pub(crate) vault: Option<PathBuf>,
    /// The index file [else: HIKU_INDEX, a file in the user's data folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) index: Option<PathBuf>,
}

/// Flags of `hiku index`.
#[derive(Debug, Args)]
pub(crate) struct IndexArguments {
    /// Where.
    #[command(flatten)]
    pub(crate) place: PlaceArguments,
    /// Rebuild from nothing
    #[arg(long)]
    pub(crate) full: bool,
    /// Say what would change and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Remove notes from the index even where so many are gone that it looks like an accident
    #[arg(long)]
    pub(crate) prune: bool,
    /// Print the report as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Show no progress and no report; errors and mended faults are still said
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Which signals may rank, as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum ModeArgument {
    /// By word and by meaning
    #[default]
    Hybrid,
    /// By word only
    Lexical,
    /// By meaning only
    Dense,
}

/// How the signals become one ranking, as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum FusionArgument {
    /// Weighted sum of normalised scores
    #[default]
    Convex,
    /// Reciprocal rank fusion over notes
    Rrf,
    /// The founding documents' pipeline over chunks
    Founding,
}

/// What one hit is, as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum GroupingArgument {
    /// One hit a note, its best passages inside
    #[default]
    Note,
    /// One hit a chunk
    Chunk,
}

/// Flags of `hiku search`.
#[derive(Debug, Args)]
#[command(
    after_help = "Query syntax: words, \"a phrase\", -word, tag:x, path:x, [[link]]; any text is a \
                  legal query. Put -- before a query that begins with a hyphen. Repeated filters \
                  of one sort are alternatives; a hyphen in front of a value excludes: \
                  --tag=-draft."
)]
pub(crate) struct SearchArguments {
    /// The query; words are joined by spaces
    #[arg(value_name = "WORDS")]
    pub(crate) words: Vec<String>,
    /// Where.
    #[command(flatten)]
    pub(crate) place: PlaceArguments,
    /// Number of hits, 1 to 1000
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10,
          value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) limit: u16,
    /// Which signals rank
    #[arg(long, value_enum, default_value_t)]
    pub(crate) mode: ModeArgument,
    /// How the signals become one ranking
    #[arg(long, value_enum, default_value_t)]
    pub(crate) fusion: FusionArgument,
    /// What one hit is
    #[arg(long, value_enum, default_value_t)]
    pub(crate) by: GroupingArgument,
    /// Which notes may be found.
    #[command(flatten)]
    pub(crate) filters: FilterArguments,
    /// Most tokens of text in all hits together (estimated)
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<usize>,
    /// Say how each hit got its score and how the query was read
    #[arg(long)]
    pub(crate) explain: bool,
    /// Fail with exit code 3 when a signal is missing
    #[arg(long)]
    pub(crate) strict: bool,
    /// Answer from the index as it is; fail with exit code 10 when there is none
    #[arg(long)]
    pub(crate) no_refresh: bool,
    /// Milliseconds that indexing what changed may take before the answer [default: 150, or the
    /// config's]; 0 looks at no note but the hits
    #[arg(long, value_name = "MS", conflicts_with = "no_refresh",
          value_parser = clap::value_parser!(u64).range(0..=600_000))]
    pub(crate) refresh_budget: Option<u64>,
    /// The day that counts as today (YYYY-MM-DD); checked, but no answer depends on the day yet
    #[arg(long, value_name = "DATE", value_parser = day)]
    pub(crate) now: Option<String>,
    /// Answer the queries in FILE, one a line (- reads stdin), one JSON line each
    #[arg(long, value_name = "FILE", conflicts_with_all = ["words", "paths", "context", "open"])]
    pub(crate) batch: Option<PathBuf>,
    /// Print the number of queries and their p50 and p95 in milliseconds on stderr
    #[arg(long)]
    pub(crate) timings: bool,
    /// Open the first hit in the editor or in Obsidian
    #[arg(long)]
    pub(crate) open: bool,
    /// How to print.
    #[command(flatten)]
    pub(crate) output: OutputArguments,
    /// With --paths: end each path with a NUL byte, and quote nothing
    #[arg(short = '0', long, requires = "paths")]
    pub(crate) null: bool,
}

/// Filters of `hiku search`.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct FilterArguments {
    /// Only notes with this tag or one nested in it
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
    /// Only notes whose path matches this glob or lies in this folder
    #[arg(long, value_name = "GLOB")]
    pub(crate) path: Vec<String>,
    /// Only notes of this type (front matter)
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) note_type: Vec<String>,
    /// Only notes dated on or after this day (YYYY-MM-DD)
    #[arg(long, value_name = "DATE", value_parser = day)]
    pub(crate) after: Option<String>,
    /// Only notes dated before this day (YYYY-MM-DD)
    #[arg(long, value_name = "DATE", value_parser = day)]
    pub(crate) before: Option<String>,
}

/// Output forms of `hiku search`; at most one.
#[derive(Debug, Clone, Copy, Default, Args)]
#[group(multiple = false)]
pub(crate) struct OutputArguments {
    /// One JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// One JSON object a line and hit
    #[arg(long)]
    pub(crate) jsonl: bool,
    /// Paths only, one a line; one that holds control characters is quoted, "a\\nb.md"
    #[arg(long)]
    pub(crate) paths: bool,
    /// The block that an agent gets: passages fenced as data
    #[arg(long)]
    pub(crate) context: bool,
}

/// Flags of `hiku read`.
#[derive(Debug, Args)]
pub(crate) struct ReadArguments {
    /// Path in the vault, with or without extension, or a file name that only one note has
    #[arg(value_name = "NOTE")]
    pub(crate) note: String,
    /// Where.
    #[command(flatten)]
    pub(crate) place: PlaceArguments,
    /// Only the section under this heading
    #[arg(long, value_name = "HEADING", conflicts_with_all = ["lines", "stored"])]
    pub(crate) heading: Option<String>,
    /// Only these lines, 1-based (12, 12-20 or 12-)
    #[arg(long, value_name = "A-B", value_parser = line_range, conflicts_with = "stored")]
    pub(crate) lines: Option<(usize, usize)>,
    /// What the index holds of the note: chunks, context, terms, redactions, vectors
    #[arg(long)]
    pub(crate) stored: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Flags of `hiku status`.
#[derive(Debug, Args)]
pub(crate) struct StatusArguments {
    /// Where.
    #[command(flatten)]
    pub(crate) place: PlaceArguments,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Flags of `hiku doctor`.
#[derive(Debug, Args)]
pub(crate) struct DoctorArguments {
    /// Where.
    #[command(flatten)]
    pub(crate) place: PlaceArguments,
    /// Make chunks, terms, links and vectors again from every stored text and compare them, and the
    /// texts with the vault; takes about as long as indexing
    #[arg(long)]
    pub(crate) deep: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Flags of `hiku mcp`.
#[derive(Debug, Args)]
#[command(
    after_help = "An agent's configuration starts it: command hiku, arguments mcp and, where the \
                  agent is not started in the vault, --vault DIR. Tools: search, read, related, \
                  status; resources: the notes. Nothing is written but the index. It ends when \
                  stdin does; with --http it serves any number of clients until a signal ends it. \
                  Spoken revisions: 2025-06-18, 2025-11-25, 2026-07-28."
)]
pub(crate) struct McpArguments {
    /// Where.
    #[command(flatten)]
    pub(crate) place: PlaceArguments,
    /// Serve by streamable HTTP instead, at http://ADDR:PORT/mcp, which is printed; without a value
    /// at 127.0.0.1:4458; port 0 takes a free one
    #[arg(long, value_name = "ADDR:PORT", num_args = 0..=1, value_parser = address,
          default_missing_value = "127.0.0.1:4458")]
    pub(crate) http: Option<SocketAddr>,
    /// The file with the token that clients must send, for its owner's eyes only [else:
    /// HIKU_MCP_TOKEN]. Needed for other addresses than this machine's own
    #[arg(long, value_name = "FILE", requires = "http")]
    pub(crate) token_file: Option<PathBuf>,
    /// A further name that clients may call the server by, as behind a proxy; needs a token
    #[arg(long, value_name = "NAME", requires = "http")]
    pub(crate) allow_host: Vec<String>,
}

/// Flags of `hiku watch`.
#[derive(Debug, Args)]
#[command(
    after_help = "Prints one line a change: + added, ~ changed, > moved, - removed. What happens \
                  in the vault is in the index within half a second; every five minutes all notes \
                  are compared, since systems lose events. A vault that goes away (unmounted) is \
                  waited for."
)]
pub(crate) struct WatchArguments {
    /// Where.
    #[command(flatten)]
    pub(crate) place: PlaceArguments,
    /// Print no line for a change; faults are still said
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Flags of `hiku vaults`.
#[derive(Debug, Args)]
pub(crate) struct VaultsArguments {
    /// What to do; lists without one.
    #[command(subcommand)]
    pub(crate) action: Option<VaultsAction>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// What `hiku vaults` can do beside listing.
#[derive(Debug, Subcommand)]
pub(crate) enum VaultsAction {
    /// Make DIR the vault that is used where no other is chosen
    Default {
        /// The vault's folder
        #[arg(value_name = "DIR")]
        vault: PathBuf,
    },
    /// Delete the index of DIR; the notes stay as they are
    Remove {
        /// The vault's folder
        #[arg(value_name = "DIR")]
        vault: PathBuf,
    },
}

/// Flags of `hiku model`.
#[derive(Debug, Args)]
pub(crate) struct ModelArguments {
    /// What to do.
    #[command(subcommand)]
    pub(crate) action: ModelAction,
}

/// What `hiku model` can do.
#[derive(Debug, Subcommand)]
pub(crate) enum ModelAction {
    /// Show the model in use
    Show,
    /// Use the static model in DIR, or the built-in one again; the next index run re-embeds
    Use {
        /// The model's folder or file, or `builtin`
        #[arg(value_name = "DIR|builtin")]
        model: PathBuf,
    },
}

/// Flags of `hiku config`.
#[derive(Debug, Args)]
pub(crate) struct ConfigArguments {
    /// What to do.
    #[command(subcommand)]
    pub(crate) action: ConfigAction,
}

/// What `hiku config` can do.
#[derive(Debug, Clone, Copy, Subcommand)]
pub(crate) enum ConfigAction {
    /// Print where the user's config file is
    Path,
    /// Print the user's config file as it is
    Show,
}

/// Flags of `hiku completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// Checks a day.
fn day(text: &str) -> Result<String, String> {
    match text.parse::<jiff::civil::Date>() {
        Ok(date) if text.len() == 10 => Ok(date.to_string()),
        _ => Err("not a day of the form YYYY-MM-DD".to_owned()),
    }
}

/// Reads `127.0.0.1:80`, `[::1]:80` or `localhost:80`. No other name is looked up: it could lead
/// anywhere.
fn address(text: &str) -> Result<SocketAddr, String> {
    let local = text.strip_prefix("localhost:").and_then(|port| port.parse::<u16>().ok());
    match local {
        Some(port) => Ok(SocketAddr::from((Ipv4Addr::LOCALHOST, port))),
        None => text.parse().map_err(|_| "not an address of the form 127.0.0.1:4458".to_owned()),
    }
}

/// Reads `12`, `12-20` or `12-`.
fn line_range(text: &str) -> Result<(usize, usize), String> {
    let number = |part: &str| part.parse::<usize>().ok().filter(|line| *line >= 1);
    let range = match text.split_once('-') {
        None => number(text).map(|line| (line, line)),
        Some((start, "")) => number(start).map(|start| (start, usize::MAX)),
        Some((start, end)) => number(start).zip(number(end)),
    };
    range
        .filter(|(start, end)| start <= end)
        .ok_or_else(|| "not a range of lines such as 12-20, counted from 1".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn line_ranges() {
        let check = |text: &str, expected: Option<(usize, usize)>| {
            assert_eq!(line_range(text).ok(), expected, "{text:?}");
        };
        check("12", Some((12, 12)));
        check("12-20", Some((12, 20)));
        check("12-", Some((12, usize::MAX)));
        for wrong in ["", "0", "0-3", "20-12", "-3", "a-b", "1-2-3", "1 - 2"] {
            check(wrong, None);
        }
    }

    #[test]
    fn days() {
        assert_eq!(day("2026-04-10"), Ok("2026-04-10".to_owned()));
        for wrong in ["", "2026-02-30", "20260410", "yesterday", "2026-4-1"] {
            assert!(day(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn addresses() {
        let check = |text: &str, expected: &str| {
            assert_eq!(address(text).map(|found| found.to_string()).as_deref(), Ok(expected));
        };
        check("127.0.0.1:0", "127.0.0.1:0");
        check("[::1]:80", "[::1]:80");
        check("localhost:4458", "127.0.0.1:4458");
        for wrong in ["", "4458", "127.0.0.1", "example.com:80", "localhost:", "localhost:70000"] {
            assert!(address(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_query_may_begin_with_a_hyphen_and_values_may_exclude() {
        let parse = |line: &[&str]| match Arguments::try_parse_from(line).map(|a| a.command) {
            Ok(Command::Search(search)) => search,
            other => panic!("{other:?}"),
        };
        assert_eq!(parse(&["hiku", "search", "--", "-word"]).words, ["-word"]);
        assert_eq!(parse(&["hiku", "search", "--tag=-draft", "a"]).filters.tag, ["-draft"]);
        assert!(parse(&["hiku", "search"]).words.is_empty());
        for wrong in ["0", "1001", "-1", "x"] {
            let limit = format!("--limit={wrong}");
            assert!(Arguments::try_parse_from(["hiku", "search", &limit]).is_err(), "{wrong}");
        }
    }
}
