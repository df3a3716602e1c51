//! Merging segments into one: dead documents are left out, the living renumbered in the order of
//! the sources.
//!
//! The result equals the segment that the living documents would have made in one go, byte for
//! byte.

use super::block::BlockWriter;
use super::list::{ListWriter, entries};
use super::{Block, Segment, walk};

/// One of the segments to be merged.
#[derive(Debug)]
pub(crate) struct MergeSource {
    /// The segment, its blocks in order.
    pub segment: Segment,
    /// For each document whether it is dead.
    pub dead: Vec<bool>,
}

/// Merges segments. `None` where a block is damaged.
pub(crate) fn merge(sources: &[MergeSource]) -> Option<Segment> {
    let mut merged = Segment::default();
    let mut numbers: Vec<Vec<Option<u32>>> = Vec::with_capacity(sources.len());
    for source in sources {
        numbers.push(renumber(source, &mut merged));
    }
    let mut lists: Vec<(Vec<u8>, usize, &[u8])> = Vec::new();
    for (at, source) in sources.iter().enumerate() {
        for Block { data, .. } in &source.segment.blocks {
            walk(data, |term, list| {
                lists.push((term.to_vec(), at, list));
                true
            })?;
        }
    }
    lists.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
    let mut writer = BlockWriter::default();
    for same in lists.chunk_by(|a, b| a.0 == b.0) {
        let mut joined = ListWriter::default();
        for (_, at, list) in same {
            entries(list, |document, chunk, count| {
                if let Some(Some(number)) = numbers[*at].get(document as usize) {
                    joined.add(*number, chunk, count);
                }
            })?;
        }
        if !joined.bytes.is_empty() {
            writer.add(&same[0].0, |out| joined.write(out));
        }
    }
    merged.blocks = writer.finish();
    Some(merged)
}

/// Copies the living documents' lengths and gives each document its number in the merged segment.
fn renumber(source: &MergeSource, merged: &mut Segment) -> Vec<Option<u32>> {
    let mut chunk = 0usize;
    let mut numbers = Vec::with_capacity(source.segment.lengths.len());
    for (document, lengths) in source.segment.lengths.iter().enumerate() {
        let chunks = source.segment.chunk_counts.get(document).copied().unwrap_or(0);
        let end = (chunk + chunks as usize).min(source.segment.chunk_lengths.len());
        if source.dead.get(document).copied().unwrap_or(false) {
            numbers.push(None);
        } else {
            numbers.push(Some(merged.lengths.len() as u32));
            merged.lengths.push(*lengths);
            merged.chunk_counts.push(chunks);
            merged.chunk_lengths.extend_from_slice(&source.segment.chunk_lengths[chunk..end]);
        }
        chunk = end;
    }
    numbers
}
