//! What searches need of an index at once, in memory: the columns of all segments as one row of
//! documents. Made once per generation.
//!
//! A searcher makes a new one when it sees another generation, and keeps the old one for as long as
//! a search uses it.

use std::ops::Range;

use super::frequent::{FrequentTerms, is_common};
use crate::error::Result;
use crate::postings::Lengths;
use crate::store::{NoteRow, SegmentColumns, Store};

/// Number of a document across all segments, dense from 0; means nothing outside its snapshot.
pub(crate) type Document = u32;

/// One published state.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    /// Generation that this is the state of.
    pub generation: i64,
    /// Columns of the segments, oldest first.
    pub segments: Vec<SegmentColumns>,
    /// First document of each segment.
    pub bases: Vec<Document>,
    /// Number of documents, dead ones included.
    pub documents: usize,
    /// Number of living notes.
    pub notes: usize,
    /// Number of chunks of living notes.
    pub chunks: usize,
    /// Mean of each length over the living notes. In terms, by [`crate::postings::slot`]; 0 where
    /// no note has any.
    pub mean_lengths: [f64; 12],
    /// First piece of each document, pieces being numbered across segments, and the number of all
    /// pieces at the end.
    pub piece_starts: Vec<u32>,
    /// Common terms that searches of this state have met.
    pub frequent: FrequentTerms,
}

impl Snapshot {
    /// Reads the state of a store.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn load(store: &Store) -> Result<Self> {
        let generation = store.generation()?;
        let mut snapshot =
            Snapshot { generation, segments: store.segments()?, ..Snapshot::default() };
        let mut totals = [0u64; 12];
        for columns in &snapshot.segments {
            snapshot.bases.push(snapshot.documents as Document);
            snapshot.documents += columns.notes.len();
            for (document, dead) in columns.dead.iter().enumerate() {
                if !dead {
                    snapshot.notes += 1;
                    snapshot.chunks += columns.chunk_counts[document] as usize;
                    add(&mut totals, &columns.lengths[document]);
                }
            }
        }
        snapshot.piece_starts =
            starts(snapshot.segments.iter().flat_map(|columns| &columns.piece_counts));
        let notes = snapshot.notes.max(1) as f64;
        snapshot.mean_lengths = totals.map(|total| total as f64 / notes);
        Ok(snapshot)
    }

    /// True for a term that so many bodies hold that it hardly tells notes apart.
    pub(super) fn is_common(&self, frequency: usize) -> bool {
        is_common(self.notes, frequency)
    }

    /// Number of pieces, those of dead documents included.
    pub(crate) fn pieces(&self) -> usize {
        self.piece_starts.last().map_or(0, |end| *end as usize)
    }

    /// The pieces of a document.
    pub(crate) fn pieces_of(&self, document: Document) -> Range<usize> {
        let at = |document: usize| self.piece_starts.get(document).map_or(0, |at| *at as usize);
        at(document as usize)..at(document as usize + 1)
    }

    /// Segment and ordinal of a document.
    pub(crate) fn place(&self, document: Document) -> (usize, usize) {
        let segment = self.bases.partition_point(|base| *base <= document).saturating_sub(1);
        (segment, (document - self.bases[segment]) as usize)
    }

    /// Note id of a document.
    pub(crate) fn note_id(&self, document: Document) -> i64 {
        let (segment, ordinal) = self.place(document);
        self.segments[segment].notes[ordinal]
    }

    /// The document of a note; `None` where the row is of another state.
    pub(crate) fn document_of(&self, row: &NoteRow) -> Option<Document> {
        let is_own = |columns: &SegmentColumns| columns.segment_id == row.segment_id;
        let segment = self.segments.iter().position(is_own)?;
        let is_its = self.segments[segment].notes.get(row.ordinal as usize) == Some(&row.note_id);
        is_its.then(|| self.bases[segment] + row.ordinal)
    }

    /// For each document whether it is living.
    pub(crate) fn living(&self) -> Vec<bool> {
        self.segments.iter().flat_map(|columns| columns.dead.iter().map(|dead| !dead)).collect()
    }
}

fn starts<'c>(counts: impl Iterator<Item = &'c u32>) -> Vec<u32> {
    let mut sum = 0;
    let ends = counts.map(|count| {
        sum += count;
        sum
    });
    std::iter::once(0).chain(ends.collect::<Vec<_>>()).collect()
}

fn add(totals: &mut [u64; 12], lengths: &Lengths) {
    for (total, length) in totals.iter_mut().zip(lengths) {
        *total += u64::from(*length);
    }
}
