//! Faults of the index file and of its writers: damaged, foreign and newer files, two writers, readers
//! beside a writer, runs that are stopped, folders that cannot be written, another model.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use hiku::vault::Folder;
use hiku::{
    Change, ErrorKind, Fusion, Index, Mode, Progress, SearchRequest, Settings, UpdateOptions,
    UpdateReport,
};
use testkit::TestVault;

use crate::harness::{
    FULL, LetterModel, NOTES, assert_sound, by_word, found, indexed, lines, open, request,
    try_update, update, update_with,
};

/// Calls a function with each stage's name, and with an empty one at each advance.
struct Hook<F: Fn(&'static str) + Sync>(F);

impl<F: Fn(&'static str) + Sync> Progress for Hook<F> {
    fn begin(&self, stage: &'static str, _notes: usize) {
        (self.0)(stage);
    }

    fn advance(&self, _notes: usize, _bytes: u64) {
        (self.0)("");
    }
}

/// Brings a vault's index up to date while `hook` listens; `stop` may be set by it.
fn update_hooked(
    vault: &TestVault,
    settings: &Settings,
    options: UpdateOptions,
    stop: &AtomicBool,
    hook: impl Fn(&'static str) + Sync,
) -> UpdateReport {
    let source = Folder::open(&vault.root(), &settings.vault).expect("the vault");
    Index::update(&source, &vault.index(), settings, options, &Hook(hook), stop).expect("an update")
}

/// Brings a vault's index up to date, told to stop at the first note.
fn update_stopped(vault: &TestVault, settings: &Settings, options: UpdateOptions) -> UpdateReport {
    let stop = AtomicBool::new(false);
    update_hooked(vault, settings, options, &stop, |stage| {
        stop.store(stage.is_empty(), Ordering::Relaxed);
    })
}

/// A vault of many small notes.
fn many(count: usize) -> TestVault {
    let vault = TestVault::new("");
    for number in 0..count {
        let text = format!("# Note {number}\n\nWords about boats, number {number}. 船の話。\n");
        vault.write(&format!("{number:03}.md"), text);
    }
    vault
}

/// The answers of an index to a few questions in every mode.
fn answers(index: &Path, settings: &Settings, modes: &[Mode]) -> Vec<String> {
    let index = Index::open(index, settings).expect("an index");
    let queries = ["boats", "船", "release", "the morning after", "number 7"];
    let ask = |query: &str, mode: Mode| {
        let limit = 200;
        let request = SearchRequest { limit, ..request(query, mode, Fusion::Convex) };
        index.search(&request).map_or_else(|error| vec![error.to_string()], lines)
    };
    modes.iter().flat_map(|mode| queries.map(|query| ask(query, *mode)).concat()).collect()
}

/// Asserts that a vault's index answers as a new one does.
fn assert_as_new(vault: &TestVault, settings: &Settings, modes: &[Mode]) {
    let anew = vault.outer().join("anew.hiku");
    let _ = fs::remove_file(&anew);
    try_update(&vault.root(), &anew, settings, UpdateOptions::default()).expect("an update");
    let (own, new) = (answers(&vault.index(), settings, modes), answers(&anew, settings, modes));
    for (own, new) in own.iter().zip(&new) {
        assert_eq!(own, new);
    }
    assert_sound(&vault.index());
}

/// Kinds of the errors of opening and asking, and of updating, a file; `None` for none.
fn kinds(vault: &TestVault) -> [Option<ErrorKind>; 2] {
    let settings = Settings::default();
    let asked = Index::open(&vault.index(), &settings)
        .and_then(|index| index.search(&SearchRequest::new("release")).map(drop));
    let updated =
        try_update(&vault.root(), &vault.index(), &settings, UpdateOptions::default()).map(drop);
    [asked.err().map(|error| error.kind()), updated.err().map(|error| error.kind())]
}

#[test]
fn damaged_foreign_and_newer_files_are_told_apart_and_left_alone() {
    let (vault, index) = indexed(NOTES, &Settings::default());
    drop(index);
    let good = fs::read(vault.index()).expect("the index");
    let check = |bytes: &[u8], expected: Option<ErrorKind>, what: &str| {
        fs::write(vault.index(), bytes).expect("the index");
        assert_eq!(kinds(&vault), [expected; 2], "{what}");
        let after = fs::read(vault.index()).expect("the index");
        assert!(expected.is_none() || after == bytes, "{what} was written to");
    };
    let patched = |place: usize, patch: &[u8]| {
        let mut bytes = good.clone();
        bytes[place..place + patch.len()].copy_from_slice(patch);
        bytes
    };
    check(&good, None, "a good file");
    let page = usize::from(u16::from_be_bytes([good[16], good[17]]));
    for length in [1, 15, 99, 100, 4_096, good.len() / 2, good.len() - page] {
        check(&good[..length], Some(ErrorKind::Corrupt), &format!("{length} bytes"));
    }
    let garbled = vec![0xA5; good.len() - page];
    check(&patched(page, &garbled), Some(ErrorKind::Corrupt), "one page and rubbish");
    check(&b"A text that is no index. ".repeat(100), Some(ErrorKind::Corrupt), "a text");
    check(&patched(0, b"SQLite format 4\0"), Some(ErrorKind::Corrupt), "another magic");
    check(&patched(68, &[0; 4]), Some(ErrorKind::Corrupt), "no application");
    check(&patched(68, b"abcd"), Some(ErrorKind::Corrupt), "another application");
    check(&patched(60, &99u32.to_be_bytes()), Some(ErrorKind::Incompatible), "a newer format");
    check(&patched(60, &0u32.to_be_bytes()), Some(ErrorKind::Incompatible), "an older format");
    check(&good, None, "the good file again");
}

#[test]
fn a_file_cut_inside_its_last_page_is_damaged() {
    let (vault, index) = indexed(NOTES, &Settings::default());
    drop(index);
    let good = fs::read(vault.index()).expect("the index");
    for cut in [1, 100, 4_096, 8_192] {
        fs::write(vault.index(), &good[..good.len() - cut]).expect("the index");
        assert_eq!(kinds(&vault), [Some(ErrorKind::Corrupt); 2], "{cut} bytes");
    }
}

#[test]
fn a_missing_file_is_made_and_an_empty_one_filled() {
    let vault = TestVault::new(NOTES);
    assert_eq!(kinds(&vault), [Some(ErrorKind::Corrupt), None]);
    fs::write(vault.index(), "").expect("an empty file");
    assert_eq!(kinds(&vault), [Some(ErrorKind::Corrupt), None]);
    assert_eq!(kinds(&vault), [None, None]);
}

/// Garbles `width` bytes of an index at many places, one place at a time; opens, asks and updates it,
/// and gives the errors.
fn errors_of_garbled_files(settings: &Settings, width: usize) -> Vec<(usize, hiku::Error)> {
    let vault = many(60);
    update(&vault, settings);
    let good = fs::read(vault.index()).expect("the index");
    let mut errors = Vec::new();
    for place in (100..good.len() - width).step_by(good.len() / 80) {
        let mut bytes = good.clone();
        for (at, byte) in bytes[place..place + width].iter_mut().enumerate() {
            *byte ^= (at * 31 + 7) as u8 | 1;
        }
        fs::write(vault.index(), &bytes).expect("the index");
        vault.write("new.md", format!("A note about place {place}.\n"));
        let mut note = |error: Option<hiku::Error>| errors.extend(error.map(|e| (place, e)));
        match Index::open(&vault.index(), settings) {
            Err(error) => note(Some(error)),
            Ok(index) => {
                for query in ["boats", "船", "number 7", "\"words about\"", "boats path:0*"] {
                    note(index.search(&SearchRequest::new(query)).err());
                }
                let _ = index.check();
            }
        }
        let options = UpdateOptions::default();
        note(try_update(&vault.root(), &vault.index(), settings, options).err());
        for suffix in ["-wal", "-shm"] {
            let _ = fs::remove_file(vault.outer().join(format!("index.hiku{suffix}")));
        }
    }
    errors
}

#[test]
fn garbled_pages_are_told_to_be_damaged_and_end_nothing() {
    for settings in [by_word(), Settings::default()] {
        for width in [1, 40, 700] {
            for (place, error) in errors_of_garbled_files(&settings, width) {
                assert_eq!(error.kind(), ErrorKind::Corrupt, "{width} at {place}: {error:?}");
            }
        }
    }
}

#[test]
fn a_second_writer_is_told_who_holds_the_index() {
    let vault = many(3);
    let refusals = AtomicUsize::new(0);
    update_hooked(&vault, &by_word(), FULL, &AtomicBool::new(false), |_| {
        let error = try_update(&vault.root(), &vault.index(), &by_word(), UpdateOptions::default())
            .expect_err("a second writer");
        assert_eq!(error.kind(), ErrorKind::Busy);
        assert!(error.to_string().contains(&std::process::id().to_string()), "{error}");
        refusals.fetch_add(1, Ordering::Relaxed);
    });
    assert!(refusals.into_inner() > 0);
    assert_as_new(&vault, &by_word(), &[Mode::Lexical]);
}

#[test]
fn readers_see_the_last_publication_while_a_writer_works() {
    let vault = many(40);
    let settings = Settings::default();
    update(&vault, &settings);
    let index = open(&vault, &settings);
    for number in 0..20 {
        vault.write(&format!("{number:03}.md"), "The rewritten notes are about trains.\n");
    }
    let before = lines(index.search(&SearchRequest::new("boats")).expect("an answer"));
    update_hooked(&vault, &settings, UpdateOptions::default(), &AtomicBool::new(false), |_| {
        let now = lines(index.search(&SearchRequest::new("boats")).expect("an answer"));
        assert_eq!(now, before);
        assert_eq!(
            open(&vault, &settings)
                .search(&SearchRequest::new("trains"))
                .expect("an answer")
                .omitted
                .count,
            0
        );
    });
    assert_eq!(found(&index, "rewritten trains").len(), 10);
    assert_ne!(lines(index.search(&SearchRequest::new("boats")).expect("an answer")), before);
}

#[test]
fn many_readers_beside_many_updates_never_fail() {
    let vault = many(30);
    let settings = Settings::default();
    update(&vault, &settings);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let index = open(&vault, &settings);
                while !done.load(Ordering::Relaxed) {
                    let response = index.search(&SearchRequest::new("boats")).expect("an answer");
                    assert_eq!(response.hits.len(), 10);
                }
            });
        }
        for round in 0..8 {
            vault.write("new.md", format!("A new note about boats in round {round}.\n"));
            update(&vault, &settings);
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_sound(&vault.index());
}

#[test]
fn a_run_that_is_stopped_leaves_a_good_index_and_the_next_one_completes_it() {
    let settings = Settings::default();
    let check = |vault: &TestVault, options: UpdateOptions, before_any: bool| {
        let stop = AtomicBool::new(true);
        let report = if before_any {
            update_hooked(vault, &settings, options, &stop, |_| {})
        } else {
            update_stopped(vault, &settings, options)
        };
        assert!(report.interrupted, "{report:?}");
        assert_sound(&vault.index());
        found(&open(vault, &settings), "boats");
        assert!(!update(vault, &settings).interrupted);
        assert_as_new(vault, &settings, &[Mode::Lexical]);
    };
    for before_any in [true, false] {
        check(&many(100), UpdateOptions::default(), before_any);
        for options in [UpdateOptions::default(), FULL] {
            let vault = many(100);
            update(&vault, &settings);
            vault.write("005.md", "Rewritten, about trains.\n");
            vault.rename("006.md", "moved.md");
            vault.remove("007.md");
            check(&vault, options, before_any);
        }
    }
}

#[test]
fn a_full_rebuild_that_is_stopped_leaves_the_index_as_it_was() {
    let settings = Settings::default();
    let vault = many(100);
    update(&vault, &settings);
    let before = answers(&vault.index(), &settings, &[Mode::Lexical, Mode::Hybrid]);
    vault.write("005.md", "Rewritten, about trains.\n");
    assert!(update_stopped(&vault, &settings, FULL).interrupted);
    assert_eq!(answers(&vault.index(), &settings, &[Mode::Lexical, Mode::Hybrid]), before);
}

#[test]
fn reports_say_what_the_index_holds() {
    let settings = Settings::default();
    let vault = many(30);
    let first = update(&vault, &settings);
    assert_eq!((first.notes, first.chunks), (30, 30));
    vault.write("031.md", "A new note about boats.\n");
    let stopped = update_stopped(&vault, &settings, FULL);
    assert_eq!((stopped.interrupted, stopped.notes, stopped.chunks), (true, 30, 30));
    vault.remove("000.md");
    let changed = update(&vault, &settings);
    assert_eq!((changed.notes, changed.chunks), (30, 30), "{changed:?}");
    for number in 1..30 {
        vault.remove(&format!("{number:03}.md"));
    }
    let kept = update(&vault, &settings);
    assert_eq!((kept.kept, kept.notes, kept.chunks), (29, 30, 30), "{kept:?}");
    let idle = update(&vault, &settings);
    assert_eq!((idle.notes, idle.chunks), (30, 30), "{idle:?}");
    assert_eq!(open(&vault, &settings).status().expect("a status").notes, 30);
}

#[test]
fn token_weights_after_a_stopped_first_run_are_those_of_a_new_index() {
    let settings = Settings::default();
    let vault = many(12);
    let stop = AtomicBool::new(true);
    update_hooked(&vault, &settings, UpdateOptions::default(), &stop, |_| {});
    update(&vault, &settings);
    assert_as_new(&vault, &settings, &[Mode::Hybrid]);
}

#[test]
fn another_model_makes_the_vectors_anew_and_nothing_else() {
    let vault = TestVault::new(NOTES);
    let (full, none) = (Settings::default(), by_word());
    let (one, other) = (LetterModel::settings("letters-1"), LetterModel::settings("letters-2"));
    update(&vault, &none);
    let by_words = answers(&vault.index(), &none, &[Mode::Lexical]);
    for settings in [&full, &one, &other, &none, &one, &full] {
        let report = update(&vault, settings);
        let embeds = settings.embedder.is_some();
        assert_eq!(report.embedded, if embeds { 4 } else { 0 }, "{report:?}");
        assert_eq!((report.changes.len(), report.rebuilt.is_some()), (0, true), "{report:?}");
        assert_eq!(answers(&vault.index(), settings, &[Mode::Lexical]), by_words);
        let modes = [Mode::Hybrid, Mode::Dense];
        assert_as_new(&vault, settings, &modes);
        let again = update(&vault, settings);
        assert_eq!((again.embedded, again.rebuilt), (0, None), "{again:?}");
        assert_eq!(again.generation, report.generation);
    }
}

#[test]
fn a_change_of_model_and_of_notes_in_one_run_leaves_no_vectors_behind() {
    let vault = TestVault::new(NOTES);
    for settings in [by_word(), Settings::default(), LetterModel::settings("letters-1")] {
        vault.write("beta.md", format!("# Beta\n\n{settings:?}\n"));
        update(&vault, &settings);
        assert_sound(&vault.index());
        vault.write("gone.md", format!("{settings:?}\n"));
        update(&vault, &settings);
        vault.remove("gone.md");
    }
}

#[test]
fn a_change_of_model_that_is_stopped_leaves_the_old_models_vectors() {
    let vault = TestVault::new(NOTES);
    let (full, letters) = (Settings::default(), LetterModel::settings("letters-1"));
    update(&vault, &full);
    vault.write("new.md", "A new note about the release.\n");
    assert!(update_stopped(&vault, &letters, UpdateOptions::default()).interrupted);
    let response = open(&vault, &full).search(&request("release", Mode::Dense, Fusion::Convex));
    for hit in response.map(|response| response.hits).unwrap_or_default() {
        assert!(hit.contributions[0].score <= 1.001, "{hit:?}");
    }
    update(&vault, &full);
    vault.write("new.md", "A new note about the release!\n");
    update(&vault, &full);
    assert_as_new(&vault, &full, &[Mode::Lexical]);
    let report = update(&vault, &letters);
    assert_eq!(report.count(Change::Changed), 0);
    assert_as_new(&vault, &letters, &[Mode::Hybrid]);
}

#[test]
fn an_index_that_cannot_be_written_is_an_io_error() {
    let vault = TestVault::new(NOTES);
    let mut places = vec![vault.root().join("alpha.md/index.hiku")];
    if cfg!(target_os = "linux") {
        places.push("/proc/index.hiku".into());
    }
    for place in places {
        let result = try_update(&vault.root(), &place, &by_word(), UpdateOptions::default());
        let error = result.expect_err("an index that cannot be written");
        assert_eq!(error.kind(), ErrorKind::Io, "{}: {error}", place.display());
    }
}

/// Bytes of a vault's index and of its write-ahead log.
fn sizes(vault: &TestVault) -> [u64; 2] {
    let size = |name: &str| fs::metadata(vault.outer().join(name)).map_or(0, |found| found.len());
    ["index.hiku", "index.hiku-wal"].map(size)
}

#[test]
fn an_index_does_not_grow_for_ever_beside_a_reader() {
    let vault = TestVault::new("");
    let settings = Settings::default();
    let rewrite = |round: usize| {
        for number in 0..150 {
            let words = format!("Round {round} of note {number}. ").repeat(30);
            vault.write(&format!("{number}.md"), format!("# Note {number}\n\n{words}船の話。\n"));
        }
        update(&vault, &settings);
    };
    rewrite(0);
    let [new, _] = sizes(&vault);
    let reader = open(&vault, &settings);
    for round in 1..=12 {
        rewrite(round);
        reader.search(&SearchRequest::new("船")).expect("an answer");
        let [grown, log] = sizes(&vault);
        assert!(grown * 2 < new * 3 && log < new, "{grown} and {log} bytes of {new} in {round}");
    }
    assert_as_new(&vault, &settings, &[Mode::Lexical]);
}

/// The database makes its log with the permissions that the index has at that moment; one that was
/// read-only then must not bar writers for ever.
#[cfg(unix)]
#[test]
fn a_log_that_was_made_read_only_becomes_writable_with_the_index() {
    use std::os::unix::fs::PermissionsExt;
    let (vault, index) = indexed(NOTES, &by_word());
    index.search(&SearchRequest::new("release")).expect("an answer");
    let beside = ["-wal", "-shm"].map(|end| vault.outer().join(format!("index.hiku{end}")));
    for file in &beside {
        fs::set_permissions(file, fs::Permissions::from_mode(0o400)).expect("permissions");
    }
    vault.write("new.md", "A new note.\n");
    update(&vault, &by_word());
    for file in &beside {
        assert!(!fs::metadata(file).expect("the file").permissions().readonly());
    }
    assert_eq!(found(&index, "new note").first().map(String::as_str), Some("new.md"));
}

#[cfg(unix)]
#[test]
fn an_index_in_a_read_only_folder_can_be_asked() {
    use std::os::unix::fs::PermissionsExt;
    let (vault, index) = indexed(NOTES, &by_word());
    drop(index);
    let allow = |mode| fs::set_permissions(vault.outer(), fs::Permissions::from_mode(mode));
    allow(0o555).expect("permissions");
    let superuser = fs::write(vault.outer().join("probe"), "").is_ok();
    let found = found(&open(&vault, &by_word()), "went out");
    vault.write("new.md", "A new note.\n");
    let updated = try_update(&vault.root(), &vault.index(), &by_word(), UpdateOptions::default());
    allow(0o755).expect("permissions");
    assert_eq!(found, ["alpha.md"]);
    if !superuser {
        assert_eq!(updated.expect_err("a read-only folder").kind(), ErrorKind::Io);
    }
    assert_eq!(update_with(&vault, &by_word(), FULL).notes, 5);
}
