//! The JSON of a search answer, letter for letter.

use std::path::Path;

use super::*;
use crate::testing::{hit, passage, response};
use crate::wire::write_line;

fn json(response: &SearchResponse, explain: bool) -> String {
    let mut out = Vec::new();
    write_line(&mut out, &SearchAnswer::new(response, Path::new("/notes"), explain))
        .expect("memory takes all");
    String::from_utf8(out).expect("JSON is UTF-8")
}

#[test]
fn an_answer_has_the_contracts_fields() {
    let found = response(vec![hit("a.md", "A", vec![passage("one\ntwo"), passage("three")])]);
    insta::assert_snapshot!(json(&found, false), @r#"
    {"schema":1,"query":"some words","vault":"/notes","index":{"generation":4,"notes":30,"chunks":90,"model":""},"signals":{"dense":{"state":"unavailable","reason":"no model"},"lexical":{"state":"used","reason":""}},"hits":[{"path":"a.md","title":"A","headings":["Top","Part"],"line_start":3,"line_end":5,"score":0.75,"ranks":{"lexical":1},"snippet":"one","text":"one\ntwo","tags":["work/log"],"modified":"2026-04-10T05:46:40Z","note_id":7,"chunk_id":"7:1","more_passages":[{"headings":["Top","Part"],"line_start":3,"line_end":5,"snippet":"three","text":"three","chunk_id":"7:1"}]}],"omitted":{"count":2,"why":"limit"}}
    "#);
}

#[test]
fn an_explained_answer_says_how_it_came_about() {
    let found = response(vec![hit("a.md", "A", Vec::new())]);
    insta::assert_snapshot!(json(&found, true), @r#"
    {"schema":1,"query":"some words","vault":"/notes","index":{"generation":4,"notes":30,"chunks":90,"model":""},"signals":{"dense":{"state":"unavailable","reason":"no model"},"lexical":{"state":"used","reason":""}},"hits":[{"path":"a.md","title":"A","headings":[],"line_start":1,"line_end":1,"score":0.75,"ranks":{"lexical":1},"snippet":"","text":"","tags":["work/log"],"modified":"2026-04-10T05:46:40Z","note_id":7,"chunk_id":"","contributions":[{"signal":"lexical","rank":1,"score":12.5,"share":0.5},{"signal":"dense","rank":null,"score":0.25,"share":0.25}]}],"omitted":{"count":2,"why":"limit"},"explain":{"coverage":0.5,"lexical_share":0.8,"terms":[{"term":"word","class":"strong","document_frequency":3,"idf":2.5}]}}
    "#);
}

#[test]
fn controls_and_invisible_characters_are_escaped_and_kept_exact() {
    let path = "a\u{1b}[2J\u{9b}b\u{202e}\u{e0041}あ.md";
    let text = json(&response(vec![hit(path, "A", Vec::new())]), false);
    assert!(!text.trim_end().chars().any(crate::safe::is_unsafe), "{text:?}");
    let back: serde_json::Value = serde_json::from_str(&text).expect("valid JSON");
    assert_eq!(back["hits"][0]["path"], path);
}
