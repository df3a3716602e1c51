//! Odd files, as far as what is said of them: encodings, conflict copies, canvases that are none,
//! links to folders. What is made of them is tested in the library.

use testkit::TestVault;

use crate::harness::{json, shown};

/// A vault with one of each.
fn odd() -> TestVault {
    let plan = "# Plan\n\nSow tomatoes in April, under glass, as soon as the nights are mild.\n";
    let vault = TestVault::new("//- board.canvas\n{\"nodes\": [\n{\"id\":\n");
    vault.write("Plan.md", plan);
    vault.write("Plan.sync-conflict-20240102-030405-ABCDEFG.md", plan);
    vault.write(
        "Plan (Conflicted copy iPhone 202401020304).md",
        format!("{plan}\nIn a greenhouse.\n"),
    );
    let text = "\u{FEFF}これは日本語の文章です。\n".encode_utf16();
    vault.write("wide.md", text.flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
    vault
}

#[test]
fn what_was_read_otherwise_or_not_at_all_is_said_by_index_status_and_doctor() {
    let vault = odd();
    #[cfg(unix)]
    std::os::unix::fs::symlink(".", vault.root().join("linked")).expect("a link");
    let warning = "  wide.md:1: not UTF-8, read as: UTF-16LE\n";
    let skipped = "  board.canvas: not a readable JSON Canvas: line 3\n";
    for command in ["index", "doctor"] {
        let said = shown(&vault, &[command, "--vault", "vault"]);
        assert!(said.contains(warning) && said.contains(skipped), "{said}");
        #[cfg(unix)]
        assert!(said.contains("  linked: a symbolic link, not followed\n"), "{said}");
    }
    let said = shown(&vault, &["status", "--vault", "vault"]);
    assert!(said.contains("\nnot UTF-8: UTF-16LE 1\n"), "{said}");
    let status = json(&vault, &["status", "--vault", "vault", "--json"]);
    assert_eq!(status["encodings"], serde_json::json!({ "UTF-16LE": 1 }));
    assert_eq!(status["warnings"][0]["message"], "not UTF-8, read as: UTF-16LE");
    let said = shown(&vault, &["read", "--vault", "vault", "board.canvas"]);
    assert!(said.contains("\"board.canvas\" is not a readable JSON Canvas"), "{said}");
}

#[test]
fn a_hit_names_its_conflict_copies_and_a_copy_its_note() {
    let vault = odd();
    let search = ["search", "--vault", "vault", "--mode", "lexical"];
    let said = shown(&vault, &[&search[..], &["tomatoes"]].concat());
    let copies = "    has conflict copies: Plan (Conflicted copy iPhone 202401020304).md, \
        Plan.sync-conflict-20240102-030405-ABCDEFG.md\n";
    assert!(said.contains(copies) && !said.contains("left out"), "{said}");
    let answer = json(&vault, &[&search[..], &["--json", "tomatoes"]].concat());
    assert_eq!(answer["hits"].as_array().map(Vec::len), Some(1));
    assert_eq!(answer["hits"][0]["conflict_copies"].as_array().map(Vec::len), Some(2));
    let answer = json(&vault, &[&search[..], &["--json", "greenhouse"]].concat());
    assert_eq!(answer["hits"][0]["conflict_of"], "Plan.md");
    let said = shown(&vault, &[&search[..], &["greenhouse"]].concat());
    assert!(said.contains("    conflict copy of: Plan.md\n"), "{said}");
}
