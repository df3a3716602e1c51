//! The `hiku` binary.
fn main() {}
