//! `hiku doctor`: checks the index and lists what was skipped, redacted or misread.

use crate::args::StatusArguments;
use crate::exit::{CommandError, Exit};
use crate::session::{self, Session};
use crate::{render, wire};

/// Runs `hiku doctor`.
///
/// # Errors
/// Exit codes 1, 2 and 10; problems are no error here but give exit code 1.
pub(crate) fn run(arguments: &StatusArguments, session: &Session) -> Result<Exit, CommandError> {
    let place = session.place(&arguments.place)?;
    let index = place.open_index()?;
    let problems = index.check().map_err(|e| place.failed(e))?;
    let status = index.status().map_err(|e| place.failed(e))?;
    if arguments.json {
        let answer = wire::StatusAnswer::new(&status, &place.vault, &place.index);
        let answer = wire::DoctorAnswer::new(&problems, answer);
        session::data(|out| wire::write_line(out, &answer))?;
    } else {
        let messages = session.messages();
        session.text(|out| {
            render::problems(out, &problems, &place, messages)?;
            render::status_lists(out, &status, messages)
        })?;
    }
    Ok(if problems.is_empty() { Exit::Done } else { Exit::Failed })
}
