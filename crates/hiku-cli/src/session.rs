//! One run of the program: its environment and its two output streams. stdout is data, stderr is
//! everything else.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use anstream::{AutoStream, ColorChoice};

use crate::args::PlaceArguments;
use crate::exit::{Cause, CommandError};
use crate::messages::Messages;
use crate::safe;
use crate::settings::{Environment, Place};

/// Red and bold, for the word "error".
const RED: &str = "\u{1b}[1;31m";
/// Yellow, for the word "warning".
const YELLOW: &str = "\u{1b}[33m";
/// Cyan, for the word "hint".
const CYAN: &str = "\u{1b}[36m";
/// Back to plain text.
const PLAIN: &str = "\u{1b}[0m";

/// One run of the program.
#[derive(Debug)]
pub(crate) struct Session {
    /// The process's environment.
    pub(crate) environment: Environment,
    /// True where nobody reads stderr.
    is_silent: bool,
}

impl Session {
    /// A run in this environment.
    pub(crate) fn new(environment: Environment) -> Self {
        Session { environment, is_silent: false }
    }

    /// A run that says nothing on stderr.
    pub(crate) fn silent(environment: Environment) -> Self {
        Session { environment, is_silent: true }
    }

    /// The messages in the user's language.
    pub(crate) fn messages(&self) -> Messages {
        self.environment.messages
    }

    /// Works out vault, index and settings, and says what of the config files was not taken.
    ///
    /// # Errors
    /// As [`Place::find`].
    pub(crate) fn place(&self, arguments: &PlaceArguments) -> Result<Place, CommandError> {
        Place::find(arguments, &self.environment).map(|place| self.warned(place))
    }

    /// The same for a command that can do without the settings: what is wrong with a config file is
    /// said, and the command goes on.
    ///
    /// # Errors
    /// As [`Place::find_leniently`].
    pub(crate) fn place_leniently(
        &self,
        arguments: &PlaceArguments,
    ) -> Result<Place, CommandError> {
        Place::find_leniently(arguments, &self.environment).map(|place| self.warned(place))
    }

    fn warned(&self, place: Place) -> Place {
        place.warnings.iter().for_each(|warning| self.warn(warning));
        place
    }

    /// Writes text for people to stdout, coloured where the terminal takes it.
    ///
    /// # Errors
    /// What `write` or stdout refuses.
    pub(crate) fn text(
        &self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), CommandError> {
        let colour = self.environment.colour && self.environment.stdout_is_terminal;
        // In memory first: stdout hands over each line, and colour stripping each piece of one.
        let mut out = AutoStream::new(Vec::new(), choice(colour));
        write(&mut out)?;
        Ok(write_out(&out.into_inner())?)
    }

    /// Says something on stderr.
    pub(crate) fn say(&self, text: &str) {
        self.write_error(&safe::block(text));
    }

    /// Warns on stderr.
    pub(crate) fn warn(&self, text: &str) {
        let label = self.messages().label_warning();
        self.write_error(&format!("{YELLOW}{label}:{PLAIN} {}", safe::block(text)));
    }

    /// An error in words, and its next steps.
    pub(crate) fn explained(&self, error: &CommandError) -> (String, Vec<String>) {
        let messages = self.messages();
        let flags = &error.place_flags;
        let text = error.text(messages).replace("`hiku index`", &format!("`hiku index {flags}`"));
        let hints = match &error.cause {
            Cause::Library(cause) if error.hints.is_empty() => {
                vec![messages.next_step(cause, flags)]
            }
            _ => error.hints.clone(),
        };
        (text, hints)
    }

    /// Prints an error with its next steps.
    pub(crate) fn complain(&self, error: &CommandError) {
        let messages = self.messages();
        let (text, hints) = self.explained(error);
        let label = messages.label_error();
        self.write_error(&format!("{RED}{label}:{PLAIN} {}", safe::block(&text)));
        for hint in hints {
            let label = messages.label_hint();
            self.write_error(&format!("{CYAN}{label}:{PLAIN} {}", safe::block(hint.trim_end())));
        }
    }

    /// What cannot be said on stderr has no other place to go.
    fn write_error(&self, text: &str) {
        if self.is_silent {
            return;
        }
        let colour = self.environment.colour && self.environment.stderr_is_terminal;
        let mut out = AutoStream::new(io::stderr().lock(), choice(colour));
        let _ = writeln!(out, "{text}");
    }
}

/// Writes data to stdout, byte for byte.
///
/// # Errors
/// What `write` or stdout refuses.
pub(crate) fn data(
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), CommandError> {
    let mut out = BufWriter::new(io::stdout().lock());
    write(&mut out)?;
    Ok(out.flush()?)
}

fn write_out(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

fn choice(colour: bool) -> ColorChoice {
    if colour { ColorChoice::Always } else { ColorChoice::Never }
}

/// An error about a file that the user named.
pub(crate) fn unreadable(messages: Messages, file: &Path, error: &io::Error) -> CommandError {
    let (name, exit) = (file.display(), crate::exit::Exit::Usage);
    CommandError::new(exit, messages.cannot_read_file(&name, error))
        .hint(messages.hint_file(safe::shell_quoted(file)))
}
