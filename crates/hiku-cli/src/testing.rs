//! Answers made by hand for the tests of `render` and `wire`. No logic.

use hiku::{Contribution, Hit, Omitted, Passage, SearchResponse, Signal, SignalState, TermReport};

/// A passage at lines 3 to 5 under the headings `Top` and `Part`.
pub(crate) fn passage(text: &str) -> Passage {
    Passage {
        chunk_id: "7:1".to_owned(),
        headings: vec!["Top".to_owned(), "Part".to_owned()],
        line_start: 3,
        line_end: 5,
        text: text.to_owned(),
        snippet: text.lines().next().unwrap_or("").to_owned(),
    }
}

/// A hit of score 0.75: first by word, not in the list by meaning.
pub(crate) fn hit(path: &str, title: &str, passages: Vec<Passage>) -> Hit {
    let by = |signal, rank, score, share| Contribution { signal, rank, score, share };
    Hit {
        note_id: 7,
        path: path.to_owned(),
        title: title.to_owned(),
        score: 0.75,
        contributions: vec![by("lexical", Some(1), 12.5, 0.5), by("dense", None, 0.25, 0.25)],
        passages,
        tags: vec!["work/log".to_owned()],
        note_type: None,
        date: "2026-04-10".to_owned(),
        modified_ns: 1_775_800_000_123_456_789,
        conflict_of: None,
        conflict_copies: Vec::new(),
        stale: false,
    }
}

/// An answer of generation 4 to `some words`.
pub(crate) fn response(hits: Vec<Hit>) -> SearchResponse {
    let signal = |name, state, reason: &str| Signal { name, state, reason: reason.to_owned() };
    SearchResponse {
        query: "some words".to_owned(),
        signals: vec![
            signal("lexical", SignalState::Used, ""),
            signal("dense", SignalState::Unavailable, "no model"),
        ],
        hits,
        omitted: Omitted { count: 2, why: "limit" },
        generation: 4,
        notes: 30,
        chunks: 90,
        model: String::new(),
        terms: vec![TermReport {
            term: "word".to_owned(),
            class: "strong",
            instead_of: None,
            document_frequency: 3,
            idf: 2.5,
        }],
        coverage: 0.5,
        lexical_share: 0.8,
        stale: None,
    }
}
