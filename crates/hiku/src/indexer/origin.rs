//! Which vault an index was made of: by a hash of its folder, so that the file names no place, and
//! by its notes where the vault was moved. Reads no note.

use std::path::Path;

use crate::error::{Error, Result};
use crate::store::{Store, Writer};

/// The fact that holds the hash.
const FACT: &str = "vault";
/// Hexadecimal digits of the hash.
const DIGITS: usize = 32;
/// Paths of the index that are looked for in a folder that it was not made of: enough that notes
/// which two vaults have in common (a readme, daily notes) do not make one of them, and looked for
/// in a millisecond.
const SAMPLE: usize = 64;

/// Refuses an index that is not of the vault in the folder `root` (canonical). An index without
/// notes is any vault's; one of a vault that was moved there is known by half of its notes.
///
/// # Errors
/// `User` for one of another vault; `Corrupt` and `Io`.
pub(crate) fn confirm_vault(store: &Store, root: &Path) -> Result<()> {
    if store.meta_text(FACT)?.is_none_or(|stored| stored == hash_of(root)) {
        return Ok(());
    }
    let sample = store.sample_of_paths(SAMPLE)?;
    let is_here = |path: &&String| {
        std::fs::symlink_metadata(root.join(path)).is_ok_and(|metadata| metadata.is_file())
    };
    if sample.iter().filter(is_here).count() * 2 >= sample.len() {
        return Ok(());
    }
    Err(Error::OtherVault { path: store.path().to_path_buf(), vault: root.to_path_buf() })
}

/// Records that the index is of the vault in the folder `root`.
pub(super) fn record_vault(writer: &Writer, root: Option<&Path>) -> Result<()> {
    root.map_or(Ok(()), |root| writer.set_text(FACT, &hash_of(root)))
}

fn hash_of(root: &Path) -> String {
    blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex()[..DIGITS].to_owned()
}
