//! Bad notes and vaults: what cannot be read, decoded or parsed costs that note at most, is
//! reported, and nothing is written inside the vault. Faults of the index file are in `index_file.rs`.
//!
//! A test that is called `p07_...` and so on is of a fault that users of other programs have reported,
//! by its number among those that this one was tried on.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use hiku::vault::{Folder, Scan, Source, VaultOptions, VaultPath};
use hiku::{Change, ErrorKind, Index, SearchRequest, Settings, SilentProgress, UpdateOptions};
use testkit::TestVault;

use crate::harness::{
    FULL, PRUNE, assert_sound, by_word, found, indexed, open, try_update, update, update_with,
};

/// A vault of `count` notes in each folder.
fn folders(names: &[&str], count: usize) -> TestVault {
    let vault = TestVault::new("");
    for name in names {
        for number in 0..count {
            vault.write(&format!("{name}/{number}.md"), format!("The {name} note {number}.\n"));
        }
    }
    vault
}

#[test]
fn a_missing_vault_is_a_user_error_and_makes_no_index() {
    let vault = TestVault::new("//- a.md\ntext\n");
    for place in ["absent", "vault/a.md"] {
        let root = vault.outer().join(place);
        let result = try_update(&root, &vault.index(), &by_word(), UpdateOptions::default());
        assert_eq!(result.expect_err(place).kind(), ErrorKind::User);
        assert!(!vault.index().exists(), "{place}");
    }
}

#[test]
fn an_empty_vault_has_a_good_index_that_finds_nothing() {
    let (vault, index) = indexed("", &Settings::default());
    assert_eq!(found(&index, "anything"), [""; 0]);
    vault.write("first.md", "The first note.\n");
    assert_eq!(update(&vault, &Settings::default()).count(Change::Added), 1);
    assert_eq!(found(&index, "first"), ["first.md"]);
}

#[test]
fn an_empty_vaults_index_is_sound() {
    let (vault, _index) = indexed("", &Settings::default());
    assert_sound(&vault.index());
}

#[test]
fn nothing_is_written_inside_the_vault() {
    let vault = TestVault::new("//- a.md\ntext\n//- b/c.md\nmore text\n");
    vault.write(".obsidian/app.json", "{}");
    let before = vault.listing();
    update(&vault, &Settings::default());
    let index = open(&vault, &Settings::default());
    index.search(&SearchRequest::new("text")).expect("an answer");
    update_with(&vault, &Settings::default(), FULL);
    assert_eq!(vault.listing(), before);
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_skipped_with_a_reason_or_is_a_folder() {
    let vault =
        TestVault::new("//- good.md\nA good note.\n//- folder.md/inside.md\nA note inside.\n");
    std::os::unix::fs::symlink("nowhere.md", vault.root().join("dangling.md")).expect("a link");
    std::os::unix::fs::symlink("good.md", vault.root().join("link.md")).expect("a link");
    std::os::unix::fs::symlink(".", vault.root().join("loop")).expect("a link");
    let _socket = std::os::unix::net::UnixListener::bind(vault.root().join("socket.md"));
    let report = update(&vault, &by_word());
    let skipped: Vec<_> = report.skipped.iter().map(|skip| skip.path.as_str()).collect();
    assert_eq!(skipped, ["dangling.md", "link.md", "loop", "socket.md"]);
    assert_eq!(report.notes, 2);
    assert_eq!(found(&open(&vault, &by_word()), "note").len(), 2);
    assert_eq!(update(&vault, &by_word()).generation, report.generation, "nothing changed");
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_not_text_is_reported() {
    use std::os::unix::ffi::OsStrExt;
    let vault = TestVault::new("//- good.md\nA good note.\n");
    let name = std::ffi::OsStr::from_bytes(b"bad\xFF.md");
    if std::fs::write(vault.root().join(name), "text").is_err() {
        return;
    }
    let report = update(&vault, &by_word());
    assert_eq!((report.notes, report.skipped.len()), (1, 1), "{report:?}");
}

#[cfg(unix)]
#[test]
fn p12_a_note_without_permission_is_skipped_and_its_old_entry_kept() {
    use std::os::unix::fs::PermissionsExt;
    let vault = TestVault::new("//- locked.md\nThe locked note.\n//- good.md\nThe good note.\n");
    update(&vault, &by_word());
    let file = vault.root().join("locked.md");
    vault.set_modified("locked.md", 1);
    let forbid = |mode| std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode));
    forbid(0o000).expect("permissions");
    if std::fs::read(&file).is_ok() {
        println!("skipped: the superuser, who runs this test, reads files without permission too");
        return;
    }
    let report = update(&vault, &by_word());
    forbid(0o600).expect("permissions");
    let skipped: Vec<_> = report.skipped.iter().map(|skip| skip.path.as_str()).collect();
    assert_eq!(skipped, ["locked.md"]);
    assert_eq!(found(&open(&vault, &by_word()), "locked"), ["locked.md"]);
}

/// A folder of which some notes cannot be read, as on a failing disk.
struct Failing<'f>(&'f Folder, &'f [&'f str]);

impl Source for Failing<'_> {
    fn scan(&self) -> hiku::Result<Scan> {
        self.0.scan()
    }

    fn read(&self, path: &VaultPath) -> std::io::Result<Vec<u8>> {
        if self.1.contains(&path.as_str()) {
            return Err(std::io::Error::other("input/output error"));
        }
        self.0.read(path)
    }
}

#[test]
fn p12_a_note_that_the_disk_refuses_is_reported_and_stops_nothing() {
    let vault = TestVault::new("//- bad.md\nThe bad note.\n//- good.md\nThe good note.\n");
    update(&vault, &by_word());
    vault.write("bad.md", "The bad note, changed.\n");
    vault.write("worse.md", "Never read.\n");
    vault.write("new.md", "A new note.\n");
    let folder = Folder::open(&vault.root(), &by_word().vault).expect("the vault");
    let refresh = |refused: &[&str]| {
        let (source, stop) = (Failing(&folder, refused), AtomicBool::new(false));
        let options = UpdateOptions::default();
        Index::update(&source, &vault.index(), &by_word(), options, &SilentProgress, &stop)
            .expect("an update")
    };
    let report = refresh(&["bad.md", "worse.md"]);
    let skipped: Vec<_> =
        report.skipped.iter().map(|skip| (skip.path.as_str(), skip.reason.describe())).collect();
    let reason = "cannot be read: input/output error".to_owned();
    assert_eq!(skipped, [("bad.md", reason.clone()), ("worse.md", reason)]);
    assert_eq!((report.notes, report.count(Change::Added)), (3, 1));
    let index = open(&vault, &by_word());
    assert_eq!(found(&index, "bad note"), ["bad.md", "good.md", "new.md"]);
    assert_eq!(
        (found(&index, "changed").len(), index.status().expect("a status").skipped.len()),
        (0, 2)
    );
    let again = refresh(&["bad.md", "worse.md"]);
    assert_eq!((again.generation, again.skipped.len()), (report.generation, 2));
    let mended = refresh(&[]);
    assert_eq!((mended.notes, mended.skipped.len()), (4, 0));
    assert_eq!(found(&open(&vault, &by_word()), "changed"), ["bad.md"]);
}

#[test]
fn p09_notes_that_are_not_utf8_are_decoded_and_reported_and_stop_nothing() {
    let vault = TestVault::new("//- good.md\nThe good note.\n");
    // 「これは日本語の文章です。鍵を探す。」 in Shift_JIS and EUC-JP.
    let text = "これは日本語の文章です。鍵を探す。検索の結果を確かめる。\n";
    let (shift_jis, _, _) = encoding_rs::SHIFT_JIS.encode(text);
    let (euc_jp, _, _) = encoding_rs::EUC_JP.encode(text);
    vault.write("sjis.md", &shift_jis);
    vault.write("euc.md", &euc_jp);
    vault.write("broken.md", b"Some broken \xC3\x28 bytes \xF0\x9F and more text\n");
    let utf16: Vec<u8> =
        [0xFEFFu16].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    vault.write("utf16.md", &utf16);
    vault.write("unmarked.md", &utf16[2..]);
    vault.write("latin.md", b"Gr\xFC\xDFe aus der K\xFCche, d\xE9j\xE0 vu, se\xF1or, gar\xE7on.\n");
    let report = update(&vault, &by_word());
    assert_eq!((report.notes, report.skipped.len()), (7, 0), "{report:?}");
    let warned = |path: &str| {
        let own = report.warnings.iter().filter(|(warned, ..)| warned == path);
        own.map(|(_, line, message)| (*line, message.as_str())).collect::<Vec<_>>()
    };
    for (path, message) in [
        ("sjis.md", "not UTF-8, read as: Shift_JIS"),
        ("euc.md", "not UTF-8, read as: EUC-JP"),
        ("utf16.md", "not UTF-8, read as: UTF-16LE"),
        ("unmarked.md", "not UTF-8, read as: UTF-16LE"),
        ("latin.md", "not UTF-8, read as: windows-1252"),
    ] {
        assert_eq!(warned(path), [(1, message)], "{path}");
    }
    assert!(!warned("broken.md").is_empty() && warned("good.md").is_empty());
    let index = open(&vault, &by_word());
    let mut japanese = found(&index, "日本語の文章");
    japanese.sort();
    assert_eq!(japanese, ["euc.md", "sjis.md", "unmarked.md", "utf16.md"]);
    assert_eq!(found(&index, "broken bytes"), ["broken.md"]);
    assert_eq!(found(&index, "Grüße"), ["latin.md"]);
    let status = index.status().expect("a status");
    let encodings: Vec<_> =
        status.encodings.iter().map(|(name, notes)| (name.as_str(), *notes)).collect();
    let utf16 = encodings.iter().find(|(name, _)| *name == "UTF-16LE");
    assert_eq!(utf16, Some(&("UTF-16LE", 2)), "{encodings:?}");
    assert!(status.warnings.iter().any(|(path, ..)| path == "sjis.md"));
}

#[test]
fn p10_byte_order_marks_and_line_ends_hide_no_front_matter_and_no_heading() {
    let text = "---\ntitle: The title\ntags: [one, two]\naliases: [other name]\ncreated: 2026-05-01\n\
                ---\n# Heading\n\nThe body 本文 with words.\n\n## Second\n\nMore words.\n";
    let crlf = text.replace('\n', "\r\n");
    let variants =
        [text.to_owned(), format!("\u{FEFF}{text}"), crlf.clone(), format!("\u{FEFF}{crlf}")];
    for (number, variant) in variants.into_iter().enumerate() {
        let vault = TestVault::new("");
        vault.write("note.md", &variant);
        let report = update(&vault, &by_word());
        assert_eq!(report.warnings, [], "variant {number}");
        let index = open(&vault, &by_word());
        for query in ["title", "other name", "本文", "more words", "body tag:two"] {
            let response = index.search(&SearchRequest::new(query)).expect("an answer");
            let hit = response.hits.first().unwrap_or_else(|| panic!("{query:?} in {number}"));
            assert_eq!((hit.title.as_str(), hit.date.as_str()), ("The title", "2026-05-01"));
            assert_eq!(hit.tags, ["one", "two"], "variant {number}");
            assert!(hit.passages.iter().all(|passage| !passage.text.contains('\r')), "{hit:?}");
        }
        let response = index.search(&SearchRequest::new("\"More words\"")).expect("an answer");
        assert_eq!(response.hits[0].passages[0].line_end, 13, "variant {number}: {response:#?}");
    }
}

#[test]
fn escape_sequences_are_no_words_and_lines_stay_where_they_are() {
    let vault = TestVault::new("//- log.md\n");
    let token = "7wQmZ2kTfR9vLx4NbY1cHsJ8pDgE5uWaKt3o";
    vault.write(
        "log.md",
        format!(
            "# Build \u{1B}[31mlog\u{1B}[0m\n\n\u{1B}[1;32mPassed\u{1B}[0m the first stage.\n\n\
             ## \u{1B}]8;;https://sesame.example/\u{7}Second\u{1B}]8;;\u{7}\n\nzero\0byte, then be\u{7}ll.\n\
             ghp_{}\u{1B}[0m{}\n",
            &token[..9],
            &token[9..]
        ),
    );
    vault.write("a\u{1B}[35mb.md", "A name with a colour.\n");
    let report = update(&vault, &by_word());
    assert_eq!(report.redactions.len(), 1, "{:?}", report.redactions);
    let index = open(&vault, &by_word());
    for query in
        ["passed", "\"passed the first\"", "zero", "byte", "bell", "second", "\"build log\""]
    {
        assert_eq!(found(&index, query), ["log.md"], "{query}");
    }
    for query in ["31mlog", "mlog", "sesame", "32m", "0m", "35mb", "\"zerobyte\""] {
        assert_eq!(found(&index, query), [""; 0], "{query}");
    }
    let response = index.search(&SearchRequest::new("bell")).expect("an answer");
    let passage = &response.hits[0].passages[0];
    assert!(passage.text.contains("bell") && !passage.text.contains(&token[9..]));
    let stored = index.stored("log.md").expect("the note");
    let bytes = std::fs::read(vault.root().join("log.md")).expect("the note");
    let last = stored.chunks.last().expect("a chunk");
    assert_eq!((stored.chunks[0].line_start, last.line_end), (1, 8), "{:?}", stored.chunks);
    for chunk in &stored.chunks {
        let original = std::str::from_utf8(&bytes[chunk.bytes.clone()]).expect("whole characters");
        let first = chunk.text.lines().next().unwrap_or_default();
        let word = first.split_whitespace().last().unwrap_or_default();
        assert!(original.contains(word), "{word:?} in {original:?}");
    }
}

#[test]
fn p11_a_broken_header_costs_one_warning_and_no_text() {
    let shapes = [
        "---\npath: `C:\\notes\\x`\ntitle: Kept\n---\nThe body stays findable.\n",
        "---\n\nA leading rule, no header. The body stays findable.\n\n---\nMore.\n",
        "---\npattern: *\n---\nThe body stays findable.\n",
        "---\nlinks:\n  - [[x]]y\n---\nThe body stays findable.\n",
        "---\nopen: [\nThe body stays findable, the header has no end.\n",
        "---\nkey: value\nkey: again\n---\nThe body stays findable.\n",
        "---\n\tindented: by a tab\n---\nThe body stays findable.\n",
        "---\njust a sentence: with: colons\n---\nThe body stays findable.\n",
    ];
    let vault = TestVault::new("//- good.md\n---\ntitle: Good\n---\nA good note.\n");
    for (number, text) in shapes.iter().enumerate() {
        vault.write(&format!("shape-{number}.md"), text);
    }
    let report = update(&vault, &by_word());
    assert_eq!((report.notes, report.skipped.len()), (shapes.len() + 1, 0));
    let found = found(&open(&vault, &by_word()), "body findable");
    for number in 0..shapes.len() {
        let path = format!("shape-{number}.md");
        assert!(found.contains(&path), "{path} in {found:?}");
        let warnings: Vec<_> = report.warnings.iter().filter(|(own, ..)| *own == path).collect();
        assert!(warnings.len() <= 1, "{warnings:?}");
        assert!(warnings.iter().all(|(_, line, _)| (1..=5).contains(line)), "{warnings:?}");
    }
    for number in [0, 2, 3] {
        let path = format!("shape-{number}.md");
        assert!(report.warnings.iter().any(|(own, ..)| *own == path), "{path} has no warning");
    }
}

#[test]
fn p08_composed_and_decomposed_names_and_texts_find_each_other() {
    let vault = TestVault::new("");
    vault.write("か\u{3099}くしゅう.md", "分解された名前。リンクは [[か\u{3099}くしゅう]] へ。\n");
    vault.write("link.md", "合成のリンク [[がくしゅう]] が一つ。\n");
    update(&vault, &by_word());
    let index = open(&vault, &by_word());
    for query in ["がくしゅう", "か\u{3099}くしゅう"] {
        let found = found(&index, query);
        assert_eq!(found.first().map(String::as_str), Some("か\u{3099}くしゅう.md"), "{query}");
        assert!(vault.root().join(&found[0]).exists());
    }
    let links = index.links("link").expect("the note's links");
    assert_eq!(links.links[0].path.as_deref(), Some("か\u{3099}くしゅう.md"));
    for query in ["リンク [[がくしゅう]]", "リンク [[か\u{3099}くしゅう]]"] {
        assert_eq!(found(&index, query).len(), 2, "{query}");
    }
}

#[test]
fn p07_names_that_differ_by_space_case_or_underscore_stay_apart() {
    let names =
        ["a b.md", "a_b.md", "A b.md", "2026_06_16.md", "2026-06-16.md", "a  b.md", "a b .md"];
    let vault = TestVault::new("");
    for name in names {
        vault.write(name, "The same words.\n");
    }
    assert_eq!(update(&vault, &by_word()).notes, names.len());
    assert_eq!(update(&vault, &by_word()).changes, []);
    for name in names {
        let stored = open(&vault, &by_word()).stored(name).expect("the note");
        assert_eq!(stored.path, name);
    }
    let mut found = found(&open(&vault, &by_word()), "same words");
    found.sort();
    let mut expected = names.map(str::to_owned);
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn large_notes_are_indexed_in_seconds() {
    let paragraph = "A paragraph about searching 検索の段落 with some words in it, number ";
    let mut large = String::with_capacity(21 << 20);
    for number in 0.. {
        large.push_str(paragraph);
        large.push_str(&number.to_string());
        large.push_str(if number % 7 == 0 { ".\n\n## Section\n\n" } else { ".\n" });
        if large.len() > 20 << 20 {
            break;
        }
    }
    large.push_str("\nThe needle at the very end.\n");
    let line = "とても長い一行のなかの文。and words ".repeat(2 << 20 >> 5) + "終わりの印";
    let vault = TestVault::new("//- small.md\nA small note.\n");
    vault.write("large.md", large);
    vault.write("line.md", line);
    let report = update(&vault, &by_word());
    assert_eq!((report.notes, report.skipped.len()), (3, 0));
    let index = open(&vault, &by_word());
    assert_eq!(found(&index, "needle"), ["large.md"]);
    assert_eq!(found(&index, "終わりの印").first().map(String::as_str), Some("line.md"));
    let response = index.search(&SearchRequest::new("needle")).expect("an answer");
    let passage = &response.hits[0].passages[0];
    assert!(
        passage.text.contains("needle") && passage.text.len() < 20_000,
        "{}",
        passage.text.len()
    );
}

#[test]
fn a_note_over_the_limit_is_skipped_and_removed() {
    let vault = TestVault::new("//- a.md\nshort\n//- b.md\nshort too\n");
    let vault_options = VaultOptions { max_note_bytes: 100, ..VaultOptions::default() };
    let settings = Settings { vault: vault_options, ..by_word() };
    update(&vault, &settings);
    vault.write("a.md", "long ".repeat(100));
    let report = update(&vault, &settings);
    assert_eq!((report.notes, report.skipped.len(), report.count(Change::Removed)), (1, 1, 1));
    assert_eq!(found(&open(&vault, &settings), "short"), ["b.md"]);
}

#[test]
fn a_great_loss_is_kept_until_asked_to_prune() {
    let vault = folders(&["one", "two"], 15);
    update(&vault, &by_word());
    let check = |options: UpdateOptions, left: usize, kept: usize| {
        let report = update_with(&vault, &by_word(), options);
        assert_eq!(report.kept, kept, "{report:?}");
        let request = SearchRequest { limit: 100, ..SearchRequest::new("note") };
        let response = open(&vault, &by_word()).search(&request).expect("an answer");
        assert_eq!((response.hits.len(), response.notes), (left, left));
        assert_sound(&vault.index());
    };
    remove_folder(&vault.root().join("one"));
    for number in 0..5 {
        vault.remove(&format!("two/{number}.md"));
    }
    check(UpdateOptions::default(), 30, 20);
    check(PRUNE, 10, 0);
    // A folder that shows no note at all looks unmounted, however few notes it had.
    remove_folder(&vault.root().join("two"));
    check(UpdateOptions::default(), 10, 10);
    check(PRUNE, 0, 0);
}

#[test]
fn a_loss_that_is_kept_stays_kept_whatever_comes_after() {
    let vault = folders(&["one", "two"], 15);
    update(&vault, &by_word());
    let kept = || {
        let report = update(&vault, &by_word());
        assert_sound(&vault.index());
        (report.kept, report.count(Change::Removed))
    };
    let away = vault.outer().join("away");
    std::fs::rename(vault.root().join("one"), &away).expect("a folder goes away");
    vault.remove("two/0.md");
    assert_eq!(kept(), (16, 0));
    for number in 0..40 {
        vault.write(&format!("new/{number}.md"), format!("New note {number}.\n"));
    }
    assert_eq!(kept(), (16, 0), "more notes since do not make it small");
    vault.remove("new/0.md");
    assert_eq!(kept(), (17, 0));
    std::fs::rename(&away, vault.root().join("one")).expect("it comes back");
    assert_eq!(kept(), (0, 2));
    vault.remove("new/1.md");
    assert_eq!(kept(), (0, 1), "a loss that was mended is forgotten");
}

#[test]
fn half_of_a_vault_that_moves_is_no_loss() {
    let vault = folders(&["one", "two"], 15);
    update(&vault, &Settings::default());
    std::fs::rename(vault.root().join("one"), vault.root().join("three")).expect("a move");
    for number in 0..3 {
        std::fs::rename(
            vault.root().join(format!("two/{number}.md")),
            vault.root().join(format!("{number}.md")),
        )
        .expect("a move");
    }
    let report = update(&vault, &Settings::default());
    assert_eq!((report.count(Change::Moved), report.kept, report.embedded), (18, 0, 0));
}

fn remove_folder(folder: &Path) {
    std::fs::remove_dir_all(folder).expect("the folder to remove");
}

/// Indexes, then leaves out the folder `private`, and gives what is still found of it.
fn found_of_excluded(private: usize, public: usize) -> usize {
    let vault = folders(&["private"], private);
    for number in 0..public {
        vault.write(&format!("public/{number}.md"), format!("The public note {number}.\n"));
    }
    update(&vault, &by_word());
    let exclude = vec!["private".to_owned()];
    let settings =
        Settings { vault: VaultOptions { exclude, ..VaultOptions::default() }, ..by_word() };
    let report = update(&vault, &settings);
    assert_eq!(report.notes, public);
    found(&open(&vault, &settings), "private").len()
}

#[test]
fn a_newly_excluded_folder_leaves_the_index() {
    assert_eq!(found_of_excluded(5, 25), 0);
    assert_eq!(found_of_excluded(15, 4), 0);
}

#[test]
fn a_newly_excluded_folder_of_most_notes_leaves_the_index() {
    assert_eq!(found_of_excluded(25, 5), 0);
}

#[test]
fn a_dry_run_reports_and_writes_nothing() {
    let vault = TestVault::new("//- a.md\nThe first.\n");
    let dry = UpdateOptions { dry_run: true, ..UpdateOptions::default() };
    assert_eq!(update_with(&vault, &by_word(), dry).count(Change::Added), 1);
    assert!(!vault.index().exists());
    let generation = update(&vault, &by_word()).generation;
    vault.write("b.md", "The second.\n");
    vault.write("a.md", "The first, changed.\n");
    let report = update_with(&vault, &by_word(), dry);
    assert_eq!((report.count(Change::Added), report.count(Change::Changed)), (1, 1), "{report:?}");
    let index = Index::open(&vault.index(), &by_word()).expect("an index");
    assert_eq!(found(&index, "second"), [""; 0]);
    assert_eq!(update_with(&vault, &by_word(), dry).generation, generation);
    update(&vault, &by_word());
    vault.rename("b.md", "folder/b.md");
    let moved = update_with(&vault, &by_word(), dry);
    assert_eq!(moved.changes, [(Change::Moved, "folder/b.md".to_owned())]);
}
