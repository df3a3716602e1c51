//! Answers and reports for people: plain lines with colour as an extra. All text from notes passes
//! through `safe` here; JSON is in `wire`.

mod context;
mod eval;
mod related;
mod report;
mod search;
mod stored;

pub(crate) use context::{CONTEXT_TITLE, context_block, fenced, fenced_hit, fenced_passage};
pub(crate) use eval::{comparison, numbered, scores};
pub(crate) use related::related;
pub(crate) use report::{
    behind, changes, index_report, kept, no_notes, problems, redactions_by_rule, stale,
    status_lines, status_lists, vault_list,
};
pub(crate) use search::{answer, trail};
pub(crate) use stored::stored_note;

/// Faint text, for what is beside the point.
const DIM: &str = "\u{1b}[2m";
/// Bold text, for what the eye looks for first.
const BOLD: &str = "\u{1b}[1m";
/// Back to plain text.
const PLAIN: &str = "\u{1b}[0m";
