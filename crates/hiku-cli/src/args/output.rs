//! The flags of `hiku output`, as typed.

use clap::Args;

use super::line_range;

/// Flags of `hiku output`.
#[derive(Debug, Args)]
#[command(
    after_help = "A large output of a tool gives way to an extract before it enters the agent's \
                  conversation, and the extract's last line names the whole. It is kept for three \
                  days, as a terminal would show it and without credentials."
)]
pub(crate) struct ToolOutputArguments {
    /// The output's name: the 16 digits at the end of the extract
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Only these lines, 1-based (12, 12-20 or 12-)
    #[arg(long, value_name = "A-B", value_parser = line_range)]
    pub(crate) lines: Option<(usize, usize)>,
    /// Only lines that hold this text, in any case, with their numbers
    #[arg(long, value_name = "TEXT")]
    pub(crate) find: Option<String>,
}
