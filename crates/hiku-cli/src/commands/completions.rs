//! `hiku completions`: a completion script for a shell.

use clap::CommandFactory;

use crate::args::{Arguments, CompletionsArguments};
use crate::exit::{CommandError, Exit};
use crate::session;

/// Runs `hiku completions`.
///
/// # Errors
/// Exit code 1 when stdout refuses.
pub(crate) fn run(arguments: &CompletionsArguments) -> Result<Exit, CommandError> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "hiku", &mut script);
    session::data(|out| out.write_all(&script))?;
    Ok(Exit::Done)
}
