//! Text to index terms.
