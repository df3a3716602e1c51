//! Conflict copies among the candidates: a copy that says no more than its original is shown with
//! it and takes no place of its own; one that ranks for what only it says stays, and says whose copy
//! it is.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::Result;
use crate::ranking::Score;
use crate::retrieve::{Document, Snapshot};
use crate::store::{NoteRow, Store};
use crate::vault::{Original, originals};

/// A copy is shown with its original where that scores at least this share of what the copy does:
/// else the copy was found for words that the original lacks.
const LIKE_SHARE: f64 = 0.9;
/// Share of the longer text that two texts must have in common to be a note and its copy, where the
/// name alone does not tell. A sync conflict is an edit or two; two notes made from one template
/// differ in more.
const ALIKE_SHARE: f64 = 0.8;

/// What is known of the copies among some candidates.
#[derive(Debug, Default)]
pub(super) struct Copies {
    /// Path of the original of each copy, by the copy's document.
    pub(super) original: FxHashMap<Document, String>,
    /// Paths of the copies that are shown with an original, by its document.
    pub(super) shown_with: FxHashMap<Document, Vec<String>>,
    /// Those copies.
    pub(super) folded: FxHashSet<Document>,
    /// Documents that were looked at.
    seen: FxHashSet<Document>,
}

impl Copies {
    /// Looks at a candidate. `score` is what a document scored, `None` where it is no candidate.
    pub(super) fn look_at(
        &mut self,
        (document, row): (Document, &NoteRow),
        (store, snapshot): (&Store, &Snapshot),
        score: impl Fn(Document) -> Option<Score>,
    ) -> Result<()> {
        if !self.seen.insert(document) {
            return Ok(());
        }
        for original in originals(&row.path) {
            let Some((found, path)) = original_of(row, &original, (store, snapshot))? else {
                continue;
            };
            self.original.insert(document, path);
            let least = score(document).unwrap_or(0.0) * LIKE_SHARE;
            let like = |found: &Document| score(*found).is_some_and(|score| score >= least);
            if let Some(found) = found.filter(like) {
                self.folded.insert(document);
                let shown = self.shown_with.entry(found).or_default();
                shown.push(row.path.clone());
                shown.sort();
            }
            break;
        }
        Ok(())
    }
}

/// The document and path of an original, if the note is its copy; without a document where the name
/// leaves no doubt and there is no such note.
fn original_of(
    copy: &NoteRow,
    original: &Original,
    (store, snapshot): (&Store, &Snapshot),
) -> Result<Option<(Option<Document>, String)>> {
    let Some(row) = store.note_at(&original.path)? else {
        return Ok(original.is_certain.then(|| (None, original.path.clone())));
    };
    let is_copy = original.is_certain
        || row.hash == copy.hash
        || alike(&store.document(row.note_id)?.text, &store.document(copy.note_id)?.text);
    Ok(is_copy.then(|| (snapshot.document_of(&row), row.path)))
}

/// Whether two texts are one but for an edit or two: by what they share at both ends, or by their
/// lines.
fn alike(a: &str, b: &str) -> bool {
    let longer = a.len().max(b.len());
    let enough = |shared: usize| shared as f64 >= longer as f64 * ALIKE_SHARE;
    enough(shared_ends(a.as_bytes(), b.as_bytes())) || enough(shared_lines(a, b))
}

/// Bytes at the beginning and at the end that two texts share.
fn shared_ends(a: &[u8], b: &[u8]) -> usize {
    let start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let rest = a[start..].iter().rev().zip(b[start..].iter().rev());
    start + rest.take_while(|(a, b)| a == b).count()
}

/// Bytes of the lines that two texts share, wherever they stand.
fn shared_lines(a: &str, b: &str) -> usize {
    let mut lines: FxHashMap<&str, usize> = FxHashMap::default();
    for line in a.split_inclusive('\n') {
        *lines.entry(line.trim_end()).or_default() += 1;
    }
    let mut shared = 0;
    for line in b.split_inclusive('\n') {
        if let Some(left) = lines.get_mut(line.trim_end()).filter(|left| **left > 0) {
            *left -= 1;
            shared += line.len();
        }
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_its_original_but_for_an_edit_or_two() {
        let note = "# Plan\n\nBuy seeds in March.\n\nSow tomatoes in April, under glass.\n\nPlant out in May.\n";
        let edited = note.replace("in March", "by March 10");
        let longer = format!("{note}Water.\n");
        for text in [note, &edited, &longer] {
            assert!(alike(note, text) && alike(text, note), "{text}");
        }
        let chapter =
            "# Plan\n\nThe second chapter says something else altogether, and at length.\n";
        for text in [chapter, "", "# Plan\n", "# Plan\n\nBuy"] {
            assert!(!alike(note, text) && !alike(text, note), "{text}");
        }
        assert!(alike("", ""));
    }
}
