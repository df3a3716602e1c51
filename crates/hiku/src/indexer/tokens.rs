//! The tokens of a note that is to be embedded, the same whether its text was just read or is
//! stored.

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
    /// Tokenises a title and the bodies of a note's chunks; gives the number of pieces of each
    /// body. Without a model there are no tokens, but the same pieces: layouts are not written
    /// again when one is added.
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
        // Where the last sentence of the piece before stands in `pieces`.
        let mut before = 0..0;
        let mut add = |body| {
            let pieces = pieces(body, options.piece_characters);
            for piece in &pieces {
                let Some(embedder) = embedder else { continue };
                let lead = lead_in(piece, options.overlap_characters);
                let (head, lead) = piece.split_at(piece.len() - lead.len());
                tokens.pieces.extend_from_within(before.clone());
                embedder.tokenize(head, &mut tokens.pieces);
                let start = tokens.pieces.len();
                embedder.tokenize(lead, &mut tokens.pieces);
                before = start..tokens.pieces.len();
                tokens.ends.push(before.end as u32);
            }
            pieces.len()
        };
        let counts = bodies.iter().map(|body| add(body)).collect();
        (tokens, counts)
    }
}
