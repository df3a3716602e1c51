//! Notes' tokens to stored vectors, on all cores: counting tokens for a weights epoch, embedding
//! pieces and titles, packing them. Writes nothing.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::embed::vectors::{Quantized, combine, quantize};
use crate::embed::{Embedder, TokenId, TokenWeights, mean};

use super::tokens::Tokens;

/// The stored form of a note's vectors.
#[derive(Debug, Default)]
pub(super) struct NoteVectors {
    /// All pieces: f32 scale and i8 steps each. `None` where the content has them already.
    pub(super) pieces: Option<Vec<u8>>,
    /// The title vector, in the form of a piece.
    pub(super) title: Vec<u8>,
    /// Inverse length of each piece with its title.
    pub(super) norms: Vec<f32>,
    /// Sketch of each piece with its title.
    pub(super) sketches: Vec<u8>,
}

/// What a note brings to be embedded.
pub(super) struct EmbedJob<'t> {
    pub(super) tokens: &'t Tokens,
    /// Pieces that are stored already for this content; only the title is embedded then.
    pub(super) known: Option<Vec<u8>>,
}

/// Counts in how many notes each token stands. The same counts whatever the order.
pub(super) fn count_tokens<'t>(
    notes: impl Iterator<Item = &'t Tokens>,
    vocabulary_size: usize,
) -> TokenWeights {
    let mut counts = vec![0u32; vocabulary_size];
    let mut seen = vec![0u32; vocabulary_size];
    let mut number = 0u32;
    for tokens in notes {
        number += 1;
        for token in tokens.title.iter().chain(&tokens.pieces) {
            let at = *token as usize;
            if at < vocabulary_size && seen[at] != number {
                seen[at] = number;
                counts[at] += 1;
            }
        }
    }
    TokenWeights::new(number, counts).computed()
}

/// Embeds all jobs on `threads` cores; the results stand in the order of the jobs.
pub(super) fn embed_all(
    embedder: &dyn Embedder,
    weights: &TokenWeights,
    title_weight: f32,
    jobs: &[EmbedJob<'_>],
    threads: usize,
) -> Vec<NoteVectors> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        let mut sum = vec![0f32; embedder.dimensions()];
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(at) else { return done };
            done.push((at, embed_note(embedder, weights, title_weight, job, &mut sum)));
        }
    };
    let mut all: Vec<(usize, NoteVectors)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
    });
    all.sort_unstable_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, vectors)| vectors).collect()
}

fn embed_note(
    embedder: &dyn Embedder,
    weights: &TokenWeights,
    title_weight: f32,
    job: &EmbedJob<'_>,
    sum: &mut [f32],
) -> NoteVectors {
    let title = embed_tokens(embedder, weights, &job.tokens.title, sum);
    let mut packed = NoteVectors { title: pack_piece(&title), ..NoteVectors::default() };
    let fresh = job.known.is_none().then(|| embed_pieces(embedder, weights, job.tokens, sum));
    let pieces = fresh.as_deref().or(job.known.as_deref()).unwrap_or_default();
    place(pieces, &title, title_weight, &mut packed);
    packed.pieces = fresh;
    packed
}

fn embed_pieces(
    embedder: &dyn Embedder,
    weights: &TokenWeights,
    tokens: &Tokens,
    sum: &mut [f32],
) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(tokens.ends.len() * piece_bytes(sum.len()));
    let mut start = 0usize;
    for end in &tokens.ends {
        let piece = &tokens.pieces[start..*end as usize];
        bytes.extend(pack_piece(&embed_tokens(embedder, weights, piece, sum)));
        start = *end as usize;
    }
    bytes
}

/// Combines stored pieces with a title: norms and sketches.
pub(super) fn place(pieces: &[u8], title: &Quantized, weight: f32, packed: &mut NoteVectors) {
    for piece in pieces.chunks_exact(piece_bytes(title.values.len())) {
        let (scale, steps) = unpack_piece(piece);
        let combined = combine(scale, steps, title, weight);
        packed.norms.push(combined.inverse_norm);
        packed.sketches.extend(combined.sketch.iter().flat_map(|word| word.to_le_bytes()));
    }
}

fn embed_tokens(
    embedder: &dyn Embedder,
    weights: &TokenWeights,
    tokens: &[TokenId],
    sum: &mut [f32],
) -> Quantized {
    if mean(embedder, weights, tokens, sum) {
        quantize(sum)
    } else {
        Quantized { scale: 0.0, values: vec![0; sum.len()] }
    }
}

/// Bytes of a stored piece: its scale and one byte a dimension.
pub(super) fn piece_bytes(dimensions: usize) -> usize {
    4 + dimensions
}

fn pack_piece(vector: &Quantized) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(piece_bytes(vector.values.len()));
    bytes.extend_from_slice(&vector.scale.to_le_bytes());
    bytes.extend(vector.values.iter().map(|value| *value as u8));
    bytes
}

/// A stored title vector.
pub(super) fn unpack_title(bytes: &[u8]) -> Quantized {
    let (scale, steps) = unpack_piece(bytes);
    Quantized { scale, values: steps.iter().map(|step| *step as i8).collect() }
}

fn unpack_piece(bytes: &[u8]) -> (f32, &[u8]) {
    match bytes.split_first_chunk::<4>() {
        Some((scale, steps)) => (f32::from_le_bytes(*scale), steps),
        None => (0.0, &[]),
    }
}
