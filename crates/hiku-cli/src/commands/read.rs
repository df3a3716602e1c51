//! `hiku read`: a note as it is on disk now, or with `--stored` what the index holds of it.
//!
//! The first needs no index and no settings but which files are notes; the second reads the index
//! alone and never the file, so that what is shown is what search sees.

use hiku::scrub::Scrubber;
use hiku::vault::Folder;
use hiku::{Selection, read_note};

use crate::args::ReadArguments;
use crate::exit::{CommandError, Exit};
use crate::session::{self, Session};
use crate::settings::Place;
use crate::{render, safe, wire};

/// Runs `hiku read`.
///
/// # Errors
/// Exit codes 1 and 2; 10 with `--stored`.
pub(crate) fn run(arguments: &ReadArguments, session: &Session) -> Result<Exit, CommandError> {
    let place = session.place_leniently(&arguments.place)?;
    if arguments.stored {
        stored(arguments, &place, session)
    } else {
        on_disk(arguments, &place, session)
    }
}

fn on_disk(
    arguments: &ReadArguments,
    place: &Place,
    session: &Session,
) -> Result<Exit, CommandError> {
    let folder = Folder::open(&place.vault, &place.settings.vault).map_err(|e| place.failed(e))?;
    let scrubber = Scrubber::new(&place.settings.scrub);
    let note = read_note(&folder, &arguments.note, &selection(arguments), &scrubber)
        .map_err(|e| place.failed(e))?;
    if arguments.json {
        session::data(|out| wire::write_line(out, &wire::ReadAnswer::new(&note)))?;
        return Ok(Exit::Done);
    }
    let text = safe::block(&note.text);
    session::data(|out| writeln!(out, "{}", text.trim_end_matches('\n')))?;
    if note.redactions > 0 {
        session.say(&session.messages().read_redacted(note.redactions));
    }
    Ok(Exit::Done)
}

fn selection(arguments: &ReadArguments) -> Selection {
    match (&arguments.heading, arguments.lines) {
        (Some(heading), _) => Selection::Heading(heading.clone()),
        (None, Some((start, end))) => Selection::Lines(start, end),
        (None, None) => Selection::Whole,
    }
}

fn stored(
    arguments: &ReadArguments,
    place: &Place,
    session: &Session,
) -> Result<Exit, CommandError> {
    let index = place.open_index()?;
    let note = index.stored(&arguments.note).map_err(|e| place.failed(e))?;
    if arguments.json {
        session::data(|out| wire::write_line(out, &wire::StoredAnswer::new(&note)))?;
    } else {
        session.text(|out| render::stored_note(out, &note, session.messages()))?;
    }
    Ok(Exit::Done)
}
