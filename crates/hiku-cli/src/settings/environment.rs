//! The process's environment, read once: variables, home, current folder, terminals. Interprets
//! nothing beyond that.

use std::env;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use super::token::{Secret, TOKEN_VARIABLE};
use crate::exit::{CommandError, Exit};
use crate::messages::{Language, Messages};

/// What the environment says.
///
/// Read once, at the start; a variable that is empty counts as not set, and so does one that is not
/// UTF-8.
#[derive(Debug, Clone)]
pub(crate) struct Environment {
    /// `HIKU_VAULT`.
    pub(crate) vault: Option<PathBuf>,
    /// `HIKU_INDEX`.
    pub(crate) index: Option<PathBuf>,
    /// `HIKU_CONFIG`, else `hiku/config.toml` in the user's config folder; none without a home.
    pub(crate) config_file: Option<PathBuf>,
    /// `hiku` in the user's data folder; none without a home.
    pub(crate) data: Option<PathBuf>,
    /// `hiku` in the user's cache folder; none without a home.
    pub(crate) cache: Option<PathBuf>,
    /// The home folder.
    pub(crate) home: Option<PathBuf>,
    /// The folder that relative paths start from.
    pub(crate) current_folder: PathBuf,
    /// This program's file, where the system says.
    pub(crate) program: Option<PathBuf>,
    /// `HIKU_IN_HOOK`: a hook stays silent where it is set.
    pub(crate) in_hook: Option<String>,
    /// `EDITOR`.
    pub(crate) editor: Option<String>,
    /// `HIKU_MCP_TOKEN`; set to nothing it is a token that is none, so that no server stands open
    /// by an oversight.
    pub(crate) mcp_token: Option<Secret>,
    /// The language of messages.
    pub(crate) messages: Messages,
    /// False where `NO_COLOR` is set or the terminal is dumb.
    pub(crate) colour: bool,
    /// Whether stdout is a terminal.
    pub(crate) stdout_is_terminal: bool,
    /// Whether stderr is a terminal.
    pub(crate) stderr_is_terminal: bool,
}

impl Environment {
    /// Reads the process's environment.
    pub(crate) fn read() -> Self {
        let base = etcetera::choose_base_strategy().ok();
        let config = base.as_ref().map(|base| base.config_dir().join("hiku").join("config.toml"));
        let no_colour = variable("NO_COLOR").is_some();
        let dumb = variable("TERM").is_some_and(|terminal| terminal == "dumb");
        Environment {
            vault: variable("HIKU_VAULT").map(PathBuf::from),
            index: variable("HIKU_INDEX").map(PathBuf::from),
            config_file: variable("HIKU_CONFIG").map(PathBuf::from).or(config),
            data: base.as_ref().map(|base| base.data_dir().join("hiku")),
            cache: base.as_ref().map(|base| base.cache_dir().join("hiku")),
            home: base.as_ref().map(|base| base.home_dir().to_path_buf()),
            current_folder: env::current_dir().unwrap_or_default(),
            program: env::current_exe().ok(),
            in_hook: variable("HIKU_IN_HOOK"),
            editor: variable("EDITOR"),
            mcp_token: env::var_os(TOKEN_VARIABLE)
                .map(|value| Secret(value.into_string().unwrap_or_default())),
            messages: Messages(language(variable)),
            colour: !no_colour && !dumb,
            stdout_is_terminal: io::stdout().is_terminal(),
            stderr_is_terminal: io::stderr().is_terminal(),
        }
    }

    /// The folder of index files.
    ///
    /// # Errors
    /// Exit code 2 when there is no home folder.
    pub(crate) fn data_folder(&self) -> Result<&Path, CommandError> {
        self.data.as_deref().ok_or_else(|| {
            CommandError::new(Exit::Usage, self.messages.no_home())
                .hint(self.messages.hint_index_elsewhere())
        })
    }

    /// A path as the user meant it from the current folder.
    pub(crate) fn absolute(&self, path: &Path) -> PathBuf {
        self.current_folder.join(path)
    }

    /// A path of a config file: `~/` is the home folder, and relative paths start there.
    pub(crate) fn expand(&self, path: &Path) -> PathBuf {
        let home = self.home.as_deref().unwrap_or(Path::new(""));
        home.join(path.strip_prefix("~").unwrap_or(path))
    }
}

/// A variable that is set to something.
fn variable(name: &str) -> Option<String> {
    env::var_os(name)?.into_string().ok().filter(|value| !value.is_empty())
}

/// `HIKU_LANG`, else the locale by POSIX's order of variables.
pub(super) fn language(variable: impl Fn(&str) -> Option<String>) -> Language {
    let chosen = ["HIKU_LANG", "LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(variable);
    match chosen {
        Some(value) if value.to_ascii_lowercase().starts_with("ja") => Language::Japanese,
        _ => Language::English,
    }
}
