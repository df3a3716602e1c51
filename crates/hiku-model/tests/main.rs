//! Integration tests of the model crate: model folders of all kinds. All of them run without other
//! files than this crate's. The tokenizer is compared with another one in `oracle/`.

#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

mod fixture;
mod folders;
mod tables;
