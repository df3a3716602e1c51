//! What filters and operators let through: tags, paths, types, days, phrases, exclusions, links, in
//! the query's text and in the request.

use std::sync::atomic::AtomicBool;

use hiku::{
    Condition, ErrorKind, Filters, Index, SearchRequest, Settings, SilentProgress, UpdateOptions,
};
use testkit::TestVault;

use crate::harness::{Memory, NOTES, by_word, found, indexed, open, paths, request, ways};

#[test]
fn filters_are_applied_before_the_list_is_cut() {
    let mut notes: Vec<(String, String)> = (0..5_000)
        .map(|number| (format!("noise/{number}.md"), "Harbour boats, harbour boats.\n".to_owned()))
        .collect();
    for number in 0..3 {
        let text = "---\ntags: [rare]\n---\nOne of the boats lay at anchor outside the harbour, a ship among ships.\n";
        notes.push((format!("x/{number}.md"), text.to_owned()));
    }
    let place = TestVault::new("");
    let settings = Settings::default();
    let (options, stop) = (UpdateOptions::default(), AtomicBool::new(false));
    Index::update(&Memory(notes), &place.index(), &settings, options, &SilentProgress, &stop)
        .expect("an update");
    let index = open(&place, &settings);
    for (mode, fusion, by) in ways() {
        for query in ["harbour boats path:x", "harbour boats tag:rare"] {
            let request = SearchRequest { by, ..request(query, mode, fusion) };
            let response = index.search(&request).expect("an answer");
            let mut found = paths(&response);
            found.sort_unstable();
            assert_eq!(
                found,
                ["x/0.md", "x/1.md", "x/2.md"],
                "{request:?}: {:?}",
                response.signals
            );
        }
    }
}

#[test]
fn filters_let_through_what_they_say() {
    let (_vault, index) = indexed(NOTES, &by_word());
    let check = |filter: &str, expected: &[&str]| {
        let mut found = found(&index, &format!("morning {filter}"));
        found.sort();
        assert_eq!(found, expected, "{filter}");
    };
    let (alpha, beta, gamma, delta) =
        ("alpha.md", "beta.md", "notes/gamma.md", "notes/deep/delta.md");
    check("", &[alpha, beta, delta, gamma]);
    check("tag:work", &[alpha, beta, delta]);
    check("tag:#work/release", &[alpha, delta]);
    check("tag:WORK", &[alpha, beta, delta]);
    check("tag:日記", &[alpha, delta]);
    check("tag:work/release tag:workshop", &[alpha, delta, gamma]);
    check("-tag:work/release", &[beta, gamma]);
    check("tag:work -tag:work/release/old", &[alpha, beta]);
    check("tag:absent", &[]);
    check("type:daily", &[beta]);
    check("-type:project", &[beta, gamma]);
    check("path:notes", &[delta, gamma]);
    check("path:notes/deep/", &[delta]);
    check("path:*.md -path:notes", &[alpha, beta]);
    check("path:\"notes/*.md\"", &[gamma]);
    check("path:**/delta.md", &[delta]);
    check("type:project path:notes", &[delta]);
}

#[test]
fn filters_of_the_request_hold_beside_those_of_the_text() {
    let (_vault, index) = indexed(NOTES, &by_word());
    let ask = |filters: Filters, query: &str| {
        let request = SearchRequest { filters, ..SearchRequest::new(query) };
        let mut found: Vec<String> = match index.search(&request) {
            Ok(response) => paths(&response).into_iter().map(str::to_owned).collect(),
            Err(error) => return Err(error.kind()),
        };
        found.sort();
        Ok(found.join(" "))
    };
    let day = |after: Option<&str>, before: Option<&str>| Filters {
        after: after.map(str::to_owned),
        before: before.map(str::to_owned),
        ..Filters::default()
    };
    let tags = |value: &str, exclude| Filters {
        tags: vec![Condition { value: value.to_owned(), exclude }],
        ..Filters::default()
    };
    let found = |text: &str| Ok(text.to_owned());
    assert_eq!(
        ask(day(Some("2026-04-01"), None), "morning path:*.md -path:notes"),
        found("beta.md")
    );
    assert_eq!(ask(day(None, Some("2026-04-01")), "morning"), found("alpha.md"));
    assert_eq!(
        ask(day(Some("2026-04-01"), Some("2026-05-02")), "morning"),
        found("beta.md notes/gamma.md")
    );
    assert_eq!(ask(tags("work", false), "morning tag:日記"), found("alpha.md notes/deep/delta.md"));
    assert_eq!(ask(tags("work", true), "morning"), found("notes/gamma.md"));
    for malformed in ["2026-13-01", "yesterday", "2026-1-1", ""] {
        assert_eq!(ask(day(Some(malformed), None), "morning"), Err(ErrorKind::User), "{malformed}");
    }
    let paths = |value: &str| Filters {
        paths: vec![Condition { value: value.to_owned(), exclude: false }],
        ..Filters::default()
    };
    assert_eq!(ask(paths("notes/{a"), "morning"), Err(ErrorKind::User));
}

#[test]
fn phrases_must_stand_and_excluded_words_must_not() {
    let (_vault, index) = indexed(NOTES, &by_word());
    let check = |query: &str, expected: &[&str]| {
        let mut found = found(&index, query);
        found.sort();
        assert_eq!(found, expected, "{query}");
    };
    let (alpha, beta, gamma, delta) =
        ("alpha.md", "beta.md", "notes/gamma.md", "notes/deep/delta.md");
    check("\"release in the morning\"", &[delta]);
    check("\"RELEASE  in the\"", &[delta]);
    check("\"朝のうち\"", &[alpha]);
    check("\"に出した\"", &[alpha, gamma]);
    check("\"10:30\"", &[delta]);
    check("\"morning\" \"stuff\"", &[delta]);
    check("morning -old", &[alpha, beta, gamma]);
    check("release -\"went out\" -old", &[beta, gamma]);
    check("morning -夜", &[alpha, beta, delta]);
    check("\"no such phrase\" release", &[]);
}

#[test]
fn a_link_in_a_query_wants_notes_that_link_there() {
    let (_vault, index) = indexed(NOTES, &by_word());
    let check = |query: &str, expected: &[&str]| {
        let mut found = found(&index, query);
        found.sort();
        assert_eq!(found, expected, "{query}");
    };
    check("morning [[alpha]]", &["beta.md", "notes/gamma.md"]);
    check("morning [[Alpha#Some heading|some words]]", &["beta.md", "notes/gamma.md"]);
    check("morning [[notes/gamma]]", &["beta.md"]);
    check("morning [[beta]]", &["notes/deep/delta.md"]);
    check("morning [[alpha]] [[gamma]]", &["beta.md"]);
    check("morning [[nowhere]]", &[]);
}

#[test]
fn a_link_alone_lists_the_notes_that_link_there() {
    let (_vault, index) = indexed(NOTES, &by_word());
    assert_eq!(found(&index, "[[alpha]]"), ["notes/gamma.md", "beta.md"], "the newest first");
}

#[test]
fn plain_queries_have_no_operators() {
    let (_vault, index) = indexed(NOTES, &by_word());
    let request = SearchRequest { plain: true, ..SearchRequest::new("morning -old tag:absent") };
    let response = index.search(&request).expect("an answer");
    assert_eq!(paths(&response).len(), 4);
    assert_eq!(paths(&response)[0], "notes/deep/delta.md");
}
