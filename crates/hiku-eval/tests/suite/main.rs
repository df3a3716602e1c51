//! The harness through its public face: figures that another program printed for the same files,
//! the floors of search quality on the sample vault, and a golden file on an index.

mod agreement;
mod floors;
mod golden;
