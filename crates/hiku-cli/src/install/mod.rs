//! What agents must be told to start `hiku mcp`: where each keeps its list of servers, and the
//! list's text with our entry in it or without. Every other byte of the file stays as it is.
//! Writes no file.

mod json;
mod toml;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::args::AgentArgument;

/// Our entry's name in every list.
const NAME: &str = "hiku";

/// An agent whose configuration is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Agent {
    /// Its name, as it is typed and shown.
    pub(crate) name: &'static str,
    /// Its list of servers, from the home folder.
    file: &'static str,
    format: Format,
}

/// How a list is spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    /// JSON, comments allowed: `mcpServers.hiku`.
    Json,
    /// TOML: `[mcp_servers.hiku]`.
    Toml,
}

/// All agents whose configuration is known.
pub(crate) const AGENTS: [Agent; 4] = [
    Agent { name: "claude-code", file: ".claude.json", format: Format::Json },
    Agent { name: "codex", file: ".codex/config.toml", format: Format::Toml },
    Agent { name: "cursor", file: ".cursor/mcp.json", format: Format::Json },
    Agent { name: "gemini", file: ".gemini/settings.json", format: Format::Json },
];

impl From<AgentArgument> for Agent {
    fn from(agent: AgentArgument) -> Self {
        match agent {
            AgentArgument::ClaudeCode => AGENTS[0],
            AgentArgument::Codex => AGENTS[1],
            AgentArgument::Cursor => AGENTS[2],
            AgentArgument::Gemini => AGENTS[3],
        }
    }
}

/// How an agent starts the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Start {
    /// The program, absolute: agents with windows know no search path.
    pub(crate) command: String,
    /// Its arguments.
    pub(crate) arguments: Vec<String>,
}

impl Agent {
    /// Its list of servers.
    pub(crate) fn file(&self, home: &Path) -> PathBuf {
        home.join(self.file)
    }

    /// The list's text with the server in it, or with `None` without it; `None` where nothing can
    /// be changed without harm: the text is malformed, or spelled in a way that is not followed.
    pub(crate) fn changed(&self, text: &str, start: Option<&Start>) -> Option<String> {
        match self.format {
            Format::Json => {
                json::with_entry(text, ["mcpServers", NAME], start.map(json_of).as_ref())
            }
            Format::Toml => {
                toml::with_table(text, ["mcp_servers", NAME], start.map(toml_of).as_ref())
            }
        }
    }

    /// The entry as it is to be pasted where the list cannot be changed.
    pub(crate) fn entry(&self, start: &Start) -> String {
        self.changed("", Some(start)).unwrap_or_default()
    }
}

fn json_of(start: &Start) -> Value {
    json!({ "command": start.command, "args": start.arguments })
}

fn toml_of(start: &Start) -> ::toml::Table {
    let arguments: Vec<::toml::Value> =
        start.arguments.iter().map(|argument| argument.clone().into()).collect();
    [("command", start.command.clone().into()), ("args", arguments.into())]
        .into_iter()
        .map(|(key, value): (&str, ::toml::Value)| (key.to_owned(), value))
        .collect()
}
