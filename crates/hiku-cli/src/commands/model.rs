//! `hiku model`: shows the embedding model and chooses another.

use std::path::Path;

use crate::args::{ModelAction, ModelArguments};
use crate::exit::{CommandError, Exit};
use crate::model;
use crate::session::{self, Session};
use crate::settings::{UserConfig, set_user_key};

/// Runs `hiku model`.
///
/// # Errors
/// Exit codes 1 and 2.
pub(crate) fn run(arguments: &ModelArguments, session: &Session) -> Result<Exit, CommandError> {
    match &arguments.action {
        ModelAction::Show => show(session)?,
        ModelAction::Use { model } if model.as_os_str() == "builtin" => {
            set_user_key(&session.environment, "model", None)?;
            session.say(&session.messages().model_builtin());
        }
        ModelAction::Use { model } => adopt(model, session)?,
    }
    Ok(Exit::Done)
}

fn adopt(path: &Path, session: &Session) -> Result<(), CommandError> {
    let environment = &session.environment;
    let (id, copy) = model::adopt(&environment.absolute(path), environment.data_folder()?)?;
    set_user_key(environment, "model", Some(&copy.to_string_lossy()))?;
    session.say(&session.messages().model_set(id));
    Ok(())
}

fn show(session: &Session) -> Result<(), CommandError> {
    let chosen = UserConfig::read(&session.environment)?.model;
    let embedder = match chosen {
        Some(path) => model::open(&session.environment.expand(&path))?,
        None => hiku::embed::builtin(),
    };
    let messages = session.messages();
    let text = embedder.map_or_else(
        || messages.no_model(),
        |model| messages.model_line(model.id(), model.dimensions(), model.vocabulary_size()),
    );
    session::data(|out| writeln!(out, "{text}"))
}
