//! First stage: which notes match, by word ([`lexical`]) and by meaning ([`dense`]), filters pushed
//! down. Works on a [`Snapshot`] of one published state. Fuses nothing.

mod dense;
mod filter;
mod lexical;
mod snapshot;

pub use dense::{DenseQuery, Near, NoteCosines, QueryVector, VectorCache};
pub use filter::allowed;
pub use lexical::{Lexical, QueryTerm, for_each_chunk, query_terms};
pub use snapshot::{Document, Snapshot};
