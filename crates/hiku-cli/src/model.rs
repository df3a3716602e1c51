//! The embedding model that the user chose: opens it and brings it into the data folder. Knows
//! nothing of vaults and indexes.

use std::path::Path;
use std::sync::Arc;

use hiku::Error;
use hiku::embed::Embedder;

use crate::exit::CommandError;

/// Opens the model at `path`.
///
/// # Errors
/// Exit code 2 when it is not a model that can be used.
pub(crate) fn open(path: &Path) -> Result<Option<Arc<dyn Embedder>>, CommandError> {
    let detail = "models other than the built-in one are not supported yet".to_owned();
    Err(Error::Model { path: path.to_path_buf(), detail }.into())
}
