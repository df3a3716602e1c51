//! Which vault each index file in the data folder belongs to: `vaults.toml` beside them. A
//! convenience only: an index without an entry is still listed, and nothing else depends on it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::exit::CommandError;
use crate::plain_file::read_text;
use crate::private;
use crate::settings::{Environment, UserConfig};

/// Name of the list in the data folder.
const FILE: &str = "vaults.toml";
/// Longest list that is read, in bytes: some hundred for each vault.
const MAX_LIST_BYTES: u64 = 16 << 20;
/// Name endings of the files that belong to an index, beside its own.
pub(crate) const COMPANIONS: [&str; 3] = ["-wal", "-shm", ".lock"];

/// An index file of the data folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownVault {
    /// The vault's folder, where it is known.
    pub(crate) vault: Option<PathBuf>,
    /// The index file.
    pub(crate) index: PathBuf,
    /// Bytes of the index file and what belongs to it.
    pub(crate) bytes: u64,
    /// True for the vault that the user's config names as the default.
    pub(crate) is_default: bool,
    /// False where the vault's folder is gone or unknown.
    pub(crate) is_present: bool,
}

/// Notes that `index` belongs to `vault`. Does nothing for an index outside the data folder.
///
/// # Errors
/// Exit code 1 when the list cannot be written.
pub(crate) fn record(
    environment: &Environment,
    vault: &Path,
    index: &Path,
) -> Result<(), CommandError> {
    let Some(folder) = environment.data.as_deref().filter(|data| index.parent() == Some(*data))
    else {
        return Ok(());
    };
    let mut entries = read(folder);
    let old = entries.insert(file_name(index), vault.to_string_lossy().into_owned());
    if old.as_deref() == vault.to_str() { Ok(()) } else { write(folder, &entries) }
}

/// Deletes an index and what belongs to it, and takes it off the list. False where there was none.
///
/// # Errors
/// Exit code 4 while another process writes it, 1 when a file cannot be deleted.
pub(crate) fn remove(environment: &Environment, index: &Path) -> Result<bool, CommandError> {
    let existed = hiku::Index::remove(index)?;
    let folder = environment.data_folder()?;
    let mut entries = read(folder);
    if entries.remove(&file_name(index)).is_some() {
        write(folder, &entries)?;
    }
    Ok(existed)
}

/// Every index file of the data folder, by vault.
///
/// # Errors
/// Exit code 2 when there is no home folder. A malformed config names no default.
pub(crate) fn list(environment: &Environment) -> Result<Vec<KnownVault>, CommandError> {
    let folder = environment.data_folder()?;
    let entries = read(folder);
    let default = UserConfig::read_or_default(environment).default_vault;
    let default = default.and_then(|vault| fs::canonicalize(environment.expand(&vault)).ok());
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let indexes = files.filter(|file| file.extension().is_some_and(|end| end == "hiku"));
    let mut known: Vec<KnownVault> = indexes
        .map(|index| {
            let vault = entries.get(&file_name(&index)).map(PathBuf::from);
            KnownVault {
                bytes: files_of(&index).filter_map(|f| Some(fs::metadata(f).ok()?.len())).sum(),
                is_default: vault.is_some() && vault == default,
                is_present: vault.as_ref().is_some_and(|vault| vault.is_dir()),
                vault,
                index,
            }
        })
        .collect();
    known.sort_by(|a, b| (&a.vault, &a.index).cmp(&(&b.vault, &b.index)));
    Ok(known)
}

/// The index file and what belongs to it.
pub(crate) fn files_of(index: &Path) -> impl Iterator<Item = PathBuf> {
    std::iter::once("").chain(COMPANIONS).map(|end| with_ending(index, end))
}

/// `path` with `end` behind its name.
pub(crate) fn with_ending(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

fn file_name(index: &Path) -> String {
    index.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Index file name to vault; an unreadable list counts as empty, since it can be made again.
fn read(folder: &Path) -> BTreeMap<String, String> {
    let text = read_text(&folder.join(FILE), MAX_LIST_BYTES).unwrap_or_default();
    toml::from_str(&text).unwrap_or_default()
}

fn write(folder: &Path, entries: &BTreeMap<String, String>) -> Result<(), CommandError> {
    let table: toml::Table =
        entries.iter().map(|(index, vault)| (index.clone(), vault.clone().into())).collect();
    let path = folder.join(FILE);
    private::write_file(&path, table.to_string().as_bytes())
        .map_err(|error| hiku::Error::io(&path, "write the list of vaults", error).into())
}
