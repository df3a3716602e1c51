//! Judged sets in BEIR layout and the runs that Hiku answers them with. Uses the library's public
//! face only; prints nothing, reads no environment. Scoring a run is another program's.

mod answer;
mod error;
mod set;
mod source;

pub use answer::{Answers, RunOptions};
pub use error::Error;
pub use set::{Document, JudgedSet, Query};
