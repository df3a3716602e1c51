//! What the tests of this binary share: bringing an index up to date, asking it, and answers in a
//! form that two indexes of the same vault must agree on. Holds no test.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use hiku::vault::Folder;
use hiku::{
    Fusion, Index, Mode, SearchRequest, SearchResponse, Settings, SilentProgress, UpdateOptions,
    UpdateReport,
};
use testkit::TestVault;

/// A run that looks at everything again.
pub(crate) const FULL: UpdateOptions = UpdateOptions { full: true, dry_run: false, prune: false };
/// A run that removes whatever is gone.
pub(crate) const PRUNE: UpdateOptions = UpdateOptions { full: false, dry_run: false, prune: true };

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
    if let Ok(problems) = opened.check() {
        assert_eq!(problems, [], "{}", index.display());
    }
}
