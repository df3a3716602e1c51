//! A vault that a seed makes, in English and Japanese, and random edits of it. Remembers what stands
//! where; runs no program.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::random::Random;

/// English sentences; their words meet often, so that ranking has something to do.
const ENGLISH: [&str; 12] = [
    "Keep three copies of every photo, one of them in another house.",
    "A refresh token is used once; a reused token ends the session.",
    "The release went out in the morning, after the tests were green.",
    "Rainy days are for reading novels, manuals and old letters.",
    "Cut the onions and cook them slowly in butter until they are brown.",
    "The index is a cache of the notes and can be made anew at any time.",
    "Version 2026.4.10 of std::flat_map was slow on large keys.",
    "Write down why a decision was made, not only what was decided.",
    "The meeting ended early because nobody had read the proposal.",
    "Bread needs time, warmth and a little salt.",
    "An error message names the thing, the cause and the next step.",
    "The old laptop runs hot when the fan is full of dust.",
];

/// Japanese sentences.
const JAPANESE: [&str; 12] = [
    "写真は三か所に置く。一つは別の家に置く。",
    "認証に失敗したら、時計のずれを先に見る。",
    "雨の日は本を読む。小説と説明書と古い手紙。",
    "AIに渡す権限は小さく出して、足していく。",
    "玉ねぎを切って、バターでゆっくり炒める。",
    "索引は覚え書きの写しで、いつでも作り直せる。",
    "コンピューターの画面と鍵盤で機種を選ぶ。",
    "再実行gen-itgc後に件数を見る。",
    "決めた理由を書く。決めたことだけでは足りない。",
    "味噌汁の出汁は前の晩に水へ入れておく。",
    "会議は早く終わった。誰も案を読んでいなかった。",
    "許可の射程を狭くしておくと、事故が小さい。",
];

const FOLDERS: [&str; 6] = ["", "daily/", "projects/", "資料/", "資料/古い/", "archive/2025/"];
const TAGS: [&str; 6] = ["work", "work/release", "日記", "buying", "security/tokens", "料理"];

/// Questions that many notes answer; every comparison asks them in two modes.
pub(super) const QUESTIONS: [&str; 14] = [
    "three copies of photos",
    "写真を置く場所",
    "refresh token",
    "権限は小さく",
    "gen-itgc",
    "secuirty tokens",
    "雨",
    "std::flat_map",
    "2026.4.10",
    "味噌汁 bread",
    "\"another house\"",
    "tag:work release",
    "コンピューター -画面",
    "会議 meeting",
];

/// The digits of [`word`].
const LETTERS: &[u8; 10] = b"bcdfghjklm";

/// A vault on disk with a record of what stands in it.
#[derive(Debug)]
pub(super) struct Vault {
    root: PathBuf,
    random: Random,
    /// The marker of each note: a word that stands in no other note. By path.
    notes: BTreeMap<String, String>,
    /// Markers given so far.
    marked: usize,
}

/// Kinds of [`Vault::edit`].
const EDITS: usize = 5;

impl Vault {
    /// An empty vault in the folder `root`, which is made.
    pub(super) fn new(root: &Path, seed: u64) -> Result<Self> {
        fs::create_dir_all(root).with_context(|| format!("make {}", root.display()))?;
        let random = Random::new(seed);
        Ok(Vault { root: root.to_path_buf(), random, notes: BTreeMap::new(), marked: 0 })
    }

    /// A vault of `count` notes of `paragraphs` paragraphs at most.
    pub(super) fn filled(root: &Path, seed: u64, count: usize, paragraphs: usize) -> Result<Self> {
        let mut vault = Vault::new(root, seed)?;
        for _ in 0..count {
            vault.create(paragraphs)?;
        }
        Ok(vault)
    }

    /// Path and marker of each note.
    pub(super) fn notes(&self) -> &BTreeMap<String, String> {
        &self.notes
    }

    /// The numbers that the vault is made with.
    pub(super) fn random(&mut self) -> &mut Random {
        &mut self.random
    }

    /// One random edit: a note is made, changed, renamed or deleted, or two change places.
    pub(super) fn edit(&mut self, paragraphs: usize) -> Result<()> {
        match self.random.below(EDITS) {
            _ if self.notes.len() < 2 => self.create(paragraphs),
            0 => self.create(paragraphs),
            1 => self.change(paragraphs),
            2 => self.rename(),
            3 => self.delete(),
            _ => self.swap(),
        }
    }

    fn create(&mut self, paragraphs: usize) -> Result<()> {
        let path = self.free_path();
        self.write(&path, paragraphs)
    }

    fn change(&mut self, paragraphs: usize) -> Result<()> {
        let path = self.any();
        self.write(&path, paragraphs)
    }

    /// Writes every note anew.
    pub(super) fn rewrite_all(&mut self, paragraphs: usize) -> Result<()> {
        let paths: Vec<String> = self.notes.keys().cloned().collect();
        paths.iter().try_for_each(|path| self.write(path, paragraphs))
    }

    fn rename(&mut self) -> Result<()> {
        let (from, to) = (self.any(), self.free_path());
        self.move_file(&from, &to)?;
        let marker = self.notes.remove(&from).unwrap_or_default();
        self.notes.insert(to, marker);
        Ok(())
    }

    fn delete(&mut self) -> Result<()> {
        let path = self.any();
        fs::remove_file(self.root.join(&path)).with_context(|| format!("delete {path}"))?;
        self.notes.remove(&path);
        Ok(())
    }

    fn swap(&mut self) -> Result<()> {
        let (one, other) = (self.any(), self.any());
        if one == other {
            return Ok(());
        }
        self.move_file(&one, "between.tmp")?;
        self.move_file(&other, &one)?;
        self.move_file("between.tmp", &other)?;
        let markers = [&one, &other].map(|path| self.notes.remove(path).unwrap_or_default());
        let [first, second] = markers;
        self.notes.extend([(one, second), (other, first)]);
        Ok(())
    }

    fn move_file(&self, from: &str, to: &str) -> Result<()> {
        make_folder_of(&self.root.join(to))?;
        fs::rename(self.root.join(from), self.root.join(to))
            .with_context(|| format!("rename {from} to {to}"))
    }

    /// Some note's path.
    fn any(&mut self) -> String {
        let at = self.random.below(self.notes.len());
        self.notes.keys().nth(at).cloned().unwrap_or_default()
    }

    fn free_path(&mut self) -> String {
        loop {
            let folder = self.random.pick(&FOLDERS);
            let word = self.random.pick(&["note", "plan b", "plan_b", "覚え書き", "Log", "雨"]);
            let path = format!("{folder}{word} {}.md", self.random.below(100_000));
            if !self.notes.contains_key(&path) {
                return path;
            }
        }
    }

    fn write(&mut self, path: &str, paragraphs: usize) -> Result<()> {
        self.marked += 1;
        let marker = word("zq", self.marked);
        let text = text(&mut self.random, &marker, paragraphs);
        let file = self.root.join(path);
        make_folder_of(&file)?;
        fs::write(&file, text).with_context(|| format!("write {path}"))?;
        self.notes.insert(path.to_owned(), marker);
        Ok(())
    }
}

/// A number as a word of consonants that begins with `start`: words that are like no other word,
/// and that no part of another is like.
pub(super) fn word(start: &str, number: usize) -> String {
    let digits = number.to_string();
    let letters = digits.bytes().map(|digit| char::from(LETTERS[usize::from(digit - b'0')]));
    format!("{start}{}x", letters.collect::<String>())
}

/// The number of a word that begins with `start`.
pub(super) fn number_of(word: &str, start: &str) -> Option<usize> {
    let digits = word.strip_prefix(start)?.split('x').next()?.bytes();
    digits
        .map(|letter| b"bcdfghjklm".iter().position(|known| *known == letter))
        .try_fold(0usize, |number, digit| Some(number * 10 + digit?))
}

fn make_folder_of(file: &Path) -> Result<()> {
    let folder = file.parent().unwrap_or(file);
    fs::create_dir_all(folder).with_context(|| format!("make {}", folder.display()))
}

/// A note of random sentences that holds its marker once.
fn text(random: &mut Random, marker: &str, paragraphs: usize) -> String {
    let mut text = String::new();
    if random.below(3) == 0 {
        let _ = write!(
            text,
            "---\ntags: [{}]\ncreated: 2026-0{}-11\n---\n",
            random.pick(&TAGS),
            1 + random.below(9)
        );
    }
    let marked = random.below(paragraphs.max(1));
    for number in 0..=random.below(paragraphs.max(1)).max(marked) {
        let heading = if number == 0 { "#" } else { "##" };
        let _ = write!(
            text,
            "{heading} {}\n\n",
            random.pick(&["Backups 控え", "計画", "Tokens", "Notes on rain"])
        );
        let sentences = if random.below(2) == 0 { &ENGLISH } else { &JAPANESE };
        for _ in 0..=random.below(4) {
            text += random.pick(sentences);
            text.push(' ');
        }
        if number == marked {
            text += marker;
        }
        text += "\n\n";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_hold_their_numbers() {
        for number in [0, 7, 1_024, 98_765] {
            assert_eq!(number_of(&word("zq", number), "zq"), Some(number));
        }
        assert_eq!(number_of("zqax", "zq"), None);
    }

    #[test]
    fn a_seed_repeats_a_vault_and_its_edits() {
        let folder = std::env::temp_dir().join(format!("hiku-vault-{}", std::process::id()));
        let made: Vec<_> = ["one", "other"]
            .into_iter()
            .map(|name| {
                let root = folder.join(name);
                let mut vault = Vault::filled(&root, 7, 20, 3).expect("a vault");
                for _ in 0..200 {
                    vault.edit(3).expect("an edit");
                }
                let texts = vault.notes().iter().map(|(path, marker)| {
                    let text = fs::read_to_string(root.join(path)).expect("the note");
                    assert_eq!(text.matches(marker.as_str()).count(), 1, "{path}");
                    (path.clone(), text)
                });
                texts.collect::<Vec<_>>()
            })
            .collect();
        fs::remove_dir_all(&folder).expect("the folder");
        assert!(made[0] == made[1] && made[0].len() > 5);
    }
}
