//! What an index depends on beside its notes: versions, settings, model. Decides what a difference
//! makes necessary.

use crate::chunk::PIECES_VERSION;
use crate::error::Result;
use crate::scrub::RULES_VERSION;
use crate::settings::Settings;
use crate::store::{Store, Writer};
use crate::tokenize::TOKENIZER_VERSION;

/// Version of what is made of a note's file before it is cut: decoding, what is left out, and how
/// front matter, headings, links and titles are read. Raised with every change after which the same
/// file would be stored otherwise; terms, credential rules and pieces have versions of their own.
const CONTENT_VERSION: u32 = 4;

/// What has to be made anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rebuild {
    /// Nothing.
    Nothing,
    /// All vectors, for the reason given.
    Vectors(&'static str),
    /// Everything, for the reason given.
    Everything(&'static str),
}

/// Compares the file's identity with the settings in use.
pub(super) fn needed(store: &Store, settings: &Settings) -> Result<Rebuild> {
    let number = |key| store.meta_number(key);
    if number("tokenizer")?.is_none() {
        return Ok(Rebuild::Everything("the index is new"));
    }
    if number("tokenizer")? != Some(i64::from(TOKENIZER_VERSION)) {
        return Ok(Rebuild::Everything("this version cuts text into other terms"));
    }
    if number("rules")? != Some(i64::from(RULES_VERSION)) {
        return Ok(Rebuild::Everything("this version has other credential rules"));
    }
    if number("content")? != Some(i64::from(CONTENT_VERSION)) {
        return Ok(Rebuild::Everything("this version reads notes otherwise"));
    }
    if store.meta_text("settings")? != Some(content_settings(settings)) {
        return Ok(Rebuild::Everything("the settings for cutting or redacting notes changed"));
    }
    // What the vectors depend on cannot be compared, nor they be made anew.
    if settings.missing_model.is_some() {
        return Ok(Rebuild::Nothing);
    }
    if store.meta_text("model")? != Some(model_id(settings)) {
        return Ok(Rebuild::Vectors("the embedding model changed"));
    }
    if number("pieces")? != Some(i64::from(PIECES_VERSION)) {
        return Ok(Rebuild::Vectors("this version embeds other pieces"));
    }
    if store.meta_text("title_vector_weight")? != Some(title_weight(settings)) {
        return Ok(Rebuild::Vectors("the weight of titles in vectors changed"));
    }
    Ok(Rebuild::Nothing)
}

/// Refuses to make everything anew where that would throw away vectors that only a model which is
/// missing can make.
pub(super) fn guard_vectors(store: &Store, settings: &Settings, rebuild: Rebuild) -> Result<()> {
    let has_vectors = || Ok(store.meta_text("model")?.is_some_and(|model| !model.is_empty()));
    match &settings.missing_model {
        Some(model) if matches!(rebuild, Rebuild::Everything(_)) && has_vectors()? => {
            Err(model.error())
        }
        _ => Ok(()),
    }
}

/// Records the identity.
pub(super) fn record(writer: &Writer, settings: &Settings) -> Result<()> {
    writer.set_number("tokenizer", i64::from(TOKENIZER_VERSION))?;
    writer.set_number("rules", i64::from(RULES_VERSION))?;
    writer.set_number("content", i64::from(CONTENT_VERSION))?;
    writer.set_number("pieces", i64::from(PIECES_VERSION))?;
    writer.set_text("settings", &content_settings(settings))?;
    writer.set_text("model", &model_id(settings))?;
    writer.set_text("title_vector_weight", &title_weight(settings))
}

/// Id of the model in use, empty without one.
pub(super) fn model_id(settings: &Settings) -> String {
    settings.embedder.as_ref().map(|embedder| embedder.id().to_owned()).unwrap_or_default()
}

fn title_weight(settings: &Settings) -> String {
    settings.ranking.title_vector_weight.to_string()
}

/// The settings that decide what is stored of a note, as one comparable text.
fn content_settings(settings: &Settings) -> String {
    let text = format!("{:?} {:?}", settings.chunk, settings.scrub);
    blake3::hash(text.as_bytes()).to_hex()[..32].to_owned()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    use testkit::TestVault;

    use super::*;
    use crate::indexer::{SilentProgress, UpdateOptions, UpdateReport, update};
    use crate::store::WriterLock;
    use crate::vault::Folder;

    fn refresh(vault: &TestVault) -> UpdateReport {
        let settings = Settings { embedder: None, ..Settings::default() };
        let folder = Folder::open(&vault.root(), &settings.vault).expect("the vault");
        let (options, stop) = (UpdateOptions::default(), AtomicBool::new(false));
        update(&folder, &vault.index(), &settings, options, &SilentProgress, &stop)
            .expect("an update")
    }

    #[test]
    fn an_index_of_another_version_is_made_anew_for_a_stated_reason() {
        let vault = TestVault::new("//- a.md\nText.\n//- b.md\nText.\n");
        for (fact, reason) in [
            ("content", "this version reads notes otherwise"),
            ("tokenizer", "this version cuts text into other terms"),
            ("rules", "this version has other credential rules"),
        ] {
            refresh(&vault);
            assert_eq!(refresh(&vault).rebuilt, None);
            let lock = WriterLock::acquire(&vault.index(), Duration::ZERO).expect("the lock");
            let writer = Writer::open(&vault.index(), &lock).expect("a writer");
            writer.begin().expect("a publication");
            writer.set_number(fact, 0).expect("a fact");
            writer.publish().expect("published");
            drop((writer, lock));
            assert_eq!(refresh(&vault).rebuilt, Some(reason));
        }
    }
}
