//! The walk: which files are notes, what is skipped and why, links and placeholders.

use super::*;
use testkit::TestVault;

fn paths(vault: &TestVault, options: &VaultOptions) -> Vec<String> {
    let folder = Folder::open(&vault.root(), options).expect("the vault opens");
    let scan = folder.scan().expect("it scans");
    scan.entries.into_iter().map(|entry| entry.path.to_string()).collect()
}

#[cfg(unix)]
#[test]
fn a_cloud_placeholder_is_skipped_and_never_opened() {
    let vault = TestVault::new("//- here.md\nText.\n");
    let sparse = |name: &str, bytes: u64| {
        let file = fs::File::create(vault.root().join(name)).expect("a file");
        file.set_len(bytes).expect("its length");
    };
    sparse("away.md", 50_000);
    sparse("small.md", 100);
    let folder = Folder::open(&vault.root(), &VaultOptions::default()).expect("it opens");
    let scan = folder.scan().expect("it scans");
    let names: Vec<_> = scan.entries.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!(names, ["here.md", "small.md"]);
    let [away] = scan.skipped.as_slice() else { panic!("{:?}", scan.skipped) };
    assert_eq!((away.path.as_str(), &away.reason), ("away.md", &SkipReason::NotDownloaded));
}

#[test]
fn where_no_file_has_blocks_none_is_a_placeholder() {
    let note = |name: &str| ScanEntry {
        path: VaultPath::new(name).expect("a path"),
        modified_ns: 0,
        changed_ns: 0,
        size: 50_000,
    };
    let mut found = Found::default();
    found.add(note("a.md"), Storage::Nowhere);
    let mut other = Found::default();
    other.add(note("b.md"), Storage::Unknown);
    found.append(&mut other);
    let scan = found.scan();
    assert_eq!((scan.entries.len(), scan.skipped.len()), (2, 0));
}

#[test]
fn rules_choose_notes_and_exclusion_beats_inclusion() {
    let vault = TestVault::new(
        "//- a.md\n//- b/c.MARKDOWN\n//- b/d.txt\n//- private/e.md\n//- .obsidian/f.md\n\
         //- .trash/g.md\n//- deep/.git/h.md\n//- deep/i.md\n//- deep/private/j.md\n",
    );
    let all = ["a.md", "b/c.MARKDOWN", "deep/i.md", "deep/private/j.md", "private/e.md"];
    assert_eq!(paths(&vault, &VaultOptions::default()), all);
    let excluded = VaultOptions { exclude: vec!["private".to_owned()], ..VaultOptions::default() };
    assert_eq!(paths(&vault, &excluded), ["a.md", "b/c.MARKDOWN", "deep/i.md"]);
    let both = VaultOptions {
        include: vec!["deep/".to_owned()],
        exclude: vec!["deep/private/".to_owned()],
        ..VaultOptions::default()
    };
    assert_eq!(paths(&vault, &both), ["deep/i.md"]);
}

#[test]
fn hikuignore_files_leave_paths_out_and_the_deepest_decides() {
    let vault = TestVault::new(
        "//- a.md\n//- drafts/b.md\n//- sub/c.md\n//- sub/tmp-1.md\n//- sub/deep/tmp-2.md\n\
         //- sub/deep/x/d.md\n//- tmp-3.md\n",
    );
    vault.write(".hikuignore", "\u{FEFF}drafts/\n# a remark\n[z-a\ntmp-*\n");
    vault.write("sub/deep/.hikuignore", "!tmp-2.md\n/x\n");
    vault.write("drafts/.hikuignore", "!*\n");
    let expected = ["a.md", "sub/c.md", "sub/deep/tmp-2.md"];
    assert_eq!(paths(&vault, &VaultOptions::default()), expected);
}

#[cfg(unix)]
#[test]
fn settings_that_are_no_files_of_the_vault_are_reported_and_never_opened() {
    let vault = TestVault::new("//- a.md\n//- sub/b.md\n//- c/d.md\n");
    vault.pipe(".hikuignore");
    vault.pipe("note.md");
    std::fs::write(vault.outer().join("list"), "*.md\n").expect("a file");
    std::os::unix::fs::symlink("../../list", vault.root().join("sub/.hikuignore")).expect("a link");
    vault.pipe(".obsidian/app.json");
    let folder = Folder::open(&vault.root(), &VaultOptions::default()).expect("it opens");
    let scan = folder.scan().expect("it scans");
    let skipped: Vec<_> = scan.skipped.iter().map(|s| (s.path.as_str(), &s.reason)).collect();
    let expected = [
        (".hikuignore", &SkipReason::NotAFile),
        (".obsidian/app.json", &SkipReason::NotAFile),
        ("note.md", &SkipReason::NotAFile),
        ("sub/.hikuignore", &SkipReason::SymbolicLink),
    ];
    assert_eq!(skipped, expected);
    assert_eq!(scan.entries.len(), 3);
    assert!(folder.read(&VaultPath::verbatim("note.md")).is_err());
}

#[cfg(unix)]
#[test]
fn links_and_large_files_are_skipped_with_a_reason() {
    let vault = TestVault::new("//- a.md\n//- big.md\nmore than ten bytes\n");
    std::os::unix::fs::symlink("/etc/hostname", vault.root().join("link.md")).expect("a link");
    let options = VaultOptions { max_note_bytes: 10, ..VaultOptions::default() };
    let scan = Folder::open(&vault.root(), &options).and_then(|f| f.scan()).expect("a scan");
    let reasons: Vec<_> = scan.skipped.iter().map(|s| (s.path.as_str(), &s.reason)).collect();
    assert_eq!(
        reasons,
        [("big.md", &SkipReason::TooLarge(20)), ("link.md", &SkipReason::SymbolicLink)]
    );
}

#[cfg(unix)]
#[test]
fn linked_folders_are_not_entered() {
    let vault = TestVault::new("//- a.md\n//- b/c.md\n");
    let outside = vault.outer().join("outside");
    std::fs::create_dir(&outside).expect("a folder");
    std::fs::write(outside.join("secret.md"), "secret").expect("a file");
    for (target, link) in
        [(outside.as_path(), "out"), (&vault.root().join("b"), "b/in"), (&vault.root(), "b/up")]
    {
        std::os::unix::fs::symlink(target, vault.root().join(link)).expect("a link");
    }
    assert_eq!(paths(&vault, &VaultOptions::default()), ["a.md", "b/c.md"]);
}

#[test]
fn files_that_obsidian_excludes_are_left_out() {
    let vault = TestVault::new(
        "//- a.md\n//- templates/b.md\n//- x/templates/c.md\n//- log/2026-04-10.md\n//- log/d.md\n",
    );
    vault.write(
        ".obsidian/app.json",
        r#"{"userIgnoreFilters": ["templates/", "/\\d{4}-\\d\\d-\\d\\d/"]}"#,
    );
    assert_eq!(paths(&vault, &VaultOptions::default()), ["a.md", "log/d.md", "x/templates/c.md"]);
}

#[test]
fn a_narrow_scan_lists_only_the_wanted_folders() {
    let vault = TestVault::new("//- a.md\n//- b/c.md\n//- b/d/e.md\n//- f/g.md\n");
    let folder = Folder::open(&vault.root(), &VaultOptions::default()).expect("it opens");
    let scan = folder.scan_along(&|folder| folder == "b").expect("it scans");
    let found: Vec<&str> = scan.entries.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!(found, ["a.md", "b/c.md"]);
}

#[test]
fn a_missing_vault_and_a_file_are_user_errors() {
    let vault = TestVault::new("//- a.md\n");
    for path in [vault.root().join("absent"), vault.root().join("a.md")] {
        let error = Folder::open(&path, &VaultOptions::default()).expect_err("no vault");
        assert_eq!(error.kind(), crate::ErrorKind::User, "{error}");
    }
}

/// Paths of the notes, and of what was skipped with the reason, where links are followed.
#[cfg(unix)]
fn followed(vault: &TestVault, options: &VaultOptions) -> (Vec<String>, Vec<(String, SkipReason)>) {
    let options = VaultOptions { follow_links: true, ..options.clone() };
    let folder = Folder::open(&vault.root(), &options).expect("the vault opens");
    let scan = folder.scan().expect("it scans");
    let entries = scan.entries.into_iter().map(|entry| entry.path.to_string()).collect();
    (entries, scan.skipped.into_iter().map(|skip| (skip.path, skip.reason)).collect())
}

#[cfg(unix)]
fn link(vault: &TestVault, target: impl AsRef<Path>, name: &str) {
    std::os::unix::fs::symlink(target, vault.root().join(name)).expect("a link");
}

#[cfg(unix)]
#[test]
fn links_are_followed_inside_the_vault_only_and_never_in_a_circle() {
    let vault = TestVault::new("//- a.md\n//- b/c.md\n//- b/deep/d.md\n//- e/f.md\n//- t.txt\n");
    let outside = vault.outer().join("outside");
    fs::create_dir(&outside).expect("a folder");
    fs::write(outside.join("secret.md"), "secret").expect("a file");
    link(&vault, "b", "in");
    link(&vault, "t.txt", "t.md");
    link(&vault, "../outside", "out");
    link(&vault, "../outside/secret.md", "secret.md");
    link(&vault, "../outside/secret.md", "no note.txt");
    link(&vault, "out/secret.md", "by way of out.md");
    link(&vault, "absent.md", "broken.md");
    link(&vault, ".", "circle");
    link(&vault, "../..", "b/deep/up");
    // Across each other.
    link(&vault, "../e", "b/e");
    link(&vault, "../b", "e/b");
    let (notes, skipped) = followed(&vault, &VaultOptions::default());
    let expected = [
        "a.md",
        "b/c.md",
        "b/deep/d.md",
        "b/e/f.md",
        "e/b/c.md",
        "e/b/deep/d.md",
        "e/f.md",
        "in/c.md",
        "in/deep/d.md",
        "t.md",
    ];
    assert_eq!(notes, expected);
    let reasons: Vec<_> = skipped.iter().map(|(path, reason)| (path.as_str(), reason)).collect();
    let broken = reasons.iter().position(|(path, _)| *path == "broken.md").expect("it is reported");
    assert!(matches!(reasons[broken].1, SkipReason::Unreadable(_)));
    for (path, reason) in [
        ("out", SkipReason::LinkOutside),
        ("secret.md", SkipReason::LinkOutside),
        ("by way of out.md", SkipReason::LinkOutside),
        ("circle", SkipReason::LinkInCircle),
        ("b/deep/up", SkipReason::LinkInCircle),
    ] {
        assert!(reasons.contains(&(path, &reason)), "{path}: {reasons:?}");
    }
    assert!(
        !reasons.iter().any(|(path, _)| path.is_empty() || *path == "no note.txt"),
        "{reasons:?}"
    );
}

#[cfg(unix)]
#[test]
fn a_link_shows_nothing_that_is_left_out_at_its_own_place() {
    let vault = TestVault::new(
        "//- private/a.md\n//- .trash/b.md\n//- .obsidian/c.md\n//- templates/d.md\n//- e.md\n",
    );
    vault.write(".obsidian/app.json", r#"{"userIgnoreFilters": ["templates/"]}"#);
    for (target, name) in [
        ("private", "1"),
        (".trash", "2"),
        (".obsidian", "3"),
        ("templates", "4"),
        ("private/a.md", "5.md"),
        (".trash/b.md", "6.md"),
        ("templates/d.md", "7.md"),
        ("e.md", "8.md"),
    ] {
        link(&vault, target, name);
    }
    let options = VaultOptions { exclude: vec!["/private".to_owned()], ..VaultOptions::default() };
    assert_eq!(followed(&vault, &options), (vec!["8.md".into(), "e.md".into()], Vec::new()));
}

#[cfg(unix)]
#[test]
fn many_links_across_each_other_end() {
    let vault = TestVault::new("");
    let names: Vec<String> = (0..12).map(|number| format!("f{number}")).collect();
    for name in &names {
        vault.write(&format!("{name}/note.md"), "Text.\n");
        for other in names.iter().filter(|other| *other != name) {
            link(&vault, format!("../{other}"), &format!("{name}/{other}"));
        }
    }
    let (notes, _) = followed(&vault, &VaultOptions::default());
    assert_eq!(notes.len(), 12 * 12);
}

#[cfg(unix)]
#[test]
fn links_to_folders_that_are_not_followed_are_reported() {
    let vault = TestVault::new("//- a.md\n//- b/c.md\n//- x/d.md\n");
    link(&vault, "b", "linked");
    link(&vault, "b", ".git");
    link(&vault, "b", "x/hidden");
    let options = VaultOptions { exclude: vec!["x".to_owned()], ..VaultOptions::default() };
    let scan = Folder::open(&vault.root(), &options).and_then(|f| f.scan()).expect("a scan");
    let linked = Skipped { path: "linked".to_owned(), reason: SkipReason::SymbolicLink };
    assert_eq!(scan.skipped, [linked]);
}

#[cfg(unix)]
#[test]
fn what_became_a_link_out_of_the_vault_is_not_read() {
    let vault = TestVault::new("//- a/b.md\nText.\n");
    let outside = vault.outer().join("outside");
    fs::create_dir(&outside).expect("a folder");
    fs::write(outside.join("b.md"), "secret").expect("a file");
    for follow_links in [false, true] {
        let options = VaultOptions { follow_links, ..VaultOptions::default() };
        let folder = Folder::open(&vault.root(), &options).expect("it opens");
        assert!(folder.scan().is_ok_and(|scan| scan.entries.len() == 1));
        let path = VaultPath::verbatim("a/b.md");
        assert!(folder.read(&path).is_ok());
        fs::rename(vault.root().join("a"), vault.root().join("kept")).expect("a rename");
        link(&vault, &outside, "a");
        assert!(folder.read(&path).is_err_and(|error| error.to_string().contains("outside")));
        fs::remove_file(vault.root().join("a")).expect("the link");
        fs::rename(vault.root().join("kept"), vault.root().join("a")).expect("a rename");
    }
}
