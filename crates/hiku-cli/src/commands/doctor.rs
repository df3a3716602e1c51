//! `hiku doctor`: checks the index and lists what was skipped, redacted or misread.

use hiku::vault::Folder;
use hiku::{Change, ErrorKind, Index};

use crate::args::DoctorArguments;
use crate::exit::{CommandError, Exit};
use crate::session::{self, Session};
use crate::settings::Place;
use crate::{render, wire};

/// Runs `hiku doctor`.
///
/// # Errors
/// Exit codes 1, 2 and 10; problems are no error here but give exit code 1.
pub(crate) fn run(arguments: &DoctorArguments, session: &Session) -> Result<Exit, CommandError> {
    let place = session.place(&arguments.place)?;
    let index = place.open_index()?;
    let checked = if arguments.deep { index.check_deep() } else { index.check() };
    let problems = checked.map_err(|e| place.failed(e))?;
    let stale = arguments.deep.then(|| stale(&index, &place)).transpose()?;
    let status = index.status().map_err(|e| place.failed(e))?;
    if arguments.json {
        let answer = wire::StatusAnswer::new(&status, &place.vault, &place.index);
        let answer = wire::DoctorAnswer::new(&problems, stale.as_deref(), answer);
        session::data(|out| wire::write_line(out, &answer))?;
    } else {
        let messages = session.messages();
        session.text(|out| {
            render::problems(out, &problems, &place, messages)?;
            render::behind(out, stale.as_deref().unwrap_or_default(), &place, messages)?;
            render::status_lists(out, &status, messages)
        })?;
    }
    Ok(if problems.is_empty() { Exit::Done } else { Exit::Failed })
}

/// In what the index is behind the vault. Where a fault stands in the way of telling, the fault is
/// what counts.
fn stale(index: &Index, place: &Place) -> Result<Vec<(Change, String)>, CommandError> {
    let folder = Folder::open(&place.vault, &place.settings.vault).map_err(|e| place.failed(e))?;
    match index.stale(&folder) {
        Err(error) if error.kind() == ErrorKind::Corrupt => Ok(Vec::new()),
        result => result.map_err(|e| place.failed(e)),
    }
}
