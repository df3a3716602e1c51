//! `hiku eval`: answers a judged set's queries over a scratch index and writes a TREC run.

use std::fs::File;
use std::io::BufWriter;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use hiku::Settings;
use hiku_eval::{Answers, JudgedSet, RunOptions};

use crate::args::EvalArguments;
use crate::exit::{CommandError, Exit};
use crate::messages::Messages;
use crate::session::Session;
use crate::settings::{UserConfig, override_settings};
use crate::{model, progress, safe};

/// Runs `hiku eval`. A judged set is no vault: the user's `[ranking]` and model count, and no
/// `hiku.toml` does.
///
/// # Errors
/// Exit codes 1 and 2.
pub(crate) fn run(arguments: &EvalArguments, session: &Session) -> Result<Exit, CommandError> {
    let messages = session.messages();
    let failed = |error: hiku_eval::Error| set_error(messages, arguments, &error);
    let set = JudgedSet::read(&arguments.set).map_err(failed)?;
    let settings = settings(arguments, session)?;
    let scratch = tempfile::tempdir()?;
    let index = scratch.path().join("eval.hiku");
    let progress = progress::choose(&session.environment, false);

    let started = Instant::now();
    let report = set.index(&index, &settings, &*progress, &AtomicBool::new(false));
    progress.finish();
    let notes = report.map_err(failed)?.notes;
    session.say(&messages.eval_indexed(notes, seconds(started)));

    let started = Instant::now();
    let answers = set.answer(&index, &settings, options(arguments), &*progress);
    progress.finish();
    let answers = answers.map_err(failed)?;
    session.say(&messages.eval_answered(set.queries.len(), answers.lines(), seconds(started)));
    write(&answers, arguments, messages)?;
    Ok(Exit::Done)
}

fn settings(arguments: &EvalArguments, session: &Session) -> Result<Settings, CommandError> {
    let environment = &session.environment;
    let user = UserConfig::read(environment)?;
    let mut settings = Settings::default();
    user.apply(&mut settings, session.messages())?;
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
    }
}

fn write(
    answers: &Answers,
    arguments: &EvalArguments,
    messages: Messages,
) -> Result<(), CommandError> {
    let file = &arguments.run;
    let write = || answers.write(&mut BufWriter::new(File::create(file)?));
    write().map_err(|error| {
        CommandError::new(Exit::Failed, messages.cannot_write_file(file.display(), error))
            .hint(messages.hint_file(safe::shell_quoted(file)))
    })
}

fn set_error(
    messages: Messages,
    arguments: &EvalArguments,
    error: &hiku_eval::Error,
) -> CommandError {
    let exit = match error {
        hiku_eval::Error::Library { source, .. } => Exit::of(source),
        _ => Exit::Usage,
    };
    CommandError::new(exit, messages.eval_failed(arguments.set.display(), error))
        .hint(messages.hint_set(safe::shell_quoted(&arguments.set)))
}

fn seconds(started: Instant) -> String {
    format!("{:.1}", started.elapsed().as_secs_f64())
}
