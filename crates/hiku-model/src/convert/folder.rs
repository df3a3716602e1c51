//! Finds the files of a model in a folder and the model's name. Reads none of them.

use std::path::{Path, PathBuf};

use crate::error::ModelError;

/// The files of a model.
#[derive(Debug)]
pub(super) struct Folder {
    /// The folder that was given.
    pub(super) root: PathBuf,
    /// The model's name.
    pub(super) name: String,
    /// `model.safetensors`.
    pub(super) tensors: PathBuf,
    /// `tokenizer.json`.
    pub(super) tokenizer: PathBuf,
}

impl Folder {
    /// Looks for the two files at the root, then where sentence-transformers puts them. That also
    /// covers a folder whose `config.json` lies in its parent, because nothing in it is needed.
    pub(super) fn find(root: &Path) -> Result<Folder, ModelError> {
        let places = [root.to_owned(), root.join("0_StaticEmbedding")];
        let has = |place: &Path, file: &str| place.join(file).is_file();
        let Some(place) = places.iter().find(|place| has(place, "model.safetensors")) else {
            return Err(ModelError::NotAModel { path: root.into(), missing: "model.safetensors" });
        };
        let Some(with_tokenizer) =
            [place.as_path(), root].into_iter().find(|place| has(place, "tokenizer.json"))
        else {
            return Err(ModelError::NotAModel { path: root.into(), missing: "tokenizer.json" });
        };
        Ok(Folder {
            root: root.to_owned(),
            name: name_of(root),
            tensors: place.join("model.safetensors"),
            tokenizer: with_tokenizer.join("tokenizer.json"),
        })
    }
}

/// The folder's own name; for a snapshot in a Hugging Face cache
/// (`models--ORGANISATION--NAME/snapshots/REVISION`) the organisation and name.
fn name_of(root: &Path) -> String {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let mut parts = root.components().rev().map(|part| part.as_os_str().to_string_lossy());
    let own = parts.next().unwrap_or_default().replace(':', "-");
    let own =
        if own == "0_StaticEmbedding" { parts.next().unwrap_or_default().into() } else { own };
    let cached = parts.next().filter(|parent| parent == "snapshots").and_then(|_| parts.next());
    match cached.as_deref().and_then(|name| name.strip_prefix("models--")) {
        Some(name) => name.replacen("--", "/", 1),
        None => own,
    }
}
