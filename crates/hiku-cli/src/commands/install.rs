//! `hiku install`: tells an agent how to start `hiku mcp` and, where that is asked for, its hooks, or
//! no more. Shows what it would do; writes only with `--yes`, and keeps the old file beside the new
//! one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hiku::Error;

use crate::args::InstallArguments;
use crate::exit::{CommandError, Exit};
use crate::install::{AGENTS, Agent, Configuration, Start};
use crate::messages::Messages;
use crate::plain_file::read_text;
use crate::safe::shell_quoted;
use crate::session::{self, Session};
use crate::{private, registry};

/// Longest configuration of an agent that is read, in bytes. Claude Code keeps more than settings
/// in its file, and some have grown to megabytes.
const MAX_AGENT_CONFIG_BYTES: u64 = 64 << 20;
/// What the name of the kept file ends in.
const BACKUP: &str = ".before-hiku";

/// Runs `hiku install`.
///
/// # Errors
/// Exit codes 1 and 2.
pub(crate) fn run(arguments: &InstallArguments, session: &Session) -> Result<Exit, CommandError> {
    let start = if arguments.uninstall { None } else { Some(start(arguments, session)?) };
    let agents = match arguments.agent {
        Some(agent) => vec![Agent::from(agent)],
        None => AGENTS.to_vec(),
    };
    let mut is_dry = false;
    for agent in agents {
        for part in parts(agent, arguments, session)? {
            is_dry |= install((agent, part), start.as_ref(), arguments.yes, session)?;
        }
    }
    if is_dry {
        session.say(&session.messages().install_dry());
    }
    Ok(Exit::Done)
}

/// The files to change: with `--hooks` two, and both when all is taken out.
fn parts(
    agent: Agent,
    arguments: &InstallArguments,
    session: &Session,
) -> Result<Vec<Configuration>, CommandError> {
    let mut parts = vec![agent.servers()];
    match agent.hooks() {
        Some(hooks) if arguments.hooks || arguments.uninstall => parts.push(hooks),
        None if arguments.hooks => {
            let text = session.messages().install_no_hooks(agent.name);
            return Err(CommandError::new(Exit::Usage, text));
        }
        _ => {}
    }
    Ok(parts)
}

/// How this program is started: on this vault, wherever the agent runs.
fn start(arguments: &InstallArguments, session: &Session) -> Result<Start, CommandError> {
    let place = session.place_leniently(&arguments.place)?;
    let mut words = vec!["--vault".to_owned(), utf8(&place.vault, session)?];
    if place.index_was_asked_for {
        words.extend(["--index".to_owned(), utf8(&place.index, session)?]);
    }
    let program = session.environment.program.as_deref().unwrap_or(Path::new("hiku"));
    Ok(Start { command: utf8(program, session)?, place: words })
}

/// Configurations are text.
fn utf8(path: &Path, session: &Session) -> Result<String, CommandError> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        let text = session.messages().install_not_utf8(path.display());
        CommandError::new(Exit::Usage, text)
    })
}

/// Changes one agent's configuration, or says how it would; true where it only said so.
fn install(
    (agent, part): (Agent, Configuration),
    start: Option<&Start>,
    yes: bool,
    session: &Session,
) -> Result<bool, CommandError> {
    let messages = session.messages();
    let home = session
        .environment
        .home
        .as_deref()
        .ok_or_else(|| CommandError::new(Exit::Usage, messages.no_home()))?;
    // A link to a file that is kept elsewhere stays a link.
    let file = part.path(home);
    let file = fs::canonicalize(&file).unwrap_or(file);
    let old = read(&file)?;
    let Some(new) = part.changed(old.as_deref().unwrap_or_default(), start) else {
        return Err(not_followed((agent, part), &file, start, messages));
    };
    let name = file.display();
    if old.as_deref().unwrap_or_default() == new {
        session.say(&match start {
            Some(_) => messages.install_there(agent.name, name),
            None => messages.install_absent(agent.name, name),
        });
        return Ok(false);
    }
    if !yes {
        show((agent, part), &file, start, messages)?;
        return Ok(true);
    }
    write(&file, old.as_deref(), &new)?;
    session.say(&match start {
        Some(_) => messages.installed(agent.name, name),
        None => messages.uninstalled(agent.name, name),
    });
    Ok(false)
}

/// The configuration's text; `None` where there is no file.
fn read(file: &Path) -> Result<Option<String>, CommandError> {
    match read_text(file, MAX_AGENT_CONFIG_BYTES) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io(file, "read the agent's configuration", error).into()),
    }
}

/// What would be done, on stdout: it is what was asked for.
fn show(
    (agent, part): (Agent, Configuration),
    file: &Path,
    start: Option<&Start>,
    messages: Messages,
) -> Result<(), CommandError> {
    let text = match start {
        Some(start) => {
            format!(
                "{}\n\n{}\n",
                messages.would_install(agent.name, file.display()),
                part.entry(start)
            )
        }
        None => format!("{}\n", messages.would_uninstall(agent.name, file.display())),
    };
    session::data(|out| out.write_all(text.as_bytes()))
}

fn not_followed(
    (agent, part): (Agent, Configuration),
    file: &Path,
    start: Option<&Start>,
    messages: Messages,
) -> CommandError {
    let text = messages.install_not_followed(agent.name, file.display());
    let hint = match start {
        Some(start) => messages.hint_paste(part.entry(start)),
        None => messages.hint_edit(shell_quoted(file)),
    };
    CommandError::new(Exit::Usage, text).hint(hint)
}

/// Writes the new text, the old one kept beside it. A new file is its owner's only; one that is
/// there keeps its permissions.
fn write(file: &Path, old: Option<&str>, new: &str) -> Result<(), CommandError> {
    let failed =
        |error| CommandError::from(Error::io(file, "write the agent's configuration", error));
    if let Some(folder) = file.parent() {
        private::make_folder(folder).map_err(failed)?;
    }
    let permissions = fs::metadata(file).map(|found| found.permissions()).ok();
    if old.is_some() {
        fs::copy(file, backup_of(file)).map_err(failed)?;
    }
    private::write_file(file, new.as_bytes()).map_err(failed)?;
    permissions.map_or(Ok(()), |kept| fs::set_permissions(file, kept)).map_err(failed)
}

fn backup_of(file: &Path) -> PathBuf {
    registry::with_ending(file, BACKUP)
}
