//! Faults that users of other programs reported, tried on the whole program; each test begins with
//! its number in the list of reports (`docs/reliability.md`). What can be shown lower down is tested
//! there.

use std::fs;
use std::time::Instant;

use testkit::TestVault;

use crate::harness::{code, command, json, run, shown};

/// The paths that a search finds, best first.
fn found(vault: &TestVault, arguments: &[&str]) -> Vec<String> {
    let place = ["search", "--paths", "--vault", "vault", "--limit", "1000"];
    let output = run(vault, &[&place[..], arguments].concat());
    assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

/// Asserts that a note is found by word alone by each of the queries, before all others.
fn found_first(vault: &TestVault, path: &str, queries: &[&str]) {
    for query in queries {
        let found = found(vault, &["--mode", "lexical", "--", query]);
        assert_eq!(found.first().map(String::as_str), Some(path), "{query:?}: {found:?}");
    }
}

/// Six notes that have little in common with what is looked for.
const OTHERS: &str = "
//- 1.md
議事録を書く。会議は朝に終わった。
//- 2.md
買い物の一覧。牛乳と卵を買う。
//- 3.md
The kettle boils, and the tea is made.
//- 4.md
本日は晴天なり。外へ出かける。
//- 5.md
A plan for the garden in spring.
//- 6.md
음악을 들으며 산책했다. 今天写了三页日记。
";

#[test]
fn p01_any_part_of_a_japanese_sentence_is_found_by_word() {
    let sentence = "共有フォルダーの設定を見直してからバックアップを取る";
    let vault = TestVault::new(&format!("{OTHERS}//- wanted.md\n{sentence}。\n"));
    let characters: Vec<char> = sentence.chars().collect();
    for length in 2..=6 {
        for start in (0..=characters.len() - length).step_by(3) {
            let part: String = characters[start..start + length].iter().collect();
            let found = found(&vault, &["--mode", "lexical", &part]);
            assert!(found.iter().any(|path| path == "wanted.md"), "{part}: {found:?}");
        }
    }
    found_first(&vault, "6.md", &["三页日记", "산책했다"]);
}

#[test]
fn p02_a_part_that_no_note_holds_empties_no_answer() {
    let vault = TestVault::new(&format!(
        "{OTHERS}//- both.md\n検索の速さ。Tokens expire.\n//- one.md\n速さ。\n"
    ));
    found_first(
        &vault,
        "both.md",
        &["検索 鸚鵡", "検索 鸚鵡 tokens", "tokens 鸚鵡返し", "検索 zyzzyva"],
    );
    let score = |query: &str| {
        let answer = json(&vault, &["search", "--vault", "vault", "--json", query]);
        answer["hits"][0]["score"].as_f64().expect("a hit")
    };
    assert!(score("検索 鸚鵡") < score("検索"), "an absent word costs some of the score");
}

#[test]
fn p03_a_word_that_touches_japanese_is_found() {
    let vault = TestVault::new(&format!("{OTHERS}//- wanted.md\n再実行gen-itgc後に件数を見る。\n"));
    found_first(&vault, "wanted.md", &["gen", "itgc", "gen-itgc", "再実行gen-itgc後", "件数"]);
}

#[test]
fn p04_a_short_term_beside_a_longer_one_counts() {
    let vault = TestVault::new(&format!(
        "{OTHERS}//- a.md\n橋の修復。結果は ok。\n//- b.md\n橋の修復。結果は待ち。\n\
         //- c.md\n天気の予報。雨になる。\n//- d.md\n天気の予報。雪になる。\n"
    ));
    found_first(&vault, "a.md", &["修復 ok", "ok 修復"]);
    found_first(&vault, "b.md", &["修復 待"]);
    found_first(&vault, "c.md", &["雨 予報", "予報 雨", "雨"]);
    found_first(&vault, "d.md", &["雪"]);
}

#[test]
fn p05_words_with_marks_inside_match_literally() {
    let vault = TestVault::new(&format!(
        "{OTHERS}//- version.md\nShipped 2026.4.10 in the end.\n//- other-version.md\nShipped 2026.4.9, \
         then 10 of 4.\n//- quoted.md\nUpgraded to 1.0.21 today.\n//- unquoted.md\nUpgraded 21 of 1.0.\n\
         //- time.md\nA real-time view.\n//- snake.md\nCalls snake_case here.\n//- cpp.md\nWritten in C++ \
         and not in C.\n//- c.md\nWritten in C and nothing else.\n//- tagged.md\nA line with #harbour.\n"
    ));
    for (path, query) in [
        ("version.md", "2026.4.10"),
        ("quoted.md", "\"1.0.21\""),
        ("time.md", "real-time"),
        ("snake.md", "snake_case"),
        ("cpp.md", "C++"),
        ("tagged.md", "#harbour"),
    ] {
        found_first(&vault, path, &[query]);
    }
    assert_eq!(found(&vault, &["--mode", "lexical", "\"1.0.21\""]), ["quoted.md"]);
}

#[test]
fn p06_a_filter_is_no_cut_of_the_best_hits() {
    let vault = TestVault::new("");
    for number in 0..3_000 {
        vault.write(
            &format!("noise/{number}.md"),
            "The harbour report. 港の報告。 The harbour report.\n",
        );
    }
    for number in 0..3 {
        let text =
            format!("---\ntags: [quiet]\n---\n{}The harbour report.\n", "Other words. ".repeat(99));
        vault.write(&format!("x/{number}.md"), text);
    }
    let expected = ["x/0.md", "x/1.md", "x/2.md"];
    for filter in [&["--path", "x"][..], &["--tag", "quiet"], &["tag:quiet"], &["path:x/"]] {
        for query in ["harbour report", "harbour", "the report of the harbour"] {
            let mut found = found(&vault, &[&[query][..], filter].concat());
            found.sort();
            assert_eq!(found, expected, "{query:?} {filter:?}");
        }
    }
}

#[test]
fn p14_kills_leave_no_note_unfindable_and_no_vector_behind() {
    let vault = TestVault::new("");
    for number in 0..40 {
        vault.write(
            &format!("{number}.md"),
            format!("# Note {number}\n\nWord wq{number}qw. 港の話。\n"),
        );
    }
    let index = ["index", "--vault", "vault", "--quiet"];
    let start = Instant::now();
    run(&vault, &index);
    let usual = start.elapsed();
    for round in 0..10u32 {
        for number in 0..40 {
            vault
                .write(&format!("{number}.md"), format!("Round {round}, wq{number}qw. 港の話。\n"));
        }
        vault.rename(&format!("{round}.md"), &format!("moved/{round}.md"));
        let mut child = command(&vault).args(index).spawn().expect("the binary runs");
        std::thread::sleep(usual.mul_f64(f64::from(round) / 10.0));
        let _ = child.kill();
        child.wait().expect("it is over");
        vault.rename(&format!("moved/{round}.md"), &format!("{round}.md"));
        assert_eq!(code(&vault, &index), 0);
        assert_eq!(code(&vault, &["doctor", "--deep", "--vault", "vault"]), 0, "round {round}");
        found_first(&vault, &format!("{round}.md"), &[&format!("wq{round}qw")]);
    }
    let status = json(&vault, &["status", "--vault", "vault", "--json"]);
    assert_eq!((&status["index"]["notes"], &status["index"]["pieces"]), (&40.into(), &40.into()));
}

#[test]
fn p15_a_damaged_index_is_said_once_and_made_anew() {
    let vault = TestVault::new(OTHERS);
    let place = ["--vault", "vault", "--index", "index.hiku"];
    run(&vault, &[&["index"][..], &place].concat());
    let good = fs::read(vault.index()).expect("the index");
    let mut garbled = good.clone();
    garbled[16_384..].fill(0xA5);
    for bad in [&good[..good.len() / 2], &garbled] {
        fs::write(vault.index(), bad).expect("the index");
        let search = [&["search", "--paths", "kettle"][..], &place].concat();
        let first = shown(&vault, &search);
        assert!(first.contains("3.md") && first.contains(".bad-"), "{first}");
        let again = shown(&vault, &search);
        assert!(again.contains("3.md") && !again.contains('!'), "{again}");
    }
    fs::write(vault.index(), &garbled).expect("the index");
    let text = shown(&vault, &[&["search", "--no-refresh", "kettle"][..], &place].concat());
    assert!(text.ends_with("[exit 10]") && text.matches("! hint: ").count() == 1, "{text}");
}

#[test]
fn p18_a_common_term_stays_within_the_tokens_that_are_asked_for() {
    let vault = TestVault::new("");
    for number in 0..40 {
        let text = format!("# 港 {number}\n\n{}", "港の報告を書く。天気と船の数。".repeat(60));
        vault.write(&format!("{number}.md"), text);
    }
    let arguments =
        ["search", "--vault", "vault", "--json", "--limit", "20", "--max-tokens", "1000", "港"];
    let answer = json(&vault, &arguments);
    let hits = answer["hits"].as_array().expect("hits");
    let passages = hits.iter().flat_map(|hit| {
        let more = hit["more_passages"].as_array().into_iter().flatten();
        std::iter::once(hit).chain(more).filter_map(|passage| passage["text"].as_str())
    });
    // A Japanese character is about a token: far more than the quarter of one that English has.
    let characters: usize = passages.map(|text| text.chars().count()).sum();
    assert!((1..=1_300).contains(&characters), "{characters}");
    assert_eq!(hits.len() + answer["omitted"]["count"].as_u64().expect("a count") as usize, 40);
    assert_eq!(answer["omitted"]["why"], "max_tokens");
}
