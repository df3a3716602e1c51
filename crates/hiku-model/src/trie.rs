//! A byte-wise double array: which pieces begin at a place of a text. Built once by the
//! converter, read by slicing. Not responsible for scores or for what the ids mean.
//!
//! A unit is a u64: bits 0–31 the base of its children, bits 32–39 the byte that leads to it,
//! bits 40–63 the id of the piece that ends here plus one (zero: none). The child for byte `c` is
//! the unit at `base ^ c`, and is that child only if its byte is `c`; each base belongs to one
//! parent, so the byte is proof enough (the scheme of darts-clone). The first 256 units are empty:
//! base zero leads nowhere. Unit 256 is the root.

mod build;

pub(crate) use build::{BuildFault, build};

/// Index of the root unit: the first unit behind the empty block.
const ROOT: usize = 256;

/// A place in the trie from which to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place(u32);

/// The trie, read from the file's bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Trie<'a> {
    units: &'a [[u8; 8]],
}

impl<'a> Trie<'a> {
    /// Reads a trie; left-over bytes are ignored.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Trie { units: bytes.as_chunks().0 }
    }

    /// Whether every base lies inside the array, so that no step can leave it.
    pub(crate) fn is_sound(&self) -> bool {
        let length = self.units.len();
        length > ROOT
            && length.is_multiple_of(256)
            && self.units.iter().all(|unit| (u64::from_le_bytes(*unit) as u32 as usize) < length)
    }

    /// The place before any byte.
    pub(crate) fn root(&self) -> Place {
        Place(u64::from_le_bytes(self.units[ROOT]) as u32)
    }

    /// Goes one byte on; gives the new place and the piece that ends there.
    #[inline]
    pub(crate) fn step(&self, place: Place, byte: u8) -> Option<(Place, Option<u32>)> {
        let unit = u64::from_le_bytes(self.units[(place.0 ^ u32::from(byte)) as usize]);
        if (unit >> 32) as u8 != byte {
            return None;
        }
        Some((Place(unit as u32), ((unit >> 40) as u32).checked_sub(1)))
    }

    /// Goes over all bytes of a prefix; nothing when no piece begins so.
    pub(crate) fn walk(&self, prefix: &[u8]) -> Option<Place> {
        prefix.iter().try_fold(self.root(), |place, &byte| Some(self.step(place, byte)?.0))
    }

    /// All pieces with their ids, in byte order.
    pub(crate) fn pieces(&self) -> Vec<(Vec<u8>, u32)> {
        let mut found = Vec::new();
        let mut stack = vec![(self.root(), Vec::new())];
        while let Some((place, bytes)) = stack.pop() {
            for byte in (1..=255).rev() {
                if let Some((next, _)) = self.step(place, byte) {
                    let mut longer: Vec<u8> = bytes.clone();
                    longer.push(byte);
                    stack.push((next, longer));
                }
            }
            if let Some(id) = self.id_of(&bytes) {
                found.push((bytes, id));
            }
        }
        found
    }

    /// The id of exactly this piece.
    fn id_of(&self, piece: &[u8]) -> Option<u32> {
        let (last, front) = piece.split_last()?;
        self.step(self.walk(front)?, *last)?.1
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn bytes_of(pieces: &BTreeMap<Vec<u8>, u32>) -> Vec<u8> {
        build(pieces.iter().map(|(piece, id)| (piece.as_slice(), *id)).collect()).unwrap()
    }

    #[test]
    fn prefixes_are_told_from_pieces() {
        let pieces = [("a", 0), ("abc", 1), ("abd", 2), ("猫", 3)];
        let map = pieces.iter().map(|(piece, id)| (piece.as_bytes().to_vec(), *id)).collect();
        let bytes = bytes_of(&map);
        let trie = Trie::new(&bytes);
        assert!(trie.is_sound());
        assert_eq!(trie.id_of(b"a"), Some(0));
        assert_eq!(trie.id_of(b"ab"), None);
        assert_eq!(trie.id_of(b"abd"), Some(2));
        assert_eq!(trie.id_of("猫".as_bytes()), Some(3));
        assert_eq!(trie.id_of("猪".as_bytes()), None);
        assert_eq!(trie.walk(b"x"), None);
    }

    #[test]
    fn a_zero_byte_leads_to_no_piece() {
        let bytes = bytes_of(&BTreeMap::from([(b"a".to_vec(), 0)]));
        let trie = Trie::new(&bytes);
        let mut place = trie.root();
        for byte in [0, 0, b'a', 0] {
            let Some((next, id)) = trie.step(place, byte) else { return };
            assert_eq!(id, None);
            place = next;
        }
    }

    proptest! {
        #[test]
        fn all_pieces_come_back(
            pieces in prop::collection::btree_map(prop::collection::vec(1u8..=255, 1..6), 0u32..1_000_000, 1..400)
        ) {
            let bytes = bytes_of(&pieces);
            let trie = Trie::new(&bytes);
            prop_assert!(trie.is_sound());
            let found: BTreeMap<_, _> = trie.pieces().into_iter().collect();
            prop_assert_eq!(found, pieces);
        }
    }
}
