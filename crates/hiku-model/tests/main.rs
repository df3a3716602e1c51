//! Integration tests of the model crate: the compact tokenizer against the `tokenizers` crate, and
//! model folders of all kinds. All of them run without other files than this crate's.

#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

mod fixture;
mod folders;
mod foreign_tokenizers;
mod generated_lines;
mod oracle;
mod tables;
