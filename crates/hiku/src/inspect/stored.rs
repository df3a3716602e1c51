//! Everything an index holds of one note. Terms and links are not stored by note: they are derived
//! again from the stored text, as they were indexed.

use std::collections::BTreeMap;
use std::path::Path;

use super::{StoredChunk, StoredNote};
use crate::chunk::context_line;
use crate::error::Result;
use crate::indexer::{day_text, stored_bodies, stored_note};
use crate::markdown::{Link, LinkKind};
use crate::read::resolve;
use crate::store::{Attributes, DocumentRow, NoteRow, Store};
use crate::text::{LineIndex, sanitize};
use crate::tokenize::{Analyzer, Class};

/// All that an index holds of the note that `name` means.
///
/// # Errors
/// `User` when no note or more than one has that name; `Corrupt` and `Io`.
pub(crate) fn stored(path: &Path, name: &str) -> Result<StoredNote> {
    let store = Store::open(path)?;
    store.begin_view()?;
    let row = find(&store, name)?;
    let document = store.document(row.note_id)?;
    let model = match row.vector_id {
        Some(_) => store.meta_text("model")?.unwrap_or_default(),
        None => String::new(),
    };
    store.end_view()?;
    Ok(note_of(row, document, model))
}

fn find(store: &Store, name: &str) -> Result<NoteRow> {
    let mut notes: Vec<(String, i64)> = Vec::new();
    store.for_each_note(|note_id, path, _| notes.push((path.to_owned(), note_id)))?;
    let path = resolve(name, &notes.iter().map(|(path, _)| path.as_str()))?;
    let found = notes.iter().find(|(known, _)| known == path);
    let row = found.map(|(_, note_id)| store.note(*note_id)).transpose()?.flatten();
    row.ok_or_else(|| store.missing_note())
}

fn note_of(row: NoteRow, document: DocumentRow, model: String) -> StoredNote {
    let terms = terms_of(&document);
    let links = links_of(&document);
    let chunks = chunks_of(&document, !model.is_empty());
    let Attributes { aliases, tags, note_type, warnings, redactions, .. } = document.attributes;
    StoredNote {
        note_id: row.note_id,
        date: day_text(row.day()),
        path: row.path,
        title: document.title,
        aliases,
        tags,
        note_type: Some(note_type).filter(|note_type| !note_type.is_empty()),
        hash: hexadecimal(&row.hash),
        redactions,
        warnings,
        links,
        chunks,
        terms,
        model,
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 0xF]);
    digits.filter_map(|digit| char::from_digit(u32::from(digit), 16)).collect()
}

fn chunks_of(document: &DocumentRow, with_vectors: bool) -> Vec<StoredChunk> {
    let Attributes { note_type, tags, .. } = &document.attributes;
    let chunk = |chunk: &crate::store::ChunkLayout| StoredChunk {
        context: context_line(&document.title, Some(note_type), tags, &chunk.headings),
        line_start: chunk.line_start,
        line_end: chunk.line_end,
        bytes: chunk.original.clone(),
        text: sanitize(&document.text[chunk.span.clone()]).into_owned(),
        pieces: if with_vectors { chunk.pieces } else { 0 },
    };
    document.layout.chunks.iter().map(chunk).collect()
}

/// The links of the text, as written. Redaction keeps line breaks: the lines are the file's.
fn links_of(document: &DocumentRow) -> Vec<(String, String, usize)> {
    let lines = LineIndex::new(&document.text);
    let form =
        |link: Link| (kind_name(link.kind).to_owned(), written(&link), lines.line(link.span.start));
    stored_note(document).links.into_iter().map(form).collect()
}

/// Target and heading of a link as they are written.
pub(super) fn written(link: &Link) -> String {
    match &link.fragment {
        Some(fragment) => format!("{}#{fragment}", link.target),
        None => link.target.clone(),
    }
}

fn kind_name(kind: LinkKind) -> &'static str {
    match kind {
        LinkKind::Wiki => "wiki",
        LinkKind::Embed => "embed",
        LinkKind::Markdown => "markdown",
        LinkKind::External => "external",
    }
}

/// The body's terms as indexed: those of the title, which leads the first chunk, and of each chunk
/// without what it repeats of the one before.
fn terms_of(document: &DocumentRow) -> Vec<(&'static str, String, u32)> {
    let mut analyzer = Analyzer::new();
    let mut found = Vec::new();
    analyzer.analyze(&document.title, &mut found);
    for body in stored_bodies(document) {
        analyzer.analyze(&body, &mut found);
    }
    let mut counts: BTreeMap<(Class, &str), u32> = BTreeMap::new();
    for number in found {
        *counts.entry(analyzer.term(number)).or_default() += 1;
    }
    let terms = counts.into_iter();
    terms.map(|((class, term), count)| (class.name(), term.to_owned(), count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspect::tests::{indexed, refresh_with};
    use crate::postings::{Field, entries, key, split_key, walk};
    use crate::settings::Settings;
    use rustc_hash::FxHashMap;
    use testkit::TestVault;

    const NOTES: &str = "//- a/認証 設計.md\n---\ntags: [security, api/v2]\ntype: design\naliases: \
        Auth\ndate: 2026-04-10\n---\n# 認証の設計\n\nトークンは短い期限にする。See [[other#Part]].\n\n\
        ## 期限\nAccessToken を一時間で失効させる。失効したら再発行する。\n//- other.md\nAnother note.\n";

    fn stored_of(vault: &TestVault, name: &str) -> StoredNote {
        stored(&vault.index(), name).expect("the note is stored")
    }

    #[test]
    fn fields_chunks_and_links_come_back() {
        let vault = indexed(NOTES);
        let note = stored_of(&vault, "認証 設計");
        assert_eq!((note.path.as_str(), note.title.as_str()), ("a/認証 設計.md", "認証の設計"));
        assert_eq!(
            (note.tags.join(" "), note.aliases.join(" ")),
            ("security api/v2".into(), "Auth".into())
        );
        assert_eq!((note.note_type.as_deref(), note.date.as_str()), (Some("design"), "2026-04-10"));
        assert_eq!(note.hash.len(), 32);
        assert_eq!(note.links, [("wiki".to_owned(), "other#Part".to_owned(), 9)]);
        let last = note.chunks.last().expect("chunks");
        assert_eq!(last.context, "認証の設計 | design | security, api/v2 | 認証の設計 > 期限");
        assert_eq!((last.line_start, last.line_end), (11, 12));
        assert!(last.text.starts_with("## 期限\nAccessToken"), "{last:?}");
        assert!(!note.model.is_empty() && note.chunks.iter().all(|chunk| chunk.pieces > 0));
    }

    /// Counts of a note's body terms in the term lists of an index.
    fn indexed_terms(vault: &TestVault, note_id: i64) -> FxHashMap<Vec<u8>, u32> {
        let store = Store::open(&vault.index()).expect("an index");
        let columns = store.segments().expect("segments").remove(0);
        let wanted = columns.notes.iter().position(|note| *note == note_id).expect("the document");
        let mut terms: FxHashMap<Vec<u8>, u32> = FxHashMap::default();
        let mut read = |_: &[u8], data: &[u8]| {
            let walked = walk(data, |term, list| {
                entries(list, |document, _, count| {
                    if document as usize == wanted
                        && split_key(term).is_some_and(|(field, ..)| field == Field::Body)
                    {
                        *terms.entry(term.to_vec()).or_default() += count;
                    }
                })
                .is_some()
            });
            assert_eq!(walked, Some(()));
        };
        store.for_each_block(columns.segment_id, &mut read).expect("blocks");
        terms
    }

    #[test]
    fn terms_are_exactly_those_of_the_lists() {
        let long = "A sentence with an IdentifierName and 検索の仕組み in it. ".repeat(120);
        let vault = indexed(&format!("{NOTES}//- long.md\n# Long\n{long}\n//- empty.md\n\n"));
        for name in ["a/認証 設計", "other", "long", "empty"] {
            let note = stored_of(&vault, name);
            let class_of = |name: &str| {
                *Class::ALL.iter().find(|class| class.name() == name).expect("a class")
            };
            let derived: FxHashMap<Vec<u8>, u32> = note
                .terms
                .iter()
                .map(|(class, term, count)| (key(Field::Body, class_of(class), term), *count))
                .collect();
            assert_eq!(derived, indexed_terms(&vault, note.note_id), "{name}");
        }
    }

    #[test]
    fn any_spelling_finds_the_note_and_others_do_not() {
        let vault = indexed("//- か\u{3099}.md\nText.\n//- x/b.md\nText.\n//- y/b.md\nText.\n");
        for name in ["が", "が.md", "か\u{3099}"] {
            assert_eq!(stored_of(&vault, name).path, "か\u{3099}.md", "{name}");
        }
        for name in ["absent", "b", ""] {
            let error = stored(&vault.index(), name).expect_err(name);
            assert_eq!(error.kind(), crate::ErrorKind::User, "{name}: {error}");
        }
    }

    #[test]
    fn a_note_without_its_text_is_damage() {
        let vault = indexed("//- a.md\nText.\n//- b.md\nText.\n");
        crate::store::tests::damage(&vault.index(), "content of a note is gone");
        let error = stored(&vault.index(), "b").expect_err("no text");
        assert_eq!(error.kind(), crate::ErrorKind::Corrupt, "{error}");
    }

    #[test]
    fn without_a_model_no_model_is_named() {
        let vault = TestVault::new("//- a.md\nText of a note.\n");
        refresh_with(&vault, &Settings { embedder: None, ..Settings::default() });
        let note = stored_of(&vault, "a");
        assert_eq!((note.model.as_str(), note.chunks[0].pieces), ("", 0));
    }
}
