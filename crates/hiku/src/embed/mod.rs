//! Text to vectors: the [`Embedder`] trait and the static model behind it. Decides no weights of
//! its own: token weights come from the vault's counts and are passed in.

pub mod vectors;
mod weights;

pub use weights::TokenWeights;

/// Token ids of one text, as an [`Embedder`] cuts it. 16 bits suffice for the built-in model's
/// 47,968 pieces; a larger vocabulary uses the 32-bit form.
pub type TokenId = u32;

/// A static embedding model: a vector for each token, a text being the weighted mean of its tokens.
pub trait Embedder: Send + Sync + std::fmt::Debug {
    /// Identity of model and tokenizer: a name and a hash. Another id means other vectors.
    fn id(&self) -> &str;
    /// Vector length.
    fn dimensions(&self) -> usize;
    /// Number of token ids; every id is below it.
    fn vocabulary_size(&self) -> usize;
    /// Appends the token ids of `text`; unknown pieces are left out.
    fn tokenize(&self, text: &str, ids: &mut Vec<TokenId>);
    /// Adds `weight` times the vector of `token` to `sum`, whose length is [`Self::dimensions`].
    fn accumulate(&self, token: TokenId, weight: f32, sum: &mut [f32]);
}

/// The weighted mean of some tokens as a unit vector in `sum`; false where there is none.
pub fn mean(
    embedder: &dyn Embedder,
    weights: &TokenWeights,
    tokens: &[TokenId],
    sum: &mut [f32],
) -> bool {
    sum.fill(0.0);
    for token in tokens {
        embedder.accumulate(*token, weights.of(*token), sum);
    }
    vectors::normalize(sum)
}

/// The model inside the binary, where the crate was built with it.
pub fn builtin() -> Option<std::sync::Arc<dyn Embedder>> {
    None
}
