//! `hiku search`: brings the index up to date unless told not to, asks it, prints the answer.
//!
//! Order: settings, then the queries of `--batch`, then the index (built, refreshed or left alone),
//! then the question. So a wrong file of queries costs no index run. A refresh that another writer
//! or the disk prevents, or that its budget of time cuts short, is a warning, not an error: the
//! index as it is still answers. Its hits are held against their files in any case.

use std::io::{self, Write};
use std::time::Instant;

use hiku::{Error, Filters, Fusion, Grouping, Mend, Mode, SearchRequest, SearchResponse, Stale};

use super::batch;
use crate::args::{
    FilterArguments, FusionArgument, GroupingArgument, ModeArgument, OutputArguments,
    SearchArguments,
};
use crate::exit::{CommandError, Exit};
use crate::request::conditions;
use crate::session::{self, Session};
use crate::settings::Place;
use crate::{open, progress, refresh, registry, render, safe, wire};

/// Runs `hiku search`.
///
/// # Errors
/// Exit codes 1, 2, 3, 10 and 130.
pub(crate) fn run(arguments: &SearchArguments, session: &Session) -> Result<Exit, CommandError> {
    let mut place = session.place(&arguments.place)?;
    if let Some(budget) = arguments.refresh_budget {
        place.search.refresh_budget_ms = budget;
    }
    let batch = arguments.batch.as_deref();
    let queries = batch.map(|file| batch::read(file, session.messages())).transpose()?;
    let rereads = !arguments.no_refresh;
    let stale = if rereads { bring_up_to_date(&place, session)? } else { None };
    let index = place.open_index()?;
    if let Some(queries) = queries {
        return batch::run(&index, &queries, stale.as_ref(), arguments, &place, session);
    }
    let started = Instant::now();
    let request = request(arguments, arguments.words.join(" "));
    let folder = place.folder().ok();
    let mut response = match refresh::ask(&index, &request, folder.as_ref(), rereads) {
        Err(error @ Error::IndexDamaged { .. }) if rereads => {
            drop(index);
            ask_mended(&request, error, &place, session)?
        }
        result => result.map_err(|e| place.failed(e))?,
    };
    response.stale = stale;
    print(&response, arguments, &place, session)?;
    if arguments.timings {
        session.say(&batch::timing_line(vec![started.elapsed()]));
    }
    if arguments.open {
        open_first(&response, &place, session)?;
    }
    Ok(Exit::Done)
}

/// Builds an index that is missing, with progress; refreshes one that is there, in silence. Gives
/// what an answer may lack.
///
/// # Errors
/// As [`refresh::build`] and [`refresh::quietly`]; exit code 130 for a build that was interrupted.
pub(super) fn bring_up_to_date(
    place: &Place,
    session: &Session,
) -> Result<Option<Stale>, CommandError> {
    if place.index.exists() {
        return refresh::quietly(place, Mend::Damaged, session);
    }
    place.guard_vault(session.messages())?;
    session.say(&session.messages().building(place.vault.display()));
    let progress = progress::choose(&session.environment, false);
    let report = refresh::build(place, hiku::UpdateOptions::default(), &*progress, session)?;
    if report.interrupted {
        let text = session.messages().interrupted(report.notes);
        return Err(CommandError::new(Exit::Interrupted, text));
    }
    registry::record(&session.environment, &place.vault, &place.index).map(|()| None)
}

/// Mends an index in which a search met damage that the refresh had no reason to read, and asks
/// again.
fn ask_mended(
    request: &SearchRequest,
    damage: Error,
    place: &Place,
    session: &Session,
) -> Result<SearchResponse, CommandError> {
    refresh::quietly(place, Mend::Suspected, session)?;
    let index = place.open_index()?;
    // Damage that no checksum shows is for the user to hear of.
    index.search(request).map_err(|_| place.failed(damage))
}

/// The library's request for what was typed.
/// Flags that only concern printing or refreshing leave no
/// trace in it.
pub(crate) fn request(arguments: &SearchArguments, query: String) -> SearchRequest {
    SearchRequest {
        limit: usize::from(arguments.limit),
        mode: arguments.mode.into(),
        fusion: arguments.fusion.into(),
        by: match arguments.by {
            GroupingArgument::Note => Grouping::Note,
            GroupingArgument::Chunk => Grouping::Chunk,
        },
        filters: filters(&arguments.filters),
        max_tokens: arguments.max_tokens,
        strict: arguments.strict,
        ..SearchRequest::new(query)
    }
}

fn filters(arguments: &FilterArguments) -> Filters {
    let list = |values: &[String]| conditions(values.iter().map(String::as_str));
    Filters {
        tags: list(&arguments.tag),
        paths: list(&arguments.path),
        types: list(&arguments.note_type),
        after: arguments.after.clone(),
        before: arguments.before.clone(),
    }
}

impl From<ModeArgument> for Mode {
    fn from(mode: ModeArgument) -> Self {
        match mode {
            ModeArgument::Hybrid => Mode::Hybrid,
            ModeArgument::Lexical => Mode::Lexical,
            ModeArgument::Dense => Mode::Dense,
        }
    }
}

impl From<FusionArgument> for Fusion {
    fn from(fusion: FusionArgument) -> Self {
        match fusion {
            FusionArgument::Convex => Fusion::Convex,
            FusionArgument::Rrf => Fusion::Rrf,
            FusionArgument::Founding => Fusion::Founding,
        }
    }
}

fn print(
    response: &SearchResponse,
    arguments: &SearchArguments,
    place: &Place,
    session: &Session,
) -> Result<(), CommandError> {
    let messages = session.messages();
    match arguments.output {
        OutputArguments { json: true, .. } => {
            let answer = wire::SearchAnswer::new(response, &place.vault, arguments.explain);
            session::data(|out| wire::write_line(out, &answer))
        }
        OutputArguments { jsonl: true, .. } => {
            let answer = wire::SearchAnswer::new(response, &place.vault, arguments.explain);
            let mut hits = answer.hits().iter();
            session::data(|out| hits.try_for_each(|hit| wire::write_line(out, hit)))
        }
        OutputArguments { paths: true, .. } => {
            let for_people = session.environment.stdout_is_terminal;
            session::data(|out| paths(out, response, arguments.null, for_people))
        }
        OutputArguments { context: true, .. } => {
            session::data(|out| render::context_block(out, response, messages))
        }
        _ => for_people(response, arguments.explain, place, session),
    }
}

fn for_people(
    response: &SearchResponse,
    explain: bool,
    place: &Place,
    session: &Session,
) -> Result<(), CommandError> {
    let (messages, flags) = (session.messages(), place.flags());
    session.text(|out| render::answer(out, response, messages, (explain, &flags)))?;
    for term in &response.terms {
        if let Some(typed) = &term.instead_of {
            session.say(&messages.near_term(typed, &term.term));
        }
    }
    if response.hits.is_empty() {
        session.say(&messages.nothing_found());
    }
    if response.notes == 0 {
        session.say(&render::no_notes(place, messages));
    }
    Ok(())
}

/// Each path once. Exact under `--null`; else one a line, so that a line break in a name ends no
/// line, and on a terminal without invisible characters.
fn paths(
    out: &mut dyn Write,
    response: &SearchResponse,
    null: bool,
    for_people: bool,
) -> io::Result<()> {
    let mut seen = std::collections::HashSet::new();
    for hit in response.hits.iter().filter(|hit| seen.insert(&hit.path)) {
        let path = safe::file_name(&hit.path);
        match (null, for_people) {
            (true, _) => write!(out, "{}\0", hit.path)?,
            (false, true) => writeln!(out, "{}", safe::line(&path))?,
            (false, false) => writeln!(out, "{path}")?,
        }
    }
    Ok(())
}

fn open_first(
    response: &SearchResponse,
    place: &Place,
    session: &Session,
) -> Result<(), CommandError> {
    let Some(hit) = response.hits.first() else {
        session.say(&session.messages().nothing_to_open());
        return Ok(());
    };
    let line = hit.passages.first().map_or(1, |passage| passage.line_start);
    open::note(&session.environment, &place.vault, &hit.path, line)
}
