//! The vocabulary on its way into the compact form: trie and scores. Not responsible for reading
//! it.

use std::collections::BTreeMap;
use std::path::Path;

use crate::error::ModelError;
use crate::trie::{self, BuildFault};

/// A piece of the vocabulary.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    /// Its text.
    pub(super) text: String,
    /// Its id.
    pub(super) id: u32,
    /// Its score, zero for tokenizers without scores.
    pub(super) score: f64,
    /// Whether it may be found in a text; special tokens may not.
    pub(super) ordinary: bool,
}

/// The section `TRIE`. Of pieces with the same text the last one counts, as in the `tokenizers`
/// crate. Pieces with a zero byte, which no text reaches after normalising, are left out.
pub(super) fn trie(pieces: &[Piece], path: &Path) -> Result<Vec<u8>, ModelError> {
    let ordinary = pieces.iter().filter(|piece| piece.ordinary && !piece.text.is_empty());
    let usable = ordinary.filter(|piece| !piece.text.contains('\0'));
    let sorted: BTreeMap<&[u8], u32> =
        usable.map(|piece| (piece.text.as_bytes(), piece.id)).collect();
    trie::build(sorted.into_iter().collect()).map_err(|fault| match fault {
        BuildFault::IdTooLarge => ModelError::UnsupportedTokenizer {
            path: path.to_owned(),
            part: "option",
            kind: "more than 16,777,214 pieces".to_owned(),
        },
        BuildFault::Order => {
            ModelError::TokenizerField { path: path.to_owned(), field: "model.vocab" }
        }
    })
}

/// The section `SCOR`.
pub(super) fn scores(pieces: &[Piece], vocabulary: usize) -> Vec<u8> {
    let mut scores = vec![0.0f64; vocabulary];
    for piece in pieces {
        scores[piece.id as usize] = piece.score;
    }
    scores.iter().flat_map(|score| score.to_le_bytes()).collect()
}
