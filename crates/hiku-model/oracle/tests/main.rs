//! The compact tokenizer against the `tokenizers` crate: the built-in model's pieces, and the kinds
//! of tokenizer that other models have.

#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

mod built_in;
#[expect(dead_code, reason = "shared with the tests of the model crate")]
#[path = "../../tests/fixture.rs"]
mod fixture;
mod foreign_tokenizers;
mod generated_lines;
