//! An update that is told to mend makes an index anew wherever it meets damage, and keeps the bad
//! file; a search's refresh mends damage only.

use std::fs;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use hiku::vault::Folder;
use hiku::{Error, ErrorKind, Index, Mend, Progress, Settings, UpdateOptions, UpdateReport};
use testkit::TestVault;

use crate::harness::{assert_sound, by_word, found, open, update};

/// Hears what was mended: the cause and the kept file's name.
#[derive(Default)]
struct Heard(Mutex<Vec<(ErrorKind, String)>>);

impl Progress for Heard {
    fn mended(&self, cause: &Error, kept: &std::path::Path) {
        let name = kept.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.0.lock().expect("no panic").push((cause.kind(), name));
    }
}

/// An update that mends, and the names of the files that it kept.
fn mend(
    vault: &TestVault,
    settings: &Settings,
    mend: Mend,
) -> (hiku::Result<UpdateReport>, Vec<String>) {
    let source = Folder::open(&vault.root(), &settings.vault).expect("the vault");
    let options = UpdateOptions { mend, ..UpdateOptions::default() };
    let (heard, stop) = (Heard::default(), AtomicBool::new(false));
    let report = Index::update(&source, &vault.index(), settings, options, &heard, &stop);
    let heard = heard.0.into_inner().expect("no panic");
    (report, heard.into_iter().map(|(_, name)| name).collect())
}

fn boats(count: usize) -> TestVault {
    let vault = TestVault::new("");
    for number in 0..count {
        vault.write(&format!("{number:03}.md"), format!("Words about boats, number {number}.\n"));
    }
    vault
}

#[test]
fn whatever_is_unusable_is_kept_and_made_anew() {
    let vault = boats(20);
    update(&vault, &Settings::default());
    let good = fs::read(vault.index()).expect("the index");
    let newer = {
        let mut bytes = good.clone();
        bytes[60..64].copy_from_slice(&99u32.to_be_bytes());
        bytes
    };
    let cut = good[..good.len() / 2].to_vec();
    for (number, (bytes, damaged)) in
        [(b"no index".repeat(99), false), (newer, false), (cut, true)].into_iter().enumerate()
    {
        fs::write(vault.index(), &bytes).expect("a bad file");
        let (report, kept) = mend(&vault, &Settings::default(), Mend::Never);
        assert!(report.is_err() && kept.is_empty());
        if !damaged {
            let (report, kept) = mend(&vault, &Settings::default(), Mend::Damaged);
            assert!(report.is_err() && kept.is_empty(), "a refresh leaves what is not ours");
        }
        let (report, kept) = mend(&vault, &Settings::default(), Mend::Anything);
        assert_eq!(report.expect("an update").notes, 20);
        assert_eq!(kept, [format!("index.hiku.bad-{}", number + 1)]);
        assert!(fs::read(vault.outer().join(&kept[0])).expect("the kept file") == bytes);
        assert_sound(&vault.index());
    }
}

/// Garbles `width` bytes at many places, one place at a time, changes a note, and mends.
fn garble(settings: &Settings, width: usize) -> usize {
    let vault = boats(60);
    update(&vault, settings);
    let good = fs::read(vault.index()).expect("the index");
    let mut mended = 0;
    for place in (100..good.len() - width).step_by(good.len() / 30) {
        let mut bytes = good.clone();
        for (at, byte) in bytes[place..place + width].iter_mut().enumerate() {
            *byte ^= (at * 31 + 7) as u8 | 1;
        }
        for suffix in ["-wal", "-shm"] {
            let _ = fs::remove_file(vault.outer().join(format!("index.hiku{suffix}")));
        }
        fs::write(vault.index(), &bytes).expect("the index");
        vault.write("new.md", format!("A note about place {place}.\n"));
        let (report, kept) = mend(&vault, settings, Mend::Anything);
        assert_eq!(report.expect("an update that mends").notes, 61, "{width} at {place}");
        if !kept.is_empty() {
            mended += 1;
            assert_sound(&vault.index());
        }
        // Where the update had no reason to read the place, looking at every record finds it.
        let (report, kept) = mend(&vault, settings, Mend::Suspected);
        report.expect("an update that looks everywhere");
        mended += kept.len();
        for query in ["boats", "number 7", "\"words about\""] {
            found(&open(&vault, settings), query);
        }
    }
    mended
}

#[test]
fn an_update_that_mends_never_fails_of_damage() {
    // Most of a small file is never read.
    for (settings, width, least) in
        [(by_word(), 1, 1), (Settings::default(), 1, 1), (Settings::default(), 900, 10)]
    {
        let mended = garble(&settings, width);
        assert!(mended >= least, "{mended} of 30, {width} bytes wide");
    }
}
