//! The `hiku` binary: reads the command line, runs one command, prints its error, exits.

mod args;
mod commands;
mod exit;
mod hook;
mod install;
mod mcp;
mod messages;
mod model;
mod open;
mod plain_file;
mod private;
mod progress;
mod refresh;
mod registry;
mod related;
mod render;
mod request;
mod safe;
mod session;
mod settings;
mod system;
#[cfg(test)]
mod testing;
mod watch;
mod wire;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

use crate::exit::Exit;
use crate::messages::Messages;
use crate::session::Session;
use crate::settings::Environment;

fn main() -> ExitCode {
    let arguments = match args::Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return refuse(&error, &Environment::read()),
    };
    let session = Session::new(Environment::read());
    let exit = match commands::run(arguments.command, &session) {
        Ok(exit) => exit,
        Err(error) if error.is_broken_pipe() => Exit::Done,
        Err(error) => {
            session.complain(&error);
            error.exit
        }
    };
    exit.into()
}

/// What becomes of a command line that asks for help, or that nobody understands. A hook's is no
/// reason to fail.
fn refuse(error: &clap::Error, environment: &Environment) -> ExitCode {
    if error.use_stderr() && hook::is_asked_by(std::env::args_os()) {
        hook::note(environment, "hook", &error.to_string());
        return Exit::Done.into();
    }
    usage(error, environment.messages)
}

/// Prints help, version or what is wrong with the command line. A reader that went away before
/// the end of the help has seen enough.
fn usage(error: &clap::Error, messages: Messages) -> ExitCode {
    let _ = match messages.usage(error) {
        Some(text) => std::io::stderr().lock().write_all(text.as_bytes()),
        None => error.print(),
    };
    if error.use_stderr() { Exit::Usage.into() } else { Exit::Done.into() }
}
