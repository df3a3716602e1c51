//! An index that followed a vault's edits answers as one made from the vault as it is, to the last
//! bit of a score. Identities and the count of publications may differ, nothing else.
//!
//! Scores by meaning depend on the weights epoch, which begins with a full build. So answers by word
//! are compared with a full rebuild, and those by meaning with an index that began in the same epoch
//! and saw all edits at once; and, both epochs made from the same notes, with a full rebuild again
//! after the model was taken away and given back.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hiku::{Change, Fusion, Index, Mode, Settings, UpdateOptions, UpdateReport};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use testkit::TestVault;

use crate::harness::{
    FUSIONS, assert_sound, by_word, found, lines, open, request, try_update, update,
};

/// Paths that edits give to notes; two differ only by a blank, one is in another script.
const PLACES: [&str; 14] = [
    "alpha.md",
    "beta.md",
    "覚え書き.md",
    "daily/2026-05-01.md",
    "daily/2026-05-02.md",
    "projects/plan.md",
    "projects/計画.md",
    "b c.md",
    "b_c.md",
    "deep/er/コンピューター.md",
    "archive/old.markdown",
    "archive/2026.4.10.md",
    "Security.md",
    "雨.md",
];

/// Folders that edits move notes to.
const FOLDERS: [&str; 5] = ["", "daily/", "projects/", "archive/", "資料/古い/"];

/// Contents: English, Japanese, both; with and without front matter, headings, code and text.
const TEXTS: [&str; 17] = [
    "# Backups\n\nKeep three copies of every photo. One copy stays in another house.\n",
    "# バックアップ\n\n写真は三か所に置く。一つは別の家に置く。\n",
    "---\ntitle: Token rotation\ntags: [security/tokens, work]\ntype: project\n---\nA refresh token \
     is used once. A reused token ends the session.\n",
    "---\ntitle: 許可の射程\ntags: [agent]\ncreated: 2026-05-09\n---\n# 許可の射程\n\nAI に渡す権限は\
     小さく出して、足していく。\n",
    "gitleaks を pre-commit に入れた。再実行gen-itgc後に件数を見る。\n",
    "# Rain\n\nRainy days are for reading. 雨の日は本を読む。\n\n## Books\n\nNovels, and manuals.\n",
    "```python\ndef _rrf_fuse(lexical, dense):\n    return sorted(lexical + dense)\n```\n",
    "See [[alpha]] and [[計画]]. Version 2026.4.10 of std::flat_map was slow.\n",
    "| code | meaning |\n|---|---|\n| E1042 | token expired |\n| E1043 | token reused |\n",
    "鍵\n",
    "-\n",
    "---\nbroken: [\n---\nThe body of a note with a broken header is still found.\n",
    "# ログインエラーの復旧\n\n認証に失敗したら、時計のずれを先に見る。次にトークンを失効させる。\n",
    "---\naliases: [laptop, ノート PC]\ntags: [buying]\n---\n# コンピュータ\n\n画面と鍵盤で選ぶ。\n",
    "# Backups\n\nKeep three copies of every photo. One copy stays in another city.\n",
    "config: { \"review\": { \"weight\": 1 } }\n\n- one\n- two\n\n#tagged #日記/朝 line.\n",
    "",
];
/// How many of them have text; the last has none.
const WRITTEN: usize = 16;
const EMPTY: usize = 16;

/// The vault before any edit: place and text.
const BASE: [(usize, usize); 10] =
    [(0, 0), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 12), (7, 8), (9, 13), (10, 15)];

const QUERIES: [&str; 19] = [
    "three copies of photos",
    "写真を置く場所",
    "security",
    "refresh token",
    "権限",
    "gen-itgc",
    "secuirty",
    "refrehs tokens",
    "コンピュータス",
    "雨",
    "_rrf_fuse",
    "2026.4.10",
    "E1042",
    "鍵",
    "の",
    "コンピューター -画面",
    "\"another house\"",
    "tag:security token",
    "plan [[alpha]]",
];

/// Seconds between two writes: a touched note without a date of its own has another date.
const DAY: u64 = 86_400;

/// One edit; its numbers are taken modulo what there is to choose from.
#[derive(Debug, Clone, Copy)]
enum Edit {
    Create { place: usize, text: usize },
    Change { note: usize, text: usize },
    Append { note: usize, text: usize },
    Rename { note: usize, place: usize },
    Move { note: usize, folder: usize },
    Delete { note: usize },
    Swap { note: usize, with: usize },
    Copy { note: usize, place: usize },
    Touch { note: usize },
}

fn edits() -> impl Strategy<Value = Edit> {
    let note = || 0..PLACES.len();
    let place = || 0..PLACES.len();
    let text = || 0..WRITTEN;
    prop_oneof![
        (place(), text()).prop_map(|(place, text)| Edit::Create { place, text }),
        (note(), text()).prop_map(|(note, text)| Edit::Change { note, text }),
        (note(), text()).prop_map(|(note, text)| Edit::Append { note, text }),
        (note(), place()).prop_map(|(note, place)| Edit::Rename { note, place }),
        (note(), 0..FOLDERS.len()).prop_map(|(note, folder)| Edit::Move { note, folder }),
        note().prop_map(|note| Edit::Delete { note }),
        (note(), note()).prop_map(|(note, with)| Edit::Swap { note, with }),
        (note(), place()).prop_map(|(note, place)| Edit::Copy { note, place }),
        note().prop_map(|note| Edit::Touch { note }),
    ]
}

/// A vault with a record of what is in it and a clock of its own.
struct Desk {
    vault: TestVault,
    notes: BTreeMap<String, String>,
    /// Seconds since 1970.
    clock: u64,
}

impl Desk {
    fn new() -> Self {
        let (vault, notes) = (TestVault::new(""), BTreeMap::new());
        let mut desk = Desk { vault, notes, clock: 20_000 * DAY };
        for (place, text) in BASE {
            desk.write(PLACES[place], TEXTS[text].to_owned());
        }
        desk
    }

    fn write(&mut self, path: &str, text: String) {
        self.vault.write(path, &text);
        self.notes.insert(path.to_owned(), text);
        self.stamp(path);
    }

    fn stamp(&mut self, path: &str) {
        self.clock += DAY;
        self.vault.set_modified(path, self.clock);
    }

    /// The path of a note by a number, modulo the notes there are.
    fn pick(&self, number: usize) -> Option<String> {
        self.notes.keys().nth(number % self.notes.len().max(1)).cloned()
    }

    fn apply(&mut self, edit: Edit) {
        match edit {
            Edit::Create { place, text } => self.write(PLACES[place], TEXTS[text].to_owned()),
            Edit::Change { note, text } => {
                let Some(path) = self.pick(note) else { return };
                self.write(&path, TEXTS[text].to_owned());
            }
            Edit::Append { note, text } => {
                let Some(path) = self.pick(note) else { return };
                let longer = format!("{}\n{}", self.notes[&path], TEXTS[text]);
                self.write(&path, longer);
            }
            Edit::Rename { note, place } => self.rename(note, PLACES[place]),
            Edit::Move { note, folder } => {
                let Some(path) = self.pick(note) else { return };
                let name = path.rsplit('/').next().unwrap_or(&path);
                self.rename(note, &format!("{}{name}", FOLDERS[folder]));
            }
            Edit::Delete { note } => {
                let Some(path) = self.pick(note) else { return };
                self.vault.remove(&path);
                self.notes.remove(&path);
            }
            Edit::Swap { note, with } => self.swap(note, with),
            Edit::Copy { note, place } => {
                let Some(path) = self.pick(note) else { return };
                let text = self.notes[&path].clone();
                self.write(PLACES[place], text);
            }
            Edit::Touch { note } => {
                let Some(path) = self.pick(note) else { return };
                self.stamp(&path);
            }
        }
    }

    /// Renames over whatever is there, as a shell does.
    fn rename(&mut self, note: usize, to: &str) {
        let Some(path) = self.pick(note) else { return };
        let Some(text) = self.notes.remove(&path) else { return };
        self.vault.rename(&path, to);
        self.notes.insert(to.to_owned(), text);
    }

    fn swap(&mut self, note: usize, with: usize) {
        let (Some(one), Some(other)) = (self.pick(note), self.pick(with)) else { return };
        if one == other {
            return;
        }
        for (from, to) in [(&one, "swap.tmp"), (&other, one.as_str()), (&"swap.tmp".into(), &other)]
        {
            self.vault.rename(from, to);
        }
        let texts = (self.notes[&one].clone(), self.notes[&other].clone());
        self.notes.extend([(one, texts.1), (other, texts.0)]);
    }

    fn contents(&self) -> BTreeSet<String> {
        self.notes.values().cloned().collect()
    }

    fn index(&self, name: &str) -> PathBuf {
        self.vault.outer().join(name)
    }

    fn update(&self, index: &Path, settings: &Settings) -> UpdateReport {
        let report = try_update(&self.vault.root(), index, settings, UpdateOptions::default());
        report.expect("an update")
    }

    /// A new index of the vault as it is.
    fn rebuilt(&self, name: &str, settings: &Settings) -> PathBuf {
        let index = self.index(name);
        self.update(&index, settings);
        index
    }
}

/// Asserts that two indexes give the same answers in the given modes.
fn assert_same_answers(
    [left, right]: [&Path; 2],
    modes: &[Mode],
    fusions: &[Fusion],
    settings: &Settings,
    what: &str,
) {
    let open = |path: &Path| Index::open(path, settings).expect("an index");
    let (left, right) = (open(left), open(right));
    for query in QUERIES {
        let ways = modes.iter().flat_map(|mode| fusions.iter().map(|fusion| (*mode, *fusion)));
        for (mode, fusion) in ways {
            let answer = |index: &Index| {
                lines(index.search(&request(query, mode, fusion)).expect("an answer"))
            };
            let (left, right) = (answer(&left), answer(&right));
            for (left, right) in left.iter().zip(&right) {
                assert_eq!(left, right, "{what}: {query:?} in {mode:?} with {fusion:?}");
            }
            assert_eq!(left.len(), right.len(), "{what}: {query:?} in {mode:?} with {fusion:?}");
        }
    }
}

/// Runs batches of edits with an update after each and compares as the file's head says. There must
/// be so few edits that no weights epoch ends: 21 changes, a rename over a note and a swap being two.
fn check(batches: &[Vec<Edit>], fusions: &[Fusion]) {
    let (full, words) = (Settings::default(), by_word());
    let mut desk = Desk::new();
    let (followed, at_once) = (desk.rebuilt("followed", &full), desk.rebuilt("at-once", &full));
    for (number, batch) in batches.iter().enumerate() {
        let before = desk.contents();
        for edit in batch {
            desk.apply(*edit);
        }
        let report = desk.update(&followed, &full);
        assert_eq!(report.rebuilt, None);
        assert_eq!(report.notes, desk.notes.len());
        let new = desk.notes.values().filter(|text| !before.contains(*text)).count();
        assert!(report.embedded <= new, "{} of {new} embedded: {report:?}", report.embedded);
        let anew = desk.rebuilt(&format!("words-{number}"), &words);
        assert_same_answers([&followed, &anew], &[Mode::Lexical], fusions, &words, "by word");
    }
    desk.update(&at_once, &full);
    let by_meaning = [Mode::Hybrid, Mode::Dense];
    assert_same_answers([&followed, &at_once], &by_meaning, fusions, &full, "in one epoch");
    desk.update(&followed, &words);
    desk.update(&followed, &full);
    let anew = desk.rebuilt("anew", &full);
    assert_same_answers([&followed, &anew], &by_meaning, fusions, &full, "in a new epoch");
    assert_sound(&followed);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 48,
        failure_persistence: None,
        max_shrink_iters: 200,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_edits_end_in_the_answers_of_a_full_rebuild(
        batches in proptest::collection::vec(proptest::collection::vec(edits(), 1..4), 1..4)
    ) {
        check(&batches, &FUSIONS);
    }
}

#[test]
fn edits_that_are_known_to_be_hard_end_in_the_answers_of_a_full_rebuild() {
    use Edit::{Append, Change, Copy, Create, Delete, Move, Rename, Swap, Touch};
    let table: [&[Edit]; 8] = [
        &[Swap { note: 0, with: 5 }, Touch { note: 3 }],
        &[Rename { note: 0, place: 11 }, Rename { note: 1, place: 0 }],
        &[Delete { note: 2 }, Create { place: 13, text: 0 }],
        &[Copy { note: 2, place: 12 }, Delete { note: 2 }],
        &[Copy { note: 2, place: 12 }, Copy { note: 2, place: 13 }, Change { note: 2, text: 9 }],
        &[Move { note: 1, folder: 4 }, Append { note: 1, text: 10 }],
        &[Change { note: 4, text: 10 }, Create { place: 12, text: 10 }],
        &[Rename { note: 0, place: 1 }, Rename { note: 3, place: 4 }, Delete { note: 0 }],
    ];
    for edits in table {
        check(&[edits.to_vec()], &FUSIONS);
        let one_by_one: Vec<Vec<Edit>> = edits.iter().map(|edit| vec![*edit]).collect();
        check(&one_by_one, &FUSIONS);
    }
}

#[test]
fn a_long_history_of_small_updates_ends_in_the_answers_of_a_full_rebuild() {
    let words = by_word();
    let mut desk = Desk::new();
    let index = desk.rebuilt("followed", &words);
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let strategy = edits();
    for number in 1..=60 {
        desk.apply(strategy.new_tree(&mut runner).expect("an edit").current());
        desk.update(&index, &words);
        if number % 12 == 0 {
            let anew = desk.rebuilt(&format!("anew-{number}"), &words);
            let modes = [Mode::Lexical];
            assert_same_answers([&index, &anew], &modes, &FUSIONS, &words, "a long history");
            assert_sound(&index);
        }
    }
}

#[cfg(unix)]
#[test]
fn notes_of_one_size_and_time_that_change_places_are_seen() {
    let vault = TestVault::new("//- a.md\nAbout boats.\n//- b.md\nAbout plane\n//- c.md\nOther.\n");
    vault.set_modified("a.md", 1_000_000);
    vault.set_modified("b.md", 1_000_000);
    update(&vault, &by_word());
    vault.rename("a.md", "t.md");
    vault.rename("b.md", "a.md");
    vault.rename("t.md", "b.md");
    let report = update(&vault, &by_word());
    assert_eq!(report.count(Change::Changed), 2, "{report:?}");
    assert_eq!(found(&open(&vault, &by_word()), "boats"), ["b.md"]);
    // A change of the entry alone costs one look at the content.
    let permissions = std::fs::metadata(vault.root().join("c.md")).expect("c").permissions();
    std::fs::set_permissions(vault.root().join("c.md"), permissions).expect("the same ones");
    let touched = update(&vault, &by_word());
    assert_eq!((touched.changes.len(), touched.embedded), (0, 0), "{touched:?}");
    assert_eq!(update(&vault, &by_word()).generation, touched.generation);
}

#[test]
fn moves_and_copies_embed_nothing_and_are_reported_as_such() {
    let full = Settings::default();
    let mut desk = Desk::new();
    let index = desk.rebuilt("index", &full);
    let mut check = |edit: Edit, expected: &[(Change, usize)]| {
        desk.apply(edit);
        let report = desk.update(&index, &full);
        let counts = [Change::Added, Change::Changed, Change::Moved, Change::Removed]
            .map(|change| (change, report.count(change)));
        let counts: Vec<_> = counts.into_iter().filter(|(_, count)| *count > 0).collect();
        assert_eq!((report.embedded, counts.as_slice()), (0, expected), "{edit:?}");
    };
    check(Edit::Rename { note: 0, place: 11 }, &[(Change::Moved, 1)]);
    check(Edit::Move { note: 3, folder: 4 }, &[(Change::Moved, 1)]);
    check(Edit::Copy { note: 3, place: 12 }, &[(Change::Added, 1)]);
    check(Edit::Swap { note: 2, with: 4 }, &[(Change::Changed, 2)]);
    check(Edit::Touch { note: 1 }, &[]);
    check(Edit::Delete { note: 1 }, &[(Change::Removed, 1)]);
}

#[test]
fn a_weights_epoch_that_ends_by_itself_gives_the_scores_of_a_full_rebuild() {
    let full = Settings::default();
    let mut desk = Desk::new();
    let index = desk.rebuilt("index", &full);
    let mut embedded = Vec::new();
    for round in 0..3 {
        for note in 0..desk.notes.len() {
            desk.apply(Edit::Append { note, text: (note + round) % WRITTEN });
        }
        embedded.push(desk.update(&index, &full).embedded);
    }
    let anew = desk.rebuilt("anew", &full);
    let modes = [Mode::Hybrid, Mode::Dense];
    assert_same_answers([&index, &anew], &modes, &FUSIONS, &full, "after the epoch's end");
    assert_eq!(desk.update(&index, &full).embedded, 0, "after {embedded:?}");
}

/// Notes without text, made, emptied and moved.
const EMPTYING: [Edit; 4] = [
    Edit::Create { place: 9, text: EMPTY },
    Edit::Create { place: 12, text: EMPTY },
    Edit::Change { note: 3, text: EMPTY },
    Edit::Move { note: 3, folder: 4 },
];

#[test]
fn notes_without_text_change_nothing_of_that() {
    check(&EMPTYING.map(|edit| vec![edit]), &[Fusion::Convex, Fusion::Rrf]);
}

#[test]
fn notes_without_text_change_nothing_of_that_in_the_founding_pipeline() {
    check(&EMPTYING.map(|edit| vec![edit]), &[Fusion::Founding]);
}
