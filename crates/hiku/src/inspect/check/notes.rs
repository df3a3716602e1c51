//! Whether notes, their contents and their places in the term index agree.

use rustc_hash::FxHashSet;

use super::{Findings, Parts};
use crate::error::Result;
use crate::store::{AuditedDocument, Layout};

/// Every note has one content that can be read, and every content has a note. Notes the pieces of
/// the layouts.
pub(super) fn documents(parts: &mut Parts<'_>, findings: &mut Findings) -> Result<()> {
    let mut seen: FxHashSet<i64> = FxHashSet::default();
    let mut pieces = Vec::new();
    parts.store.for_each_document(|document| {
        let note_id = document.note_id;
        if !parts.by_id.contains_key(&note_id) {
            findings.add("a stored text belongs to no note", format_args!("note {note_id}"));
            return;
        }
        seen.insert(note_id);
        let fault = fault_of(&document);
        if let Some(what) = fault {
            findings.add(what, parts.path(note_id));
        }
        let layout = document.layout.unwrap_or_default();
        pieces.push((
            note_id,
            layout.chunks.iter().fold(0, |sum: usize, chunk| sum.saturating_add(chunk.pieces)),
        ));
        if fault.is_none() && chunks_of(parts, note_id) != Some(layout.chunks.len()) {
            findings.add("a note has other chunks in the term index", parts.path(note_id));
        }
    })?;
    parts.layout_pieces.extend(pieces);
    for row in parts.notes.iter().filter(|row| !seen.contains(&row.note_id)) {
        findings.add("a note has no stored text", &row.path);
    }
    Ok(())
}

fn fault_of(document: &AuditedDocument) -> Option<&'static str> {
    let Some(text) = &document.text else {
        return Some("a note's text cannot be read");
    };
    let Some(layout) = &document.layout else {
        return Some("a note's chunks cannot be read");
    };
    if document.attributes.is_none() {
        return Some("a note's attributes cannot be read");
    }
    (!lies_inside(layout, text)).then_some("a chunk does not lie inside its note's text")
}

fn lies_inside(layout: &Layout, text: &str) -> bool {
    layout.chunks.iter().all(|chunk| {
        let own = chunk.span.start.saturating_add(chunk.overlap);
        text.get(chunk.span.clone()).is_some()
            && text.get(own..chunk.span.end).is_some()
            && (1..=chunk.line_end).contains(&chunk.line_start)
    })
}

/// Chunks of a note by the term index; `None` where it is not there, which [`places`] reports.
fn chunks_of(parts: &Parts<'_>, note_id: i64) -> Option<usize> {
    let row = &parts.notes[*parts.by_id.get(&note_id)?];
    let columns = parts.segment(row.segment_id)?;
    columns.chunk_counts.get(row.ordinal as usize).map(|chunks| *chunks as usize)
}

/// Every note has one living document, at its place, and every living document has a note.
pub(super) fn places(parts: &Parts<'_>, findings: &mut Findings) {
    for row in &parts.notes {
        let ordinal = row.ordinal as usize;
        let place = parts.segment(row.segment_id);
        let found = place
            .and_then(|columns| Some((*columns.notes.get(ordinal)?, *columns.dead.get(ordinal)?)));
        match found {
            None => findings.add("a note is not in the term index", &row.path),
            Some((note_id, _)) if note_id != row.note_id => {
                findings.add("a note's place in the term index is another note's", &row.path);
            }
            Some((_, true)) => {
                findings.add("a note counts as removed in the term index", &row.path);
            }
            Some(_) => {}
        }
    }
    for columns in &parts.segments {
        let documents = columns.notes.iter().zip(&columns.dead).enumerate();
        for (ordinal, (note_id, _)) in documents.filter(|(_, (_, dead))| !**dead) {
            let row = parts.by_id.get(note_id).map(|at| &parts.notes[*at]);
            let own = |row: &crate::store::NoteRow| {
                (row.segment_id, row.ordinal as usize) == (columns.segment_id, ordinal)
            };
            if !row.is_some_and(own) {
                findings.add(
                    "a living document of the term index is no note's",
                    format_args!("document {ordinal} of segment {}", columns.segment_id),
                );
            }
        }
    }
}
