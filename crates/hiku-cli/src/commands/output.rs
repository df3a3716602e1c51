//! `hiku output`: the whole of an output of which an agent saw an extract.

use std::io;

use crate::args::ToolOutputArguments;
use crate::exit::{CommandError, Exit};
use crate::hook::{KeptOutputs, OutputId, Part};
use crate::safe;
use crate::session::{self, Session};

/// Runs `hiku output`.
///
/// # Errors
/// Exit code 2 for an output that is not kept, 1 for one that cannot be read.
pub(crate) fn run(
    arguments: &ToolOutputArguments,
    session: &Session,
) -> Result<Exit, CommandError> {
    let messages = session.messages();
    let id = &OutputId::parse(&arguments.id)
        .ok_or_else(|| CommandError::new(Exit::Usage, messages.no_output_id(&arguments.id)))?;
    let Some(cache) = &session.environment.cache else {
        return Err(CommandError::new(Exit::Usage, messages.no_home()));
    };
    let output = KeptOutputs::of(cache).read(id).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => CommandError::new(Exit::Usage, messages.output_not_kept(id))
            .hint(messages.hint_output()),
        _ => CommandError::new(Exit::Failed, messages.cannot_read_file(id, error))
            .hint(messages.hint_output()),
    })?;
    let part = Part { lines: arguments.lines, find: arguments.find.as_deref() };
    let text = safe::block(&part.of(&output));
    session::data(|out| out.write_all(text.as_bytes()))?;
    Ok(Exit::Done)
}
