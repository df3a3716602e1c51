//! Hiku: local hybrid retrieval over Markdown vaults.

pub mod chunk;
pub mod embed;
mod error;
pub mod markdown;
pub mod scrub;
pub mod text;

pub use error::{Error, ErrorKind, Result};
