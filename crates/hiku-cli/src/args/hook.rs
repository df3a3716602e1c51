//! The flags of `hiku hook`, as typed.

use clap::{Args, ValueEnum};

use super::PlaceArguments;

/// Flags of `hiku hook`.
#[derive(Debug, Args)]
#[command(
    after_help = "For the hooks of Claude Code. A hook never fails the agent's turn: whatever is \
                  wrong, the exit code is 0, nothing is printed, and a line in hook/hook.log of the \
                  user's data folder says why. Silent where HIKU_IN_HOOK is set: give it to agents \
                  that a hook starts."
)]
pub(crate) struct HookArguments {
    /// What happened
    #[arg(value_enum, value_name = "EVENT")]
    pub(crate) event: HookEvent,
    /// Where.
    #[command(flatten)]
    pub(crate) place: PlaceArguments,
}

/// The events that are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum HookEvent {
    /// A conversation begins: what the vault holds, and the notes that fit the project
    SessionStart,
    /// The user wrote: the passages that fit, if any do
    UserPromptSubmit,
    /// The agent is about to act: the same for its subject; off unless the config has it
    PreToolUse,
    /// A tool has answered: a large output becomes an extract
    PostToolUse,
    /// The agent has answered: its summary goes to the inbox file that the config names, if any
    Stop,
    /// A conversation ends: what is remembered of a cleared one is deleted
    SessionEnd,
}

impl HookEvent {
    /// The event's name in the agent's JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            HookEvent::SessionStart => "SessionStart",
            HookEvent::UserPromptSubmit => "UserPromptSubmit",
            HookEvent::PreToolUse => "PreToolUse",
            HookEvent::PostToolUse => "PostToolUse",
            HookEvent::Stop => "Stop",
            HookEvent::SessionEnd => "SessionEnd",
        }
    }
}
