//! Terms that most notes hold: which they are, and the memory of those that were met. Scores
//! nothing.

use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::lexical::QueryTerm;
use crate::ranking::idf;
use crate::tokenize::Class;

/// A term of less idf, one that more than about 45 % of the notes hold, is common: it does not
/// decide where a query has a rarer one, and its list is the longest to read.
pub(super) const COMMON_IDF: f64 = 0.8;
/// In a vault of fewer notes no term is common: every note that holds a word is worth showing.
const MIN_NOTES: usize = 1_000;
/// Terms that are remembered at most.
const MAX_TERMS: usize = 1_000;

/// True for a term of this document frequency among `notes` notes.
pub(super) fn is_common(notes: usize, frequency: usize) -> bool {
    notes >= MIN_NOTES && idf(notes, frequency) < COMMON_IDF
}

/// Document frequencies of common terms, so that a process that answers many queries reads each of
/// their lists once.
#[derive(Debug, Default)]
pub(crate) struct FrequentTerms(Mutex<FxHashMap<(Class, String), usize>>);

impl FrequentTerms {
    /// In how many bodies a common term stands, where that is known.
    pub(super) fn frequency(&self, term: &QueryTerm) -> Option<usize> {
        if term.is_prefix {
            return None;
        }
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&(term.class, term.text.clone())).copied()
    }

    /// Remembers a common term.
    pub(super) fn remember(&self, term: &QueryTerm, frequency: usize) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !term.is_prefix && known.len() < MAX_TERMS {
            known.insert((term.class, term.text.clone()), frequency);
        }
    }
}
