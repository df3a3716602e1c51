//! What every answer keeps to, whatever the ranking: which queries are legal, budgets, signals, order,
//! sums. Not what ranks where (`answers.rs`) nor what filters let through (`filters.rs`).

use hiku::{
    ErrorKind, Fusion, Grouping, Index, MAX_LIMIT, MAX_QUERY_CHARACTERS, Mode, SearchRequest,
    SearchResponse, Settings, SignalState, UpdateOptions,
};
use proptest::prelude::*;
use testkit::TestVault;

use crate::harness::{
    FUSIONS, LetterModel, MODES, NOTES, ask, by_word, indexed, lines, numbered, open, paths,
    request, try_update, update, ways,
};

/// Asserts what holds for any answer.
fn assert_answer(response: &SearchResponse, request: &SearchRequest) {
    assert!(response.hits.len() <= request.limit);
    for pair in response.hits.windows(2) {
        assert!(pair[0].score >= pair[1].score, "{pair:#?}");
    }
    for hit in &response.hits {
        let sum: f64 = hit.contributions.iter().map(|contribution| contribution.share).sum();
        assert!((sum - hit.score).abs() < 1e-12, "{hit:#?}");
        assert!(hit.score.is_finite(), "{hit:#?}");
        assert_eq!(hit.passages.is_empty(), !request.passages);
        for passage in &hit.passages {
            assert!(passage.line_start >= 1 && passage.line_start <= passage.line_end, "{hit:#?}");
        }
    }
}

/// Asks in every way.
fn assert_legal(index: &Index, query: &str) {
    for (mode, fusion, by) in ways() {
        for plain in [false, true] {
            let request = SearchRequest { by, plain, ..request(query, mode, fusion) };
            let response = index.search(&request);
            let response = response.unwrap_or_else(|error| panic!("{query:?}: {error}"));
            assert_eq!(response.query, query);
            assert_answer(&response, &request);
        }
    }
}

#[test]
fn any_text_is_a_query() {
    let (_vault, index) = indexed(NOTES, &Settings::default());
    for query in [
        "\"",
        "\"\"",
        "-",
        "--",
        "(",
        ")",
        "*",
        "a*",
        "NEAR",
        "NEAR(a b, 2)",
        "a AND",
        "OR",
        "NOT",
        "^a",
        "a:b",
        "body:release",
        "{release}",
        "'; DROP TABLE notes; --",
        "%",
        "_",
        "\\",
        "\0",
        "a\0b",
        "\u{7}",
        "\u{FFFD}",
        "\\ud800",
        "\u{10FFFF}",
        "\u{FEFF}release",
        "🎣",
        "👩‍👩‍👧",
        "ー",
        "々",
        "゛",
        "[[",
        "[[]]",
        "[[a",
        "]]",
        "tag:",
        "-tag:",
        "path:",
        "type:\"",
        "tag:\"a b\"",
        "-\"",
        "\u{202E}release",
        "か\u{3099}\u{3099}",
        "a\u{300}\u{301}\u{302}",
        "\r\n\t",
        "#",
        "C++",
        "::",
        "~",
        "=",
        "release -release",
        "\"release\" -\"release\"",
        "ﷺ",
        "㌀",
        "İ",
        "ß",
        "ﬃ",
    ] {
        assert_legal(&index, query);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_generated_text_is_a_query(
        queries in proptest::collection::vec("\\PC{0,30}|[\\-\"\\[\\]:#* あ鍵アa0.]{0,30}|(?s).{0,20}", 4)
    ) {
        let (_vault, index) = indexed(NOTES, &Settings::default());
        for query in queries {
            assert_legal(&index, &query);
        }
    }
}

#[test]
fn queries_and_limits_have_bounds() {
    let (_vault, index) = indexed(NOTES, &by_word());
    let kind = |query: &str, limit: usize| {
        let request = SearchRequest { limit, ..SearchRequest::new(query) };
        index.search(&request).err().map(|error| error.kind())
    };
    let long = |text: &str, count: usize| text.repeat(count);
    assert_eq!(kind(&long("鍵", MAX_QUERY_CHARACTERS), 10), None);
    assert_eq!(kind(&long("鍵", MAX_QUERY_CHARACTERS + 1), 10), Some(ErrorKind::User));
    assert_eq!(kind(&long("word ", MAX_QUERY_CHARACTERS / 5), 10), None);
    // One character whose NFKC form has 18: the longer form counts.
    assert_eq!(kind(&long("ﷺ", MAX_QUERY_CHARACTERS / 18), 10), None);
    assert_eq!(kind(&long("ﷺ", MAX_QUERY_CHARACTERS / 18 + 1), 10), Some(ErrorKind::User));
    assert_eq!(kind("release", 0), Some(ErrorKind::User));
    assert_eq!(kind("release", MAX_LIMIT + 1), Some(ErrorKind::User));
    assert_eq!(kind("release", MAX_LIMIT), None);
    assert_eq!(kind("release", 1), None);
}

#[test]
fn a_query_without_text_finds_nothing() {
    let (_vault, index) = indexed(NOTES, &Settings::default());
    for query in ["", " ", "\t\n", "\u{3000}", "-release", "-tag:work"] {
        assert_eq!(paths(&ask(&index, query)), [""; 0], "{query:?}");
    }
}

#[test]
fn a_filter_alone_lists_its_notes_newest_first() {
    let (_vault, index) = indexed(NOTES, &Settings::default());
    let answer = ask(&index, "tag:work");
    assert_eq!(paths(&answer), ["notes/deep/delta.md", "beta.md", "alpha.md"]);
}

#[test]
fn a_token_budget_is_kept_and_what_it_leaves_out_is_said() {
    let japanese = "写真は別の家に置く。".repeat(10);
    let (_vault, index) = indexed(&numbered([japanese.as_str(); 5]), &by_word());
    let ask = |limit: usize, max_tokens: Option<usize>| {
        let request = SearchRequest { limit, max_tokens, ..SearchRequest::new("写真") };
        let response = index.search(&request).expect("an answer");
        let texts =
            response.hits.iter().flat_map(|hit| &hit.passages).map(|p| p.text.chars().count());
        (response.hits.len(), texts.sum::<usize>(), response.omitted.count, response.omitted.why)
    };
    assert_eq!(ask(10, None), (5, 500, 0, ""));
    assert_eq!(ask(3, None), (3, 300, 2, "limit"));
    assert_eq!(ask(10, Some(500)), (5, 500, 0, ""));
    assert_eq!(ask(10, Some(499)), (4, 400, 1, "max_tokens"));
    assert_eq!(ask(10, Some(250)), (2, 200, 3, "max_tokens"));
    assert_eq!(ask(3, Some(250)), (2, 200, 3, "max_tokens"));
    // The best passage is cut to fit, so that a small budget does not look like nothing found.
    assert_eq!(ask(10, Some(50)), (1, 50, 4, "max_tokens"));
    assert_eq!(ask(10, Some(0)), (1, 0, 4, "max_tokens"));
}

#[test]
fn latin_text_costs_a_quarter_token_a_character() {
    let text = "Keep a copy elsewhere. ".repeat(16);
    let (_vault, index) = indexed(&numbered([text.as_str(); 4]), &by_word());
    let max_tokens = Some(text.trim_end().len().div_ceil(4) * 2);
    let request = SearchRequest { max_tokens, ..SearchRequest::new("copy") };
    assert_eq!(index.search(&request).expect("an answer").hits.len(), 2);
}

#[test]
fn a_missing_signal_is_said_and_under_strict_an_error() {
    let check = |made: &Settings, asked: &Settings, mode: Mode, state: SignalState| {
        let vault = TestVault::new(NOTES);
        update(&vault, made);
        let index = open(&vault, asked);
        let loose = request("release", mode, Fusion::Convex);
        let strict = index.search(&SearchRequest { strict: true, ..loose.clone() });
        let expected = (state == SignalState::Unavailable).then_some(ErrorKind::User);
        assert_eq!(strict.err().map(|error| error.kind()), expected);
        if mode == Mode::Dense && expected.is_some() {
            let error = index.search(&loose).expect_err("nothing could answer");
            assert!(matches!(error, hiku::Error::SignalMissing { signal: "dense", .. }), "{error}");
            return;
        }
        let response = index.search(&loose).expect("an answer");
        let dense = response.signals.iter().find(|signal| signal.name == "dense").expect("dense");
        assert_eq!(dense.state, state, "{response:#?}");
        assert_eq!(dense.reason.is_empty(), state != SignalState::Unavailable, "{dense:?}");
        assert!(!response.hits.is_empty());
        assert_answer(&response, &loose);
    };
    let (full, none) = (Settings::default(), by_word());
    let (one, other) = (LetterModel::settings("letters-1"), LetterModel::settings("letters-2"));
    check(&full, &full, Mode::Hybrid, SignalState::Used);
    check(&full, &full, Mode::Lexical, SignalState::Off);
    check(&full, &none, Mode::Hybrid, SignalState::Unavailable);
    check(&full, &none, Mode::Dense, SignalState::Unavailable);
    check(&none, &full, Mode::Hybrid, SignalState::Unavailable);
    check(&none, &full, Mode::Dense, SignalState::Unavailable);
    check(&none, &none, Mode::Lexical, SignalState::Off);
    check(&one, &one, Mode::Dense, SignalState::Used);
    check(&one, &other, Mode::Hybrid, SignalState::Unavailable);
    check(&full, &other, Mode::Dense, SignalState::Unavailable);
}

#[test]
fn the_same_question_has_the_same_answer_in_any_index_of_the_vault() {
    let settings = Settings::default();
    let (vault, index) = indexed(NOTES, &settings);
    let elsewhere = vault.outer().join("elsewhere.hiku");
    try_update(&vault.root(), &elsewhere, &settings, UpdateOptions::default()).expect("an update");
    let other = Index::open(&elsewhere, &settings).expect("an index");
    other.preload().expect("vectors in memory");
    for (mode, fusion, by) in ways() {
        for query in ["release", "朝", "the morning after", "old stuff"] {
            let request = SearchRequest { by, ..request(query, mode, fusion) };
            let first = index.search(&request).expect("an answer");
            let again = index.search(&request).expect("an answer");
            assert_eq!(format!("{first:?}"), format!("{again:?}"));
            assert_eq!(
                lines(first),
                lines(other.search(&request).expect("an answer")),
                "{request:?}"
            );
        }
    }
}

/// Notes of one text and name in folders whose names say nothing, indexed in another order than
/// that of their paths.
fn twins() -> (TestVault, Index) {
    let vault = TestVault::new("");
    for folder in ["c", "a", "e", "b", "d"] {
        vault.write(&format!("{folder}/x.md"), "A twin.\n");
        update(&vault, &Settings::default());
    }
    let index = open(&vault, &Settings::default());
    (vault, index)
}

#[test]
fn equal_scores_are_ordered_by_path() {
    let (_vault, index) = twins();
    for mode in MODES {
        for fusion in FUSIONS {
            for limit in 1..=5 {
                let request = SearchRequest { limit, ..request("twin", mode, fusion) };
                let response = index.search(&request).expect("an answer");
                let expected = &["a/x.md", "b/x.md", "c/x.md", "d/x.md", "e/x.md"][..limit];
                assert_eq!(paths(&response), expected, "{mode:?} {fusion:?} {limit}");
            }
        }
    }
}

#[test]
fn by_chunk_a_note_may_come_more_than_once_and_each_hit_is_one_passage() {
    let section = |name: &str, word: &str| {
        format!("## {name}\n\n{}\n\n", format!("{word} text. ").repeat(80))
    };
    let long = ["One", "Two", "Three"].map(|name| section(name, "Release")).concat();
    let files = format!("//- long.md\n# Long\n\n{long}\n//- short.md\nNothing of that.\n");
    let (_vault, index) = indexed(&files, &Settings::default());
    for (mode, fusion, _) in ways() {
        let request = SearchRequest { by: Grouping::Chunk, ..request("release", mode, fusion) };
        let response = index.search(&request).expect("an answer");
        assert_answer(&response, &request);
        assert!(response.hits.iter().all(|hit| hit.passages.len() == 1), "{request:?}");
        let ids: Vec<_> = response.hits.iter().map(|hit| &hit.passages[0].chunk_id).collect();
        let mut distinct = ids.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), ids.len(), "{request:?}");
        let long = paths(&response).into_iter().filter(|path| *path == "long.md").count();
        assert!(long > 1, "{request:?}: {response:#?}");
    }
}
