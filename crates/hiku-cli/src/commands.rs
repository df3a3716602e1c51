//! The subcommands, one file each, and the choice between them.

mod batch;
mod completions;
mod config;
mod doctor;
mod eval;
mod hook;
mod index;
mod install;
mod mcp;
mod model;
mod output;
mod read;
mod reference;
mod related;
mod search;
mod status;
mod vaults;
mod watch;

use crate::args::Command;
use crate::exit::{CommandError, Exit};
use crate::session::Session;

/// Runs one command.
///
/// # Errors
/// What the command says.
pub(crate) fn run(command: Command, session: &Session) -> Result<Exit, CommandError> {
    match command {
        Command::Index(arguments) => index::run(&arguments, session),
        Command::Search(arguments) => search::run(&arguments, session),
        Command::Read(arguments) => read::run(&arguments, session),
        Command::Status(arguments) => status::run(&arguments, session),
        Command::Doctor(arguments) => doctor::run(&arguments, session),
        Command::Watch(arguments) => watch::run(&arguments, session),
        Command::Vaults(arguments) => vaults::run(&arguments, session),
        Command::Mcp(arguments) => mcp::run(&arguments, session),
        Command::Install(arguments) => install::run(&arguments, session),
        Command::Related(arguments) => related::run(&arguments, session),
        Command::Hook(arguments) => Ok(hook::run(arguments, session)),
        Command::Output(arguments) => output::run(&arguments, session),
        Command::Eval(arguments) => eval::run(&arguments, session),
        Command::Model(arguments) => model::run(&arguments, session),
        Command::Config(arguments) => config::run(&arguments, session),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Reference => reference::run(),
    }
}
