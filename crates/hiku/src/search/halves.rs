//! Runs the two halves of the first stage, by word and by meaning, side by side where that pays.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::error::Result;
use crate::retrieve::{Comparer, DenseQuery, Document, FirstPass, Lexical, Near, SketchSource};

/// Hits for which the dense first pass keeps pieces, at most.
const MAX_DENSE_POOL: usize = 100;
/// How long a thread waits awake for the other half of a search.
const AWAKE: Duration = Duration::from_millis(1);

/// What the dense signal found before any fusion.
#[derive(Default)]
pub(super) struct Nearby {
    /// The nearest pieces.
    pub(super) near: Near,
    /// Cosine of the best near piece of a document, where it was compared already.
    pub(super) cosines: Vec<(Document, f64)>,
}

/// Runs the lexical search and the dense one, side by side where all vectors are in memory.
pub(super) fn both(
    by_word: impl FnOnce() -> Result<Option<Lexical>>,
    dense: Option<&DenseQuery<'_>>,
    allowed: &[bool],
    limit: usize,
) -> Result<(Option<Lexical>, Nearby)> {
    let limit = limit.min(MAX_DENSE_POOL);
    let Some(dense) = dense else { return Ok((by_word()?, Nearby::default())) };
    let (snapshot, query, title_weight) = (dense.snapshot, dense.query, dense.title_weight);
    let Some(cache) = dense.cache else {
        let lexical = by_word()?;
        let near = FirstPass { snapshot, query, source: SketchSource::File(dense.store) }
            .run(allowed, limit)?;
        return Ok((lexical, Nearby { near, cosines: Vec::new() }));
    };
    let mut nearby = Ok(Nearby::default());
    let pending = AtomicUsize::new(1);
    let lexical = rayon::in_place_scope(|scope| {
        scope.spawn(|_| {
            let first = FirstPass { snapshot, query, source: SketchSource::Memory(cache) };
            nearby = first.run(allowed, limit).map(|near| {
                let comparer = Comparer { query, title_weight };
                let cosines = cache.best_of(snapshot, comparer, &near.pieces);
                Nearby { near, cosines }
            });
            pending.fetch_sub(1, Ordering::Release);
        });
        let lexical = by_word();
        wait_awake(&pending);
        lexical
    });
    Ok((lexical?, nearby?))
}

/// Waits a moment until no work of other threads is pending, without going to sleep: to be woken
/// takes as long as what is left to wait for.
pub(super) fn wait_awake(pending: &AtomicUsize) {
    let started = Instant::now();
    while pending.load(Ordering::Acquire) > 0 && started.elapsed() < AWAKE {
        std::thread::yield_now();
    }
}
