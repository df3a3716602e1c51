//! `hiku config`: where the user's config file is, and what it says.

use std::io;

use crate::args::{ConfigAction, ConfigArguments};
use crate::exit::{CommandError, Exit};
use crate::plain_file::read_bytes;
use crate::safe;
use crate::session::{self, Session, unreadable};
use crate::settings::{MAX_CONFIG_BYTES, UserConfig};

/// Runs `hiku config`.
///
/// # Errors
/// Exit codes 1 and 2.
pub(crate) fn run(arguments: &ConfigArguments, session: &Session) -> Result<Exit, CommandError> {
    let messages = session.messages();
    let Some(path) = &session.environment.config_file else {
        return Err(CommandError::new(Exit::Usage, messages.no_home())
            .hint(messages.hint_index_elsewhere()));
    };
    if let ConfigAction::Path = arguments.action {
        session::data(|out| writeln!(out, "{}", path.display()))?;
        return Ok(Exit::Done);
    }
    match read_bytes(path, MAX_CONFIG_BYTES) {
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&bytes);
            session::data(|out| write!(out, "{}", safe::block(&text)))?;
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            session.say(&messages.no_config(path.display()));
        }
        Err(error) => return Err(unreadable(messages, path, &error)),
    }
    for warning in UserConfig::read_or_default(&session.environment).warnings {
        session.warn(&warning);
    }
    Ok(Exit::Done)
}
