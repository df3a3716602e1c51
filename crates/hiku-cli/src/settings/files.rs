//! The two config files: the user's, which may decide everything, and a vault's own `hiku.toml`,
//! which may only choose its notes and tune numbers. A vault can come from anywhere, so it never
//! names an executable, an endpoint or a place outside itself.
//!
//! Reading is in three steps, so that each fault gets its own words: the text to a table
//! (`document`), unknown and forbidden keys out of the table with a warning each, what is left to
//! numbers and lists. Ranges are checked when the settings of both files lie over each other, since
//! one limit depends on another.

use std::fmt::Display;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hiku::chunk::ChunkOptions;
use hiku::scrub::ScrubOptions;
use hiku::vault::{SkipReason, VaultOptions, read_settings};
use hiku::{Error, RankingOptions, Settings};
use serde::Deserialize;

use super::document::Document;
use super::hook::{self, HookSettings, HookTable};
use super::search;
use super::{Environment, VAULT_CONFIG};
use crate::exit::{CommandError, Exit};
use crate::messages::Messages;

/// Longest config file that is read, in bytes.
pub(crate) const MAX_CONFIG_BYTES: u64 = 1 << 20;
/// Tables and keys that both files may have.
const SHARED_KEYS: [(&str, &[&str]); 3] = [
    ("vault", &["include", "exclude", "extensions", "follow_links"]),
    ("chunk", &["min_characters", "max_characters", "overlap_characters", "piece_characters"]),
    (
        "ranking",
        &[
            "bm25_k1",
            "bm25_b",
            "weak_weight",
            "near_term_weight",
            "title_weight",
            "heading_weight",
            "context_weight",
            "lexical_share",
            "lexical_share_unknown",
            "title_vector_weight",
            "rrf_k",
            "rrf_lexical_weight",
            "rrf_dense_weight",
            "rrf_pool",
        ],
    ),
];
/// Tables and keys that only the user's file may have; an empty name is the top level.
const USER_KEYS: [(&str, &[&str]); 6] = [
    ("", &["default_vault", "model"]),
    ("search", &["refresh_budget_ms"]),
    ("mcp", &["max_tokens"]),
    ("vault", &["max_note_bytes"]),
    ("scrub", &["allowed_rules", "allowed_texts"]),
    ("hook", hook::KEYS),
];

/// Least tokens of an agent's answer: one passage with its source, and what was left out.
pub(crate) const LEAST_MCP_TOKENS: usize = 500;
/// Most tokens of an agent's answer: beyond 25,000 clients cut it or put it in a file.
pub(crate) const MOST_MCP_TOKENS: usize = 20_000;

/// How `hiku mcp` answers; the user's only, so that no vault floods an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct McpSettings {
    /// Most tokens of an answer, estimated; a call may ask for another number. Default 2,000:
    /// four or five passages of the usual length, of the 25,000 that clients take.
    pub(crate) max_tokens: usize,
}

impl Default for McpSettings {
    fn default() -> Self {
        McpSettings { max_tokens: 2_000 }
    }
}

/// The user's config file.
#[derive(Debug, Default)]
pub(crate) struct UserConfig {
    /// The vault where no other is chosen.
    pub(crate) default_vault: Option<PathBuf>,
    /// Folder or file of a static model; none for the built-in one.
    pub(crate) model: Option<PathBuf>,
    /// Keys that are not known, one sentence each.
    pub(crate) warnings: Vec<String>,
    tables: Tables,
    document: Document,
}

impl UserConfig {
    /// Reads the user's config file; every default where there is none.
    ///
    /// # Errors
    /// Exit code 2 when it is malformed, 1 when it cannot be read.
    pub(crate) fn read(environment: &Environment) -> Result<Self, CommandError> {
        let Some(path) = &environment.config_file else { return Ok(UserConfig::default()) };
        let document = Document::read(path, environment.messages)?;
        let allowed = [&SHARED_KEYS[..], &USER_KEYS[..]].concat();
        let (mut tables, unknown) = tables(&document, &allowed, environment.messages)?;
        let warning = |key: &String| environment.messages.unknown_key(document.place_of(key), key);
        Ok(UserConfig {
            default_vault: tables.default_vault.take(),
            model: tables.model.take(),
            warnings: unknown.iter().map(warning).collect(),
            tables,
            document,
        })
    }

    /// Reads the user's config file for a command that can do without: what is wrong with it
    /// becomes a warning, and every default holds.
    pub(crate) fn read_or_default(environment: &Environment) -> Self {
        let mut warnings = Vec::new();
        let read = UserConfig::read(environment);
        let mut user = or_default(read, environment.messages, &mut warnings);
        user.warnings.append(&mut warnings);
        user
    }

    /// What an agent gets.
    ///
    /// # Errors
    /// Exit code 2 for a number out of range.
    pub(crate) fn mcp(&self, messages: Messages) -> Result<McpSettings, CommandError> {
        let mut options = McpSettings::default();
        overwrite!(self.tables.mcp => options, max_tokens);
        let McpSettings { max_tokens } = options;
        in_range("mcp.max_tokens", max_tokens, LEAST_MCP_TOKENS, MOST_MCP_TOKENS)
            .map_err(|fault| fault.error(&self.document, messages))?;
        Ok(options)
    }

    /// How a search brings the index up to date.
    ///
    /// # Errors
    /// Exit code 2 for a number out of range.
    pub(crate) fn search(
        &self,
        messages: Messages,
    ) -> Result<search::SearchSettings, CommandError> {
        let mut options = search::SearchSettings::default();
        overwrite!(self.tables.search => options, refresh_budget_ms);
        in_range("search.refresh_budget_ms", options.refresh_budget_ms, 0, search::MOST_BUDGET_MS)
            .map_err(|fault| fault.error(&self.document, messages))?;
        Ok(options)
    }

    /// `settings` with what the file says over them.
    ///
    /// # Errors
    /// Exit code 2 for a number out of range.
    pub(crate) fn over(
        &self,
        settings: Settings,
        messages: Messages,
    ) -> Result<Settings, CommandError> {
        self.tables.over(settings, &self.document, messages)
    }

    /// What the hooks may say.
    ///
    /// # Errors
    /// Exit code 2 for a number out of range.
    pub(crate) fn hook(&self, environment: &Environment) -> Result<HookSettings, CommandError> {
        let settings = self.tables.hook.settings(environment);
        settings.map_err(|fault| fault.error(&self.document, environment.messages))
    }
}

/// A vault's own settings.
#[derive(Debug, Default)]
pub(crate) struct VaultConfig {
    /// What of the file was not taken, one sentence each.
    pub(crate) warnings: Vec<String>,
    tables: Tables,
    document: Document,
}

impl VaultConfig {
    /// Reads the `hiku.toml` of the vault in the folder `vault`; every default where there is none,
    /// or a link or no file stands in its place, which is a warning.
    ///
    /// # Errors
    /// Exit code 2 when it is malformed, 1 when it cannot be read.
    pub(crate) fn read(vault: &Path, messages: Messages) -> Result<Self, CommandError> {
        let path = &vault.join(VAULT_CONFIG);
        let bytes = match read_settings(vault, VAULT_CONFIG) {
            Ok(bytes) => bytes.unwrap_or_default(),
            Err(SkipReason::Unreadable(cause)) => {
                let source = io::Error::other(cause);
                return Err(Error::io(path, "read the config", source).into());
            }
            Err(reason) => {
                let reason = messages.phrase(&reason.describe());
                let warning = messages.config_not_taken(path.display(), reason);
                return Ok(VaultConfig { warnings: vec![warning], ..VaultConfig::default() });
            }
        };
        let document = Document::of_bytes(path, bytes, messages)?;
        let (mut tables, unknown) = tables(&document, &SHARED_KEYS, messages)?;
        let mut warnings: Vec<_> = unknown
            .iter()
            .map(|key| messages.key_not_for_vaults(document.place_of(key), key))
            .collect();
        let outside = tables.vault.take_outside();
        if !outside.is_empty() {
            warnings.push(messages.outside_vault(document.path().display(), outside.join(", ")));
        }
        Ok(VaultConfig { warnings, tables, document })
    }

    /// `settings` with what the file says over them.
    ///
    /// # Errors
    /// Exit code 2 for a number out of range.
    pub(crate) fn over(
        &self,
        settings: Settings,
        messages: Messages,
    ) -> Result<Settings, CommandError> {
        self.tables.over(settings, &self.document, messages)
    }
}

/// The value, or its default and the fault as a warning.
pub(super) fn or_default<T: Default>(
    result: Result<T, CommandError>,
    messages: Messages,
    warnings: &mut Vec<String>,
) -> T {
    result.unwrap_or_else(|error| {
        warnings.push(messages.config_ignored(error.text(messages)));
        T::default()
    })
}

/// A config file as it is spelled.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Tables {
    /// The user's only; may begin with `~/`.
    default_vault: Option<PathBuf>,
    /// The user's only; folder or file, may begin with `~/`.
    model: Option<PathBuf>,
    /// Which files are notes.
    vault: VaultTable,
    /// How notes are cut.
    chunk: ChunkTable,
    /// How signals are weighed; see [`RankingOptions`] for what each number does.
    ranking: RankingTable,
    /// How an index is brought up to date before an answer; the user's only.
    search: search::SearchTable,
    /// What is not redacted; the user's only.
    scrub: ScrubTable,
    /// What an agent gets; the user's only.
    mcp: McpTable,
    /// What hooks say; the user's only.
    hook: HookTable,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct VaultTable {
    /// Gitignore patterns; empty means everything.
    include: Option<Vec<String>>,
    /// Gitignore patterns; beats `include`.
    exclude: Option<Vec<String>>,
    /// With or without a dot, whatever their case.
    extensions: Option<Vec<String>>,
    /// Never out of the vault, so that a vault may decide it for itself.
    follow_links: Option<bool>,
    /// Bytes; the user's only, so that no vault makes a run read without bound.
    max_note_bytes: Option<u64>,
}

impl VaultTable {
    /// Takes out the patterns that lead out of the vault, and gives them. A list of nothing else
    /// counts as not set: an empty `include` would mean everything.
    fn take_outside(&mut self) -> Vec<String> {
        let mut outside = Vec::new();
        for list in [&mut self.include, &mut self.exclude] {
            let Some(patterns) = list else { continue };
            let (out, inside) = patterns.drain(..).partition(|pattern| leads_outside(pattern));
            *patterns = inside;
            if patterns.is_empty() && !Vec::is_empty(&out) {
                *list = None;
            }
            outside.extend(Vec::into_iter(out));
        }
        outside
    }
}

/// True for a pattern that climbs above the vault, or begins at a home folder or a drive.
fn leads_outside(pattern: &str) -> bool {
    let pattern = pattern.trim_start_matches('!');
    let is_drive = |first: &str| first.len() == 2 && first.ends_with(':');
    let mut parts = pattern.split(['/', '\\']);
    let first = parts.next().unwrap_or_default();
    first.starts_with('~') || is_drive(first) || first == ".." || parts.any(|part| part == "..")
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_field_names, reason = "the keys say their unit")]
struct ChunkTable {
    /// 0 to `max_characters`.
    min_characters: Option<usize>,
    /// 100 to 100,000.
    max_characters: Option<usize>,
    /// 0 to half of `max_characters`.
    overlap_characters: Option<usize>,
    /// 100 to 2,000.
    piece_characters: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RankingTable {
    bm25_k1: Option<f64>,
    bm25_b: Option<f64>,
    weak_weight: Option<f64>,
    near_term_weight: Option<f64>,
    title_weight: Option<f64>,
    heading_weight: Option<f64>,
    context_weight: Option<f64>,
    lexical_share: Option<f64>,
    lexical_share_unknown: Option<f64>,
    /// 0 to 2; another value makes all vectors anew.
    title_vector_weight: Option<f64>,
    rrf_k: Option<f64>,
    rrf_lexical_weight: Option<f64>,
    rrf_dense_weight: Option<f64>,
    /// 1 to 10,000 notes.
    rrf_pool: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct McpTable {
    /// 500 to 20,000 tokens.
    max_tokens: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ScrubTable {
    /// Names as in `[REDACTED:name]`.
    allowed_rules: Option<Vec<String>>,
    /// Pairs of a rule or `*`, and the exact text.
    allowed_texts: Option<Vec<(String, String)>>,
}

/// A number that is out of its range.
pub(super) struct OutOfRange {
    /// `table.key`, as in the file.
    key: String,
    /// As it was read.
    value: String,
    /// The least that is allowed.
    minimum: String,
    /// The most; it may depend on another key.
    maximum: String,
}

impl OutOfRange {
    /// The error that says where in the file the number stands.
    fn error(self, document: &Document, messages: Messages) -> CommandError {
        let OutOfRange { key, value, minimum, maximum } = self;
        let place = document.place_of(&key);
        let text = messages.setting_out_of_range(place, key, value, &minimum, &maximum);
        CommandError::new(Exit::Usage, text).hint(messages.hint_range(minimum, maximum))
    }
}

impl Tables {
    fn over(
        &self,
        mut settings: Settings,
        document: &Document,
        messages: Messages,
    ) -> Result<Settings, CommandError> {
        self.apply_vault(&mut settings.vault);
        self.apply_scrub(&mut settings.scrub);
        let ranges = self
            .apply_chunk(&mut settings.chunk)
            .and_then(|()| self.apply_ranking(&mut settings.ranking));
        ranges.map(|()| settings).map_err(|fault| fault.error(document, messages))
    }

    fn apply_vault(&self, options: &mut VaultOptions) {
        overwrite!(self.vault => options, include, exclude, extensions, follow_links, max_note_bytes);
        for extension in &mut options.extensions {
            *extension = extension.trim_start_matches('.').to_owned();
        }
    }

    fn apply_chunk(&self, options: &mut ChunkOptions) -> Result<(), OutOfRange> {
        overwrite!(self.chunk => options,
            min_characters, max_characters, overlap_characters, piece_characters);
        let most = options.max_characters;
        in_range("chunk.max_characters", most, 100, 100_000)?;
        in_range("chunk.min_characters", options.min_characters, 0, most)?;
        in_range("chunk.overlap_characters", options.overlap_characters, 0, most / 2)?;
        in_range("chunk.piece_characters", options.piece_characters, 100, 2_000)
    }

    fn apply_ranking(&self, options: &mut RankingOptions) -> Result<(), OutOfRange> {
        let table = &self.ranking;
        overwrite!(table => options,
            bm25_k1, bm25_b, weak_weight, near_term_weight, title_weight, heading_weight, context_weight,
            lexical_share, lexical_share_unknown, title_vector_weight, rrf_k, rrf_lexical_weight, rrf_dense_weight,
            rrf_pool);
        in_range("ranking.bm25_k1", options.bm25_k1, 0.0, 100.0)?;
        in_range("ranking.bm25_b", options.bm25_b, 0.0, 1.0)?;
        in_range("ranking.weak_weight", options.weak_weight, 0.0, 100.0)?;
        in_range("ranking.near_term_weight", options.near_term_weight, 0.0, 1.0)?;
        in_range("ranking.title_weight", options.title_weight, 0.0, 100.0)?;
        in_range("ranking.heading_weight", options.heading_weight, 0.0, 100.0)?;
        in_range("ranking.context_weight", options.context_weight, 0.0, 100.0)?;
        in_range("ranking.lexical_share", options.lexical_share, 0.0, 1.0)?;
        in_range("ranking.lexical_share_unknown", options.lexical_share_unknown, 0.0, 1.0)?;
        in_range("ranking.title_vector_weight", options.title_vector_weight, 0.0, 2.0)?;
        in_range("ranking.rrf_k", options.rrf_k, 0.0, 10_000.0)?;
        in_range("ranking.rrf_lexical_weight", options.rrf_lexical_weight, 0.0, 100.0)?;
        in_range("ranking.rrf_dense_weight", options.rrf_dense_weight, 0.0, 100.0)?;
        in_range("ranking.rrf_pool", options.rrf_pool, 1, 10_000)
    }

    fn apply_scrub(&self, options: &mut ScrubOptions) {
        overwrite!(self.scrub => options, allowed_rules, allowed_texts);
    }
}

/// Refuses what is outside the range, and what is no number.
pub(super) fn in_range<N: PartialOrd + Display>(
    key: &str,
    value: N,
    minimum: N,
    maximum: N,
) -> Result<(), OutOfRange> {
    if (&minimum..=&maximum).contains(&&value) {
        return Ok(());
    }
    let [value, minimum, maximum] = [value, minimum, maximum].map(|number| number.to_string());
    Err(OutOfRange { key: key.to_owned(), value, minimum, maximum })
}

/// The settings of a config file's text, over the defaults; no key may be unknown.
#[cfg(test)]
pub(crate) fn settings_of(text: &str) -> Result<Settings, CommandError> {
    let allowed = [&SHARED_KEYS[..], &USER_KEYS[..]].concat();
    let document = Document::new(Path::new("config.toml"), text.to_owned());
    let (tables, unknown) = tables(&document, &allowed, Messages::default())?;
    assert_eq!(unknown, [""; 0], "unknown keys");
    tables.over(Settings::default(), &document, Messages::default())
}

/// A file's known keys, and the names of the others.
fn tables(
    document: &Document,
    allowed: &[(&str, &[&str])],
    messages: Messages,
) -> Result<(Tables, Vec<String>), CommandError> {
    let mut table = document.table(messages)?;
    let unknown = take_unknown(&mut table, allowed);
    Ok((document.values(table, messages)?, unknown))
}

/// Removes every key that is not in `allowed` and returns their names.
fn take_unknown(table: &mut toml::Table, allowed: &[(&str, &[&str])]) -> Vec<String> {
    let mut unknown = Vec::new();
    let is_allowed = |wanted: &str, key: &str| {
        allowed.iter().any(|(name, keys)| *name == wanted && keys.contains(&key))
    };
    table.retain(|name, value| {
        let is_table = allowed.iter().any(|(allowed, _)| *allowed == name);
        let keep = is_allowed("", name) || is_table;
        if !keep {
            unknown.push(name.to_owned());
        } else if let (true, toml::Value::Table(inner)) = (is_table, value) {
            inner.retain(|key, _| {
                let keep = is_allowed(name, key);
                if !keep {
                    unknown.push(format!("{name}.{key}"));
                }
                keep
            });
        }
        keep
    });
    unknown
}

/// Puts numbers that were typed as `table.key=value` over `settings`: the keys of `[chunk]` and
/// `[ranking]`, the last of equal ones counting.
///
/// # Errors
/// Exit code 2 for another key, a value that is no number, or one out of range.
pub(crate) fn override_settings(
    pairs: &[String],
    settings: &mut Settings,
    messages: Messages,
) -> Result<(), CommandError> {
    let mut tables = toml::Table::new();
    for pair in pairs {
        let (table, key, value) = read_override(pair).ok_or_else(|| {
            let keys = SHARED_KEYS[1..]
                .iter()
                .flat_map(|(table, keys)| keys.iter().map(move |key| format!("{table}.{key}")));
            CommandError::new(Exit::Usage, messages.no_such_override(pair))
                .hint(messages.hint_overrides(keys.collect::<Vec<_>>().join(", ")))
        })?;
        let inner = tables.entry(table).or_insert_with(|| toml::Table::new().into());
        inner.as_table_mut().expect("only tables are put in").insert(key.to_owned(), value);
    }
    let malformed = |error: toml::de::Error| {
        CommandError::new(Exit::Usage, messages.malformed_config("--set", error.message()))
    };
    let tables = tables.try_into::<Tables>().map_err(malformed)?;
    *settings = tables.over(
        settings.clone(),
        &Document::new(Path::new("--set"), String::new()),
        messages,
    )?;
    Ok(())
}

/// Table, key and number; `None` for what may not be set or is no number.
fn read_override(pair: &str) -> Option<(&'static str, &'static str, toml::Value)> {
    let (name, value) = pair.split_once('=')?;
    let (table, key) = name.trim().split_once('.')?;
    let (table, keys) = SHARED_KEYS[1..].iter().find(|(name, _)| *name == table)?;
    let key = keys.iter().find(|name| **name == key)?;
    let value = value.trim();
    let number = value.parse::<i64>().map(toml::Value::from);
    Some((table, key, number.or_else(|_| value.parse::<f64>().map(toml::Value::from)).ok()?))
}

/// Sets one top-level key of the user's config file (`None` removes it), leaving every other line
/// as the user wrote it.
///
/// The folder is made if it is missing. Refuses a file that it does not understand rather than add
/// to it.
///
/// # Errors
/// Exit code 2 without a config folder or for a malformed file, 1 when it cannot be written.
pub(crate) fn set_user_key(
    environment: &Environment,
    key: &str,
    value: Option<&str>,
) -> Result<(), CommandError> {
    let Some(path) = &environment.config_file else {
        return Err(CommandError::new(Exit::Usage, environment.messages.no_home()));
    };
    let old = UserConfig::read(environment)?.document.into_text();
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|e| Error::io(folder, "make the folder", e))?;
    }
    fs::write(path, with_key(&old, key, value))
        .map_err(|error| Error::io(path, "write the config", error).into())
}

/// The file's text with one top-level key set. Top-level keys stand before the first table.
pub(super) fn with_key(text: &str, key: &str, value: Option<&str>) -> String {
    let is_key = |line: &str| {
        line.trim_start().strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with('='))
    };
    let mut lines: Vec<&str> = text.lines().collect();
    let top = lines.iter().position(|line| line.trim_start().starts_with('['));
    let found = lines[..top.unwrap_or(lines.len())].iter().position(|line| is_key(line));
    let new = value.map(|value| format!("{key} = {}", toml::Value::String(value.to_owned())));
    match (found, &new) {
        (Some(at), Some(new)) => lines[at] = new,
        (Some(at), None) => drop(lines.remove(at)),
        (None, Some(new)) => lines.insert(0, new),
        (None, None) => {}
    }
    lines.iter().flat_map(|line| [line, "\n"]).collect()
}
