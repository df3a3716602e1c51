//! The plugin folder for Claude Code, by the rules that `claude plugin validate` and the Agent
//! Skills format have.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Events of Claude Code that the plugin may answer, and the name of each for `hiku hook`.
const EVENTS: [(&str, &str); 6] = [
    ("SessionStart", "session-start"),
    ("UserPromptSubmit", "user-prompt-submit"),
    ("PreToolUse", "pre-tool-use"),
    ("PostToolUse", "post-tool-use"),
    ("Stop", "stop"),
    ("SessionEnd", "session-end"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn json(path: &str) -> Value {
    serde_json::from_str(&text(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn is_kebab(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let ends = name.starts_with('-') || name.ends_with('-') || name.contains("--");
    !name.is_empty() && name.len() <= 64 && name.chars().all(is_plain) && !ends
}

#[test]
fn the_manifest_names_the_plugin_of_this_version() {
    let manifest = json("plugin/.claude-plugin/plugin.json");
    assert!(manifest["name"].as_str().is_some_and(is_kebab));
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    assert!(manifest["author"]["name"].is_string());
    // What stands at its usual place is loaded by itself; named again it is an error.
    for key in ["hooks", "mcpServers", "skills", "commands", "agents"] {
        assert!(manifest.get(key).is_none(), "{key}");
    }
    let beside = fs::read_dir(root().join("plugin/.claude-plugin")).expect("the folder");
    assert_eq!(beside.count(), 1);
}

#[test]
fn the_marketplace_lists_it() {
    let market = json(".claude-plugin/marketplace.json");
    assert!(market["name"].as_str().is_some_and(is_kebab));
    assert!(market["owner"]["name"].is_string());
    let listed = &market["plugins"][0];
    let manifest = json("plugin/.claude-plugin/plugin.json");
    for key in ["name", "version", "description", "keywords"] {
        assert_eq!(listed[key], manifest[key], "{key}");
    }
    let source = listed["source"].as_str().expect("a source");
    assert!(source.starts_with("./") && !source.contains(".."), "{source}");
    assert!(root().join(source).join(".claude-plugin/plugin.json").is_file());
}

#[test]
fn the_hooks_start_hiku_without_a_shell() {
    let file = json("plugin/hooks/hooks.json");
    let keys: Vec<_> = file.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["description", "hooks"]);
    let events = file["hooks"].as_object().expect("events");
    for (event, groups) in events {
        let name = EVENTS.iter().find(|(known, _)| known == event).expect("a known event").1;
        for group in groups.as_array().expect("a list") {
            assert!(event != "UserPromptSubmit" || group.get("matcher").is_none());
            for hook in group["hooks"].as_array().expect("a list") {
                assert_eq!(hook["type"], "command");
                assert_eq!(hook["command"], "hiku");
                assert_eq!(hook["args"], serde_json::json!(["hook", name]));
                assert!(hook["timeout"].as_u64().is_some_and(|seconds| seconds <= 10), "{hook}");
            }
        }
    }
    assert!(events.contains_key("UserPromptSubmit"));
}

#[test]
fn the_server_is_this_program() {
    let servers = json("plugin/.mcp.json");
    assert_eq!(servers["mcpServers"]["hiku"]["command"], "hiku");
    assert_eq!(servers["mcpServers"]["hiku"]["args"], serde_json::json!(["mcp"]));
}

#[test]
fn the_skill_says_what_it_is_and_when_to_use_it() {
    let skill = text("plugin/skills/hiku/SKILL.md");
    let (front, body) = skill
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"))
        .expect("a front matter");
    let field = |name: &str| {
        let lines = || front.lines().filter_map(|line| line.split_once(": "));
        assert_eq!(lines().filter(|(key, _)| *key == name).count(), 1, "{name}");
        lines().find(|(key, _)| *key == name).map(|(_, value)| value.to_owned()).expect(name)
    };
    assert_eq!(field("name"), "hiku");
    let description = field("description");
    assert!(description.chars().count() <= 1_024 && description.contains("Use before"));
    // A colon and a space inside would be YAML.
    assert!(!description.contains(": "), "{description}");
    assert!(body.lines().count() < 500);
    for needed in ["exit code 10", "plain text search", "Read it.", "Never fill the gap"] {
        assert!(body.contains(needed), "{needed}");
    }
}

#[test]
fn the_plugin_is_small_and_leads_nowhere_else() {
    let mut folders = vec![root().join("plugin")];
    let mut bytes = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("the folder").flatten() {
            let metadata = fs::symlink_metadata(entry.path()).expect("its metadata");
            assert!(!metadata.is_symlink(), "{:?}", entry.path());
            bytes += if metadata.is_file() { metadata.len() } else { 0 };
            if metadata.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    // Clients copy the whole folder for each version.
    assert!(bytes < 64 << 10, "{bytes}");
}
