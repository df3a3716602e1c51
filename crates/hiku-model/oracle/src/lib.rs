//! The compact tokenizer beside the `tokenizers` crate: its tests compare the two, its example makes
//! a table from the other's. Run by `cargo test --manifest-path crates/hiku-model/oracle/Cargo.toml`.
