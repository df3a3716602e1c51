//! `hiku status`: the index at a glance.

use crate::args::StatusArguments;
use crate::exit::{CommandError, Exit};
use crate::session::{self, Session};
use crate::{render, wire};

/// Runs `hiku status`.
///
/// # Errors
/// Exit codes 1, 2 and 10.
pub(crate) fn run(arguments: &StatusArguments, session: &Session) -> Result<Exit, CommandError> {
    let place = session.place(&arguments.place)?;
    let index = place.open_index()?;
    let status = index.status().map_err(|e| place.failed(e))?;
    if arguments.json {
        let answer = wire::StatusAnswer::new(&status, &place.vault, &place.index);
        session::data(|out| wire::write_line(out, &answer))?;
    } else {
        let names = [&place.vault, &place.index].map(|path| path.to_string_lossy());
        let messages = session.messages();
        session.text(|out| render::status_lines(out, &status, (&names[0], &names[1]), messages))?;
    }
    Ok(Exit::Done)
}
