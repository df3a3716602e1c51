//! First stage: which notes match, by word ([`lexical`]) and by meaning ([`dense`]), filters pushed
//! down. Works on a [`Snapshot`] of one published state. Fuses nothing.

mod cache;
mod dense;
mod filter;
mod lexical;
mod sketches;
mod snapshot;

pub use cache::VectorCache;
pub use dense::{Comparer, DenseQuery, NoteCosines, QueryVector};
pub use filter::allowed;
pub use lexical::{Lexical, QueryTerm, for_each_chunk, query_terms};
pub use sketches::{FirstPass, Near};
pub use snapshot::{Document, Snapshot};
