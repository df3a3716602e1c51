//! An index belongs to one vault: another vault's is refused, a moved vault's is known again.

use std::fs;
use std::path::Path;

use hiku::{Error, Mend, Settings, UpdateOptions};
use testkit::TestVault;

use crate::harness::{FULL, assert_sound, by_word, found, open, try_update, update};

/// A vault of notes whose names begin with `name`.
fn vault_of(name: &str, count: usize) -> TestVault {
    let vault = TestVault::new("");
    for number in 0..count {
        vault.write(&format!("{name}/{number}.md"), format!("About {name}, number {number}.\n"));
    }
    vault
}

fn is_refused<T: std::fmt::Debug>(result: hiku::Result<T>) -> bool {
    match result {
        Ok(_) => false,
        Err(Error::OtherVault { .. }) => true,
        Err(other) => panic!("{other}"),
    }
}

/// Whether an index is refused for the vault in a folder, by a search and by an update.
fn refused_for(root: &Path, index: &Path) -> [bool; 2] {
    let root = root.canonicalize().expect("the folder");
    let settings = Settings::default();
    let opened = hiku::Index::open(index, &settings).expect("an index");
    let options = UpdateOptions { dry_run: true, ..UpdateOptions::default() };
    let dry = is_refused(try_update(&root, index, &settings, options));
    let asked = is_refused(opened.confirm_vault(&root));
    assert_eq!(dry, asked, "a dry run and a search agree");
    [asked, is_refused(try_update(&root, index, &settings, UpdateOptions::default()))]
}

#[test]
fn the_index_of_another_vault_is_refused_and_left_alone() {
    let (boats, trains) = (vault_of("boats", 5), vault_of("trains", 5));
    update(&boats, &by_word());
    let before = fs::read(boats.index()).expect("the index");
    assert_eq!(refused_for(&trains.root(), &boats.index()), [true, true]);
    for mend in [Mend::Damaged, Mend::Suspected, Mend::Anything] {
        let options = UpdateOptions { mend, ..UpdateOptions::default() };
        assert!(is_refused(try_update(&trains.root(), &boats.index(), &by_word(), options)));
    }
    assert!(fs::read(boats.index()).expect("the index") == before);
    assert_eq!(refused_for(&boats.root(), &boats.index()), [false, false]);
}

#[test]
fn a_full_rebuild_makes_it_the_present_vaults() {
    let (boats, trains) = (vault_of("boats", 30), vault_of("trains", 3));
    update(&boats, &Settings::default());
    let report = try_update(&trains.root(), &boats.index(), &Settings::default(), FULL);
    assert_eq!(report.expect("an update").notes, 3);
    let index = open(&boats, &by_word());
    assert_eq!((found(&index, "boats").len(), found(&index, "trains").len()), (0, 3));
    assert_sound(&boats.index());
    assert_eq!(refused_for(&trains.root(), &boats.index()), [false, false]);
    assert_eq!(refused_for(&boats.root(), &boats.index()), [true, true]);
}

#[test]
fn a_moved_vault_keeps_its_index_and_its_vectors() {
    let vault = vault_of("boats", 100);
    update(&vault, &Settings::default());
    let moved = vault.outer().join("elsewhere");
    fs::rename(vault.root(), &moved).expect("the vault is moved");
    assert_eq!(refused_for(&moved, &vault.index()), [false, false]);
    fs::write(moved.join("boats/new.md"), "A new note about boats.\n").expect("a note");
    let options = UpdateOptions::default();
    let report = try_update(&moved, &vault.index(), &Settings::default(), options);
    let report = report.expect("an update");
    assert_eq!((report.notes, report.embedded), (101, 1));
    // The write made it the index of the new place, whatever becomes of its notes.
    for number in 0..90 {
        fs::remove_file(moved.join(format!("boats/{number}.md"))).expect("a note");
    }
    assert_eq!(refused_for(&moved, &vault.index()), [false, false]);
}

#[test]
fn a_vault_that_was_copied_with_other_times_keeps_its_vectors() {
    let vault = vault_of("boats", 30);
    update(&vault, &Settings::default());
    let copy = vault.outer().join("copy");
    fs::create_dir_all(copy.join("boats")).expect("a folder");
    for number in 0..30 {
        let name = format!("boats/{number}.md");
        fs::copy(vault.root().join(&name), copy.join(&name)).expect("a copy");
        let file = fs::File::options().write(true).open(copy.join(&name)).expect("the copy");
        file.set_modified(std::time::UNIX_EPOCH).expect("its time");
    }
    fs::remove_dir_all(vault.root()).expect("the vault goes");
    let report = try_update(&copy, &vault.index(), &Settings::default(), UpdateOptions::default());
    let report = report.expect("an update");
    assert_eq!((report.notes, report.embedded, report.changes.len()), (30, 0, 0), "{report:?}");
}

#[test]
fn a_vault_is_known_again_by_half_of_its_notes() {
    for (left, refused) in [(15, true), (16, true), (35, false)] {
        let vault = vault_of("boats", 65);
        update(&vault, &by_word());
        let moved = vault.outer().join("elsewhere");
        fs::rename(vault.root(), &moved).expect("the vault is moved");
        for number in left..65 {
            fs::remove_file(moved.join(format!("boats/{number}.md"))).expect("a note");
        }
        assert_eq!(refused_for(&moved, &vault.index())[0], refused, "{left} notes left");
    }
}

#[test]
fn an_index_without_notes_is_any_vaults() {
    let (empty, boats) = (TestVault::new(""), vault_of("boats", 2));
    update(&empty, &by_word());
    assert_eq!(refused_for(&boats.root(), &empty.index()), [false, false]);
    assert_eq!(found(&open(&empty, &by_word()), "boats").len(), 2);
}

#[test]
fn the_file_names_no_place() {
    let vault = vault_of("boats", 3);
    update(&vault, &Settings::default());
    let bytes = fs::read(vault.index()).expect("the index");
    let outer = vault.outer().canonicalize().expect("the folder");
    let name = outer.file_name().expect("its name").as_encoded_bytes();
    assert!(!bytes.windows(name.len()).any(|window| window == name));
}
