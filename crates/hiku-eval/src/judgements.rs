//! What is known to be right: for each query the documents that answer it, those that must not
//! come, and whether anything answers it at all. Plain data: `qrels` reads it from the files of
//! sets, `golden` makes it from labels.

use std::collections::HashMap;

/// What a query is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// It has relevant documents and is scored.
    Scored,
    /// Nothing answers it, and that is known.
    Negative,
    /// Nobody has said what answers it.
    #[default]
    Unjudged,
    /// What answers it is not in the index, so there is nothing to score.
    LabelsMissing,
}

/// A query with its judgements.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JudgedQuery {
    /// Its identity.
    pub id: String,
    /// What is asked; empty where only judgements are known.
    pub text: String,
    /// Its category, or empty.
    pub category: String,
    /// What it is good for.
    pub kind: Kind,
    /// Grade of each judged document; above 0 is a gain.
    pub grades: HashMap<String, i64>,
    /// Documents that must not be found.
    pub must_not: Vec<String>,
    /// Documents that are taken out of a ranking before it is scored.
    pub neutral: Vec<String>,
}

impl JudgedQuery {
    /// A document's grade; 0 where it has none.
    pub(crate) fn grade(&self, id: &str) -> i64 {
        self.grades.get(id).copied().unwrap_or(0)
    }
}

/// A label that names a note which the index does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingLabel {
    /// The query's id.
    pub query: String,
    /// The label as it is written.
    pub label: String,
}

/// The judgements of all queries, in the order of their file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judgements {
    /// The queries.
    pub queries: Vec<JudgedQuery>,
    /// Grade from which a document is relevant to every metric but nDCG: 1 in a judged set, 2 in
    /// a golden file, whose partly relevant notes have grade 1.
    pub level: i64,
    /// Labels that were left out of the judgements since nothing can find them.
    pub missing: Vec<MissingLabel>,
}
