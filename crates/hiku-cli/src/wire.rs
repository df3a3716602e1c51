//! The JSON forms of answers and reports, as docs/search.schema.json and docs/cli.md describe
//! them: the only serialisable types. Agents rely on the names; renders nothing for people.

mod escape;
mod eval;
mod hook;
pub(crate) mod mcp;
mod related;
mod report;
mod search;

use std::io::{self, Write};

use serde::Serialize;

pub(crate) use eval::{CompareAnswer, EvalAnswer, read_scores};
pub(crate) use hook::{HookInput, HookOutput, Remembered, Shown};
pub(crate) use related::RelatedAnswer;
pub(crate) use report::{
    DoctorAnswer, IndexAnswer, ReadAnswer, StatusAnswer, StoredAnswer, VaultsAnswer,
};
pub(crate) use search::{FailedQuery, SearchAnswer};

/// Version of all JSON forms; raised when a field changes its meaning or goes away.
pub(crate) const SCHEMA: u32 = 1;

/// Writes one value as one line.
///
/// # Errors
/// The writer's refusal.
pub(crate) fn write_line(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(&mut *out, escape::Invisible);
    value.serialize(&mut serializer)?;
    out.write_all(b"\n")
}
