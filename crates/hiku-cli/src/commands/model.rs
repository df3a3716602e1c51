//! `hiku model`: shows the embedding model and chooses another.

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
        ModelAction::Use { model } => {
            model::open(&session.environment.absolute(model))?;
        }
    }
    Ok(Exit::Done)
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
