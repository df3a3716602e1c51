//! Index files of other formats: one that the last program of format 1 wrote is committed, and met by
//! today's. An older format is made anew wherever the vault is at hand; a newer one, and a file that
//! is another program's, are left alone but where everything is to be mended.

use std::fs;
use std::sync::atomic::AtomicBool;

use hiku::vault::Folder;
use hiku::{Error, ErrorKind, Index, Mend, Settings, SilentProgress, UpdateOptions, UpdateReport};
use testkit::TestVault;

use crate::harness::{assert_sound, found, indexed, open};

/// An index of format 1 over [`NOTES`], compressed: `hiku index --vault DIR` by commit 1b6ca6a.
const FORMAT_1: &[u8] = include_bytes!("../data/format-1.hiku.zst");
/// Bytes of that index.
const FORMAT_1_BYTES: usize = 425_984;

const NOTES: &str = "\
//- notes/friday.md
---
tags: [work/log]
type: log
---
# Friday

## Secrets
Installed gitleaks as a pre-commit hook. See [[soup]].
//- soup.md
# Onion soup

Cut the onions, and cook them slowly in butter.
//- 設計.md
# 権限の設計

エージェントの許可は射程を狭くしておく。
";

/// A vault beside an index of the given bytes.
fn vault_with(index: &[u8]) -> TestVault {
    let vault = TestVault::new(NOTES);
    fs::write(vault.index(), index).expect("the index");
    vault
}

fn update(vault: &TestVault, mend: Mend) -> hiku::Result<UpdateReport> {
    let settings = Settings::default();
    let source = Folder::open(&vault.root(), &settings.vault).expect("the vault");
    let options = UpdateOptions { mend, ..UpdateOptions::default() };
    let stop = AtomicBool::new(false);
    Index::update(&source, &vault.index(), &settings, options, &SilentProgress, &stop)
}

/// Asserts that a file is refused and left as it is by every way of mending that is named, and made
/// anew, the old one kept, by the other.
fn check(bytes: &[u8], kind: ErrorKind, refused: &[Mend], mended: Mend) {
    let vault = vault_with(bytes);
    let opened = Index::open(&vault.index(), &Settings::default()).err();
    assert_eq!(opened.map(|error| error.kind()), Some(kind));
    for mend in refused {
        let error = update(&vault, *mend).expect_err("refused");
        assert_eq!(error.kind(), kind, "{mend:?}: {error}");
        assert!(fs::read(vault.index()).expect("the index") == bytes, "{mend:?} wrote to it");
    }
    assert_eq!(update(&vault, mended).expect("an update").notes, 3);
    assert_sound(&vault.index());
    let found = found(&open(&vault, &Settings::default()), "射程");
    assert_eq!(found.first().map(String::as_str), Some("設計.md"));
    let kept = fs::read(vault.outer().join("index.hiku.bad-1")).expect("the kept file");
    assert!(kept == bytes, "what was there is kept");
}

fn format_1() -> Vec<u8> {
    let bytes = zstd::bulk::decompress(FORMAT_1, FORMAT_1_BYTES).expect("the committed index");
    assert_eq!(bytes.len(), FORMAT_1_BYTES);
    bytes
}

#[test]
fn an_index_of_format_1_is_told_by_its_format() {
    let vault = vault_with(&format_1());
    let error = Index::open(&vault.index(), &Settings::default()).err();
    assert!(matches!(error, Some(Error::IndexFormat { found: 1, .. })), "{error:?}");
}

#[test]
fn an_older_format_is_made_anew_by_whatever_may_mend() {
    check(&format_1(), ErrorKind::Incompatible, &[Mend::Never], Mend::Damaged);
}

#[test]
fn a_newer_format_is_made_anew_only_where_all_is_to_be_mended() {
    let (vault, index) = indexed(NOTES, &Settings::default());
    drop(index);
    let mut newer = fs::read(vault.index()).expect("the index");
    newer[60..64].copy_from_slice(&99u32.to_be_bytes());
    check(&newer, ErrorKind::Incompatible, &[Mend::Never, Mend::Damaged], Mend::Anything);
}

#[test]
fn another_programs_file_is_made_anew_only_where_all_is_to_be_mended() {
    let folder = TestVault::new("");
    let connection = rusqlite::Connection::open(folder.index()).expect("a database");
    let made = connection.execute_batch("CREATE TABLE t(x); INSERT INTO t VALUES(1)");
    made.expect("a database of another program");
    drop(connection);
    let database = fs::read(folder.index()).expect("the database");
    for foreign in [database, b"a text that is no database. ".repeat(50)] {
        check(&foreign, ErrorKind::Corrupt, &[Mend::Never, Mend::Damaged], Mend::Anything);
    }
}

#[test]
fn p15_a_truncated_or_garbled_index_is_made_anew_at_once_and_stays_good() {
    let (vault, index) = indexed(NOTES, &Settings::default());
    drop(index);
    let good = fs::read(vault.index()).expect("the index");
    let mut garbled = good.clone();
    garbled[16_384..].fill(0xA5);
    for bytes in [&good[..good.len() / 2], &good[..100], &garbled] {
        check(bytes, ErrorKind::Corrupt, &[], Mend::Damaged);
    }
}
