//! Integration tests of the model crate: the compact tokenizer against the `tokenizers` crate, and
//! model folders of all kinds. All of them run without other files than this crate's.

mod generated_lines;
mod oracle;
