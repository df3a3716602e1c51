//! The static models of `hiku-model` as an [`Embedder`].

use std::path::Path;

use hiku_model::StaticModel;

use super::{Embedder, TokenId};
use crate::error::{Error, Result};

/// A static embedding model: the built-in one, or one from a file or folder.
#[derive(Debug)]
pub struct StaticEmbedder {
    model: Model,
}

#[derive(Debug)]
enum Model {
    Builtin(&'static StaticModel),
    Opened(Box<StaticModel>),
}

impl StaticEmbedder {
    /// The model inside the binary.
    pub fn builtin() -> Self {
        StaticEmbedder { model: Model::Builtin(StaticModel::builtin()) }
    }

    /// Opens a converted model file or a `Model2Vec` folder.
    ///
    /// A folder is converted in memory each time; a `.hikumodel` file is used as it lies on disk.
    ///
    /// # Errors
    /// Kind `User` when it is not a model that can be used.
    pub fn open(path: &Path) -> Result<Self> {
        let model = StaticModel::open(path).map_err(|error| Error::Model {
            path: path.to_path_buf(),
            detail: error.to_string(),
        })?;
        Ok(StaticEmbedder { model: Model::Opened(Box::new(model)) })
    }

    fn model(&self) -> &StaticModel {
        match &self.model {
            Model::Builtin(model) => model,
            Model::Opened(model) => model,
        }
    }
}

impl Embedder for StaticEmbedder {
    fn id(&self) -> &str {
        self.model().id()
    }

    fn dimensions(&self) -> usize {
        self.model().dimensions()
    }

    fn vocabulary_size(&self) -> usize {
        self.model().vocabulary_size()
    }

    fn tokenize(&self, text: &str, ids: &mut Vec<TokenId>) {
        self.model().tokenize(text, ids);
    }

    fn accumulate(&self, tokens: &[TokenId], weights: &[f32], sum: &mut [f32]) {
        self.model().accumulate_all(tokens, weights, sum);
    }
}
