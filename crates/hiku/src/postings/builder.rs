//! Building a segment in memory: one builder a worker, then all of them combined.

use super::block::BlockWriter;
use super::list::ListWriter;
use super::{Field, Lengths, Segment, slot};
use crate::tokenize::{Analyzer, Class, TermNumber};

/// Number of [`Field`]s.
const FIELDS: usize = super::FIELDS.len();

/// Collects the terms of documents, one document after another.
///
/// Each worker has one, with an analyzer of its own; `combine` gives every term one list again. The
/// documents of the second builder follow those of the first, so that the split among workers
/// leaves no trace.
#[derive(Debug, Default)]
pub(crate) struct SegmentBuilder {
    analyzer: Analyzer,
    /// Per field: 1 + index of the term's list, by term number; 0 where it has none.
    slots: [Vec<u32>; FIELDS],
    lists: Vec<(Field, TermNumber, ListWriter)>,
    lengths: Vec<Lengths>,
    chunk_counts: Vec<u32>,
    chunk_lengths: Vec<u32>,
    found: Vec<TermNumber>,
    counts: Vec<u32>,
}

impl SegmentBuilder {
    /// Starts the next document, which has `chunks` chunks (at least one list may name chunk 0 even
    /// where it has none).
    pub(crate) fn begin(&mut self, chunks: u32) {
        self.lengths.push([0; 12]);
        self.chunk_counts.push(chunks);
        self.chunk_lengths.extend((0..chunks).map(|_| 0));
    }

    /// Adds the terms of some texts that stand together in one chunk. Chunks of a field come in
    /// ascending order, each once.
    pub(crate) fn add(&mut self, field: Field, chunk: u32, texts: &[&str]) {
        self.found.clear();
        for text in texts {
            self.analyzer.analyze(text, &mut self.found);
        }
        self.count_lengths(field, chunk);
        self.counts.resize(self.analyzer.seen(), 0);
        for number in &self.found {
            self.counts[*number as usize] += 1;
        }
        let found = std::mem::take(&mut self.found);
        for number in &found {
            let count = std::mem::take(&mut self.counts[*number as usize]);
            if count > 0 {
                self.post(field, *number, chunk, count);
            }
        }
        self.found = found;
    }

    /// Adds a term that is not analysed: a tag, a type, a link target. Repeats count once.
    pub(crate) fn add_verbatim(&mut self, field: Field, texts: &[String]) {
        let mut numbers: Vec<_> = texts.iter().map(|text| self.analyzer.verbatim(text)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        for number in numbers {
            self.post(field, number, 0, 1);
        }
    }

    fn count_lengths(&mut self, field: Field, chunk: u32) {
        let mut lengths = [0u32; 3];
        for number in &self.found {
            lengths[self.analyzer.term(*number).0 as usize] += 1;
        }
        let Some(document) = self.lengths.last_mut() else { return };
        for class in Class::ALL {
            document[slot(field, class)] += lengths[class as usize];
        }
        if field == Field::Body {
            let chunks = self.chunk_counts.last().copied().unwrap_or(0);
            if chunk < chunks {
                let at = self.chunk_lengths.len() - (chunks - chunk) as usize;
                self.chunk_lengths[at] += lengths[Class::Strong as usize];
            }
        }
    }

    fn post(&mut self, field: Field, number: TermNumber, chunk: u32, count: u32) {
        let document = self.lengths.len().saturating_sub(1) as u32;
        let slots = &mut self.slots[field as usize];
        if slots.len() <= number as usize {
            slots.resize(number as usize + 1, 0);
        }
        let slot = &mut slots[number as usize];
        if *slot == 0 {
            self.lists.push((field, number, ListWriter::default()));
            *slot = self.lists.len() as u32;
        }
        self.lists[*slot as usize - 1].2.add(document, chunk, count);
    }
}

/// A list in its place among all builders' lists; ordered by its fields in turn.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct SortedList {
    /// The key's first bytes as a number, which settles most comparisons.
    head: u64,
    key: Vec<u8>,
    builder: u32,
    list: u32,
}

/// The first eight bytes of a key, zeros behind a shorter one: ordered as the keys are, but for
/// ties.
fn head(key: &[u8]) -> u64 {
    let mut bytes = [0u8; 8];
    let length = key.len().min(8);
    bytes[..length].copy_from_slice(&key[..length]);
    u64::from_be_bytes(bytes)
}

/// Makes one segment of several builders' documents, in the order of the builders.
pub(crate) fn combine(builders: &[SegmentBuilder]) -> Segment {
    let mut segment = Segment::default();
    let mut offsets = Vec::with_capacity(builders.len());
    let mut sorted: Vec<SortedList> = Vec::new();
    for (at, builder) in builders.iter().enumerate() {
        offsets.push(segment.lengths.len() as u32);
        segment.lengths.extend_from_slice(&builder.lengths);
        segment.chunk_counts.extend_from_slice(&builder.chunk_counts);
        segment.chunk_lengths.extend_from_slice(&builder.chunk_lengths);
        sorted.extend(builder.lists.iter().enumerate().map(|(list, (field, number, _))| {
            let (class, term) = builder.analyzer.term(*number);
            let key = super::key(*field, class, term);
            SortedList { head: head(&key), key, builder: at as u32, list: list as u32 }
        }));
    }
    sorted.sort_unstable();
    let mut writer = BlockWriter::default();
    for same in sorted.chunk_by(|a, b| a.head == b.head && a.key == b.key) {
        let list_of = |of: &SortedList| {
            let builder = of.builder as usize;
            (&builders[builder].lists[of.list as usize].2, offsets[builder])
        };
        if let ([one], 0) = (same, same[0].builder) {
            writer.add(&one.key, |out| list_of(one).0.write(out));
            continue;
        }
        let mut joined = ListWriter::default();
        for part in same {
            let (list, offset) = list_of(part);
            joined.append(list, offset);
        }
        writer.add(&same[0].key, |out| joined.write(out));
    }
    segment.blocks = writer.finish();
    segment
}
