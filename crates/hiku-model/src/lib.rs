//! Static embedding models for Hiku: the built-in English and Japanese one and any `Model2Vec`
//! folder, each with a compact tokenizer. Responsible for ids and for sums of rows; not for token
//! weights, norms, chunks or storage.
//!
//! ```
//! use hiku_model::StaticModel;
//!
//! let model = StaticModel::builtin();
//! let mut ids = Vec::new();
//! model.tokenize("Local search over notes: ノートを手元で検索する", &mut ids);
//! let mut sum = vec![0.0; model.dimensions()];
//! let weights = vec![1.0; ids.len()];
//! model.accumulate_all(&ids, &weights, &mut sum);
//! assert!(sum.iter().any(|number| *number != 0.0));
//! ```

mod bert;
mod charsmap;
mod classes;
mod convert;
mod error;
mod file;
mod format;
mod model;
mod options;
mod scratch;
mod steps;
mod table;
mod tokenizer;
mod trie;
mod unigram;
mod word_piece;
mod words;

pub use convert::convert;
pub use error::{CompactFault, ModelError, TensorFault};
pub use model::StaticModel;
pub use scratch::Scratch;
