//! The `[hook]` table of the user's config: how much the hooks say, and when. A vault's own file
//! may not set it.

use std::path::PathBuf;

use serde::Deserialize;

use super::Environment;
use super::files::{OutOfRange, in_range};

/// The keys of the table.
pub(super) const KEYS: &[&str] = &[
    "max_tokens",
    "passages",
    "confidence",
    "pre_tool_use",
    "tools",
    "daily_notes",
    "inbox",
    "extract_over_tokens",
];
/// Tools whose subject tells what the agent is about to do, and which it uses seldom enough.
const TOOLS: [&str; 4] = ["Edit", "Write", "MultiEdit", "Bash"];

/// What the hooks may say.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct HookSettings {
    /// Most tokens of a block, estimated; 100 to 2,000, default 500.
    pub(crate) max_tokens: usize,
    /// Most passages of a block; 1 to 10, default 5, of which the last are a line or two.
    pub(crate) passages: usize,
    /// How sure the gate must be; 0 (says most) to 1 (says nothing), default 0.5.
    pub(crate) confidence: f64,
    /// Whether anything is said before a tool runs. Default false.
    pub(crate) pre_tool_use: bool,
    /// Names of the tools before which something may be said.
    pub(crate) tools: Vec<String>,
    /// Freshest daily notes whose headings a conversation begins with; 0 to 10, default 0.
    pub(crate) daily_notes: usize,
    /// The file that the agent's summaries are added to; none by default.
    pub(crate) inbox: Option<PathBuf>,
    /// Tokens above which a tool's output becomes an extract; 0 to 1,000,000, default 4,000. 0: none
    /// does.
    pub(crate) extract_over_tokens: usize,
}

impl Default for HookSettings {
    fn default() -> Self {
        HookSettings {
            max_tokens: 500,
            passages: 5,
            confidence: 0.5,
            pre_tool_use: false,
            tools: TOOLS.map(str::to_owned).to_vec(),
            daily_notes: 0,
            inbox: None,
            extract_over_tokens: 4_000,
        }
    }
}

/// The table as it is spelled.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct HookTable {
    max_tokens: Option<usize>,
    passages: Option<usize>,
    confidence: Option<f64>,
    pre_tool_use: Option<bool>,
    tools: Option<Vec<String>>,
    daily_notes: Option<usize>,
    inbox: Option<PathBuf>,
    extract_over_tokens: Option<usize>,
}

impl HookTable {
    /// The defaults with the table over them.
    pub(super) fn settings(&self, environment: &Environment) -> Result<HookSettings, OutOfRange> {
        let mut settings = HookSettings::default();
        overwrite!(self => settings,
            max_tokens, passages, confidence, pre_tool_use, tools, daily_notes, extract_over_tokens);
        settings.inbox = self.inbox.as_deref().map(|path| environment.expand(path));
        in_range("hook.max_tokens", settings.max_tokens, 100, 2_000)?;
        in_range("hook.passages", settings.passages, 1, 10)?;
        in_range("hook.confidence", settings.confidence, 0.0, 1.0)?;
        in_range("hook.daily_notes", settings.daily_notes, 0, 10)?;
        in_range("hook.extract_over_tokens", settings.extract_over_tokens, 0, 1_000_000)?;
        Ok(settings)
    }
}
