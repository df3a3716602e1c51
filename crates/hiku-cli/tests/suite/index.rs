//! `hiku index`: reports, mending, and where the file is.

use std::fs;

use crate::harness::{code, command, json, notes, shown};
use testkit::TestVault;

#[test]
fn the_report_says_what_was_done() {
    let vault = notes();
    insta::assert_snapshot!(shown(&vault, &["index", "--vault", "vault"]), @r"
    $ hiku index --vault vault
    3 notes, 3 chunks in [TIME] s
    added 3, changed 0, moved 0, removed 0, embedded 3
    [exit 0]
    ");
    vault.write("new.md", "# New\n\nA note.\n");
    vault.rename("recipes/soup.md", "soup.md");
    vault.remove("設計.md");
    insta::assert_snapshot!(shown(&vault, &["index", "--vault", "vault", "--dry-run"]), @r"
    $ hiku index --vault vault --dry-run
    + new.md
    > soup.md
    - 設計.md
    dry run over 3 notes: nothing was written
    added 1, changed 0, moved 1, removed 1, embedded 0
    [exit 0]
    ");
    insta::assert_snapshot!(shown(&vault, &["index", "--vault", "vault"]), @r"
    $ hiku index --vault vault
    3 notes, 3 chunks in [TIME] s
    added 1, changed 0, moved 1, removed 1, embedded 1
    [exit 0]
    ");
    insta::assert_snapshot!(shown(&vault, &["index", "--vault", "vault", "--quiet"]), @r"
    $ hiku index --vault vault --quiet
    [exit 0]
    ");
}

#[test]
fn skipped_notes_are_listed_and_are_no_failure() {
    let vault = notes();
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc/hostname", vault.root().join("link.md")).expect("a link");
    insta::assert_snapshot!(shown(&vault, &["index", "--vault", "vault"]), @r"
    $ hiku index --vault vault
    3 notes, 3 chunks in [TIME] s
    added 3, changed 0, moved 0, removed 0, embedded 3
    skipped 1:
      link.md: a symbolic link, not followed
    [exit 0]
    ");
}

#[test]
fn credentials_are_counted_and_never_shown() {
    let vault = TestVault::new("//- a.md\n");
    let secret = format!("ghp_{}", "16C7e42F292c6912E7710c838347Ae178B4a");
    vault.write("a.md", format!("# Keys\n\nThe token is {secret} here.\n"));
    let report = shown(&vault, &["index", "--vault", "vault"]);
    assert!(!report.contains(&secret), "{report}");
    assert!(report.contains("\nredacted 1 credential:\n  github-"), "{report}");
    let answer = json(&vault, &["search", "--vault", "vault", "--json", "token"]);
    assert!(!answer.to_string().contains(&secret), "{answer}");
}

#[test]
fn the_report_as_json() {
    let vault = notes();
    let report = json(&vault, &["index", "--vault", "vault", "--json"]);
    assert_eq!(report["notes"], 3);
    assert_eq!(
        report["added"],
        serde_json::json!(["log/2026-04-10.md", "recipes/soup.md", "設計.md"])
    );
    assert_eq!(report["interrupted"], false);
    assert_eq!(report["skipped"], serde_json::json!([]));
}

#[test]
fn a_dry_run_writes_nothing() {
    let vault = notes();
    assert_eq!(code(&vault, &["index", "--vault", "vault", "--dry-run"]), 0);
    assert!(!vault.outer().join(".local").exists());
}

#[test]
fn an_unusable_index_is_kept_and_rebuilt() {
    let vault = notes();
    let file = vault.index();
    fs::write(&file, "this is no index, but it is long enough to have been something once")
        .expect("a file");
    let arguments = ["index", "--vault", "vault", "--index", "index.hiku"];
    insta::assert_snapshot!(shown(&vault, &arguments), @r"
    $ hiku index --vault vault --index index.hiku
    3 notes, 3 chunks in [TIME] s
    added 3, changed 0, moved 0, removed 0, embedded 3
    ! warning: the index was unusable ([DIR]/index.hiku is not an index that Hiku made); it is kept as [DIR]/index.hiku.bad-1 and rebuilt
    [exit 0]
    ");
    assert!(
        fs::read(vault.outer().join("index.hiku.bad-1")).expect("kept").starts_with(b"this is")
    );
    assert_eq!(code(&vault, &["search", "--vault", "vault", "--index", "index.hiku", "onion"]), 0);
}

#[cfg(unix)]
#[test]
fn the_index_is_for_its_owner_only_and_the_vault_is_left_alone() {
    use std::os::unix::fs::PermissionsExt;
    let vault = notes();
    assert_eq!(code(&vault, &["index", "--vault", "vault"]), 0);
    let data = vault.outer().join(".local/share/hiku");
    let mode = |path: &std::path::Path| {
        fs::metadata(path).expect("it is there").permissions().mode() & 0o777
    };
    assert_eq!(mode(&data), 0o700);
    for entry in fs::read_dir(&data).expect("the data folder").flatten() {
        assert_eq!(mode(&entry.path()), 0o600, "{}", entry.path().display());
    }
    let mut names: Vec<_> = fs::read_dir(vault.root())
        .expect("the vault")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names, ["log", "recipes", "設計.md"]);
}

#[test]
fn an_empty_vault_is_indexed_with_a_remark() {
    let vault = TestVault::new("");
    insta::assert_snapshot!(shown(&vault, &["index", "--vault", "vault"]), @r"
    $ hiku index --vault vault
    0 notes, 0 chunks in [TIME] s
    added 0, changed 0, moved 0, removed 0, embedded 0
    there are no notes in this vault; a note is a file that ends in .md, .markdown, .canvas or .base and that no setting leaves out
    [exit 0]
    ");
}

/// Sends SIGINT to a child of ours, by its id.
#[cfg(unix)]
fn interrupt(child: &std::process::Child) {
    let id = child.id().to_string();
    let kill = std::process::Command::new("kill").args(["-INT", &id]).output();
    kill.expect("the kill program runs");
}

/// However far the run got when the signal came, it ends well and the next one completes the index.
#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_a_good_index() {
    let vault = notes();
    for number in 0..2_000 {
        vault.write(&format!("many/{number}.md"), format!("# Note {number}\n\nSome text.\n"));
    }
    let mut child = command(&vault)
        .args(["index", "--vault", "vault", "--quiet"])
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let lock = || {
        fs::read_dir(vault.outer().join(".local/share/hiku"))
            .is_ok_and(|mut files| files.next().is_some())
    };
    while !lock() && child.try_wait().expect("its state").is_none() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    // Until it is waited for, an ended child keeps its id, so that no other process can have it.
    if child.try_wait().expect("its state").is_none() {
        interrupt(&child);
    }
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    match output.status.code() {
        Some(0) => assert_eq!(said, ""),
        Some(130) => {
            let words = ["interrupted; the index holds ", " notes, and the next run goes on"];
            assert!(words.iter().all(|words| said.contains(words)), "{said}");
        }
        _ => panic!("{}: {said}", output.status),
    }
    assert_eq!(json(&vault, &["index", "--vault", "vault", "--json"])["notes"], 2_003);
}
