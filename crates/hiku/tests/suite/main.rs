//! Integration tests of the library over its public face, one binary.

mod harness;
mod incremental;
