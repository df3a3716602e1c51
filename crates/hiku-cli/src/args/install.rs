//! The flags of `hiku install`, as typed.

use clap::{Args, ValueEnum};

use super::PlaceArguments;

/// Flags of `hiku install`.
#[derive(Debug, Args)]
#[command(
    after_help = "Adds the server hiku to the agent's list for all projects: ~/.claude.json, \
                  ~/.codex/config.toml, ~/.cursor/mcp.json or ~/.gemini/settings.json. Everything \
                  else in the file stays as it is, and the old file is kept beside it with the \
                  ending .before-hiku. Hooks go into ~/.claude/settings.json. The folder plugin/ is \
                  the same for Claude Code with a skill; use one of the two."
)]
pub(crate) struct InstallArguments {
    /// The agent [all of them with --uninstall]
    #[arg(value_enum, value_name = "AGENT", required_unless_present = "uninstall")]
    pub(crate) agent: Option<AgentArgument>,
    /// Where.
    #[command(flatten)]
    pub(crate) place: PlaceArguments,
    /// Add the hooks too, for Claude Code: passages of notes that fit what is asked, by themselves
    #[arg(long, conflicts_with = "uninstall")]
    pub(crate) hooks: bool,
    /// Take server and hooks out again
    #[arg(long)]
    pub(crate) uninstall: bool,
    /// Write; without it, only say what would be written
    #[arg(long)]
    pub(crate) yes: bool,
}

/// The agents whose configuration is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AgentArgument {
    /// Claude Code
    ClaudeCode,
    /// Codex
    Codex,
    /// Cursor
    Cursor,
    /// Gemini CLI
    Gemini,
}
