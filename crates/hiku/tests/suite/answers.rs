//! What must be found, and where in the list: the founding questions on the sample vault, its judged
//! queries, and the ways in which one text is spelled. Not how an answer is built: that is
//! `contract.rs`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hiku::{Index, SearchRequest, Settings, UpdateOptions};
use proptest::prelude::*;
use testkit::TestVault;

use crate::harness::{ask, by_word, found, indexed, numbered, paths, try_update};

/// The least mean reciprocal rank over the sample's judged queries. Measured: 0.824 (`cargo test
/// -p hiku --test suite mean_reciprocal -- --nocapture`).
const RECIPROCAL_RANK_FLOOR: f64 = 0.80;

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples")
}

/// The sample vault's index, in the folder of an empty vault.
fn sample_index() -> (TestVault, Index) {
    let place = TestVault::new("");
    let settings = Settings::default();
    let vault = samples().join("vault");
    try_update(&vault, &place.index(), &settings, UpdateOptions::default()).expect("an update");
    let index = Index::open(&place.index(), &settings).expect("an index");
    (place, index)
}

/// One line of `samples/queries.jsonl`.
#[derive(Debug, serde::Deserialize)]
struct Judged {
    query: String,
    relevant: Vec<String>,
    category: String,
}

fn judged() -> Vec<Judged> {
    let text = std::fs::read_to_string(samples().join("queries.jsonl")).expect("the queries");
    // A line of JSON is a YAML document.
    text.lines().map(|line| serde_saphyr::from_str(line).expect("a judged query")).collect()
}

#[test]
fn founding_questions_find_their_notes() {
    let (_place, index) = sample_index();
    let check = |query: &str, expected: &[&str], within: usize| {
        let found = found(&index, query);
        for path in expected {
            let rank = found.iter().position(|found| found == path).map(|at| at + 1);
            assert!(rank.is_some_and(|rank| rank <= within), "{query:?}: {path} in {found:#?}");
        }
    };
    check("gitleaks入れたときどうやった", &["daily/2026-06-18.md"], 1);
    check("AIに権限を渡しすぎないようにする", &["notes/許可の射程.md"], 1);
    check("_rrf_fuse", &["projects/retriever/rank-fusion-code.md"], 1);
    check(
        "how does the review aggregator handle disagreements",
        &["projects/review-aggregator/settling-split-verdicts.md"],
        1,
    );
    check("認証失敗の処理方法", &["projects/auth/ログインエラーの復旧.md"], 1);
    check(
        "PostToolUse hook for context compression",
        &["notes/context-compression-strategy.md", "hooks/post-tool-use-compress.md"],
        3,
    );
    check("security", &["notes/router-at-home.md", "notes/dependency-hygiene.md"], 5);
    check("review configuration", &["projects/review-aggregator/setting-up-reviews.md"], 1);
    check("OAuth refresh token rotation", &["projects/auth/oauth-token-rotation.md"], 2);
}

#[test]
fn identifiers_find_the_note_that_holds_them_first() {
    let (_place, index) = sample_index();
    for judged in judged().iter().filter(|judged| judged.category == "identifier") {
        let found = found(&index, &judged.query);
        // A daily note of that day comes before the release of that number.
        let within = if judged.query == "2026.4.10" { 2 } else { 1 };
        let rank = found.iter().position(|path| judged.relevant.contains(path));
        assert!(rank.is_some_and(|rank| rank < within), "{:?}: {found:#?}", judged.query);
    }
}

#[test]
fn mean_reciprocal_rank_over_the_sample_does_not_fall() {
    let (_place, index) = sample_index();
    let mut by_category: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for judged in judged().into_iter().filter(|judged| !judged.relevant.is_empty()) {
        let found = found(&index, &judged.query);
        let rank = found.iter().position(|path| judged.relevant.contains(path));
        let reciprocal = rank.map_or(0.0, |rank| 1.0 / (rank as f64 + 1.0));
        if reciprocal < 1.0 {
            println!("{reciprocal:.2} {:?}", judged.query);
        }
        by_category.entry(judged.category).or_default().push(reciprocal);
    }
    let mean = |ranks: &[f64]| ranks.iter().sum::<f64>() / ranks.len() as f64;
    for (category, ranks) in &by_category {
        println!("{category}: {:.3} over {}", mean(ranks), ranks.len());
    }
    let all: Vec<f64> = by_category.into_values().flatten().collect();
    println!("all: {:.3} over {}", mean(&all), all.len());
    assert!(mean(&all) >= RECIPROCAL_RANK_FLOOR, "{:.3}", mean(&all));
}

#[test]
fn credentials_of_the_sample_are_found_by_name_and_never_shown() {
    let (_place, index) = sample_index();
    let response = ask(&index, "REPO_TOKEN");
    assert_eq!(paths(&response).first(), Some(&"reference/staging-access.md"));
    let shown = format!("{response:?}");
    let source = std::fs::read_to_string(samples().join("vault/reference/staging-access.md"));
    let source = source.expect("the note");
    assert!(shown.contains("[REDACTED:"), "{shown}");
    let secrets: Vec<&str> = source
        .split(|character: char| character.is_whitespace() || "`:=/@\"'".contains(character))
        .filter(|word| word.len() >= 16 && word.bytes().any(|byte| byte.is_ascii_digit()))
        .collect();
    assert!(!secrets.is_empty());
    for secret in secrets {
        assert!(!shown.contains(secret), "{secret} in {shown}");
    }
}

#[test]
fn one_character_queries_find_every_note_that_holds_the_character() {
    let files = "//- kanji.md\n家の鍵をかける。\n//- alone.md\n鍵\n//- inside.md\n公開鍵暗号の話。\n\
                 //- rain.md\n雨だった。\n//- kana.md\nぬるい湯。\n//- katakana.md\nメモ\n\
                 //- last.md\n犬と猫と鳥ぬ\n//- other.md\nNothing of it.\n";
    let (_vault, index) = indexed(files, &by_word());
    let check = |query: &str, expected: &[&str]| {
        let mut found = found(&index, query);
        found.sort();
        assert_eq!(found, expected, "{query:?}");
    };
    check("鍵", &["alone.md", "inside.md", "kanji.md"]);
    check("雨", &["rain.md"]);
    check("ぬ", &["kana.md", "last.md"]);
    check("メ", &["katakana.md"]);
    check("モ", &["katakana.md"]);
    check("も", &["katakana.md"]);
    check("雨 鍵", &["alone.md", "inside.md", "kanji.md", "rain.md"]);
}

#[test]
fn an_ascii_word_stuck_to_japanese_is_found_by_its_parts() {
    let files = "//- stuck.md\n再実行gen-itgc後に件数を見る。Rustで書いたCLIを使う。\n\
                 //- noise.md\n別の話。General itinerary.\n";
    let (_vault, index) = indexed(files, &by_word());
    for query in ["gen", "itgc", "gen-itgc", "再実行", "件数", "rust", "CLI", "再実行gen-itgc後"]
    {
        let found = found(&index, query);
        assert_eq!(found.first().map(String::as_str), Some("stuck.md"), "{query:?}: {found:?}");
    }
}

#[test]
fn every_term_of_a_query_counts_and_an_absent_one_does_not_empty_the_answer() {
    let files = "//- a.md\n修復は ok だった。\n//- b.md\n修復は ng だった。\n//- c.md\n雨の予報。\n\
                 //- d.md\n晴れの予報。\n//- e.md\nToken rotation.\n";
    let (_vault, index) = indexed(files, &by_word());
    let check = |query: &str, first: &str| {
        let found = found(&index, query);
        assert_eq!(found.first().map(String::as_str), Some(first), "{query:?}: {found:?}");
    };
    check("修復 ok", "a.md");
    check("雨 予報", "c.md");
    check("晴 予報", "d.md");
    check("rotation 確定申告", "e.md");
    check("予報 雨 xyzzy", "c.md");
}

/// Asserts that each spelling finds a note with each other one, and only that note.
fn check_spellings(group: &[&str]) {
    for written in group {
        let files = format!("//- a.md\nAbout {written} today.\n//- b.md\nSomething else.\n");
        let (_vault, index) = indexed(&files, &by_word());
        for asked in group {
            assert_eq!(found(&index, asked), ["a.md"], "{asked:?} for {written:?}");
        }
    }
}

#[test]
fn spellings_of_one_word_find_each_other() {
    check_spellings(&["コンピュータ", "コンピューター", "ｺﾝﾋﾟｭｰﾀｰ"]);
    check_spellings(&["バックアップ", "ﾊﾞｯｸｱｯﾌﾟ", "バックアッフ\u{309a}"]);
    check_spellings(&["りんご", "リンゴ", "ﾘﾝｺﾞ"]);
    check_spellings(&["が行", "か\u{3099}行"]);
    check_spellings(&["SQLite", "ＳＱＬｉｔｅ"]);
    check_spellings(&["sqlite", "SQLITE", "ｓｑｌｉｔｅ"]);
    check_spellings(&["2026", "２０２６"]);
    check_spellings(&["café", "cafe\u{301}", "Café"]);
    check_spellings(&["rotating", "rotates", "rotate"]);
}

#[test]
fn words_in_capitals_with_accents_are_found_in_lower_case() {
    check_spellings(&["café", "CAFÉ"]);
    check_spellings(&["über", "ÜBER"]);
    check_spellings(&["école", "ÉCOLE"]);
}

#[test]
fn names_with_capitals_inside_are_found_in_lower_case() {
    check_spellings(&["SQLite", "sqlite"]);
    check_spellings(&["JavaScript", "javascript"]);
    check_spellings(&["GitHub", "github"]);
    check_spellings(&["YouTube", "youtube"]);
}

#[test]
fn a_misspelt_word_is_read_as_the_nearest_one_that_some_note_holds() {
    let files = numbered([
        "We receive the parcel at the counter.",
        "The javascript console shows a warning.",
        "インターフェースの設計",
        "Nothing of the kind, at the counter.",
    ]);
    let (_vault, index) = indexed(&files, &by_word());
    for (query, expected) in
        [("recieve", "0.md"), ("javascrpt warnnig", "1.md"), ("インターフェイス", "2.md")]
    {
        assert_eq!(found(&index, query).first().map(String::as_str), Some(expected), "{query}");
    }
    let answer = ask(&index, "recieve counter");
    let instead: Vec<_> = answer.terms.iter().filter_map(|term| term.instead_of.as_ref()).collect();
    assert_eq!(instead, ["reciev"]);
    assert_eq!(found(&index, "countre parcle").len(), 2);
    // A word that some note holds is never read as another.
    assert_eq!(found(&index, "kind"), ["3.md"]);
}

/// Sentences that mix kanji, kana of both kinds and Latin letters.
const SENTENCES: [&str; 4] = [
    "検索の結果がどこから来たのかを、いつでも説明できるようにする。",
    "ログインエラーのあとは、サーバーの時計のずれを先に疑うこと",
    "朝ごはんにパンとコーヒー、それからヨーグルトを少々いただく",
    "Rustで書いた検索器は、SQLiteのファイル一つだけを使います",
];

#[test]
fn any_short_stretch_of_a_japanese_sentence_is_found() {
    let (_vault, index) = indexed(&numbered(SENTENCES), &by_word());
    for (number, sentence) in SENTENCES.iter().enumerate() {
        let characters: Vec<char> = sentence.chars().collect();
        for (length, start) in
            (2..=6).flat_map(|length| (0..characters.len()).map(move |s| (length, s)))
        {
            let Some(stretch) = characters.get(start..start + length) else { continue };
            let whole = |c: &char| !c.is_ascii() && *c != '、' && *c != '。';
            let query: String = stretch.iter().collect();
            if stretch.iter().all(whole) {
                let found = found(&index, &query);
                assert!(found.contains(&format!("{number}.md")), "{query:?} of {sentence}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_pair_of_japanese_characters_is_found_in_any_text(
        text in "[ぁ-んァ-ヶー一-龠々]{3,12}",
        start in 0usize..10,
        length in 2usize..6,
    ) {
        let characters: Vec<char> = text.chars().collect();
        let start = start.min(characters.len() - 2);
        let query: String = characters[start..characters.len().min(start + length)].iter().collect();
        let (_vault, index) = indexed(&format!("//- a.md\n{text}\n//- b.md\nnone\n"), &by_word());
        let request = SearchRequest { plain: true, ..SearchRequest::new(query) };
        let response = index.search(&request).expect("an answer");
        prop_assert_eq!(paths(&response), ["a.md"]);
    }
}
