//! The flags of `hiku related`, as typed.

use clap::Args;

use super::PlaceArguments;
use crate::related::{DEFAULT_RELATED, MAX_RELATED};

/// Flags of `hiku related`.
#[derive(Debug, Args)]
pub(crate) struct RelatedArguments {
    /// Path in the vault, with or without extension, or a file name that only one note has
    #[arg(value_name = "NOTE")]
    pub(crate) note: String,
    /// Where.
    #[command(flatten)]
    pub(crate) place: PlaceArguments,
    /// Most notes of each list, 1 to 50
    #[arg(short = 'n', long, value_name = "N", default_value_t = DEFAULT_RELATED as u16,
          value_parser = clap::value_parser!(u16).range(1..=MAX_RELATED as i64))]
    pub(crate) limit: u16,
    /// Answer from the index as it is; fail with exit code 10 when there is none
    #[arg(long)]
    pub(crate) no_refresh: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
