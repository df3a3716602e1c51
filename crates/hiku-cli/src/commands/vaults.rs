//! `hiku vaults`: which vaults have an index, which is the default, and removing an index.

use std::fs;
use std::path::{Path, PathBuf};

use hiku::Error;

use crate::args::{VaultsAction, VaultsArguments};
use crate::exit::{CommandError, Exit};
use crate::session::{self, Session};
use crate::settings::{UserConfig, default_index, set_user_key};
use crate::{registry, render, wire};

/// Runs `hiku vaults`.
///
/// # Errors
/// Exit codes 1, 2 and 4.
pub(crate) fn run(arguments: &VaultsArguments, session: &Session) -> Result<Exit, CommandError> {
    match &arguments.action {
        None => list(arguments.json, session)?,
        Some(VaultsAction::Default { vault }) => set_default(vault, session)?,
        Some(VaultsAction::Remove { vault }) => remove(vault, session)?,
    }
    Ok(Exit::Done)
}

fn list(json: bool, session: &Session) -> Result<(), CommandError> {
    let known = registry::list(&session.environment)?;
    for warning in UserConfig::read_or_default(&session.environment).warnings {
        session.warn(&warning);
    }
    if json {
        return session::data(|out| wire::write_line(out, &wire::VaultsAnswer::new(&known)));
    }
    if known.is_empty() {
        session.say(&session.messages().no_vaults());
    }
    session.text(|out| render::vault_list(out, &known, session.messages()))
}

fn set_default(vault: &Path, session: &Session) -> Result<(), CommandError> {
    let path = session.environment.absolute(vault);
    let problem = |problem| Error::Vault { path: path.clone(), problem };
    let folder = fs::canonicalize(&path).map_err(|_| problem("does not exist"))?;
    if !folder.is_dir() {
        return Err(problem("is not a folder").into());
    }
    set_user_key(&session.environment, "default_vault", Some(&folder.to_string_lossy()))?;
    session.say(&session.messages().default_set(folder.display()));
    Ok(())
}

/// The folder itself may be gone; then its path as written down must do.
fn remove(vault: &Path, session: &Session) -> Result<(), CommandError> {
    let path = session.environment.absolute(vault);
    let folder = fs::canonicalize(&path).unwrap_or(path);
    let index = indexed_as(&folder, session)?;
    if !registry::remove(&session.environment, &index)? {
        let messages = session.messages();
        return Err(CommandError::new(Exit::Usage, messages.no_index_of(folder.display()))
            .hint(messages.hint_vaults()));
    }
    session.say(&session.messages().index_removed(index.display()));
    Ok(())
}

fn indexed_as(folder: &Path, session: &Session) -> Result<PathBuf, CommandError> {
    let known = registry::list(&session.environment)?;
    let listed = known.into_iter().find(|known| known.vault.as_deref() == Some(folder));
    match listed {
        Some(known) => Ok(known.index),
        None => default_index(folder, &session.environment),
    }
}
