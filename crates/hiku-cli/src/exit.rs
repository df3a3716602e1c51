//! How a command ends: the exit codes and the error that carries one with its hints. Wording is in
//! `messages`; printing is in `main`.

use std::fmt;
use std::io;
use std::process::ExitCode;

use hiku::{Error, ErrorKind};

use crate::messages::Messages;

/// The exit codes; agents rely on the numbers.
///
/// A contract: a number never changes its meaning, and new ones come with a line in the changelog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Done, also when nothing was found.
    Done = 0,
    /// Failed, or `doctor` found problems.
    Failed = 1,
    /// The command line, a config file or the vault's path is wrong.
    Usage = 2,
    /// A signal was missing under `--strict`.
    SignalMissing = 3,
    /// Another writer holds the index.
    Busy = 4,
    /// The index is unusable, or missing under `--no-refresh`.
    IndexUnusable = 10,
    /// SIGINT or SIGTERM ended an index run; the next one goes on from there. The number is a
    /// shell's for SIGINT.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

impl Exit {
    /// The code for a library error.
    pub(crate) fn of(error: &Error) -> Self {
        match (error, error.kind()) {
            (Error::SignalMissing { .. }, _) => Exit::SignalMissing,
            (Error::Cancelled, _) => Exit::Failed,
            (_, ErrorKind::User) => Exit::Usage,
            (_, ErrorKind::Busy) => Exit::Busy,
            (_, ErrorKind::Corrupt | ErrorKind::Incompatible) => Exit::IndexUnusable,
            _ => Exit::Failed,
        }
    }
}

/// Why a command failed.
#[derive(Debug)]
pub(crate) enum Cause {
    /// The library's answer, which `messages` can translate.
    Library(Box<Error>),
    /// Anything else, already worded.
    Other(anyhow::Error),
}

/// A failed command: its code, what went wrong, and what to do next.
///
/// A library error carries no hint of its own; which one goes with it is worked out when it is
/// printed, since it needs the language and the flags.
#[derive(Debug)]
pub(crate) struct CommandError {
    /// The exit code.
    pub(crate) exit: Exit,
    /// What went wrong.
    pub(crate) cause: Cause,
    /// What to do next, one exact command each; empty for what goes with the cause.
    pub(crate) hints: Vec<String>,
    /// The flags that name vault and index, for commands in hints; empty where none were needed.
    pub(crate) place_flags: String,
}

impl CommandError {
    /// An error with its wording.
    pub(crate) fn new(
        exit: Exit,
        message: impl fmt::Display + fmt::Debug + Send + Sync + 'static,
    ) -> Self {
        CommandError::caused(exit, Cause::Other(anyhow::Error::msg(message)))
    }

    fn caused(exit: Exit, cause: Cause) -> Self {
        CommandError { exit, cause, hints: Vec::new(), place_flags: String::new() }
    }

    /// What went wrong, in one sentence.
    pub(crate) fn text(&self, messages: Messages) -> String {
        match &self.cause {
            Cause::Library(cause) => messages.error(cause),
            Cause::Other(cause) => format!("{cause:#}"),
        }
    }

    /// Adds a next step.
    pub(crate) fn hint(mut self, hint: String) -> Self {
        self.hints.push(hint);
        self
    }

    /// True where the reader of our output went away, which is no failure.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        let Cause::Other(error) = &self.cause else { return false };
        error
            .chain()
            .filter_map(|cause| cause.downcast_ref::<io::Error>())
            .any(|error| error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl From<Error> for CommandError {
    fn from(error: Error) -> Self {
        let exit = Exit::of(&error);
        CommandError::caused(exit, Cause::Library(Box::new(error)))
    }
}

impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> Self {
        CommandError::caused(Exit::Failed, Cause::Other(error.into()))
    }
}

impl From<anyhow::Error> for CommandError {
    fn from(error: anyhow::Error) -> Self {
        CommandError::caused(Exit::Failed, Cause::Other(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn each_kind_has_its_code() {
        let path = PathBuf::from("i.hiku");
        let check = |error: Error, code: u8| assert_eq!(Exit::of(&error) as u8, code, "{error}");
        check(Error::Vault { path: path.clone(), problem: "does not exist" }, 2);
        check(Error::OutOfRange { name: "limit", value: 0, minimum: 1, maximum: 9 }, 2);
        check(Error::SignalMissing { signal: "dense", reason: "no model".to_owned() }, 3);
        check(Error::Busy { path: path.clone(), holder: None }, 4);
        check(Error::IndexMissing { path: path.clone() }, 10);
        check(Error::IndexDamaged { path: path.clone(), detail: "torn".to_owned() }, 10);
        check(Error::IndexForeign { path: path.clone() }, 10);
        check(Error::IndexFormat { path: path.clone(), found: 9, supported: 1 }, 10);
        check(Error::io(&path, "open", io::Error::other("no")), 1);
        check(Error::Cancelled, 1);
        check(Error::Internal { detail: "odd".to_owned() }, 1);
    }

    #[test]
    fn a_reader_that_went_away_is_recognised() {
        let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
        assert!(CommandError::from(gone()).is_broken_pipe());
        assert!(
            CommandError::from(anyhow::Error::from(gone()).context("writing")).is_broken_pipe()
        );
        assert!(!CommandError::from(io::Error::other("no")).is_broken_pipe());
        assert!(!CommandError::from(Error::Cancelled).is_broken_pipe());
    }
}
