//! Front matter: what is read from it, and what of a note survives one that cannot be read.

use super::super::*;
use super::{assert_covers, check, fields, tags};

#[test]
fn front_matter_fields() {
    check(
        fields,
        &[
            ("---\na: b\n---\nx", "a=b"),
            ("\u{feff}---\r\na: b\r\nc:\r\n  - d\r\n---\r\nx", "a=b; c=d"),
            ("---\na: b\n...\nx", "a=b"),
            ("---  \na: b\n---  \nx", "a=b"),
            ("---\n---\nx", ""),
            (
                "---\nver: 1.10\ndate: 2026-01-02\nno: no\nhex: 0x1F\n---\n",
                "ver=1.10; date=2026-01-02; no=no; hex=0x1F",
            ),
            (
                "---\nver: 1.10 # c\nn: {a: 1.50, b: [true, .5]}\n---\n",
                "ver=1.10; n.a=1.50; n.b=true; n.b=.5",
            ),
            ("---\na:\n  b:\n    c: d\n  e: [f, g]\n---\n", "a.b.c=d; a.e=f; a.e=g"),
            ("---\na:\n  - b: 1\n    c: 2\n  - b: 3\n---\n", "a.b=1; a.c=2; a.b=3"),
            ("---\na:\nb: ~\nc: null\nd: \"\"\n---\n", ""),
            (
                "---\na: |\n  two\n  lines\nb: >-\n  folded\n  text\n---\n",
                "a=two\nlines; b=folded text",
            ),
            ("---\na: \"x: \\\"y\\\"\"\nb: 'it''s'\n---\n", "a=x: \"y\"; b=it's"),
            ("---\n日本語: 値\n\"quoted key\": v\n---\n", "日本語=値; quoted key=v"),
            ("---\na: &x [1, 2]\nb: *x\n---\n", "a=1; a=2; b=1; b=2"),
            (
                "---\ncreated: {{date}}\nlink: [[x]]\nl2: [[a|b]] # c\n---\n",
                "created={{date}}; link=[[x]]; l2=[[a|b]]",
            ),
            ("---\nl:\n  - [[x]]\n  - \"[[y]]\"\n---\n", "l=[[x]]; l=[[y]]"),
            ("---\nl: [[[x]], \"[[y]]\"]\n---\n", "l=[[x]]; l=[[y]]"),
            ("---\na: b\n# comment\n\nc: d # more\n---\n", "a=b; c=d"),
            ("text\n---\na: b\n---\n", ""),
            ("x: y\n", ""),
        ],
    );
}

#[test]
fn what_is_not_yaml_is_read_line_by_line() {
    // (front matter, its fields, the line of the diagnostic)
    let rows = [
        ("p: `C:\\x\\y`", "p=`C:\\x\\y`", 2),
        ("t: foo: bar", "t=foo: bar", 2),
        ("a: b\nt:\n- *\n- c", "a=b; t=*; t=c", 4),
        ("a: *", "a=*", 2),
        ("l:\n  - [[x]]y\n  - z", "l=[[x]]y; l=z", 3),
        ("a: 1\nb: 2\na: 3", "a=1; b=2; a=3", 4),
        ("title: {{x}} y", "title={{x}} y", 2),
        ("a: [[x]], [[y]]", "a=[[x]], [[y]]", 2),
        ("a: \"open\nb: c", "a=\"open; b=c", 2),
        ("a: @x\nb: %y", "a=@x; b=%y", 2),
        ("a:\n\tb: c", "a.b=c", 3),
        ("a: [x, y\nb: c", "a=[x, y; b=c", 3),
    ];
    for (front, expected, line) in rows {
        let text = format!("---\n{front}\n---\nbody text #t\n");
        let note = parse(&text);
        assert_eq!(fields(&text), expected, "{front}");
        assert_eq!(note.diagnostics.len(), 1, "{front}: {:?}", note.diagnostics);
        assert!(note.diagnostics[0].line.abs_diff(line) <= 1, "{front}: {:?}", note.diagnostics);
        assert_eq!(&text[note.body_start..], "body text #t\n", "{front}");
        assert_eq!(note.tags, ["t"], "{front}");
    }
}

#[test]
fn what_is_no_front_matter_stays_body() {
    for text in [
        "---\ntext without an end\n\n# H\n",
        "---\nFirst a rule and a sentence.\n\nAnother one here.\n---\nmore\n",
        "---\n- just\n- a list\n---\nmore",
        "---",
        "--- \nx",
        "----\na: b\n----\n",
        "\n---\na: b\n---\n",
        " ---\na: b\n---\n",
    ] {
        let note = parse(text);
        assert_eq!((note.front_matter, note.body_start), (None, 0), "{text:?}");
        assert!(note.diagnostics.len() <= 1, "{text:?}");
        assert_covers(text);
    }
    assert_eq!(parse("---\nx\n").diagnostics[0].line, 1);
    let body = "---\na: b\n---\n";
    assert_eq!(parse_body(body).front_matter, None);
    assert!(!parse_body(body).blocks.is_empty());
}

#[test]
fn known_keys() {
    let note = parse(
        "---\ntitle: T\ntype:\n  - \"[[Books|Book]]\"\naliases: [A, 'B, c']\nalias: D, E\n\
         tags:\n  - x/y\n  - \"#Z\"\n  - 2024\ntag: \"#q, x/Y\"\n---\n#z #new\n",
    );
    assert_eq!(note.title.as_deref(), Some("T"));
    assert_eq!(note.note_type.as_deref(), Some("Book"));
    assert_eq!(note.aliases, ["A", "B, c", "D", "E"]);
    assert_eq!(note.tags, ["x/y", "Z", "2024", "q", "new"]);
}

#[test]
fn tags_of_the_front_matter() {
    let read = |front: &str| tags(&format!("---\n{front}\n---\n"));
    for (front, expected) in [
        ("tags: a, b", "a,b"),
        ("tags: a b", "a,b"),
        ("tags: [a, b/c]", "a,b/c"),
        ("tags:\n- a\n- b", "a,b"),
        ("tag: a", "a"),
        ("Tags: [A]", "A"),
        ("tags: '#a #b'", "a,b"),
        ("tags: #a #b", "a,b"),
        ("tags: [\"#a\", 日本語]", "a,日本語"),
        ("tags:", ""),
        ("tags: []", ""),
        ("tags: a, t: x", "a,t:,x"),
    ] {
        assert_eq!(read(front), expected, "{front}");
    }
}

#[test]
fn the_line_reader_agrees_with_yaml_where_it_is_certain() {
    for front in [
        "title: CSS grid\nslug: Web/CSS\npage-type: css-property\nbrowser-compat: css.properties.x\nsidebar: y",
        "a: \"q\"\nb: 'r'\nc:\nd: [x, y z, \"w\"]\ne:\n  - f\n  - \"[[g]]\"\nh: []",
        "日本語: 値と値\nn: 1.10\nd: 2026-01-02\nt: 10:30\nu: https://x.y/#z",
        "a: b  \n\n# c\nd: e",
    ] {
        let read = lines::read(front);
        assert!(read.certain, "{front}");
        assert_eq!(yaml::read(front), Ok(yaml::Value::Map(read.entries)), "{front}");
    }
}
