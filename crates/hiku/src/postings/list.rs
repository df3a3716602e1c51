//! One term's list of postings: the byte format of its parts, written in document order and read
//! in one pass.
//!
//! A list is its first document, then for each document and chunk one entry, all LEB128:
//!
//! ```text
//! first document | entry entry ... | gap to the next document | entry ...
//! entry = chunk gap * 4 + 2 if a count follows + 1 if more chunks of this document follow
//! ```
//!
//! The first chunk's gap is its number; a count is 2 or more and is written less 2.

use super::codec::{Reader, write_number};

/// Set in an entry whose chunk is not the document's last with this term.
const MORE: u64 = 1;
/// Set in an entry that is followed by its count; without it the count is 1.
const COUNTED: u64 = 2;

/// A list that is being written.
#[derive(Debug, Clone, Default)]
pub(super) struct ListWriter {
    /// First document; the bytes hold gaps from it on, itself left out.
    pub(super) first: u32,
    pub(super) last: u32,
    last_chunk: u32,
    last_entry: usize,
    pub(super) bytes: Vec<u8>,
}

impl ListWriter {
    /// Adds `count` occurrences in a chunk. Documents and their chunks come in ascending order.
    pub(super) fn add(&mut self, document: u32, chunk: u32, count: u32) {
        if self.bytes.is_empty() {
            self.first = document;
            self.last_chunk = 0;
        } else if document == self.last {
            self.bytes[self.last_entry] |= MORE as u8;
        } else {
            write_number(&mut self.bytes, u64::from(document - self.last));
            self.last_chunk = 0;
        }
        self.last = document;
        self.last_entry = self.bytes.len();
        let gap = u64::from(chunk - self.last_chunk) << 2;
        self.last_chunk = chunk;
        if count == 1 {
            write_number(&mut self.bytes, gap);
        } else {
            write_number(&mut self.bytes, gap | COUNTED);
            write_number(&mut self.bytes, u64::from(count.saturating_sub(2)));
        }
    }

    /// Adds all of a later list, its documents moved up by `offset`.
    pub(super) fn append(&mut self, later: &ListWriter, offset: u32) {
        if self.bytes.is_empty() {
            *self = later.clone();
            self.first += offset;
            self.last += offset;
            return;
        }
        write_number(&mut self.bytes, u64::from(later.first + offset - self.last));
        let base = self.bytes.len();
        self.bytes.extend_from_slice(&later.bytes);
        self.last = later.last + offset;
        self.last_chunk = later.last_chunk;
        self.last_entry = base + later.last_entry;
    }

    /// The list as it is stored.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let mut head = Vec::with_capacity(5);
        write_number(&mut head, u64::from(self.first));
        write_number(out, (head.len() + self.bytes.len()) as u64);
        out.extend_from_slice(&head);
        out.extend_from_slice(&self.bytes);
    }
}

/// Calls `each` with (document, chunk, count) for every entry. `None` where the bytes are damaged.
pub(crate) fn entries(list: &[u8], mut each: impl FnMut(u32, u32, u32)) -> Option<()> {
    let mut reader = Reader::new(list);
    let mut document = 0u32;
    while !reader.is_empty() {
        document = document.wrapping_add(reader.number()? as u32);
        let mut chunk = 0u32;
        loop {
            let entry = reader.number()?;
            chunk = chunk.wrapping_add((entry >> 2) as u32);
            let count =
                if entry & COUNTED == 0 { 1 } else { (reader.number()? as u32).saturating_add(2) };
            each(document, chunk, count);
            if entry & MORE == 0 {
                break;
            }
        }
    }
    Some(())
}

/// Calls `each` with (document, count over all its chunks). `None` where the bytes are damaged.
pub(crate) fn documents(list: &[u8], mut each: impl FnMut(u32, u32)) -> Option<()> {
    let mut reader = Reader::new(list);
    let mut document = 0u32;
    while !reader.is_empty() {
        document = document.wrapping_add(reader.number()? as u32);
        let mut total = 0u32;
        loop {
            let entry = reader.number()?;
            let count =
                if entry & COUNTED == 0 { 1 } else { (reader.number()? as u32).saturating_add(2) };
            total = total.saturating_add(count);
            if entry & MORE == 0 {
                break;
            }
        }
        each(document, total);
    }
    Some(())
}
