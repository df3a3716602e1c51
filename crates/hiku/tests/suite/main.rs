//! Integration tests of the library over its public face, one binary.

mod answers;
mod binding;
mod contract;
mod current;
mod faults;
mod filters;
mod harness;
mod incremental;
mod index_file;
mod mending;
mod missing_model;
mod odd_files;
mod old_formats;
