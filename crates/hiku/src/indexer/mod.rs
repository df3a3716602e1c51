//! Brings the store to the vault's state and reports what was done and what was skipped.

mod report;

pub use report::{Change, Progress, SilentProgress, UpdateOptions, UpdateReport};
