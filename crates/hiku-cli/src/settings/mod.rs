//! What the flags, the environment and the config files mean together: the vault, its index file
//! and the library's settings. The only module that reads the environment, the home folder and
//! config files; asks no index.

/// Overwrites each named field of the options that the table sets.
macro_rules! overwrite {
    ($table:expr => $options:expr, $($field:ident),+) => {
        $(if let Some(value) = &$table.$field { $options.$field = value.clone(); })+
    };
}

mod document;
mod environment;
mod files;
mod hook;
mod search;
mod token;

use std::fs;
use std::path::{Path, PathBuf};

use hiku::vault::Folder;
use hiku::{Error, Index, Settings};

pub(crate) use environment::Environment;
use files::or_default;
#[cfg(test)]
pub(crate) use files::settings_of;
pub(crate) use files::{
    LEAST_MCP_TOKENS, MAX_CONFIG_BYTES, MOST_MCP_TOKENS, McpSettings, UserConfig, VaultConfig,
    override_settings, set_user_key,
};
pub(crate) use hook::HookSettings;
pub(crate) use search::SearchSettings;
pub(crate) use token::Token;

use crate::args::PlaceArguments;
use crate::exit::{CommandError, Exit};
use crate::messages::Messages;

/// File name of a vault's own settings.
pub(crate) const VAULT_CONFIG: &str = "hiku.toml";
/// Folder that marks an Obsidian vault.
pub(crate) const OBSIDIAN_FOLDER: &str = ".obsidian";
/// Bytes kept of a vault's folder name in its index file's name; most file systems allow 255 in
/// all, and the hash, the extension and `-wal` need their share.
const MAX_NAME_BYTES: usize = 120;

/// A vault with its index file and settings: what a command works on.
///
/// Paths are absolute, so that commands in hints work from any folder.
#[derive(Debug)]
pub(crate) struct Place {
    /// The vault's folder, canonical.
    pub(crate) vault: PathBuf,
    /// The index file.
    pub(crate) index: PathBuf,
    /// True where the index file was chosen by flag or environment.
    pub(crate) index_was_asked_for: bool,
    /// The library's settings, without a custom model.
    pub(crate) settings: Settings,
    /// How a search brings the index up to date.
    pub(crate) search: SearchSettings,
    /// How `hiku mcp` answers.
    pub(crate) mcp: McpSettings,
    /// Keys of the config files that were not taken, one sentence each.
    pub(crate) warnings: Vec<String>,
}

impl Place {
    /// Works out vault, index and settings.
    ///
    /// # Errors
    /// Exit code 2 when no vault is chosen, it is not there, or a config file cannot be understood.
    pub(crate) fn find(
        arguments: &PlaceArguments,
        environment: &Environment,
    ) -> Result<Self, CommandError> {
        let messages = environment.messages;
        let user = UserConfig::read(environment)?;
        let vault = existing_folder(choose_vault(arguments, environment, &user)?)?;
        let own = VaultConfig::read(&vault, messages)?;
        let mut settings = own.over(user.over(Settings::default(), messages)?, messages)?;
        if let Some(model) = &user.model {
            crate::model::choose(&environment.expand(model), &mut settings);
        }
        let answers = (user.search(messages)?, user.mcp(messages)?);
        let warnings = [user.warnings, own.warnings].concat();
        Place::at((vault, settings), answers, warnings, (arguments, environment))
    }

    /// Works out the same for a command that needs no more than vault and index: what is wrong with
    /// a config file is a warning, its settings are left out, and the model is not opened.
    ///
    /// # Errors
    /// Exit code 2 when no vault is chosen or it is not there.
    pub(crate) fn find_leniently(
        arguments: &PlaceArguments,
        environment: &Environment,
    ) -> Result<Self, CommandError> {
        let messages = environment.messages;
        let user = UserConfig::read_or_default(environment);
        let chosen = choose_vault(arguments, environment, &user).or_else(|error| {
            // What is wrong with the config may be why no vault is chosen.
            UserConfig::read(environment).and(Err(error))
        })?;
        let vault = existing_folder(chosen)?;
        let mut warnings = user.warnings.clone();
        let own = VaultConfig::read(&vault, messages);
        let own = or_default(own, messages, &mut warnings);
        warnings.extend(own.warnings.iter().cloned());
        let settings = user.over(Settings::default(), messages);
        let settings = or_default(settings, messages, &mut warnings);
        let settings = match own.over(settings.clone(), messages) {
            Ok(settings) => settings,
            fault => {
                or_default(fault, messages, &mut warnings);
                settings
            }
        };
        let search = or_default(user.search(messages), messages, &mut warnings);
        let mcp = or_default(user.mcp(messages), messages, &mut warnings);
        Place::at((vault, settings), (search, mcp), warnings, (arguments, environment))
    }

    fn at(
        (vault, settings): (PathBuf, Settings),
        (search, mcp): (SearchSettings, McpSettings),
        warnings: Vec<String>,
        (arguments, environment): (&PlaceArguments, &Environment),
    ) -> Result<Self, CommandError> {
        let asked = arguments.index.as_ref().or(environment.index.as_ref());
        let index = match asked {
            Some(file) => environment.absolute(file),
            None => default_index(&vault, environment)?,
        };
        let index_was_asked_for = asked.is_some();
        Ok(Place { vault, index, index_was_asked_for, settings, search, mcp, warnings })
    }

    /// The flags that name this place on a command line, quoted for a shell.
    pub(crate) fn flags(&self) -> String {
        let vault = format!("--vault {}", crate::safe::shell_quoted(&self.vault));
        if self.index_was_asked_for {
            format!("{vault} --index {}", crate::safe::shell_quoted(&self.index))
        } else {
            vault
        }
    }

    /// A command on this place that can be pasted: `hiku`, its words, and the flags.
    pub(crate) fn command(&self, words: &str) -> String {
        format!("hiku {words} {}", self.flags())
    }

    /// Opens the index for reading, once it is known to be this vault's.
    ///
    /// # Errors
    /// Exit code 2 for another vault's, 10 for one that cannot be used, 1.
    pub(crate) fn open_index(&self) -> Result<Index, CommandError> {
        let index = Index::open(&self.index, &self.settings).map_err(|e| self.failed(e))?;
        index.confirm_vault(&self.vault).map_err(|e| self.failed(e))?;
        Ok(index)
    }

    /// The vault as a folder of notes.
    ///
    /// # Errors
    /// Exit codes 1 and 2.
    pub(crate) fn folder(&self) -> Result<Folder, CommandError> {
        Folder::open(&self.vault, &self.settings.vault).map_err(|error| self.failed(error))
    }

    /// A library error with the place in its next step.
    pub(crate) fn failed(&self, error: Error) -> CommandError {
        CommandError { place_flags: self.flags(), ..error.into() }
    }

    /// Refuses an index inside the vault that nobody asked for.
    ///
    /// # Errors
    /// Exit code 2 when the user's data folder lies in the vault.
    pub(crate) fn guard_vault(&self, messages: Messages) -> Result<(), CommandError> {
        if self.index_was_asked_for || !self.index.starts_with(&self.vault) {
            return Ok(());
        }
        Err(CommandError::new(
            Exit::Usage,
            messages.index_in_vault(self.index.display(), self.vault.display()),
        )
        .hint(messages.hint_index_elsewhere()))
    }
}

/// `--vault`, else `HIKU_VAULT`, else the nearest parent that looks like a vault, else the user's
/// default.
fn choose_vault(
    arguments: &PlaceArguments,
    environment: &Environment,
    user: &UserConfig,
) -> Result<PathBuf, CommandError> {
    if let Some(vault) = arguments.vault.as_ref().or(environment.vault.as_ref()) {
        return Ok(environment.absolute(vault));
    }
    if let Some(parent) = nearest_vault(&environment.current_folder) {
        return Ok(parent);
    }
    if let Some(vault) = &user.default_vault {
        return Ok(environment.expand(vault));
    }
    let messages = environment.messages;
    Err(CommandError::new(Exit::Usage, messages.no_vault(environment.current_folder.display()))
        .hint(messages.hint_choose_vault()))
}

fn nearest_vault(start: &Path) -> Option<PathBuf> {
    let is_vault = |folder: &&Path| {
        folder.join(OBSIDIAN_FOLDER).is_dir() || folder.join(VAULT_CONFIG).is_file()
    };
    start.ancestors().find(is_vault).map(Path::to_path_buf)
}

fn existing_folder(path: PathBuf) -> Result<PathBuf, CommandError> {
    match fs::canonicalize(&path) {
        Ok(canonical) if canonical.is_dir() => Ok(canonical),
        Ok(_) => Err(Error::Vault { path, problem: "is not a folder" }.into()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(Error::Vault { path, problem: "does not exist" }.into())
        }
        Err(error) => Err(Error::io(&path, "open the vault", error).into()),
    }
}

/// `<folder name>-<16 hexadecimal digits of the path's hash>.hiku` in the user's data folder.
///
/// The hash is of the vault's canonical path: two vaults of one name have two indexes, and a vault
/// that is moved gets a new one. Characters that some file system refuses become `_`.
///
/// # Errors
/// Exit code 2 when there is no home folder.
pub(crate) fn default_index(
    vault: &Path,
    environment: &Environment,
) -> Result<PathBuf, CommandError> {
    let name: String = vault
        .file_name()
        .map_or_else(|| "root".into(), |name| name.to_string_lossy())
        .chars()
        .map(|c| if c.is_control() || "\\/:*?\"<>|".contains(c) { '_' } else { c })
        .collect();
    let kept = name.floor_char_boundary(MAX_NAME_BYTES);
    let hash = blake3::hash(vault.as_os_str().as_encoded_bytes()).to_hex();
    Ok(environment.data_folder()?.join(format!("{}-{}.hiku", &name[..kept], &hash[..16])))
}

#[cfg(test)]
mod tests;
