//! What texts give as terms.

use super::*;

fn terms(text: &str, class: Class) -> Vec<String> {
    let mut analyzer = Analyzer::new();
    let mut numbers = Vec::new();
    analyzer.analyze(text, &mut numbers);
    let terms = numbers.iter().map(|number| analyzer.term(*number));
    terms.filter(|(of, _)| *of == class).map(|(_, text)| text.to_owned()).collect()
}

#[test]
fn words_give_stems_and_identifiers_stay_whole() {
    for (text, expected) in [
        ("permissions Retrieval", &["permiss", "retriev"][..]),
        ("_rrf_fuse", &["=_rrf_fuse", "rrf", "fuse"]),
        ("requestAnimationFrame", &["=requestanimationframe", "request", "anim", "frame"]),
        ("HTMLParser utf8", &["=htmlparser", "html", "parser", "=utf8", "utf", "8"]),
        ("std::flat_map", &["std", "=flat_map", "flat", "map", "~std::flat_map"]),
        ("v 2026.4.10.", &["v", "2026", "4", "10", "~2026.4.10"]),
        ("C++ and C#", &["c", "~c++", "and", "c", "~c#"]),
        ("real-time #tag", &["real", "time", "~real-time", "tag"]),
        ("Ünïcode Привет ÜBER", &["ünïcode", "привет", "über"]),
        ("end. Next", &["end", "next"]),
        ("__init__ ___", &["=__init__", "init", "=___"]),
    ] {
        assert_eq!(terms(text, Class::Strong), expected, "{text}");
    }
}

#[test]
fn japanese_gives_strong_runs_and_weak_grams() {
    assert_eq!(terms("認証失敗の処理", Class::Strong), ["認証", "証失", "失敗", "処理"]);
    assert_eq!(terms("鍵を渡す", Class::Strong), ["鍵", "渡"]);
    assert_eq!(terms("鍵を渡す", Class::Kanji), ["鍵", "渡"]);
    assert_eq!(terms("鍵を渡す", Class::Bigram), ["鍵を", "を渡", "渡す", "す"]);
    assert_eq!(terms("雨", Class::Bigram), ["雨"]);
}

#[test]
fn long_marks_width_and_kana_are_folded() {
    let strong = |text| terms(text, Class::Strong);
    assert_eq!(strong("コンピューター"), strong("ｺﾝﾋﾟｭｰﾀ"));
    assert_eq!(strong("コピー"), ["コピー"]);
    assert_eq!(terms("ラーメン", Class::Bigram), terms("らーめん", Class::Bigram));
}

#[test]
fn words_inside_japanese_are_found() {
    let strong = terms("再実行gen-itgc後", Class::Strong);
    for wanted in ["再実", "実行", "gen", "itgc", "~gen-itgc", "後"] {
        assert!(strong.iter().any(|term| term == wanted), "{wanted} in {strong:?}");
    }
}

#[test]
fn decomposed_text_gives_the_same_terms() {
    assert_eq!(terms("か\u{3099}き", Class::Bigram), terms("がき", Class::Bigram));
    assert_eq!(terms("cafe\u{301}", Class::Strong), ["café"]);
}

#[test]
fn a_monstrous_word_gives_short_terms() {
    let word = "x".repeat(9_500);
    assert!(terms(&word, Class::Strong).iter().all(|term| term.len() <= MAX_TERM_BYTES));
    let kana = "ア".repeat(9_500);
    assert!(terms(&kana, Class::Strong).iter().all(|term| term.len() <= MAX_TERM_BYTES));
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config {
        cases: testkit::cases(),
        failure_persistence: None,
        ..Default::default()
    })]

    #[test]
    fn any_text_is_analysed(text in "\\PC*") {
        let mut analyzer = Analyzer::new();
        let mut numbers = Vec::new();
        analyzer.analyze(&text, &mut numbers);
        let first = numbers.clone();
        numbers.clear();
        analyzer.analyze(&text, &mut numbers);
        proptest::prop_assert_eq!(first, numbers);
    }

    #[test]
    fn every_japanese_substring_is_found(text in "[ぁ-んァ-ヶ一-鿐]{3,12}", from in 0usize..10) {
        let characters: Vec<char> = text.chars().collect();
        let from = from.min(characters.len() - 2);
        let part: String = characters[from..from + 2].iter().collect();
        let wanted = terms(&part, Class::Bigram);
        proptest::prop_assert!(terms(&text, Class::Bigram).contains(&wanted[0]));
    }
}
