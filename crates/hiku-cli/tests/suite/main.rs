//! The real binary over throw-away vaults: its outputs, exit codes and promises. What can be shown
//! lower down is tested there.

mod conversation;
mod current;
mod documents;
mod errors;
mod eval;
mod field_reports;
mod harness;
mod hook;
mod index;
mod install;
mod keeping;
mod mcp;
mod mcp_http;
mod odd_files;
mod output;
mod plugin;
mod read;
mod related;
mod search;
mod vaults;
mod watch;
