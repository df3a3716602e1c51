//! The tokens of a note that is to be embedded, the same whether its text was just read or is stored.

use crate::chunk::{ChunkOptions, lead_in, pieces};
use crate::embed::{Embedder, TokenId};

/// The tokens of a note's pieces and title.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    /// Tokens of all pieces, one piece after another, each led in by the end of the one before it.
    pub(super) pieces: Vec<TokenId>,
    /// End of each piece in `pieces`.
    pub(super) ends: Vec<u32>,
    /// Tokens of the title.
    pub(super) title: Vec<TokenId>,
}

impl Tokens {
    /// Tokenises a title and the bodies of a note's chunks; gives the number of pieces of each body.
    /// Without a model there are no tokens, but the same pieces: layouts are not written again when
    /// one is added.
    pub(super) fn of(
        embedder: Option<&dyn Embedder>,
        options: &ChunkOptions,
        title: &str,
        bodies: &[String],
    ) -> (Self, Vec<usize>) {
        let mut tokens = Tokens::default();
        if let Some(embedder) = embedder {
            embedder.tokenize(title, &mut tokens.title);
        }
        let mut before = "";
        let mut add = |body| {
            let pieces = pieces(body, options.piece_characters);
            for piece in &pieces {
                if let Some(embedder) = embedder {
                    let lead = lead_in(before, options.overlap_characters);
                    embedder.tokenize(lead, &mut tokens.pieces);
                    embedder.tokenize(piece, &mut tokens.pieces);
                    tokens.ends.push(tokens.pieces.len() as u32);
                }
                before = piece;
            }
            pieces.len()
        };
        let counts = bodies.iter().map(|body| add(body)).collect();
        (tokens, counts)
    }
}
