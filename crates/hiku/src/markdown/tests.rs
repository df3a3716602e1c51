//! What a note's text is parsed to, case by case, and what holds for any text.

mod front_matter;

use proptest::prelude::*;

use super::*;

fn tags(text: &str) -> String {
    parse(text).tags.join(",")
}

/// Links as `kind target#fragment|text`, separated by `; `.
fn links(text: &str) -> String {
    let shown = |link: &Link| {
        let kind = match link.kind {
            LinkKind::Wiki => "w",
            LinkKind::Embed => "e",
            LinkKind::Markdown => "m",
            LinkKind::External => "x",
        };
        let fragment = link.fragment.as_ref().map_or(String::new(), |text| format!("#{text}"));
        let text = link.text.as_ref().map_or(String::new(), |text| format!("|{text}"));
        format!("{kind} {}{fragment}{text}", link.target)
    };
    parse(text).links.iter().map(shown).collect::<Vec<_>>().join("; ")
}

fn headings(text: &str) -> String {
    let shown = |heading: &Heading| format!("{} {}", heading.level, heading.text);
    parse(text).headings.iter().map(shown).collect::<Vec<_>>().join("; ")
}

/// Block kinds as letters with the source behind each.
fn blocks(text: &str) -> Vec<(String, &str)> {
    let note = parse(text);
    let shown = |block: Block| {
        let kind = match block.kind {
            BlockKind::Heading => "h".to_owned(),
            BlockKind::Paragraph => "p".to_owned(),
            BlockKind::Code { language } => format!("c:{}", language.unwrap_or_default()),
            BlockKind::Table => "t".to_owned(),
            BlockKind::List => "l".to_owned(),
            BlockKind::Quote => "q".to_owned(),
            BlockKind::Other => "o".to_owned(),
        };
        (kind, &text[block.span])
    };
    note.blocks.into_iter().map(shown).collect()
}

fn fields(text: &str) -> String {
    let shown = |(key, value): &(String, String)| format!("{key}={value}");
    parse(text).fields.iter().map(shown).collect::<Vec<_>>().join("; ")
}

/// Runs `read` over rows of input and expected answer and reports every row that differs.
fn check(read: fn(&str) -> String, rows: &[(&str, &str)]) {
    let differences: Vec<String> = rows
        .iter()
        .map(|(input, expected)| (input, expected, read(input)))
        .filter(|(_, expected, got)| *expected != got)
        .map(|(input, expected, got)| format!("{input:?}: expected {expected:?}, got {got:?}"))
        .collect();
    assert!(differences.is_empty(), "\n{}", differences.join("\n"));
}

#[test]
fn tags_in_text() {
    check(
        tags,
        &[
            ("#a and #b", "a,b"),
            ("text #tag.", "tag"),
            ("#日本語 と #タグ/下位　#メモ。", "日本語,タグ/下位,メモ"),
            ("日本語#タグ", ""),
            ("全角　#空白", "空白"),
            ("#été #ключ #태그", "été,ключ,태그"),
            ("#🎉 #a🎉", "🎉,a🎉"),
            ("#1 #2024 (#3)", ""),
            ("#y2024 #2024-01 #1a", "y2024,2024-01,1a"),
            ("#a/b/c #a/ #_x #x-y", "a/b/c,a,_x,x-y"),
            ("#A #a", "A"),
            ("# heading", ""),
            ("# heading #tag", "tag"),
            ("##tag #  #- #/ #_", ""),
            ("`#code` `` #c ``", ""),
            ("```\n#fff\n```\n\n    #indented\n\n~~~css\n#x\n~~~", ""),
            ("https://example.com/#top http://x/ #after", "after"),
            ("[a](b#c) [a](<b #c>) [x](y \"t #u\")", ""),
            ("[#in text](b) and [see #in](b)", "in"),
            ("<a href=\"#x\" title=' #y'> #z", "z"),
            ("<div>\n#html\n</div>\n\n#after", "after"),
            ("<!-- #a\n\n#b -->\n\n#c", "c"),
            ("x <!-- #a --> #b", "b"),
            ("%% #a %% #b", "b"),
            ("%%\n#a\n\n#b\n%%\n\n#c", "c"),
            ("100%% #a and %% #b", "b"),
            ("100%% #a and 5% #b", "a,b"),
            ("$ #a $ and $x #b$", "a"),
            ("$5 #a and $6 #b", "a,b"),
            ("$$\nx #a\n$$ #b", "b"),
            ("\\#no #yes", "yes"),
            ("&#35; a&#b;", ""),
            (
                "- #list\n- x\n  #second\n\n> #quote\n> [!note] #callout",
                "list,second,quote,callout",
            ),
            ("| a | #cell |\n| - | - |\n| #x | `#y` |", "cell,x"),
            ("**#bold** *#it* _x_ ==#d== a*#no*", "bold,it,d"),
            ("[[a #b]] #c", "c"),
            ("a\r\n#crlf\r\n", "crlf"),
        ],
    );
}

#[test]
fn p20_links_and_tags_in_code_comments_and_formulas_are_none() {
    for text in [
        "```\n[[x]] #y\n```",
        "~~~md\n[[x]]\n#y\n~~~",
        "````\n```\n[[x]] #y\n```\n````",
        "    [[x]] #y",
        "a `[[x]] #y` b ``[[x]] ` #y``",
        "> ```\n> [[x]] #y\n> ```",
        "- a\n\n  ```\n  [[x]] #y\n  ```",
        "%% [[x]] #y %%",
        "%%\n[[x]]\n\n#y\n%%",
        "<!-- [[x]] #y -->",
        "$[[x]] #y$",
        "---\nnote: a # y\ncode: '`x`'\n---\n",
    ] {
        let note = parse(text);
        assert!(note.links.is_empty() && note.tags.is_empty(), "{text:?}: {note:?}");
    }
    let note = parse("---\nup: \"[[a|b]]\"\ntags: [one]\n---\n[[c#h|d]] #two `[[x]] #y`\n");
    let links: Vec<_> =
        note.links.iter().map(|link| (link.target.as_str(), link.text.as_deref())).collect();
    assert_eq!(links, [("a", Some("b")), ("c", Some("d"))]);
    assert_eq!(note.tags, ["one", "two"]);
}

#[test]
fn links_in_text() {
    check(
        links,
        &[
            ("[[a]]", "w a"),
            ("[[a|b]]", "w a|b"),
            ("[[ a | b ]]", "w a|b"),
            ("[[folder/a b.md#h]]", "w folder/a b.md#h"),
            ("[[a#h#i|b]]", "w a#h#i|b"),
            ("[[a#^block]] [[#h]] [[#^b]]", "w a#^block; w #h; w #^b"),
            ("![[img.png|100]] !![[x]]", "e img.png|100; e x"),
            ("[[日本語のノート|表示]]", "w 日本語のノート|表示"),
            ("| x | y |\n| - | - |\n| [[a\\|b]] | ![[c\\|9]] |", "w a|b; e c|9"),
            ("[[]] [[ ]] [[|x]] [[#]]", ""),
            ("[[a [[b]] [[[c]]] [[d\ne]]", "w b; w c"),
            ("\\[[a]] \\\\[[b]]", "w b"),
            ("`[[a]]` ``[[b]]``\n\n```\n[[c]]\n```\n\n    [[d]]", ""),
            ("[[a `b]]` c]]", ""),
            ("%% [[a]] [b](c) %% [[d]]", "w d"),
            ("%%\n[[a]]\n\n[b](c)\n\n%%\n\n[[d]]", "w d"),
            ("<!-- [[a]] -->\n\n[[b]] <!-- [c](d) -->", "w b"),
            ("$[[a]]$ and $$[[b]]$$", ""),
            ("[t](a.md) ![i](b%20c.png)", "m a.md|t; e b c.png|i"),
            ("[t](My%20Note.md#Head%20ing) [t](#h)", "m My Note.md#Head ing|t; m #h|t"),
            ("[t](%E6%97%A5.md) [t](100%.md) [t](%ff.md)", "m 日.md|t; m 100%.md|t; m %ff.md|t"),
            ("[t](<a b.md> \"title\")", "m a b.md|t"),
            ("[**b** `c`](a)", "m a|b c"),
            ("[]() [t]() [t](#)", ""),
            ("[t](https://x.y/a%20b#c)", "x https://x.y/a%20b#c|t"),
            ("![](https://x/i.png) [m](mailto:a@b.c)", "x https://x/i.png; x mailto:a@b.c|m"),
            ("[t](C:\\x.md)", "m C:\\x.md|t"),
            ("<https://x.y> <a@b.cd>", "x https://x.y; x mailto:a@b.cd"),
            ("see https://x.y/a_(b), (http://z.w).", "x https://x.y/a_(b); x http://z.w"),
            ("（https://x.y/）とhttps://z.w。", "x https://x.y/; x https://z.w"),
            ("[https://x.y](https://x.y)", "x https://x.y|https://x.y"),
            ("xhttp://a https:// ftp://b `https://c`", ""),
            ("[t][r] [r] [r][]\n\n[r]: a.md", "m a.md|t; m a.md|r; m a.md|r"),
            ("[![i](a.png)](b.md)", "m b.md|i; e a.png|i"),
            ("[[1]](https://x.y)", "x https://x.y|[1]"),
            ("[see [[a]]](b.md)", "m b.md|see [[a]]; w a"),
            ("# H [[a]]\n\n- [[b]]\n  - [[c]]\n\n> [[d]]", "w a; w b; w c; w d"),
            (
                "---\nup: \"[[a]]\"\nx:\n  - '[[b|c]]'\nu: https://x.y\n---\n[[d]]",
                "w a; w b|c; x https://x.y; w d",
            ),
            ("---\nrelated: [[a]]\n---\n", "w a"),
        ],
    );
}

#[test]
fn heading_texts() {
    check(
        headings,
        &[
            ("# A\n## B ##\nC\n===\nD\n---\n", "1 A; 2 B; 1 C; 2 D"),
            ("#\n# **b** `c` [l](u) ![i](u)", "1 ; 1 b c l i"),
            ("# [[a|b]] [[c]] ==m== ~~s~~ %%x%% #t", "1 b c m s #t"),
            ("# operator== and a==b or c==d", "1 operator== and a==b or c==d"),
            ("## Text ^block-1\n### a^2 ^", "2 Text; 3 a^2 ^"),
            ("## <a id=\"x\">関連項目</a>", "2 関連項目"),
            ("```\n# no\n```\n\n    # no\n\n> # quoted\n\n- # item", "1 quoted; 1 item"),
            ("#tag\n#no heading", ""),
            ("# A\r\n## B\r\n", "1 A; 2 B"),
            ("\u{feff}# A", "1 A"),
            ("# 見出し　全角", "1 見出し 全角"),
            ("Two\nlines\n===", "1 Two lines"),
        ],
    );
}

#[test]
fn block_kinds_and_spans() {
    let text = "intro\nline\n\n# H\n- a\n\n  b\n- c\n\n1. x\n\n> q\nlazy\n\n```Rust,ignore\n# x\n```\n    \
                \n    code\n\n| a |\n|---|\n| b |\n\n---\n<div>\nx\n</div>\n\n[r]: /u\n\n$$\nx\n$$\n";
    let expected = [
        ("p", "intro\nline"),
        ("h", "# H"),
        ("l", "- a\n\n  b\n- c"),
        ("l", "1. x"),
        ("q", "> q\nlazy"),
        ("c:rust", "```Rust,ignore\n# x\n```"),
        ("c:", "    code"),
        ("t", "| a |\n|---|\n| b |"),
        ("o", "---"),
        ("o", "<div>\nx\n</div>"),
        ("o", "[r]: /u"),
        ("o", "$$\nx\n$$"),
    ];
    let got = blocks(text);
    let got: Vec<(&str, &str)> = got.iter().map(|(kind, text)| (kind.as_str(), *text)).collect();
    assert_eq!(got, expected);
}

#[test]
fn code_languages() {
    for (fence, expected) in [
        ("```", "c:"),
        ("``` JSON", "c:json"),
        ("~~~yaml title=x", "c:yaml"),
        ("```cpp example", "c:cpp"),
        ("```{.python .x}", "c:python"),
        ("```js,y", "c:js"),
    ] {
        let text = format!("{fence}\nx\n");
        assert_eq!(blocks(&text)[0].0, expected, "{fence}");
    }
}

/// Spans in range, on boundaries, in order and disjoint; gaps between blocks blank.
fn assert_covers(text: &str) {
    let note = parse(text);
    let mut end = note.body_start;
    for block in &note.blocks {
        assert!(block.span.start >= end && block.span.start < block.span.end, "{block:?}");
        assert!(text[end..block.span.start].trim().is_empty(), "gap before {block:?}");
        assert!(!text[block.span.clone()].trim().is_empty(), "{block:?}");
        end = block.span.end;
    }
    assert!(text[end..].trim().is_empty(), "text behind the last block");
    for link in &note.links {
        assert!(!text[link.span.clone()].is_empty(), "{link:?}");
    }
    assert!(note.links.is_sorted_by_key(|link| link.span.start));
    assert!(note.headings.is_sorted_by_key(|heading| heading.span.start));
    for heading in &note.headings {
        assert!((1..=6).contains(&heading.level));
        let _ = &text[heading.span.clone()];
    }
    for block in note.blocks.iter().filter(|block| block.kind == BlockKind::Heading) {
        assert!(note.headings.iter().any(|heading| heading.span == block.span), "{block:?}");
    }
}

/// Text made of the pieces that parsers stumble over.
pub(crate) fn hostile_text() -> impl Strategy<Value = String> {
    let token = prop::sample::select(vec![
        "\n",
        "\n\n",
        "\r\n",
        " ",
        "  ",
        "    ",
        "\t",
        "---",
        "...",
        "***",
        "#",
        "# ",
        "## ",
        "### ",
        "> ",
        "- ",
        "1. ",
        "* ",
        "```",
        "~~~",
        "`",
        "``",
        "[[",
        "]]",
        "[",
        "]",
        "(",
        ")",
        "|",
        "|-|",
        "!",
        "![",
        "%%",
        "$",
        "$$",
        "<!--",
        "-->",
        "<div>",
        "<",
        ">",
        "\\",
        "&amp;",
        "^",
        "^id",
        ":",
        ": ",
        "://",
        "https://x.y",
        "{{",
        "}}",
        "{",
        "}",
        "\"",
        "'",
        "=",
        "===",
        "==",
        "~~",
        "*",
        "_",
        "**",
        "a",
        "b c",
        "word",
        "tags: ",
        "title: ",
        "- x",
        "key: v",
        "日本語",
        "。",
        "！",
        "」",
        "é",
        "e\u{301}",
        "\u{feff}",
        "\u{a0}",
        "\u{3000}",
        "\0",
        "🎉",
        "👨\u{200d}👩",
        "#tag",
        "[a]: b",
        "[^1]",
        "[^1]: x",
        "json\n",
        "{\"a\": 1}",
        "See also",
        "## 関連\n",
        "。\n",
        ". ",
        "x. Y",
        "\u{2028}",
        "\u{b}",
    ]);
    prop::collection::vec(token, 0..60).prop_map(|tokens| tokens.concat())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: testkit::cases(),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_text_is_covered(text in hostile_text()) {
        assert_covers(&text);
        assert_covers(&format!("---\n{text}\n---\n{text}"));
    }

    #[test]
    fn any_string_is_covered(text in any::<String>()) {
        assert_covers(&text);
    }

    #[test]
    fn a_certain_line_reader_is_right(front in hostile_text()) {
        let read = lines::read(&front);
        if read.certain && !read.entries.is_empty() {
            prop_assert_eq!(yaml::read(&front), Ok(yaml::Value::Map(read.entries)));
        }
    }

    #[test]
    fn parsing_is_deterministic(text in hostile_text()) {
        prop_assert_eq!(parse(&text), parse(&text));
    }
}
