//! What a caller decides about an index: which files, how they are cut, scrubbed, embedded and
//! ranked. Plain data; reading it from files is the binary's.

use std::path::PathBuf;
use std::sync::Arc;

use crate::chunk::ChunkOptions;
use crate::embed::Embedder;
use crate::error::Error;
use crate::ranking::RankingOptions;
use crate::scrub::ScrubOptions;
use crate::vault::VaultOptions;

/// All settings of one index.
///
/// What a change costs: `vault` takes notes in and out; `chunk` and `scrub` rebuild everything;
/// another `embedder`, or another `ranking.title_vector_weight`, makes all vectors anew; the rest
/// of `ranking` costs nothing.
///
/// ```
/// use hiku::Settings;
///
/// let mut settings = Settings::default();
/// settings.vault.exclude.push("templates/".to_owned());
/// settings.embedder = None; // by word only
/// ```
#[derive(Debug, Clone)]
pub struct Settings {
    /// Which files are notes.
    pub vault: VaultOptions,
    /// How notes are cut into chunks and pieces.
    pub chunk: ChunkOptions,
    /// Which credentials rules run. All, with no exceptions, by default.
    pub scrub: ScrubOptions,
    /// How signals are weighed.
    pub ranking: RankingOptions,
    /// The embedding model; `None` indexes and searches by word only. An index made without a model
    /// has no vectors, and one made with it keeps them until an update without it.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// The chosen model where it cannot be used: `embedder` is `None` then, and stored vectors are
    /// kept for the day when it is back.
    pub missing_model: Option<MissingModel>,
}

/// A chosen model that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingModel {
    /// Its folder or file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub detail: String,
}

impl MissingModel {
    /// The error of a call that cannot do without the model.
    pub(crate) fn error(&self) -> Error {
        Error::Model { path: self.path.clone(), detail: self.detail.clone() }
    }
}

impl Default for Settings {
    /// Every default, with the built-in model where the crate has it.
    fn default() -> Self {
        Settings {
            vault: VaultOptions::default(),
            chunk: ChunkOptions::default(),
            scrub: ScrubOptions::default(),
            ranking: RankingOptions::default(),
            embedder: crate::embed::builtin(),
            missing_model: None,
        }
    }
}
