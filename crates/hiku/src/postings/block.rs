//! Blocks of sorted term lists: writing them one list after another, finding a term in one.
//!
//! ```text
//! block = entry entry ... (its first term stands beside it as well, whole)
//! entry = bytes shared with the term before | rest of the term | list
//! ```
//!
//! A look-up reads the one block whose first term is the last at or before the term. Terms of one
//! prefix are neighbours, so that a list of all terms with it is a stretch of one or a few blocks.

use super::codec::{Reader, write_bytes, write_number};

/// A block is closed once it has this many bytes: four blocks of short lists fill a page of the
/// store; a long list makes a longer block.
const BLOCK_BYTES: usize = 3_800;

/// Sorted term lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    /// Its first term, whole.
    pub first: Vec<u8>,
    /// The lists: shared prefix, rest of the term, list.
    pub data: Vec<u8>,
}

/// Takes lists in ascending order of their terms and makes blocks of them.
#[derive(Debug, Default)]
pub(crate) struct BlockWriter {
    blocks: Vec<Block>,
    previous: Vec<u8>,
    open: bool,
}

impl BlockWriter {
    /// Adds a term; `write` appends its length-prefixed list.
    pub(crate) fn add(&mut self, term: &[u8], write: impl FnOnce(&mut Vec<u8>)) {
        if !self.open {
            self.blocks.push(Block { first: term.to_vec(), data: Vec::with_capacity(BLOCK_BYTES) });
            self.previous.clear();
            self.open = true;
        }
        let shared = self.previous.iter().zip(term).take_while(|(a, b)| a == b).count();
        if let Some(block) = self.blocks.last_mut() {
            write_number(&mut block.data, shared as u64);
            write_bytes(&mut block.data, &term[shared..]);
            write(&mut block.data);
            self.open = block.data.len() < BLOCK_BYTES;
        }
        self.previous.clear();
        self.previous.extend_from_slice(term);
    }

    /// The blocks written.
    pub(crate) fn finish(self) -> Vec<Block> {
        self.blocks
    }
}

/// Calls `each` with every (term, list) of a block until it gives false. `None` where the bytes
/// are damaged.
pub(crate) fn walk<'b>(
    data: &'b [u8],
    mut each: impl FnMut(&[u8], &'b [u8]) -> bool,
) -> Option<()> {
    let mut reader = Reader::new(data);
    let mut term = Vec::with_capacity(64);
    while !reader.is_empty() {
        let shared = usize::try_from(reader.number()?).ok()?;
        if shared > term.len() {
            return None;
        }
        term.truncate(shared);
        term.extend_from_slice(reader.bytes()?);
        if !each(&term, reader.bytes()?) {
            break;
        }
    }
    Some(())
}

/// Calls `each` with every key that starts with `prefix` and its list; gives whether the block ends
/// inside that range. The outer `None` means damage.
pub(crate) fn prefixed<'b>(
    data: &'b [u8],
    prefix: &[u8],
    mut each: impl FnMut(&[u8], &'b [u8]),
) -> Option<bool> {
    let mut goes_on = true;
    walk(data, |key, list| {
        if key.starts_with(prefix) {
            each(key, list);
        } else if key > prefix {
            goes_on = false;
        }
        goes_on
    })?;
    Some(goes_on)
}
