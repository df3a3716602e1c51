//! `hiku related`: the notes around a note, from an index that is brought up to date first.

use super::search::bring_up_to_date;
use crate::args::RelatedArguments;
use crate::exit::{CommandError, Exit};
use crate::related::around;
use crate::session::{self, Session};
use crate::{refresh, render, wire};

/// Runs `hiku related`.
///
/// # Errors
/// Exit codes 1, 2, 10 and 130.
pub(crate) fn run(arguments: &RelatedArguments, session: &Session) -> Result<Exit, CommandError> {
    let place = session.place(&arguments.place)?;
    let rereads = !arguments.no_refresh;
    if rereads {
        bring_up_to_date(&place, session)?;
    }
    let index = place.open_index()?;
    let limit = usize::from(arguments.limit);
    let folder = place.folder().ok();
    let ask = |request: &_| refresh::ask(&index, request, folder.as_ref(), rereads);
    let around = around(&index, ask, &arguments.note, limit).map_err(|e| place.failed(e))?;
    if arguments.json {
        let answer = wire::RelatedAnswer::new(&around, limit, &place.vault);
        session::data(|out| wire::write_line(out, &answer))?;
    } else {
        session.text(|out| render::related(out, &around, limit, session.messages()))?;
    }
    Ok(Exit::Done)
}
