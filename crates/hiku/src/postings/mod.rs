//! The inverted index's pure half: building posting lists in memory, their byte format, and
//! merging. Knows no SQL and no files; `store` keeps the blocks, `retrieve` reads them.
//!
//! A *segment* holds the terms of some notes ("documents", numbered from 0 inside the segment). A
//! term's *list* is a row of postings in document order: the gap to the previous document, then one
//! entry a chunk (gap to the previous chunk, whether the count is 1, whether another entry
//! follows). Lists stand sorted by term in *blocks* of about 4 KiB, terms cut by the prefix that
//! they share with their neighbour. All numbers are LEB128.

mod block;
mod builder;
mod codec;
mod list;
mod merge;

pub(crate) use block::{Block, prefixed, walk};
pub(crate) use builder::{SegmentBuilder, combine};
pub(crate) use codec::{Reader, write_bytes, write_number};
pub(crate) use list::{documents, entries};
pub(crate) use merge::{MergeSource, merge};

use crate::tokenize::Class;

/// Where in a note a term stands.
///
/// Numbers are part of the file format, and never change their meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub(crate) enum Field {
    /// Title and text of all chunks.
    Body = 0,
    /// Title, file name, aliases, first H1.
    Title = 1,
    /// Headings.
    Heading = 2,
    /// Type, tags, folders and the other values of the front matter.
    Context = 3,
    /// Folded names of the notes it links to; never scored.
    Link = 4,
    /// Folded tags with the tags above them; never scored.
    Tag = 5,
    /// Folded `type`; never scored.
    Type = 6,
}

/// All fields, in the order of their numbers.
const FIELDS: [Field; 7] = [
    Field::Body,
    Field::Title,
    Field::Heading,
    Field::Context,
    Field::Link,
    Field::Tag,
    Field::Type,
];

/// Fields that BM25 scores: each has lengths.
pub(crate) const SCORED: [Field; 4] = [Field::Body, Field::Title, Field::Heading, Field::Context];

/// Lengths of one document in terms, by [`slot`]. Four scored fields times three classes; a list's
/// repeats count.
pub(crate) type Lengths = [u32; 12];

/// Where the length of a field's class stands in [`Lengths`].
pub(crate) fn slot(field: Field, class: Class) -> usize {
    field as usize * 3 + class as usize
}

/// Ends the term inside a key: terms hold no NUL.
const TERM_END: u8 = 0;

/// The bytes by which lists are sorted: class, term, field. All fields of a term stand together, so
/// that one look-up finds them.
///
/// One byte for the class, the term's UTF-8, a NUL, one byte for the field.
pub(crate) fn key(field: Field, class: Class, term: &str) -> Vec<u8> {
    let mut key = whole_term_key(class, term);
    key.push(field as u8);
    key
}

/// The start of the keys of every term that begins with `prefix`.
pub(crate) fn term_key(class: Class, prefix: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(3 + prefix.len());
    key.push(class as u8);
    key.extend_from_slice(prefix.as_bytes());
    key
}

/// The start of the keys of exactly this term, in any field.
pub(crate) fn whole_term_key(class: Class, term: &str) -> Vec<u8> {
    let mut key = term_key(class, term);
    key.push(TERM_END);
    key
}

/// Field, class and term of a key; `None` for bytes that are no key.
pub(crate) fn split_key(key: &[u8]) -> Option<(Field, Class, &[u8])> {
    let (&class, rest) = key.split_first()?;
    let [term @ .., TERM_END, field] = rest else { return None };
    let class = Class::ALL.into_iter().find(|known| *known as u8 == class)?;
    let field = FIELDS.into_iter().find(|known| *known as u8 == *field)?;
    Some((field, class, term))
}

/// A finished segment.
///
/// Documents are numbered by their place in `lengths`. A segment never changes; that one of its
/// documents is dead is recorded beside it, by the store.
#[derive(Debug, Clone, Default)]
pub(crate) struct Segment {
    /// Lengths of each document.
    pub lengths: Vec<Lengths>,
    /// How many chunks each document has.
    pub chunk_counts: Vec<u32>,
    /// Strong body terms of each chunk, document after document.
    pub chunk_lengths: Vec<u32>,
    /// The term lists.
    pub blocks: Vec<Block>,
}

#[cfg(test)]
mod tests;
