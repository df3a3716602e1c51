//! First stage: which notes match, by word ([`lexical`]) and by meaning ([`dense`]), filters pushed
//! down. Works on a [`Snapshot`] of one published state. Fuses nothing.

mod cache;
mod dense;
mod filter;
mod frequent;
mod lexical;
mod memory;
mod near_terms;
mod sketches;
mod snapshot;

pub(crate) use cache::VectorCache;
pub(crate) use dense::{Comparer, DenseQuery, NoteCosines, QueryVector};
pub(crate) use filter::{allowed, linking_to};
pub(crate) use lexical::{Lexical, QueryTerm, for_each_chunk, query_terms};
pub(crate) use sketches::{FirstPass, Near, SketchSource};
pub(crate) use snapshot::{Document, Snapshot};
