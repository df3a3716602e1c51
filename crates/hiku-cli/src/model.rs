//! The embedding model that the user chose: opens it and brings it into the data folder. Knows
//! nothing of vaults and indexes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hiku::embed::{Embedder, StaticEmbedder};
use hiku::{Error, MissingModel, Settings};
use hiku_model::{ModelError, StaticModel};

use crate::exit::CommandError;
use crate::private;

/// File name ending of a model in the data folder.
const EXTENSION: &str = "hikumodel";

/// Opens the model at `path`.
///
/// # Errors
/// Exit code 2 when it is not a model that can be used.
pub(crate) fn open(path: &Path) -> Result<Option<Arc<dyn Embedder>>, CommandError> {
    Ok(Some(Arc::new(StaticEmbedder::open(path)?)))
}

/// Puts the model at `path` into the settings, or that it is missing: words are indexed and found
/// without it.
pub(crate) fn choose(path: &Path, settings: &mut Settings) {
    match StaticEmbedder::open(path) {
        Ok(model) => settings.embedder = Some(Arc::new(model)),
        Err(error) => {
            let detail = match error {
                Error::Model { detail, .. } => detail,
                other => other.to_string(),
            };
            settings.embedder = None;
            settings.missing_model = Some(MissingModel { path: path.to_path_buf(), detail });
        }
    }
}

/// Copies the model at `path` into `data`, in the compact form. Gives its id and the copy's path.
///
/// # Errors
/// Exit code 2 when it is not a model that can be used, 1 when it cannot be written.
pub(crate) fn adopt(path: &Path, data: &Path) -> Result<(String, PathBuf), CommandError> {
    let bytes = if path.is_dir() {
        hiku_model::convert(path).map_err(|error| unusable(path, &error))?
    } else {
        hiku::vault::read_regular(path, u64::MAX)
            .map_err(|error| Error::io(path, "read the model", error))?
    };
    let model = StaticModel::from_bytes(bytes.clone(), path);
    let id = model.map_err(|error| unusable(path, &error))?.id().to_owned();
    let folder = data.join("models");
    let copy = folder.join(format!("{}.{EXTENSION}", file_name(&id)));
    private::make_folder(&folder)
        .and_then(|()| private::write_file(&copy, &bytes))
        .map_err(|error| Error::io(&copy, "write the model", error))?;
    Ok((id, copy))
}

/// A model's id as a file name: `name:hash` with everything unusual replaced.
fn file_name(id: &str) -> String {
    let is_plain = |found: char| found.is_alphanumeric() || "-_.".contains(found);
    let name: String = id.chars().map(|c| if is_plain(c) { c } else { '-' }).collect();
    name.trim_start_matches('.').to_owned()
}

fn unusable(path: &Path, error: &ModelError) -> CommandError {
    Error::Model { path: path.to_path_buf(), detail: error.to_string() }.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn ids_become_plain_file_names() {
        assert_eq!(file_name("bilingual-v1:0123456789abcdef"), "bilingual-v1-0123456789abcdef");
        assert_eq!(file_name("../evil:00"), "-evil-00");
    }

    #[test]
    fn what_is_no_model_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("x");
        fs::write(&file, "no model").expect("a file");
        for path in [folder.path(), &file, &folder.path().join("absent")] {
            let error = open(path).expect_err("no model");
            assert_eq!(error.exit, crate::exit::Exit::Usage, "{}", path.display());
        }
        assert!(adopt(folder.path(), folder.path()).is_err());
        assert!(!folder.path().join("models").exists());
    }
}
