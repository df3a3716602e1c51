//! The pipeline: query, retrieve, fuse, choose passages, answer. The result is plain data.

mod budget;
mod copies;
mod current;
mod founding;
mod halves;
mod hits;
mod passages;
mod pool;
mod searcher;
mod types;

pub(crate) use searcher::Searcher;
pub use types::{
    Condition, Contribution, Filters, Fusion, Grouping, Hit, MAX_LIMIT, MAX_QUERY_CHARACTERS, Mode,
    Omitted, Passage, SearchRequest, SearchResponse, Signal, SignalState, TermReport,
};
