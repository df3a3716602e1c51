//! `hiku eval`: measures on a judged set or a golden file, prints the figures, keeps them, and
//! holds them against a baseline. What is measured, and how, is `hiku-eval`'s.

mod add;
mod compare;
mod gate;

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use hiku::Settings;
use hiku_eval::{Answers, Error, Golden, JudgedSet, Judgements, Metric, RunOptions, Scores};

use crate::args::{EvalAction, EvalArguments, GoldenAction};
use crate::exit::{CommandError, Exit};
use crate::session::{self, Session};
use crate::settings::{Place, UserConfig, override_settings};
use crate::{model, progress, render, safe, wire};

/// Settings that decide what an index holds, so that they change nothing where one is asked as it
/// is.
const INDEX_KEYS: [&str; 2] = ["chunk.", "ranking.title_vector_weight"];

/// Runs `hiku eval`.
///
/// The scratch index is deleted at the end, also after an error. stdout stays empty: the run is a
/// file, and times are on stderr.
///
/// # Errors
/// Exit codes 1, 2 and 10.
pub(crate) fn run(arguments: &EvalArguments, session: &Session) -> Result<Exit, CommandError> {
    match (&arguments.action, &arguments.set, &arguments.golden) {
        (Some(EvalAction::Compare(arguments)), ..) => compare::run(arguments, session),
        (Some(EvalAction::Golden(golden)), ..) => match &golden.action {
            GoldenAction::Add(arguments) => add::run(arguments, session),
        },
        (None, Some(set), _) => judged_set(set, arguments, session),
        (None, None, Some(golden)) => golden_file(golden, arguments, session),
        (None, None, None) => unreachable!("the command line asks for a set or a golden file"),
    }
}

/// A judged set is no vault: the user's `[ranking]` and model count, and no `hiku.toml` does.
fn judged_set(
    folder: &Path,
    arguments: &EvalArguments,
    session: &Session,
) -> Result<Exit, CommandError> {
    let failed = |error| failure(session, &error);
    let baseline = gate::read(arguments, session)?;
    let set = JudgedSet::read(folder).map_err(|error| set_failure(session, folder, &error))?;
    let judgements = set.judgements(folder).map_err(failed)?;
    let settings = settings(arguments, session)?;
    let scratch = tempfile::tempdir()?;
    let index = scratch.path().join("eval.hiku");
    let progress = progress::choose(&session.environment, false);

    let started = Instant::now();
    let report = set.index(&index, &settings, &*progress, &AtomicBool::new(false));
    progress.finish();
    let notes = report.map_err(failed)?.notes;
    session.say(&session.messages().eval_indexed(notes, seconds(started)));

    let started = Instant::now();
    let answers = set.answer(&index, &settings, options(arguments), &*progress);
    progress.finish();
    let answers = answers.map_err(failed)?;
    say_answered(&answers, started, session);
    write_run(&answers, arguments, session)?;
    match judgements {
        Some(judgements) => report_scores(&judgements, &answers, arguments, baseline, session),
        None if arguments.run.is_some() && baseline.is_none() && arguments.save.is_none() => {
            session.warn(&session.messages().eval_unjudged(folder.display()));
            Ok(Exit::Done)
        }
        None => {
            Err(CommandError::new(Exit::Usage, session.messages().eval_unjudged(folder.display()))
                .hint(session.messages().hint_run_only()))
        }
    }
}

fn golden_file(
    file: &Path,
    arguments: &EvalArguments,
    session: &Session,
) -> Result<Exit, CommandError> {
    let messages = session.messages();
    let baseline = gate::read(arguments, session)?;
    let golden = Golden::read(file).map_err(|error| failure(session, &error))?;
    let mut place = session.place(&arguments.place)?;
    let is_fixed = |pair: &&String| INDEX_KEYS.iter().any(|key| pair.trim().starts_with(key));
    if let Some(pair) = arguments.overrides.iter().find(is_fixed) {
        return Err(CommandError::new(Exit::Usage, messages.override_of_index(pair))
            .hint(messages.hint_override_of_index()));
    }
    override_settings(&arguments.overrides, &mut place.settings, messages)?;
    let progress = progress::choose(&session.environment, false);
    let started = Instant::now();
    let measured = golden.measure(&place.index, &place.settings, options(arguments), &*progress);
    progress.finish();
    let measured = measured.map_err(|error| index_failure(session, &place, error))?;
    say_answered(&measured.answers, started, session);
    write_run(&measured.answers, arguments, session)?;
    report_scores(&measured.judgements, &measured.answers, arguments, baseline, session)
}

fn settings(arguments: &EvalArguments, session: &Session) -> Result<Settings, CommandError> {
    let environment = &session.environment;
    let user = UserConfig::read(environment)?;
    let mut settings = user.over(Settings::default(), session.messages())?;
    override_settings(&arguments.overrides, &mut settings, session.messages())?;
    settings.vault = Settings::default().vault;
    settings.embedder = match (&arguments.model, &user.model) {
        (Some(name), _) if name.as_os_str() == "builtin" => hiku::embed::builtin(),
        (Some(folder), _) => model::open(&environment.absolute(folder))?,
        (None, Some(folder)) => model::open(&environment.expand(folder))?,
        (None, None) => settings.embedder,
    };
    Ok(settings)
}

fn options(arguments: &EvalArguments) -> RunOptions {
    RunOptions {
        mode: arguments.mode.into(),
        fusion: arguments.fusion.into(),
        limit: usize::from(arguments.limit),
        plain: false,
    }
}

fn say_answered(answers: &Answers, started: Instant, session: &Session) {
    let messages = session.messages();
    let (queries, lines) = (answers.run.rankings.len(), answers.run.lines());
    session.say(&messages.eval_answered(queries, lines, seconds(started)));
    for (signal, reason) in &answers.unavailable {
        session.warn(&messages.signal_missing(signal, reason));
    }
}

fn write_run(
    answers: &Answers,
    arguments: &EvalArguments,
    session: &Session,
) -> Result<(), CommandError> {
    let Some(file) = &arguments.run else { return Ok(()) };
    let write = || answers.run.write(&mut BufWriter::new(File::create(file)?));
    write().map_err(|source| failure(session, &Error::Write { path: file.clone(), source }))
}

/// Prints the figures, keeps them where that was asked, and lets the gate decide the exit code.
fn report_scores(
    judgements: &Judgements,
    answers: &Answers,
    arguments: &EvalArguments,
    baseline: Option<Scores>,
    session: &Session,
) -> Result<Exit, CommandError> {
    let metrics = arguments.metrics.chosen();
    warn_of_short_rankings(&metrics, arguments.limit, session);
    let scores = judgements.score(&answers.run, &metrics);
    let form = wire::EvalAnswer::new(&scores, &answers.unavailable);
    if arguments.json {
        session::data(|out| wire::write_line(out, &form))?;
    } else {
        session.text(|out| render::scores(out, &scores, session.messages()))?;
    }
    let verdict =
        baseline.map_or(Ok(()), |baseline| gate::judge(&baseline, &scores, arguments, session));
    // A baseline that was not reached stays what it was.
    let keeps_baseline = verdict.is_err() && arguments.save == arguments.gate;
    if let Some(file) = arguments.save.as_ref().filter(|_| !keeps_baseline) {
        let mut text = Vec::new();
        wire::write_line(&mut text, &form)?;
        std::fs::write(file, text)
            .map_err(|source| failure(session, &Error::Write { path: file.clone(), source }))?;
    }
    verdict.map(|()| Exit::Done)
}

/// A metric that looks deeper than was asked for gives less than it would.
fn warn_of_short_rankings(metrics: &[Metric], limit: u16, session: &Session) {
    let limit = usize::from(limit);
    let is_deeper = |metric: &&Metric| metric.depth().is_some_and(|depth| depth > limit);
    for metric in metrics.iter().filter(is_deeper) {
        session.warn(&session.messages().eval_short(metric, limit));
    }
}

/// An error about a file that the user named, with what to do about it.
fn failure(session: &Session, error: &Error) -> CommandError {
    let messages = session.messages();
    let exit = match error {
        Error::Library { source, .. } => Exit::of(source),
        Error::Write { .. } => Exit::Failed,
        _ => Exit::Usage,
    };
    let text = match error {
        Error::Read { path, source } => messages.cannot_read_file(path.display(), source),
        Error::Write { path, source } => messages.cannot_write_file(path.display(), source),
        other => other.to_string(),
    };
    let failed = CommandError::new(exit, text);
    match error {
        Error::Read { path, .. } | Error::Write { path, .. } => {
            failed.hint(messages.hint_file(safe::shell_quoted(path)))
        }
        Error::Line { path, line, .. } => {
            failed.hint(messages.hint_line(safe::shell_quoted(path), line))
        }
        Error::Empty { path, .. } => failed.hint(messages.hint_layout(safe::shell_quoted(path))),
        Error::NothingInCommon { .. } => failed.hint(messages.hint_same_queries()),
        Error::Library { source, .. } => failed.hint(messages.next_step(source, "")),
        _ => failed,
    }
}

fn set_failure(session: &Session, folder: &Path, error: &Error) -> CommandError {
    let messages = session.messages();
    CommandError::new(Exit::Usage, messages.eval_failed(folder.display(), error))
        .hint(messages.hint_set(safe::shell_quoted(folder)))
}

/// An error about the index of a vault.
fn index_failure(session: &Session, place: &Place, error: Error) -> CommandError {
    match error {
        Error::Library { query: None, source } => place.failed(source),
        Error::Library { query: Some(_), ref source } => {
            let hint = session.messages().next_step(source, &place.flags());
            CommandError::new(Exit::of(source), error.to_string()).hint(hint)
        }
        Error::Empty { .. } => CommandError::new(Exit::IndexUnusable, error.to_string())
            .hint(session.messages().hint_build(place.command("index"))),
        other => failure(session, &other),
    }
}

fn seconds(started: Instant) -> String {
    format!("{:.1}", started.elapsed().as_secs_f64())
}
