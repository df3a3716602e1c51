//! What agents must be told to start `hiku mcp`, and to run `hiku hook`: where each keeps its list of
//! servers and its hooks, and that file's text with our entries in it or without. Everything else in
//! the file stays as it is. Writes no file.

mod json;
mod toml;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use self::toml::TomlValue;
use crate::args::AgentArgument;

/// Our entry's name in every list.
const NAME: &str = "hiku";

/// An agent whose configuration is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Agent {
    /// Its name, as it is typed and shown.
    pub(crate) name: &'static str,
    servers: Configuration,
    hooks: Option<Configuration>,
}

/// A file that an agent reads, and what of ours stands in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Configuration {
    /// Its path from the home folder.
    file: &'static str,
    format: Format,
}

/// How our part of a file is spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    /// The server in JSON, comments allowed: `mcpServers.hiku`.
    JsonServers,
    /// The server in TOML: `[mcp_servers.hiku]`.
    TomlServers,
    /// Hooks in JSON: an element of each array `hooks.EVENT`.
    JsonHooks,
}

/// The hooks of Claude Code: its event, the tools it is for, the event's name here. The plugin has
/// the same.
const HOOKS: [(&str, Option<&str>, &str); 4] = [
    ("SessionStart", None, "session-start"),
    ("UserPromptSubmit", None, "user-prompt-submit"),
    ("PostToolUse", Some("Bash"), "post-tool-use"),
    ("SessionEnd", None, "session-end"),
];
/// After how many seconds the agent gives a hook up; it gives itself up after one and a half.
const HOOK_SECONDS: u64 = 5;

/// All agents whose configuration is known.
pub(crate) const AGENTS: [Agent; 4] = [
    Agent {
        name: "claude-code",
        servers: Configuration { file: ".claude.json", format: Format::JsonServers },
        hooks: Some(Configuration { file: ".claude/settings.json", format: Format::JsonHooks }),
    },
    Agent::of("codex", ".codex/config.toml", Format::TomlServers),
    Agent::of("cursor", ".cursor/mcp.json", Format::JsonServers),
    Agent::of("gemini", ".gemini/settings.json", Format::JsonServers),
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

/// How an agent starts this program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Start {
    /// The program, absolute: agents with windows know no search path.
    pub(crate) command: String,
    /// The flags that name vault and index.
    pub(crate) place: Vec<String>,
}

impl Start {
    fn arguments(&self, words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).chain(self.place.iter().cloned()).collect()
    }
}

impl Agent {
    const fn of(name: &'static str, file: &'static str, format: Format) -> Self {
        Agent { name, servers: Configuration { file, format }, hooks: None }
    }

    /// Its list of servers.
    pub(crate) fn servers(&self) -> Configuration {
        self.servers
    }

    /// Where its hooks stand, if it has any that are known.
    pub(crate) fn hooks(&self) -> Option<Configuration> {
        self.hooks
    }
}

impl Configuration {
    /// The file.
    pub(crate) fn path(&self, home: &Path) -> PathBuf {
        home.join(self.file)
    }

    /// The file's text with our part in it, or with `None` without it; `None` where nothing can be
    /// changed without harm: the text is malformed, or spelled in a way that is not followed.
    pub(crate) fn changed(&self, text: &str, start: Option<&Start>) -> Option<String> {
        match self.format {
            Format::JsonServers => {
                let server = start.map(json_server);
                json::with_entry(text, ["mcpServers", NAME], server.as_ref())
            }
            Format::TomlServers => with_toml_server(text, start),
            Format::JsonHooks => {
                let hooks = start.map(json_hooks);
                json::with_elements(text, "hooks", hooks.as_deref(), is_our_hook)
            }
        }
    }

    /// Our part as it is to be pasted where the file cannot be changed.
    pub(crate) fn entry(&self, start: &Start) -> String {
        self.changed("", Some(start)).unwrap_or_default()
    }
}

fn json_server(start: &Start) -> Value {
    json!({ "command": start.command, "args": start.arguments(&["mcp"]) })
}

fn with_toml_server(text: &str, start: Option<&Start>) -> Option<String> {
    let path = ["mcp_servers", NAME];
    let Some(start) = start else { return toml::with_table(text, path, None) };
    let arguments = start.arguments(&["mcp"]);
    let entry =
        [("command", TomlValue::Text(&start.command)), ("args", TomlValue::List(&arguments))];
    toml::with_table(text, path, Some(&entry))
}

fn json_hooks(start: &Start) -> Vec<(&'static str, Value)> {
    let hook = |event| {
        json!({
            "type": "command",
            "command": start.command,
            "args": start.arguments(&["hook", event]),
            "timeout": HOOK_SECONDS,
        })
    };
    let group = |matcher: Option<&str>, event| match matcher {
        Some(matcher) => json!({ "matcher": matcher, "hooks": [hook(event)] }),
        None => json!({ "hooks": [hook(event)] }),
    };
    HOOKS.iter().map(|(event, matcher, name)| (*event, group(*matcher, name))).collect()
}

/// Whether an element of an event's array is one that was written here: it runs a program of our
/// name with `hook` as its first argument, and nothing else.
fn is_our_hook(element: &Value) -> bool {
    let hooks = element.get("hooks").and_then(Value::as_array);
    let is_ours = |hook: &Value| {
        let command = hook.get("command").and_then(Value::as_str).map(Path::new);
        command.and_then(Path::file_stem).is_some_and(|name| name == NAME)
            && hook.pointer("/args/0").is_some_and(|word| word == "hook")
    };
    hooks.is_some_and(|hooks| !hooks.is_empty() && hooks.iter().all(is_ours))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_are_those_of_the_plugin() {
        let start = Start { command: NAME.to_owned(), place: Vec::new() };
        let plugin: Value =
            serde_json::from_str(include_str!("../../../../plugin/hooks/hooks.json"))
                .expect("JSON");
        let hooks: serde_json::Map<String, Value> = json_hooks(&start)
            .into_iter()
            .map(|(event, element)| (event.to_owned(), json!([element])))
            .collect();
        assert_eq!(plugin["hooks"], Value::Object(hooks));
    }

    #[test]
    fn hooks_of_others_are_not_ours() {
        let element = |command: &str, word: &str| json!({ "hooks": [{ "command": command, "args": [word] }] });
        assert!(is_our_hook(&element("/opt/bin/hiku", "hook")));
        assert!(!is_our_hook(&element("/opt/bin/other", "hook")));
        assert!(!is_our_hook(&element("hiku", "search")));
        assert!(!is_our_hook(&json!({ "hooks": [] })));
        assert!(!is_our_hook(&json!("hiku hook")));
    }
}
