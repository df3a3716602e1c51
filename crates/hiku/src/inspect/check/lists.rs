//! Whether the term lists can be read, stand in order, name only documents and chunks that are
//! there, and add up to the lengths that ranking uses.

use super::{Findings, Parts};
use crate::error::Result;
use crate::postings::{Field, Lengths, SCORED, entries, slot, split_key, walk};
use crate::store::SegmentColumns;
use crate::tokenize::Class;

/// Checks the lists of all segments.
pub(super) fn lists(parts: &mut Parts<'_>, findings: &mut Findings) -> Result<()> {
    for columns in &parts.segments {
        let stored = parts.store.chunk_lengths(columns.segment_id)?;
        let mut lists = Lists::new(columns, stored.len());
        parts.store.for_each_block(columns.segment_id, |first, data| {
            lists.block(first, data, findings);
        })?;
        lists.compare(&stored, findings);
    }
    for segment_id in parts.store.stray_segments()? {
        findings.add(
            "term lists or sketches belong to no segment",
            format_args!("segment {segment_id}"),
        );
    }
    Ok(())
}

/// The lists of one segment, added up.
struct Lists<'c> {
    columns: &'c SegmentColumns,
    previous: Vec<u8>,
    lengths: Vec<Lengths>,
    /// Strong body terms of each chunk.
    chunk_lengths: Vec<u32>,
    /// First chunk of each document.
    first_chunks: Vec<usize>,
    /// False once a list could not be read: the sums are then wrong anyway.
    whole: bool,
}

impl<'c> Lists<'c> {
    /// `chunks` is the number of stored chunk lengths: the counts may be damaged, and would size the
    /// row that is added up.
    fn new(columns: &'c SegmentColumns, chunks: usize) -> Self {
        let mut first = 0usize;
        let first_chunks = columns
            .chunk_counts
            .iter()
            .map(|count| {
                let own = first;
                first += *count as usize;
                own
            })
            .collect();
        Lists {
            columns,
            previous: Vec::new(),
            lengths: vec![[0; 12]; columns.notes.len()],
            chunk_lengths: vec![0; chunks],
            first_chunks,
            whole: true,
        }
    }

    fn block(&mut self, first: &[u8], data: &[u8], findings: &mut Findings) {
        let mut expected = Some(first);
        let read = walk(data, |term, list| {
            if expected.take().is_some_and(|first| first != term) || term <= &*self.previous {
                self.fault("term lists are not in the order of their terms", term, findings);
            }
            self.previous.clear();
            self.previous.extend_from_slice(term);
            if let Some(what) = self.list(term, list) {
                self.fault(what, term, findings);
            }
            true
        });
        if read.is_none() || expected.is_some() {
            self.fault("a block of term lists cannot be read", first, findings);
        }
    }

    fn fault(&mut self, what: &'static str, term: &[u8], findings: &mut Findings) {
        self.whole = false;
        let term = String::from_utf8_lossy(split_key(term).map_or(term, |(_, _, term)| term));
        let segment_id = self.columns.segment_id;
        findings.add(what, format_args!("{term:?} in segment {segment_id}"));
    }

    /// Adds a list up; gives what is wrong with it.
    fn list(&mut self, key: &[u8], list: &[u8]) -> Option<&'static str> {
        let Some((field, class, _)) = split_key(key) else {
            return Some("a term list is of no known field");
        };
        let mut last = None;
        let mut fault = None;
        let read = entries(list, |document, chunk, count| {
            if last.is_some_and(|last| last >= (document, chunk)) {
                fault = Some("a term list is not in the order of its documents");
            }
            last = Some((document, chunk));
            if !self.count((field, class), document as usize, chunk, count) {
                fault = Some("a term list names a document or chunk that is not there");
            }
        });
        if read.is_none() || last.is_none() {
            return Some("a term list cannot be read");
        }
        fault
    }

    /// Adds an entry to the lengths; false where the document or chunk is not there.
    fn count(
        &mut self,
        (field, class): (Field, Class),
        document: usize,
        chunk: u32,
        count: u32,
    ) -> bool {
        let Some(chunks) = self.columns.chunk_counts.get(document) else { return false };
        if SCORED.contains(&field) {
            let length = &mut self.lengths[document][slot(field, class)];
            *length = length.saturating_add(count);
        }
        let at = self.first_chunks[document] + chunk as usize;
        let is_counted = (field, class) == (Field::Body, Class::Strong) && chunk < *chunks;
        if let Some(length) = self.chunk_lengths.get_mut(at).filter(|_| is_counted) {
            *length = length.saturating_add(count);
        }
        chunk < (*chunks).max(1)
    }

    fn compare(&self, stored_chunks: &[u32], findings: &mut Findings) {
        if !self.whole {
            return;
        }
        let documents = self.lengths.iter().zip(&self.columns.lengths);
        let wrong = documents.enumerate().find(|(_, (counted, stored))| counted != stored);
        if let Some((document, _)) = wrong {
            findings.add(
                "a document's lengths are not those of its term lists",
                format_args!("document {document} of segment {}", self.columns.segment_id),
            );
        }
        let chunks: usize = self.columns.chunk_counts.iter().map(|count| *count as usize).sum();
        if chunks != stored_chunks.len() || self.chunk_lengths != stored_chunks {
            findings.add(
                "the chunks' lengths are not those of their term lists",
                format_args!("segment {}", self.columns.segment_id),
            );
        }
    }
}
