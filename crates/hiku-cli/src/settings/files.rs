//! The two config files: the user's, which may decide everything, and a vault's own `hiku.toml`,
//! which may only choose its notes and tune numbers. A vault can come from anywhere, so it never
//! names an executable, an endpoint or a place outside itself.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hiku::vault::{SkipReason, VaultOptions, read_settings};
use hiku::{Error, RankingOptions, Settings};
use hiku::{chunk::ChunkOptions, scrub::ScrubOptions};
use serde::Deserialize;

use super::{Environment, VAULT_CONFIG};
use crate::exit::{CommandError, Exit};
use crate::messages::Messages;
use crate::plain_file::read_text;

/// Longest config file that is read, in bytes.
pub(crate) const MAX_CONFIG_BYTES: u64 = 1 << 20;
/// Tables and keys that both files may have.
const SHARED_KEYS: [(&str, &[&str]); 3] = [
    ("vault", &["include", "exclude", "extensions"]),
    ("chunk", &["min_characters", "max_characters", "overlap_characters", "piece_characters"]),
    (
        "ranking",
        &[
            "bm25_k1",
            "bm25_b",
            "weak_weight",
            "title_weight",
            "heading_weight",
            "context_weight",
            "lexical_share",
            "title_vector_weight",
            "rrf_k",
            "rrf_lexical_weight",
            "rrf_dense_weight",
            "rrf_pool",
        ],
    ),
];
/// Tables and keys that only the user's file may have; an empty name is the top level.
const USER_KEYS: [(&str, &[&str]); 3] = [
    ("", &["default_vault", "model"]),
    ("vault", &["max_note_bytes"]),
    ("scrub", &["allowed_rules", "allowed_texts"]),
];

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
}

impl UserConfig {
    /// Reads the user's config file; every default where there is none.
    ///
    /// # Errors
    /// Exit code 2 when it is malformed, 1 when it cannot be read.
    pub(crate) fn read(environment: &Environment) -> Result<Self, CommandError> {
        let Some(path) = &environment.config_file else { return Ok(UserConfig::default()) };
        let allowed = [&SHARED_KEYS[..], &USER_KEYS[..]].concat();
        let (mut tables, unknown) = read_tables(path, &allowed, environment.messages)?;
        let warning = |key| environment.messages.unknown_key(path.display(), key);
        Ok(UserConfig {
            default_vault: tables.default_vault.take(),
            model: tables.model.take(),
            warnings: unknown.iter().map(warning).collect(),
            tables,
        })
    }

    /// Puts what the file says over `settings`.
    ///
    /// # Errors
    /// Exit code 2 for a number out of range.
    pub(crate) fn apply(
        &self,
        settings: &mut Settings,
        messages: Messages,
    ) -> Result<(), CommandError> {
        self.tables.apply(settings, messages)
    }
}

/// A vault's own settings.
#[derive(Debug, Default)]
pub(crate) struct VaultConfig {
    /// Keys that a vault may not set, one sentence each.
    pub(crate) warnings: Vec<String>,
    tables: Tables,
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
            Ok(None) => return Ok(VaultConfig::default()),
            Ok(Some(bytes)) => bytes,
            Err(SkipReason::Unreadable(cause)) => {
                return Err(unreadable(path, io::Error::other(cause)));
            }
            Err(reason) => {
                let warning = messages.config_not_taken(path.display(), reason.describe());
                return Ok(VaultConfig { warnings: vec![warning], ..VaultConfig::default() });
            }
        };
        let text = String::from_utf8(bytes).map_err(|e| unreadable(path, io::Error::other(e)))?;
        let (tables, unknown) = parse_tables(path, &text, &SHARED_KEYS, messages)?;
        let warnings =
            unknown.iter().map(|key| messages.key_not_for_vaults(path.display(), key)).collect();
        Ok(VaultConfig { warnings, tables })
    }

    /// Puts what the file says over `settings`.
    ///
    /// # Errors
    /// Exit code 2 for a number out of range.
    pub(crate) fn apply(
        &self,
        settings: &mut Settings,
        messages: Messages,
    ) -> Result<(), CommandError> {
        self.tables.apply(settings, messages)
    }
}

/// A config file as it is spelled.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Tables {
    default_vault: Option<PathBuf>,
    model: Option<PathBuf>,
    vault: VaultTable,
    chunk: ChunkTable,
    ranking: RankingTable,
    scrub: ScrubTable,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct VaultTable {
    include: Option<Vec<String>>,
    exclude: Option<Vec<String>>,
    extensions: Option<Vec<String>>,
    max_note_bytes: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_field_names, reason = "the keys say their unit")]
struct ChunkTable {
    min_characters: Option<usize>,
    max_characters: Option<usize>,
    overlap_characters: Option<usize>,
    piece_characters: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RankingTable {
    bm25_k1: Option<f64>,
    bm25_b: Option<f64>,
    weak_weight: Option<f64>,
    title_weight: Option<f64>,
    heading_weight: Option<f64>,
    context_weight: Option<f64>,
    lexical_share: Option<f64>,
    title_vector_weight: Option<f64>,
    rrf_k: Option<f64>,
    rrf_lexical_weight: Option<f64>,
    rrf_dense_weight: Option<f64>,
    rrf_pool: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ScrubTable {
    allowed_rules: Option<Vec<String>>,
    allowed_texts: Option<Vec<(String, String)>>,
}

/// Overwrites each named field of the options that the table sets.
macro_rules! overwrite {
    ($table:expr => $options:expr, $($field:ident),+) => {
        $(if let Some(value) = &$table.$field { $options.$field = value.clone(); })+
    };
}

impl Tables {
    fn apply(&self, settings: &mut Settings, messages: Messages) -> Result<(), CommandError> {
        self.apply_vault(&mut settings.vault);
        self.apply_chunk(&mut settings.chunk)?;
        self.apply_ranking(&mut settings.ranking, messages)?;
        self.apply_scrub(&mut settings.scrub);
        Ok(())
    }

    fn apply_vault(&self, options: &mut VaultOptions) {
        overwrite!(self.vault => options, include, exclude, extensions, max_note_bytes);
        for extension in &mut options.extensions {
            *extension = extension.trim_start_matches('.').to_owned();
        }
    }

    fn apply_chunk(&self, options: &mut ChunkOptions) -> Result<(), CommandError> {
        overwrite!(self.chunk => options,
            min_characters, max_characters, overlap_characters, piece_characters);
        let most = options.max_characters;
        in_range("chunk.max_characters", most, 100, 100_000)?;
        in_range("chunk.min_characters", options.min_characters, 0, most)?;
        in_range("chunk.overlap_characters", options.overlap_characters, 0, most / 2)?;
        in_range("chunk.piece_characters", options.piece_characters, 100, 2_000)
    }

    fn apply_ranking(
        &self,
        options: &mut RankingOptions,
        messages: Messages,
    ) -> Result<(), CommandError> {
        let table = &self.ranking;
        overwrite!(table => options,
            bm25_k1, bm25_b, weak_weight, title_weight, heading_weight, context_weight,
            lexical_share, title_vector_weight, rrf_k, rrf_lexical_weight, rrf_dense_weight,
            rrf_pool);
        let numbers = [
            ("bm25_k1", options.bm25_k1, 100.0),
            ("bm25_b", options.bm25_b, 1.0),
            ("weak_weight", options.weak_weight, 100.0),
            ("title_weight", options.title_weight, 100.0),
            ("heading_weight", options.heading_weight, 100.0),
            ("context_weight", options.context_weight, 100.0),
            ("lexical_share", options.lexical_share, 1.0),
            ("title_vector_weight", options.title_vector_weight, 2.0),
            ("rrf_k", options.rrf_k, 10_000.0),
            ("rrf_lexical_weight", options.rrf_lexical_weight, 100.0),
            ("rrf_dense_weight", options.rrf_dense_weight, 100.0),
        ];
        match numbers.into_iter().find(|(_, value, most)| !(0.0..=*most).contains(value)) {
            Some((name, value, most)) => Err(CommandError::new(
                Exit::Usage,
                messages.setting_out_of_range(format_args!("ranking.{name}"), value, most),
            )
            .hint(messages.hint_range(0, most))),
            None => in_range("ranking.rrf_pool", options.rrf_pool, 1, 10_000),
        }
    }

    fn apply_scrub(&self, options: &mut ScrubOptions) {
        overwrite!(self.scrub => options, allowed_rules, allowed_texts);
    }
}

fn in_range(
    name: &'static str,
    value: usize,
    minimum: usize,
    maximum: usize,
) -> Result<(), CommandError> {
    if (minimum..=maximum).contains(&value) {
        return Ok(());
    }
    let [value, minimum, maximum] = [value, minimum, maximum].map(|number| number as u64);
    Err(Error::OutOfRange { name, value, minimum, maximum }.into())
}

/// The settings of a config file's text, over the defaults; no key may be unknown.
#[cfg(test)]
pub(crate) fn settings_of(text: &str) -> Result<Settings, CommandError> {
    let allowed = [&SHARED_KEYS[..], &USER_KEYS[..]].concat();
    let (path, messages) = (Path::new("config.toml"), Messages::default());
    let (tables, unknown) = parse_tables(path, text, &allowed, messages)?;
    assert_eq!(unknown, [""; 0], "unknown keys");
    let mut settings = Settings::default();
    tables.apply(&mut settings, messages)?;
    Ok(settings)
}

/// Reads a file's known keys, and names the others.
fn read_tables(
    path: &Path,
    allowed: &[(&str, &[&str])],
    messages: Messages,
) -> Result<(Tables, Vec<String>), CommandError> {
    let text = match read_text(path, MAX_CONFIG_BYTES) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(<_>::default()),
        Err(error) => return Err(unreadable(path, error)),
    };
    parse_tables(path, &text, allowed, messages)
}

fn unreadable(path: &Path, error: io::Error) -> CommandError {
    Error::io(path, "read the config", error).into()
}

fn parse_tables(
    path: &Path,
    text: &str,
    allowed: &[(&str, &[&str])],
    messages: Messages,
) -> Result<(Tables, Vec<String>), CommandError> {
    let malformed = |error: &toml::de::Error| {
        CommandError::new(Exit::Usage, messages.malformed_config(path.display(), error.message()))
            .hint(messages.hint_edit(path.display()))
    };
    let mut table: toml::Table = text.parse().map_err(|error| malformed(&error))?;
    let unknown = take_unknown(&mut table, allowed);
    let tables = table.try_into().map_err(|error| malformed(&error))?;
    Ok((tables, unknown))
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

/// Sets one top-level key of the user's config file (`None` removes it), leaving every other line
/// as the user wrote it.
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
    UserConfig::read(environment)?;
    let old = match read_text(path, MAX_CONFIG_BYTES) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(unreadable(path, error)),
    };
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
