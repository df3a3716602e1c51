//! How notes are cut, case by case, and what holds for any note.

use std::borrow::Cow;

use proptest::prelude::*;

use super::sentences::{characters, hard_cut, sentences};
use super::*;
use crate::markdown::parse;
use crate::markdown::tests::hostile_text;

/// A note's chunks as `path: text`, cut with small sizes so that cases stay readable.
fn cut(text: &str, max: usize) -> Vec<String> {
    let options = ChunkOptions {
        min_characters: 10,
        max_characters: max,
        overlap_characters: max / 4,
        piece_characters: 500,
    };
    chunks(text, &options)
}

fn chunks(text: &str, options: &ChunkOptions) -> Vec<String> {
    let note = parse(text);
    let shown = |chunk: Chunk| {
        let (overlap, own) = text[chunk.span].split_at(chunk.overlap);
        let overlap = if overlap.is_empty() { String::new() } else { format!("({overlap})") };
        format!("{}: {overlap}{own}", chunk.headings.join(" > "))
    };
    chunk(&note, text, options).into_iter().map(shown).collect()
}

fn check(text: &str, max: usize, expected: &[&str]) {
    assert_eq!(cut(text, max), expected, "\n{text}");
}

#[test]
fn sections_are_cut_at_the_second_level() {
    check(
        "# Title\n\nintroduction\n\n## One\n\nfirst text\n\n### Sub\n\nsub text\n\n## Two\nsecond text\n",
        100,
        &[
            "Title: # Title\n\nintroduction",
            "Title > One: ## One\n\nfirst text\n\n### Sub\n\nsub text",
            "Title > Two: ## Two\nsecond text",
        ],
    );
}

#[test]
fn notes_without_second_level_headings() {
    check("just some text", 100, &[": just some text"]);
    check("short", 100, &[": short"]);
    check("", 100, &[]);
    check(" \n\n\t\n", 100, &[]);
    check("---\na: b\n---\n", 100, &[]);
    check(
        "# One\nfirst text\n# Two\nsecond text",
        100,
        &["One: # One\nfirst text", "Two: # Two\nsecond text"],
    );
    check(
        "# T\nintroduction\n### A\nfirst text\n### B\nsecond text",
        100,
        &["T: # T\nintroduction", "T > A: ### A\nfirst text", "T > B: ### B\nsecond text"],
    );
    check("# Only a title", 100, &["Only a title: # Only a title"]);
}

#[test]
fn short_sections_join_their_neighbours() {
    // The next one if it is not above, else the one before.
    check("# T\n\n## A\n\nfirst text", 100, &["T > A: # T\n\n## A\n\nfirst text"]);
    check("## A\nx\n## B\nlong enough", 100, &["A: ## A\nx\n## B\nlong enough"]);
    check("## A\n## B\nlong enough", 100, &["B: ## A\n## B\nlong enough"]);
    check("## A\nlong enough\n## B\nx", 100, &["A: ## A\nlong enough\n## B\nx"]);
    check(
        "## A\nlong enough\n## B\nx\n# C\nanother text",
        100,
        &["A: ## A\nlong enough\n## B\nx", "C: # C\nanother text"],
    );
    check("## B\nx\n# C\nanother text", 100, &["B: ## B\nx\n# C\nanother text"]);
    check("# A\n# B\n# C", 100, &["C: # A\n# B\n# C"]);
}

#[test]
fn long_sections_are_cut_at_the_third_level_then_at_blocks() {
    check(
        "## A\n\nintroduction\n\n### B\n\nfirst text here\n\n### C\n\nsecond text here\n",
        40,
        &[
            "A: ## A\n\nintroduction",
            "A > B: ### B\n\nfirst text here",
            "A > C: ### C\n\nsecond text here",
        ],
    );
    check(
        "## A\n\nfirst block text.\n\nsecond block text.\n\nthird block.",
        48,
        &["A: ## A\n\nfirst block text.\n\nsecond block text.", "A: (block text.)\n\nthird block."],
    );
    // A heading below the third level stays with its text.
    check(
        "## A\n### B\nfirst block text.\n\n#### D\n\nsecond block.",
        40,
        &["A > B: ## A\n### B\nfirst block text.", "A > B > D: (text.)\n\n#### D\n\nsecond block."],
    );
    // Without a third level the next one that is there takes its place.
    check(
        "## A\n\nfirst block text.\n\n#### D\n\nsecond block.",
        40,
        &["A: ## A\n\nfirst block text.", "A > D: #### D\n\nsecond block."],
    );
}

#[test]
fn long_blocks_are_cut_at_sentences_then_anywhere() {
    check(
        "一つ目の文です。二つ目の「文です。」三つ目の文です。",
        12,
        &[": 一つ目の文です。", ": (です。)二つ目の「文です。」", ": (す。」)三つ目の文です。"],
    );
    // A short end takes the last sentence of the part before.
    check(
        "First one here. Second one. Third one. End.",
        38,
        &[": First one here. Second one.", ": (one.) Third one. End."],
    );
    check(
        "First one. Second one. Third one.",
        24,
        &[": First one. Second one.", ": (one.) Third one."],
    );
    check(&"x".repeat(25), 10, &[": xxxxxxxxxx", ": (xx)xxxxxxxxxx", ": (xx)xxxxx"]);
    check("aaaa bbbb cccc dddd", 11, &[": aaaa bbbb", ": (bb) cccc dddd"]);
}

#[test]
fn code_and_tables_are_kept_whole_or_cut_at_lines() {
    let code = "## A\n\ntext text\n\n```md\n## no heading\n\n## none\n```\n\nmore text";
    check(code, 100, &[format!("A: {code}").as_str()]);
    check(
        "## A\n\ntext text\n\n```\n## x\n\n## y\n```\n\nmore text",
        24,
        &["A: ## A\n\ntext text", "A: (text)\n\n```\n## x\n\n## y\n```", "A: (```)\n\nmore text"],
    );
    check(
        "```\nline one\nline two\nline three\n```",
        22,
        &[": ```\nline one\nline two", ": (two)\nline three\n```"],
    );
    check(
        "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |",
        22,
        &[": | a | b |\n|---|---|", ": (|---|)\n| 1 | 2 |\n| 3 | 4 |"],
    );
}

#[test]
fn link_lists_are_no_chunks() {
    let long = "## Text\n\nSome text that stays.\n\n";
    let skipped = [
        "## See also\n\n- [a](b)\n- [c](d), a remark\n",
        "## Related\n[[a]] [[b]]\n",
        "## **References:**\n1. <https://x.y/z>\n",
        "## 3. Links\n- [[a]]\n### Sub\n- [[b]]\n",
        "## 関連項目\n- [a](b.md)\n",
        "## 参考文献：\n* [日本語の文献](https://x.y)\n",
        "## 関連リンク\n",
        "## REFERENCES\n[a], [b]\n\n[a]: c\n[b]: d\n",
    ];
    for section in skipped {
        let text = format!("{long}{section}");
        assert_eq!(cut(&text, 500), ["Text: ## Text\n\nSome text that stays."], "{section}");
        assert!(cut(&format!("{text}# Next\n\nmore text"), 500).len() == 2, "{section}");
    }
    let kept = [
        "## References\n\nThis section is prose, with one [link](a) in it and many more words.\n",
        "## See also the manual\n- [a](b)\n",
        "## Links\n- no link\n- none either\n",
        "## Related\n\n```\n[a](b)\n```\n",
    ];
    for section in kept {
        assert_eq!(cut(&format!("{long}{section}"), 500).len(), 2, "{section}");
    }
    // Prose below the links is the note's own.
    let below =
        format!("{long}## See also\n\n- [a note](b.md)\n- [c note](d.md)\n\nAdded on Monday.\n");
    assert_eq!(
        cut(&below, 500),
        ["Text: ## Text\n\nSome text that stays.", "See also: Added on Monday."]
    );
    let remark = "a long remark that tells a lot ".repeat(8);
    assert_eq!(cut(&format!("{long}## Links\n- [a](b) {remark}"), 500).len(), 2);
    // All that the note has.
    assert_eq!(cut("# T\n\n## Links\n\n- [a](b)\n", 500).len(), 1);
    assert_eq!(cut("## See also\n\n- [a](b)\n", 500).len(), 1);
}

#[test]
fn context_lines() {
    let texts = |items: &[&str]| items.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    assert_eq!(
        context_line("T", Some("note"), &texts(&["a", "b"]), &texts(&["H", "I"])),
        "T | note | a, b | H > I"
    );
    assert_eq!(context_line("T", None, &[], &texts(&["H"])), "T | H");
    assert_eq!(context_line("", Some(""), &[], &[]), "");
}

#[test]
fn sentence_ends() {
    for (text, expected) in [
        ("A. B! C? D", vec!["A. ", "B! ", "C? ", "D"]),
        ("v1.2 e.g.x", vec!["v1.2 e.g.x"]),
        ("He said \"no.\" Then.", vec!["He said \"no.\" ", "Then."]),
        ("一。二！？三？」四", vec!["一。", "二！？", "三？」", "四"]),
        ("（一。）二、三", vec!["（一。）", "二、三"]),
        ("a\nb\n\n  c", vec!["a\n", "b\n\n", "  c"]),
        ("。。。", vec!["。。。"]),
        ("ガギグ\u{ff0f}カ", vec!["ガギグ\u{ff0f}カ"]),
        ("", vec![]),
    ] {
        assert_eq!(sentences(text).collect::<Vec<_>>(), expected, "{text:?}");
    }
}

#[test]
fn hard_cuts_keep_characters_together() {
    for (text, limit, expected) in [
        ("abc", 5, "abc"),
        ("abcdef", 3, "abc"),
        ("abcd efgh", 6, "abcd "),
        ("abce\u{301}f", 4, "abc"),
        ("か\u{3099}か", 1, "か"),
        ("一二、三四五", 4, "一二、"),
        ("👨\u{200d}👩x", 2, "👨\u{200d}"),
        ("x👨\u{200d}👩x", 3, "x"),
        ("x", 0, "x"),
    ] {
        assert_eq!(&text[..hard_cut(text, limit)], expected, "{text:?} {limit}");
    }
}

#[test]
fn a_piece_is_led_in_by_the_last_sentence_before_it() {
    for (piece, max, expected) in [
        ("One. Two three.", 200, "Two three."),
        ("一つ。二つ目の文", 200, "二つ目の文"),
        ("Two three. ", 5, "hree."),
        ("日本語の文", 2, "の文"),
        ("", 9, ""),
        ("word", 0, ""),
    ] {
        assert_eq!(lead_in(piece, max), expected, "{piece}");
    }
}

#[test]
fn pieces_are_packed() {
    assert_eq!(pieces("A b. C d. E f.", 10), ["A b. C d.", "E f."]);
    assert_eq!(pieces("一二三。四五。六", 5), ["一二三。", "四五。六"]);
    assert_eq!(pieces("abcdefgh", 3), ["abc", "def", "gh"]);
    assert_eq!(pieces(" \n\n ", 5), Vec::<&str>::new());
    assert_eq!(pieces("", 0), Vec::<&str>::new());
    assert_eq!(pieces("ab", 0), ["a", "b"]);
}

fn indexed(text: &str) -> String {
    index_text(&parse(text), text, 0..text.len()).into_owned()
}

#[test]
fn structured_blocks_are_flattened() {
    let rows = [
        (
            "a\n\n```json\n{\"review\": {\"rules\": [{\"name\": \"x\"}, {\"name\": \"y\"}], \"on\": true}}\n```\nb",
            "a\n\nreview.rules.name: x, y\nreview.on: true\nb",
        ),
        ("```jsonc\n// c\n{\"a\": [1, 2,], /* d */ b: 'c',}\n```", "a: 1, 2\nb: c"),
        ("```yaml\na:\n  b: 1.10\n  c: [x, y]\n```", "a.b: 1.10\na.c: x, y"),
        ("~~~YML\n- a\n- b: c\n~~~", "a\nb: c"),
        ("```json\n{\"a\": \"x\\n\\u65e5\\ud83c\\udf89\"}\n```", "a: x 日🎉"),
        ("{\"a\": {\"b\": null, \"c\": -1.5e3}}\n", "a.c: -1.5e3"),
        ("[1, [2, {\"a\": 3}]]", "1, 2\na: 3"),
    ];
    for (text, expected) in rows {
        assert_eq!(indexed(text), expected, "{text}");
    }
}

#[test]
fn what_does_not_parse_is_indexed_as_it_is() {
    let deep = format!("```json\n{}\n```", "[".repeat(50_000));
    let wide = format!(
        "```json\n{{\"{}\": {}1{}}}\n```",
        "k".repeat(9),
        "{\"x\":".repeat(40),
        "}".repeat(40)
    );
    // Long keys around many different leaves would grow without end.
    let leaves: Vec<String> = (0..200).map(|index| format!("\"{index}\": 1")).collect();
    let growing = format!("```json\n{{\"{}\": {{{}}}}}\n```", "k".repeat(2_000), leaves.join(","));
    for text in [
        "plain",
        "```json\n{\"a\": \n```",
        "```json\n{} x\n```",
        "```yaml\na: b: c\n```",
        "```yaml\njust text\n```",
        "```rust\n{\"a\": 1}\n```",
        "[a](b)",
        &deep,
        &wide,
        &growing,
    ] {
        let note = parse(text);
        assert!(
            matches!(index_text(&note, text, 0..text.len()), Cow::Borrowed(same) if same == text)
        );
    }
    let text = "```json\n{\"a\": 1}\n```\n\nb";
    assert_eq!(index_text(&parse(text), text, 0..10), &text[0..10]);
    assert_eq!(index_text(&parse(text), text, 8..text.len()), &text[8..]);
}

/// Everything that is promised of chunks, for any sizes.
fn assert_chunks(text: &str, options: &ChunkOptions) {
    let note = parse(text);
    let chunks = chunk(&note, text, options);
    let outline = Outline::new(&note, text);
    let wanted: Vec<Range<usize>> =
        link_lists::remaining(&outline).iter().map(|blocks| outline.span(blocks)).collect();
    let mut end = note.body_start;
    for chunk in &chunks {
        assert!(chunk.span.start < chunk.span.end, "{chunk:?}");
        let own = chunk.span.start + chunk.overlap;
        assert!(
            own >= end || chunk.overlap == 0 && chunk.span.start >= end,
            "{chunk:?} after {end}"
        );
        if chunk.overlap > 0 {
            assert_eq!(own, end, "overlap ends where the chunk before ends");
            assert!(characters(&text[chunk.span.start..own]) <= options.overlap_characters);
        }
        assert!(
            characters(&text[own..chunk.span.end]) <= options.max_characters.max(1),
            "{chunk:?}"
        );
        for range in &wanted {
            let missed = range.start.max(end)..range.end.min(own);
            assert!(missed.is_empty() || text[missed].trim().is_empty(), "text before {chunk:?}");
        }
        end = chunk.span.end;
    }
    for range in &wanted {
        let missed = range.start.max(end)..range.end;
        assert!(missed.is_empty() || text[missed].trim().is_empty(), "text behind the last chunk");
    }
    assert_eq!(chunks.is_empty(), text[note.body_start..].trim().is_empty());
    assert!(chunks.is_sorted_by_key(|chunk| chunk.span.start));
}

/// Each of these took quadratic time in some reader, this one's first versions included.
#[test]
fn repetitions_are_read_in_linear_time() {
    let starts = [
        "",
        "---\na: |\n",
        "---\na: [",
        "```json\n[",
        "```yaml\na: &a\n",
        "%%\n",
        "$$\n",
        "<!--",
        "# ",
        "- ",
    ];
    let units = [
        "[[",
        "[[a",
        "[a]()",
        "[[a]] [b](c) ",
        "%% a %% [x](y) ",
        "$a ",
        "x",
        "。",
        "  text: x\n",
        "[",
        ">",
        "- ",
        "https://x.y/)))",
        "`",
        "<a ",
        "#a ",
        "### b\n\n",
        "|a",
        "\n",
        "\u{200d}",
        "&",
        "a. ",
        "1, ",
    ];
    for start in starts {
        for unit in units {
            assert_chunks(&format!("{start}{}", unit.repeat(3_000)), &ChunkOptions::default());
        }
    }
}

fn sizes() -> impl Strategy<Value = ChunkOptions> {
    (0usize..40, 0usize..120, 0usize..60).prop_map(|(min, max, overlap)| ChunkOptions {
        min_characters: min,
        max_characters: max,
        overlap_characters: overlap,
        piece_characters: 50,
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: testkit::cases(),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn chunks_cover_any_note(text in hostile_text(), options in sizes()) {
        assert_chunks(&text, &options);
        assert_chunks(&text.repeat(3), &options);
        assert_chunks(&text.repeat(9), &ChunkOptions::default());
    }

    #[test]
    fn sentences_and_pieces_cover_any_text(text in hostile_text(), max in 0usize..60) {
        prop_assert_eq!(sentences(&text).collect::<String>(), text.clone());
        let pieces = pieces(&text, max);
        prop_assert!(pieces.iter().all(|piece| piece.ends_with(lead_in(piece, max).trim_end())));
        for piece in &pieces {
            prop_assert!(characters(piece) <= max.max(1) && !piece.trim().is_empty());
        }
        let squeeze = |text: &str| text.split_whitespace().collect::<String>();
        prop_assert_eq!(squeeze(&pieces.concat()), squeeze(&text));
    }

    #[test]
    fn index_text_takes_any_span(text in hostile_text(), language in "json|yaml|yml") {
        let text = format!("{text}\n```{language}\n{text}\n```\n{text}");
        let note = parse(&text);
        for chunk in chunk(&note, &text, &ChunkOptions::default()) {
            let _ = index_text(&note, &text, chunk.span);
        }
        let _ = index_text(&note, &text, 0..text.len());
    }
}
