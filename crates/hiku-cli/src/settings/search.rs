//! How a search keeps its answer current, and its table in the config. Reads no file.

use serde::Deserialize;

/// Longest time that a refresh before an answer may be given: ten minutes, which bounds nothing.
pub(super) const MOST_BUDGET_MS: u64 = 600_000;

/// How a search brings the index up to date; the user's only, so that no vault makes answers slow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SearchSettings {
    /// Milliseconds that a refresh before an answer may take, for every 20,000 notes begun. Default
    /// 150: a vault of 13,922 notes is looked at in 80 ms, and an answer is still felt as prompt.
    /// 0 looks at nothing.
    pub(crate) refresh_budget_ms: u64,
}

impl Default for SearchSettings {
    fn default() -> Self {
        SearchSettings { refresh_budget_ms: 150 }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SearchTable {
    /// 0 to 600,000.
    pub(super) refresh_budget_ms: Option<u64>,
}
