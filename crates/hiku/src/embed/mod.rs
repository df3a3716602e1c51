//! Text to vectors: the [`Embedder`] trait and the static model behind it. Decides no weights of
//! its own: token weights come from the vault's counts and are passed in.
//!
//! A text's vector is the weighted sum of its tokens' vectors, made unit length; a piece's vector
//! is later combined with its note's title. Order of words and negation are lost in a sum: that is
//! what a static model cannot do, and why the lexical signal stands beside it.

#[cfg(feature = "builtin-model")]
mod static_model;
pub mod vectors;
mod weights;

#[cfg(feature = "builtin-model")]
pub use static_model::StaticEmbedder;
pub use weights::TokenWeights;

/// Token ids of one text, as an [`Embedder`] cuts it. 16 bits suffice for the built-in model's
/// 47,968 pieces; a larger vocabulary uses the 32-bit form.
pub type TokenId = u32;

/// A static embedding model: a vector for each token, a text being the weighted mean of its tokens.
///
/// Implementations must be deterministic: the same text gives the same ids, and the same ids and
/// weights the same sum to the last bit, on every thread. What [`Self::id`] names decides whether
/// an index's vectors may be compared with a query's.
pub trait Embedder: Send + Sync + std::fmt::Debug {
    /// Identity of model and tokenizer: a name and a hash. Another id means other vectors.
    /// Form: `name:` and 16 hexadecimal digits.
    fn id(&self) -> &str;
    /// Vector length. Sketches have as many bits.
    fn dimensions(&self) -> usize;
    /// Number of token ids; every id is below it.
    fn vocabulary_size(&self) -> usize;
    /// Appends the token ids of `text`; unknown pieces are left out. `ids` is not cleared. Any text
    /// is accepted, of any length.
    fn tokenize(&self, text: &str, ids: &mut Vec<TokenId>);
    /// Adds the vectors of `tokens`, each times its weight, to `sum`, whose length is
    /// [`Self::dimensions`]. `tokens` and `weights` are of one length, and `sum` is not cleared.
    fn accumulate(&self, tokens: &[TokenId], weights: &[f32], sum: &mut [f32]);
}

/// The weighted mean of some tokens as a unit vector in `sum`; false where there is none.
///
/// `sum` needs [`Embedder::dimensions`] places; what it held is overwritten. There is no mean of no
/// tokens, nor of ones whose vectors cancel out; `sum` is all zeros then.
pub fn mean(
    embedder: &dyn Embedder,
    weights: &TokenWeights,
    tokens: &[TokenId],
    sum: &mut [f32],
) -> bool {
    let weights: Vec<f32> = tokens.iter().map(|token| weights.of(*token)).collect();
    sum.fill(0.0);
    embedder.accumulate(tokens, &weights, sum);
    vectors::normalize(sum)
}

/// The model inside the binary, where the crate was built with it. With the feature
/// `builtin-model`; opening it takes microseconds, since its bytes are used as they lie in the
/// program.
pub fn builtin() -> Option<std::sync::Arc<dyn Embedder>> {
    #[cfg(feature = "builtin-model")]
    return Some(std::sync::Arc::new(StaticEmbedder::builtin()));
    #[cfg(not(feature = "builtin-model"))]
    None
}
