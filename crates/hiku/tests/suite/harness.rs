//! What the tests of this binary share: bringing an index up to date, asking it, and answers in a
//! form that two indexes of the same vault must agree on, and stand-ins for folders and models. Holds
//! no test.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use hiku::embed::{Embedder, TokenId};
use hiku::vault::{Folder, Scan, ScanEntry, Source, VaultPath};
use hiku::{
    Fusion, Grouping, Index, Mend, Mode, SearchRequest, SearchResponse, Settings, SilentProgress,
    UpdateOptions, UpdateReport,
};
use testkit::TestVault;

/// A run that looks at everything again.
pub(crate) const FULL: UpdateOptions =
    UpdateOptions { full: true, dry_run: false, prune: false, mend: Mend::Never, budget: None };
/// A run that removes whatever is gone.
pub(crate) const PRUNE: UpdateOptions =
    UpdateOptions { full: false, dry_run: false, prune: true, mend: Mend::Never, budget: None };

/// Four notes with tags, types, dates and links between them.
pub(crate) const NOTES: &str = "
//- alpha.md
---
tags: [work/release, 日記]
type: project
created: 2026-03-01
---
# Alpha release

The release went out in the morning. 朝のうちに出した。
//- beta.md
---
tags: [work]
type: Daily
created: 2026-04-01
---
# Beta

The morning after the release. See [[alpha]] and [more](notes/gamma.md).
//- notes/gamma.md
---
tags: [workshop]
created: 2026-05-01
---
# Gamma

A morning without any release. 夜に出した。 See [[alpha#Alpha release|the first]].
//- notes/deep/delta.md
---
tags: [日記/朝, work/release/old]
type: project
created: 2026-06-01
---
# Delta

Old stuff: a release in the morning, at 10:30. ![[beta]]
";

/// Settings without an embedding model: what is by word only is faster so.
pub(crate) fn by_word() -> Settings {
    Settings { embedder: None, ..Settings::default() }
}

/// Brings the index at `index` to the state of the vault.
pub(crate) fn try_update(
    vault: &Path,
    index: &Path,
    settings: &Settings,
    options: UpdateOptions,
) -> hiku::Result<UpdateReport> {
    let source = Folder::open(vault, &settings.vault)?;
    Index::update(&source, index, settings, options, &SilentProgress, &AtomicBool::new(false))
}

/// Brings a vault's own index up to date.
pub(crate) fn update(vault: &TestVault, settings: &Settings) -> UpdateReport {
    update_with(vault, settings, UpdateOptions::default())
}

/// Brings a vault's own index up to date in a given way.
pub(crate) fn update_with(
    vault: &TestVault,
    settings: &Settings,
    options: UpdateOptions,
) -> UpdateReport {
    try_update(&vault.root(), &vault.index(), settings, options).expect("an update")
}

/// Opens a vault's own index.
pub(crate) fn open(vault: &TestVault, settings: &Settings) -> Index {
    Index::open(&vault.index(), settings).expect("an index")
}

/// Writes, indexes and opens a vault.
pub(crate) fn indexed(files: &str, settings: &Settings) -> (TestVault, Index) {
    let vault = TestVault::new(files);
    update(&vault, settings);
    let index = open(&vault, settings);
    (vault, index)
}

/// Every mode.
pub(crate) const MODES: [Mode; 3] = [Mode::Hybrid, Mode::Lexical, Mode::Dense];
/// Every fusion.
pub(crate) const FUSIONS: [Fusion; 3] = [Fusion::Convex, Fusion::Rrf, Fusion::Founding];

/// Every way of asking.
pub(crate) fn ways() -> impl Iterator<Item = (Mode, Fusion, Grouping)> {
    let by = [Grouping::Note, Grouping::Chunk];
    let modes = MODES.into_iter().flat_map(|mode| FUSIONS.map(|fusion| (mode, fusion)));
    modes.flat_map(move |(mode, fusion)| by.map(|by| (mode, fusion, by)))
}

/// A vault's text with one note, `0.md` and so on, for each text.
pub(crate) fn numbered<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let note = |(number, text): (usize, &str)| format!("//- {number}.md\n{text}\n");
    texts.into_iter().enumerate().map(note).collect::<Vec<_>>().concat()
}

/// A request in a mode and a fusion.
pub(crate) fn request(query: &str, mode: Mode, fusion: Fusion) -> SearchRequest {
    SearchRequest { mode, fusion, ..SearchRequest::new(query) }
}

/// Asks an index with every default.
pub(crate) fn ask(index: &Index, query: &str) -> SearchResponse {
    let result = index.search(&SearchRequest::new(query));
    result.unwrap_or_else(|error| panic!("{query:?}: {error}"))
}

/// The paths of an answer, best first.
pub(crate) fn paths(response: &SearchResponse) -> Vec<&str> {
    response.hits.iter().map(|hit| hit.path.as_str()).collect()
}

/// The paths that a query finds, best first.
pub(crate) fn found(index: &Index, query: &str) -> Vec<String> {
    paths(&ask(index, query)).into_iter().map(str::to_owned).collect()
}

/// An answer as lines, a hit a line, without what may differ between two indexes of the same vault:
/// identities, the count of publications, the model. Numbers are written to their last bit.
pub(crate) fn lines(mut response: SearchResponse) -> Vec<String> {
    (response.generation, response.model) = (0, String::new());
    let mut lines = Vec::with_capacity(response.hits.len() + 1);
    for mut hit in std::mem::take(&mut response.hits) {
        hit.note_id = 0;
        for passage in &mut hit.passages {
            let number = passage.chunk_id.rsplit('.').next().unwrap_or_default().to_owned();
            passage.chunk_id = number;
        }
        lines.push(format!("{hit:?}"));
    }
    lines.push(format!("{response:?}"));
    lines
}

/// Asserts that a check finds no fault in an index.
pub(crate) fn assert_sound(index: &Path) {
    let opened = Index::open(index, &by_word()).expect("an index");
    let mut problems = opened.check().expect("a check");
    // Which model the index was made with is not the question here.
    problems.retain(|problem| !problem.message.contains("another model"));
    assert_eq!(problems, [], "{}", index.display());
}

/// Notes in memory, for vaults of thousands of notes: no file is written.
pub(crate) struct Memory(pub(crate) Vec<(String, String)>);

impl Source for Memory {
    fn scan(&self) -> hiku::Result<Scan> {
        let entry = |(path, text): &(String, String)| ScanEntry {
            path: VaultPath::verbatim(path),
            modified_ns: 0,
            changed_ns: 0,
            size: text.len() as u64,
        };
        Ok(Scan { entries: self.0.iter().map(entry).collect(), ..Scan::default() })
    }

    fn read(&self, path: &VaultPath) -> std::io::Result<Vec<u8>> {
        let note = self.0.iter().find(|(own, _)| own == path.as_str());
        let missing = || std::io::Error::from(std::io::ErrorKind::NotFound);
        note.map(|(_, text)| text.clone().into_bytes()).ok_or_else(missing)
    }
}

/// A model that counts letters: other ids and dimensions than the built-in one's.
#[derive(Debug)]
pub(crate) struct LetterModel(pub(crate) &'static str);

impl LetterModel {
    /// Settings with this model.
    pub(crate) fn settings(id: &'static str) -> Settings {
        Settings { embedder: Some(Arc::new(LetterModel(id))), ..Settings::default() }
    }
}

impl Embedder for LetterModel {
    fn id(&self) -> &str {
        self.0
    }

    fn dimensions(&self) -> usize {
        64
    }

    fn vocabulary_size(&self) -> usize {
        64
    }

    fn tokenize(&self, text: &str, ids: &mut Vec<TokenId>) {
        ids.extend(text.chars().filter(|c| c.is_alphanumeric()).map(|c| u32::from(c) % 64));
    }

    fn accumulate(&self, tokens: &[TokenId], weights: &[f32], sum: &mut [f32]) {
        for (token, weight) in tokens.iter().zip(weights) {
            sum[*token as usize] += weight;
        }
    }
}
