//! `hiku eval compare`: two runs, one set of judgements.

use hiku_eval::{Comparison, Judgements, Run};

use super::failure;
use crate::args::CompareArguments;
use crate::exit::{CommandError, Exit};
use crate::session::{self, Session};
use crate::{render, wire};

/// Runs `hiku eval compare`.
///
/// # Errors
/// Exit code 2 for a file that cannot be read or understood.
pub(super) fn run(arguments: &CompareArguments, session: &Session) -> Result<Exit, CommandError> {
    let failed = |error| failure(session, &error);
    let judgements = Judgements::read(&arguments.qrels).map_err(failed)?;
    let metrics = arguments.metrics.chosen();
    let before = judgements.score(&Run::read(&arguments.before).map_err(failed)?, &metrics);
    let after = judgements.score(&Run::read(&arguments.after).map_err(failed)?, &metrics);
    let comparison = Comparison::of(&before, &after).map_err(failed)?;
    if arguments.json {
        session::data(|out| wire::write_line(out, &wire::CompareAnswer::new(&comparison)))?;
    } else {
        session.text(|out| render::comparison(out, &comparison, session.messages()))?;
    }
    Ok(Exit::Done)
}
