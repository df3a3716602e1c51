//! `hiku hook EVENT`: answers one event of a coding agent.

use crate::args::HookArguments;
use crate::exit::Exit;
use crate::hook;
use crate::session::Session;

/// Runs `hiku hook`; it always succeeds.
pub(crate) fn run(arguments: HookArguments, session: &Session) -> Exit {
    hook::run(arguments, &session.environment);
    Exit::Done
}
