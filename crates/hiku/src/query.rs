//! User text to a Query.
