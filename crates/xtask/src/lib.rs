//! Checks and chores of the workspace, as a library so that `cargo test` runs them as well.
//! Knows the workspace's files and rules, and of the program no more than its command line.

pub mod check;
pub mod tidy;
pub mod torture;

use std::path::{Path, PathBuf};

/// The workspace's root folder, as it was when this crate was built.
///
/// # Panics
/// Panics when this crate does not lie two folders below the root.
pub fn workspace_root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("crates/xtask lies two folders below the root").to_path_buf()
}
