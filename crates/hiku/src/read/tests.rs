//! Reading parts of notes: confinement, names, selections, redaction.

use testkit::TestVault;

use super::*;
use crate::vault::VaultOptions;

fn read(vault: &TestVault, name: &str, selection: &Selection) -> Result<ReadNote> {
    read_by(&VaultOptions::default(), vault, name, selection)
}

fn read_by(
    options: &VaultOptions,
    vault: &TestVault,
    name: &str,
    selection: &Selection,
) -> Result<ReadNote> {
    let folder = Folder::open(&vault.root(), options).expect("the vault opens");
    read_note(&folder, name, selection, &Scrubber::default())
}

fn refused(vault: &TestVault, name: &str) -> String {
    let error = read(vault, name, &Selection::Whole).expect_err(name);
    assert_eq!(error.kind(), crate::ErrorKind::User, "{name}: {error}");
    error.to_string()
}

#[test]
fn paths_do_not_lead_out_of_the_vault() {
    let vault = TestVault::new("//- a.md\nText.\n//- b/c.md\nText.\n");
    std::fs::write(vault.outer().join("secret.md"), "secret").expect("a file");
    let absolute = vault.outer().join("secret.md").to_string_lossy().into_owned();
    for name in
        ["../secret.md", "../secret", "b/../../secret.md", &absolute, "b//c.md", "", "a\0.md"]
    {
        assert!(refused(&vault, name).ends_with("is no path inside the vault"), "{name:?}");
    }
    for name in ["secret", "absent.md", "b", "b/a"] {
        assert!(refused(&vault, name).ends_with("is not a note of this vault"), "{name:?}");
    }
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    use std::os::unix::fs::symlink;
    let vault = TestVault::new("//- a.md\nText.\n//- b/c.md\nText.\n");
    let outside = vault.outer().join("outside");
    std::fs::create_dir(&outside).expect("a folder");
    std::fs::write(outside.join("secret.md"), "secret").expect("a file");
    symlink(outside.join("secret.md"), vault.root().join("link.md")).expect("a link");
    symlink(vault.root().join("a.md"), vault.root().join("b/inside.md")).expect("a link");
    symlink(&outside, vault.root().join("out")).expect("a link");
    symlink(vault.root().join("b"), vault.root().join("again")).expect("a link");
    for name in ["link.md", "link", "b/inside.md", "inside"] {
        assert!(refused(&vault, name).contains("is a symbolic link"), "{name}");
    }
    for name in ["out/secret.md", "out/secret", "again/c.md"] {
        assert!(refused(&vault, name).ends_with("is not a note of this vault"), "{name}");
    }
    let folder = Folder::open(&vault.root(), &VaultOptions::default()).expect("it opens");
    let error = read_confined(&folder, &VaultPath::verbatim("out/secret.md")).expect_err("a link");
    assert_eq!(error.kind(), crate::ErrorKind::User, "{error}");
}

#[test]
fn only_what_a_scan_would_list_is_read() {
    let vault = TestVault::new(
        "//- a.md\nText.\n//- private/b.md\nText.\n//- .obsidian/c.md\nText.\n//- .trash/d.md\nText.\n\
         //- drafts/e.md\nText.\n//- f.txt\nText.\n//- templates/g.md\nText.\n//- big.md\nMore than ten.\n",
    );
    vault.write(".hikuignore", "drafts/\n");
    vault.write(".obsidian/app.json", r#"{"userIgnoreFilters": ["templates/"]}"#);
    let options = VaultOptions {
        exclude: vec!["private".to_owned()],
        max_note_bytes: 10,
        ..VaultOptions::default()
    };
    for name in [
        "private/b.md",
        "b",
        ".obsidian/c.md",
        ".obsidian/app.json",
        "c",
        ".trash/d.md",
        "drafts/e.md",
        "e",
        "f.txt",
        "f",
        "templates/g.md",
        "g",
        "private",
    ] {
        let error = read_by(&options, &vault, name, &Selection::Whole).expect_err(name);
        assert!(error.to_string().ends_with("is not a note of this vault"), "{name}: {error}");
    }
    let error = read_by(&options, &vault, "big", &Selection::Whole).expect_err("too large");
    assert_eq!(error.to_string(), "\"big\" is larger than a note may be");
    assert!(read_by(&options, &vault, "a", &Selection::Whole).is_ok());
}

#[test]
fn any_spelling_of_a_name_finds_the_note() {
    let vault = TestVault::new(
        "//- a/か\u{3099}.md\nText.\n//- same.md\nRoot.\n//- x/same.md\nDeep.\n//- y/two.md\n\n//- z/two.md\n\n",
    );
    for name in ["a/が.md", "a/が", "a/か\u{3099}", "./a/が", "が", "か\u{3099}.md"] {
        let note = read(&vault, name, &Selection::Whole).expect(name);
        assert_eq!(
            (note.path.as_str(), note.text.as_str()),
            ("a/か\u{3099}.md", "Text.\n"),
            "{name}"
        );
    }
    assert_eq!(read(&vault, "same", &Selection::Whole).expect("the root's").text, "Root.\n");
    assert_eq!(refused(&vault, "two"), "\"two\" is the name of several notes: y/two.md, z/two.md");
}

const NOTE: &str = "//- n.md\n---\ntitle: The title\n---\n# Top\nIntro.\n\n## 認証　ノ設計\n本文。\n\n\
    ### 期限\n一時間。\n\n\n## Other\nEnd.\n### 期限\nSecond.\n# Last\nno more\n";

#[test]
fn parts_are_whole_lines_of_the_file() {
    let vault = TestVault::new(NOTE);
    let heading = |text: &str| Selection::Heading(text.to_owned());
    for (selection, lines, text) in [
        (heading("other"), (14, 17), "## Other\nEnd.\n### 期限\nSecond.\n"),
        (heading("認証 の設計"), (7, 11), "## 認証　ノ設計\n本文。\n\n### 期限\n一時間。\n"),
        (heading("## 認証 ノ設計"), (7, 11), "## 認証　ノ設計\n本文。\n\n### 期限\n一時間。\n"),
        (heading("期限"), (10, 11), "### 期限\n一時間。\n"),
        (heading("LAST"), (18, 19), "# Last\nno more\n"),
        (Selection::Lines(5, 5), (5, 5), "Intro.\n"),
        (Selection::Lines(1, 3), (1, 3), "---\ntitle: The title\n---\n"),
        (Selection::Lines(0, 1), (1, 1), "---\n"),
        (Selection::Lines(18, usize::MAX), (18, 19), "# Last\nno more\n"),
    ] {
        let note = read(&vault, "n", &selection).expect("a part");
        assert_eq!((note.line_start, note.line_end), lines, "{selection:?}");
        assert_eq!((note.text.as_str(), note.lines), (text, 19), "{selection:?}");
        assert_eq!(note.title, "The title");
    }
    let whole = read(&vault, "n", &Selection::Whole).expect("the note");
    assert_eq!((whole.line_start, whole.line_end), (1, 19));
    assert_eq!(whole.text.len(), NOTE.len() - "//- n.md\n".len());
}

#[test]
fn parts_that_are_not_there_are_named() {
    let vault = TestVault::new(NOTE);
    vault.write("empty.md", "");
    for (name, selection, message) in [
        ("n", Selection::Heading("absent".to_owned()), "\"n.md\" has no heading \"absent\""),
        ("n", Selection::Lines(20, 25), "\"n.md\" has 19 lines, and no lines 20 to 25"),
        ("n", Selection::Lines(5, 4), "\"n.md\" has 19 lines, and no lines 5 to 4"),
        ("empty", Selection::Lines(1, 1), "\"empty.md\" has 0 lines, and no lines 1 to 1"),
    ] {
        let error = read(&vault, name, &selection).expect_err(message);
        assert_eq!((error.to_string().as_str(), error.kind()), (message, crate::ErrorKind::User));
    }
    let empty = read(&vault, "empty", &Selection::Whole).expect("an empty note");
    assert_eq!((empty.text.as_str(), empty.lines, empty.title.as_str()), ("", 0, "empty"));
}

#[test]
fn the_whole_note_is_redacted_before_a_part_is_cut() {
    let vault = TestVault::new("");
    let key: String =
        ["MIIEpAIBAAKCAQEAr3xQ9Zt7Vw2Lk5Hn8Jp4Fs6Dy1Gc0Bm3Ne5Ru7Ti9Oo2Aw4E"; 4].join("\n");
    vault.write(
        "keys.md",
        format!(
            "# Keys\n-----BEGIN RSA {0}-----\n{key}\n-----END RSA {0}-----\nAfter.\n\
             token: ghp_{1}\n",
            "PRIVATE KEY", "ZJDeVREhkptGF7Wvep0NwJWlPEQP7a0t2nxL"
        ),
    );
    for (selection, redactions) in [
        (Selection::Whole, 2),
        (Selection::Lines(1, 1), 0),
        (Selection::Lines(2, 2), 1),
        (Selection::Lines(4, 5), 1),
        (Selection::Lines(8, 8), 0),
        (Selection::Lines(9, 9), 1),
        (Selection::Lines(8, 9), 1),
    ] {
        let note = read(&vault, "keys", &selection).expect("a part");
        assert!(!note.text.contains("MIIE") && !note.text.contains("ghp_"), "{selection:?}");
        assert_eq!((note.redactions, note.lines), (redactions, 9), "{selection:?}: {}", note.text);
    }
    assert_eq!(read(&vault, "keys", &Selection::Lines(8, 8)).expect("a part").text, "After.\n");
}

#[test]
fn what_steers_a_terminal_is_left_out_and_legacy_text_is_decoded() {
    let vault = TestVault::new("");
    vault.write("a.md", "\u{FEFF}# T\u{1B}[31mx\r\nred\u{202E}\r\n");
    let note = read(&vault, "a", &Selection::Whole).expect("a note");
    assert_eq!((note.text.as_str(), note.title.as_str(), note.lines), ("# Tx\nred\n", "Tx", 2));
    let (bytes, ..) = encoding_rs::SHIFT_JIS.encode("# 文字コード\nこれは日本語の文章です。\n");
    vault.write("b.md", bytes);
    let note = read(&vault, "b", &Selection::Heading("文字コード".to_owned())).expect("a note");
    assert_eq!(note.line_end, 2);
}
