//! Answers the events of coding agents: reads one event, asks the index, writes what the agent is
//! told, or nothing.
//!
//! A hook never fails the agent's turn. Whatever goes wrong, nothing is written to stdout or stderr,
//! the exit code is 0, and a line in the log says what it was. The work is done on a thread of its
//! own, so that a panic, an event that never comes or an index that takes too long end in silence.
//!
//! | module | what it is responsible for |
//! |---|---|
//! | `claude_code` | the agent's JSON; one file an agent |
//! | `prompts`, `words` | what of a prompt is asked, and which prompts are not |
//! | `confidence` | whether what was found fits |
//! | `recall` | prompts and tool calls: question, gate, memory, block |
//! | `start`, `project`, `stop` | the beginning and the end of a conversation |
//! | `conversation`, `log` | what is kept on disk |
//! | `block` | the text that is put before the agent |
//! | `post_tool_use`, `extract`, `kept_output` | large outputs of tools, and the whole of them |

mod block;
mod claude_code;
mod confidence;
mod conversation;
mod extract;
mod kept_output;
#[cfg(test)]
mod labelled;
mod log;
mod post_tool_use;
mod project;
mod prompts;
mod recall;
mod start;
mod stop;
mod words;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::args::{HookArguments, HookEvent};
use crate::exit::CommandError;
use crate::session::Session;
use crate::settings::{Environment, HookSettings, Place, UserConfig};
use crate::wire::HookInput;
use conversation::Conversation;
pub(crate) use kept_output::{KeptOutputs, OutputId, Part};

/// How long an event may take in all. A user waits for the answer before the agent starts; beyond
/// this the agent is better served by silence.
const HARD_STOP: Duration = Duration::from_millis(1_500);
/// The hooks' folder in the user's data folder.
const FOLDER: &str = "hook";

/// Answers one event on stdout, or says nothing.
pub(crate) fn run(arguments: HookArguments, environment: &Environment) {
    if environment.in_hook.is_some() {
        return;
    }
    // A panic would be told on stderr, which some agents show.
    std::panic::set_hook(Box::new(|_| {}));
    let event = arguments.event;
    let (sender, receiver) = mpsc::channel();
    let own = environment.clone();
    let spawned = thread::Builder::new().spawn(move || {
        // Nobody listens any more once the time is over.
        let _ = sender.send(answer(&arguments, &own));
    });
    let outcome = match spawned {
        Ok(_) => receiver.recv_timeout(HARD_STOP),
        Err(_) => Err(RecvTimeoutError::Disconnected),
    };
    let trouble = match outcome {
        Ok(Ok(None)) => return,
        Ok(Ok(Some(told))) => match claude_code::write(&mut io::stdout().lock(), event, told) {
            Ok(()) => return,
            Err(error) => error.to_string(),
        },
        Ok(Err(trouble)) => trouble,
        Err(RecvTimeoutError::Timeout) => format!("no answer within {} ms", HARD_STOP.as_millis()),
        Err(RecvTimeoutError::Disconnected) => "stopped by a fault of its own".to_owned(),
    };
    note(environment, event.name(), &trouble);
}

/// True where the command line asks for a hook, well or badly: exit code 2, as for any other wrong
/// command line, would keep the agent from its turn.
pub(crate) fn is_asked_by(mut arguments: impl Iterator<Item = OsString>) -> bool {
    arguments.nth(1).is_some_and(|command| command == "hook")
}

/// Adds a line to the log, where there is a place for it.
pub(crate) fn note(environment: &Environment, event: &str, text: &str) {
    if let Some(folder) = folder(environment) {
        log::add(&folder, event, text);
    }
}

fn folder(environment: &Environment) -> Option<PathBuf> {
    environment.data.as_ref().map(|data| data.join(FOLDER))
}

/// An answer.
enum Told {
    /// Text for the agent.
    Context(String),
    /// What stands for a tool's response.
    ToolOutput(serde_json::Value),
}

/// What an answer is made from.
struct Work {
    place: Place,
    session: Session,
    settings: HookSettings,
    input: HookInput,
    conversation: Conversation,
    /// Notes of the vault, once an index was asked.
    notes: usize,
}

/// What the agent is told of the event.
///
/// # Errors
/// What goes in the log.
fn answer(arguments: &HookArguments, environment: &Environment) -> Result<Option<Told>, String> {
    let input = claude_code::read(io::stdin().lock()).map_err(|e| format!("no event: {e}"))?;
    // Some prompts are told apart before anything is opened: most events of an agent are such.
    let is_prompt = arguments.event == HookEvent::UserPromptSubmit;
    if is_prompt && !prompts::may_ask(input.prompt.as_deref().unwrap_or_default()) {
        return Ok(None);
    }
    let folder = folder(environment).ok_or("there is no data folder")?;
    let session = Session::silent(environment.clone());
    let say = |error: CommandError| in_words(&session, &error);
    let settings = UserConfig::read(environment).and_then(|user| user.hook(environment));
    let settings = settings.map_err(say)?;
    if arguments.event == HookEvent::PreToolUse && !settings.pre_tool_use {
        return Ok(None);
    }
    let place = session.place_leniently(&arguments.place);
    if arguments.event == HookEvent::PostToolUse {
        // A tool's output is large with or without a vault.
        let told = post_tool_use::respond(&input, &settings, place.ok().as_ref(), environment);
        return Ok(told.map(Told::ToolOutput));
    }
    let place = place.map_err(say)?;
    let id = input.session_id.as_deref().unwrap_or_default();
    let conversation = Conversation::recall(&folder, id, &place.vault);
    let mut work = Work { place, session, settings, input, conversation, notes: 0 };
    let told = respond(arguments.event, &mut work).map_err(|e| in_words(&work.session, &e))?;
    let id_is_known = work.input.session_id.is_some();
    if arguments.event == HookEvent::SessionEnd && stop::is_over(&work.input) {
        work.conversation.forget();
    } else if id_is_known {
        // Without its memory the hook would repeat itself: then it is better silent.
        work.conversation.save().map_err(|e| format!("cannot remember the conversation: {e}"))?;
    }
    Ok(told.map(Told::Context))
}

/// An error and its next steps.
fn in_words(session: &Session, error: &CommandError) -> String {
    let (text, hints) = session.explained(error);
    [vec![text], hints].concat().join("; ")
}

fn respond(event: HookEvent, work: &mut Work) -> Result<Option<String>, CommandError> {
    match event {
        HookEvent::UserPromptSubmit => recall::for_prompt(work),
        HookEvent::PreToolUse => recall::for_tool(work),
        HookEvent::SessionStart => start::greet(work),
        HookEvent::Stop => stop::note_summary(work).map(|()| None),
        HookEvent::PostToolUse | HookEvent::SessionEnd => Ok(None),
    }
}
