//! `hiku mcp`: serves a vault to one agent over stdin and stdout.

use crate::args::McpArguments;
use crate::exit::{CommandError, Exit};
use crate::mcp;
use crate::session::Session;

/// Runs `hiku mcp`.
///
/// # Errors
/// Exit codes 1 and 2; what goes wrong once it serves is told to the client.
pub(crate) fn run(arguments: &McpArguments, session: &Session) -> Result<Exit, CommandError> {
    mcp::serve(session.place(&arguments.place)?, session)
}
