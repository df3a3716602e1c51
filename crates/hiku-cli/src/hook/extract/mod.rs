//! A large tool output made into a stable extract, before it enters an agent's conversation.
//!
//! What changes from run to run is replaced (`volatile`), each line is judged (`notable`, by the
//! command's `kind` and by the `task`), lines are chosen within a budget (`select`), and the gaps
//! between them are named (`write`). Every error line is kept, whatever the budget.
//!
//! Pure: the same input gives the same bytes. Keeps no file and knows no agent's wire format; those
//! are the business of `kept_output` and `post_tool_use`.

mod clean;
mod command;
mod kind;
mod notable;
mod select;
mod task;
mod template;
#[cfg(test)]
mod tests;
mod volatile;
mod write;

use std::thread;

use hiku::text::{estimate_tokens, floor_boundary};
use regex::Regex;

use super::kept_output::OutputId;
use crate::messages::Messages;
use kind::Kind;
use notable::Class;
use template::Form;

/// The tool call whose output it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call<'c> {
    /// The tool's name, as the agent says it: `Bash`, `Grep`, `mcp__server__tool`.
    pub(crate) tool: &'c str,
    /// The command line of a shell tool; else empty.
    pub(crate) command: &'c str,
    /// What the conversation is about: its last prompt, or empty.
    pub(crate) task: &'c str,
}

/// How outputs are made smaller.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options {
    /// Outputs of at most so many tokens are left alone. Default 4,000.
    pub(crate) over_tokens: usize,
    /// The language of what is said in place of lines.
    pub(crate) messages: Messages,
}

/// Tokens up to which an output is no burden: a fiftieth of a window of 200,000 tokens.
pub(crate) const OVER_TOKENS: usize = 4_000;

impl Default for Options {
    fn default() -> Self {
        Options { over_tokens: OVER_TOKENS, messages: Messages::default() }
    }
}

/// What stands for a large output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Extract {
    /// Names the whole output: a hash of its stable lines, so that runs that differ in nothing but
    /// their times have one name and one extract.
    pub(crate) id: OutputId,
    /// The text, with its gaps named and a closing line.
    pub(crate) text: String,
    /// Lines that are not in it, blank ones not counted.
    pub(crate) lines_left_out: usize,
    /// Estimated tokens of the output.
    pub(crate) tokens_before: usize,
    /// Estimated tokens of the text.
    pub(crate) tokens_after: usize,
}

/// One line of an output.
#[derive(Debug)]
struct Line {
    /// The text as it is shown: clean, stable, of bounded length.
    text: String,
    /// What it says.
    class: Class,
    /// Its form, which alike lines share.
    form: Form,
    /// Which words of the task it has, one bit each.
    words: u64,
    /// Estimated tokens of the text with its line break.
    tokens: usize,
}

/// How every extract's closing line begins, in every language: an extract is never extracted again.
const CLOSING_MARK: &str = "[hiku: ";

/// An extract that is not a tenth shorter than its output is not worth what it hides.
const WORTHWHILE_SHARE: (usize, usize) = (9, 10);

/// Makes the extract of a tool's output; `None` where the output is small, is a file read for
/// editing, is an extract already, or would not become a tenth shorter.
pub(crate) fn extract(call: &Call<'_>, output: &str, options: &Options) -> Option<Extract> {
    let kind = Kind::of(call)?;
    let tokens_before = estimate_tokens(output);
    if tokens_before <= options.over_tokens || is_extract(output) {
        return None;
    }
    let stable = stable(kind, call.task, output);
    let chosen = select::select(kind, &stable.lines, stable.tokens);
    let (text, lines_left_out) = write::write(&stable, &chosen, options);
    let tokens_after = estimate_tokens(&text);
    let (part, whole) = WORTHWHILE_SHARE;
    let is_worthwhile = tokens_after * whole <= tokens_before * part && text.len() < output.len();
    is_worthwhile.then_some(Extract {
        id: stable.id,
        text,
        lines_left_out,
        tokens_before,
        tokens_after,
    })
}

/// False for an output that [`extract`] leaves as it is, as far as a glance can tell.
pub(crate) fn is_worth_a_look(call: &Call<'_>, output: &str, options: &Options) -> bool {
    // A character is at most one token, and a token at least one byte.
    output.len() > options.over_tokens && !is_extract(output) && Kind::of(call).is_some()
}

/// An output as a terminal shows it, line by line, with nothing in it that a terminal or an agent
/// would obey.
pub(crate) fn clean(output: &str) -> String {
    let mut clean = String::with_capacity(output.len());
    for line in output.strip_suffix('\n').unwrap_or(output).split('\n') {
        clean.extend([&clean::line(line), "\n"]);
    }
    clean
}

fn is_extract(output: &str) -> bool {
    output.trim_end().lines().next_back().is_some_and(|last| last.starts_with(CLOSING_MARK))
}

/// An output as another run would write it.
#[derive(Debug)]
struct Stable {
    /// Its lines, judged.
    lines: Vec<Line>,
    /// Estimated tokens of the lines before they were clipped.
    tokens: usize,
    /// Hash of them.
    id: OutputId,
}

/// Bytes of an output that are read in one go; a longer one is read by all cores.
const PORTION_BYTES: usize = 1 << 20;

fn stable(kind: Kind, task: &str, output: &str) -> Stable {
    let words = task::words(task);
    let portions = portions(output.strip_suffix('\n').unwrap_or(output));
    let read = |portion: &&str| Portion::read(kind, &words, portion);
    let cores = thread::available_parallelism().map_or(1, usize::from).min(portions.len());
    let share = portions.len().div_ceil(cores);
    let done: Vec<Portion> = if cores == 1 {
        portions.iter().map(read).collect()
    } else {
        thread::scope(|scope| {
            let work = |some: &'_ [&str]| some.iter().map(read).collect::<Vec<_>>();
            let workers: Vec<_> =
                portions.chunks(share).map(|some| scope.spawn(move || work(some))).collect();
            let join = |worker: thread::ScopedJoinHandle<'_, Vec<Portion>>| {
                worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            workers.into_iter().flat_map(join).collect()
        })
    };
    let mut hasher = blake3::Hasher::new();
    for portion in &done {
        hasher.update(portion.hash.as_bytes());
    }
    let tokens = done.iter().map(|portion| portion.tokens).sum();
    let lines = done.into_iter().flat_map(|portion| portion.lines).collect();
    Stable { lines, tokens, id: OutputId::of(&hasher.finalize()) }
}

/// Whole lines of about [`PORTION_BYTES`], without the break behind the last; at least one portion.
fn portions(output: &str) -> Vec<&str> {
    let mut portions = Vec::new();
    let mut rest = output;
    while rest.len() > PORTION_BYTES {
        let start = floor_boundary(rest, PORTION_BYTES);
        let Some((portion, behind)) =
            rest[start..].find('\n').map(|end| rest.split_at(start + end))
        else {
            break;
        };
        portions.push(portion);
        rest = &behind[1..];
    }
    portions.push(rest);
    portions
}

/// What one portion of an output comes to.
#[derive(Debug)]
struct Portion {
    lines: Vec<Line>,
    tokens: usize,
    hash: blake3::Hash,
}

impl Portion {
    fn read(kind: Kind, task: &[String], text: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        let (mut lines, mut tokens) = (Vec::new(), 0);
        for raw in text.split('\n') {
            let clean = clean::line(raw);
            let stable = if kind.is_log() { volatile::stable(clean) } else { clean };
            hasher.update(stable.as_bytes());
            hasher.update(b"\n");
            tokens += estimate_tokens(&stable) + 1;
            lines.push(line(kind, task, stable));
        }
        Portion { lines, tokens, hash: hasher.finalize() }
    }
}

/// A pattern of this module's tables. A boundary is one between ASCII letters and anything else, so
/// that `エラーerror` holds a word; with Unicode's definition lines in Japanese take fifty times as
/// long.
fn pattern(text: &str) -> Regex {
    Regex::new(&text.replace(r"\b", r"(?-u:\b)")).expect("the tables hold valid patterns")
}

fn line(kind: Kind, task: &[String], stable: String) -> Line {
    let class = notable::class(kind, &stable);
    let form = template::form(kind, &stable);
    let words = task::words_of(task, &stable);
    let text = clean::clipped(stable, |text| match class {
        Class::Error => notable::error_position(text),
        _ => task::position(task, text),
    });
    let tokens = estimate_tokens(&text) + 1;
    Line { text, class, form, words, tokens }
}
