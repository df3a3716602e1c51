//! The buffers that tokenising needs, kept between calls, and the cache of words. Not responsible
//! for filling them.

/// Buffers and a word cache for [`StaticModel::tokenize_with`](crate::StaticModel::tokenize_with).
///
/// Keep one for each thread. It serves any number of models: the cache empties itself when the
/// model changes.
#[derive(Debug, Default)]
pub struct Scratch {
    /// The word being collected, normalised.
    pub(crate) word: Vec<u8>,
    /// The best way to each byte of the word.
    pub(crate) nodes: Vec<Node>,
    /// Ids of the words seen.
    pub(crate) cache: WordCache,
    /// Two buffers for whole texts, for normalisers that need them.
    pub(crate) text: String,
    pub(crate) spare: String,
}

impl Scratch {
    /// Makes empty buffers; memory is taken when it is first needed.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives back the memory that one unusual word took, such as a picture written as text.
    pub(crate) fn trim(&mut self) {
        if self.nodes.capacity() > MOST_KEPT_NODES {
            self.nodes = Vec::new();
            self.word = Vec::new();
        }
    }
}

/// Nodes kept between texts, one for each byte of the longest word: 65,536 take 1 MiB, and no
/// paragraph of Japanese, which is one word, is nearly so long.
const MOST_KEPT_NODES: usize = 1 << 16;

/// The best way to one place of a word.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    /// Sum of scores of the pieces up to here.
    pub(crate) score: f64,
    /// Where the last piece begins, in bytes; [`Node::UNREACHED`] when there is none.
    pub(crate) start: u32,
    /// The last piece's id.
    pub(crate) id: u32,
}

impl Node {
    /// The start of a node that no piece has reached.
    pub(crate) const UNREACHED: u32 = u32::MAX;

    /// A node that no piece has reached.
    pub(crate) const EMPTY: Node = Node { score: 0.0, start: Self::UNREACHED, id: 0 };
}

/// Longest word in the cache, in bytes: three registers. Of what stands between spaces in
/// English Markdown, 96 % is not longer.
const LONGEST: usize = 24;

/// Most ids of a word in the cache: they fill the entry up to one cache line.
const MOST_IDS: usize = 8;

/// Entries in the cache. 2^14 entries of 64 bytes are 1 MiB, which stays in a core's second-level
/// cache; twice as many were not faster.
const ENTRIES: usize = 1 << 14;

/// A cached word: three registers of its bytes, one of its length and count of ids, and the ids,
/// two to a register. Zero length means an empty entry.
type Entry = [u64; 8];

/// The ids of words seen before, by their bytes. One place for each hash: a newer word takes the
/// place of an older one.
#[derive(Debug, Default)]
pub(crate) struct WordCache {
    entries: Vec<Entry>,
    model: u64,
}

/// A word as the cache compares it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Key {
    bytes: [u64; 3],
    length: u64,
    place: usize,
}

impl Key {
    /// The key of the word at the beginning of `text`; nothing when it is too long.
    #[inline]
    pub(crate) fn new(text: &[u8], length: usize) -> Option<Key> {
        if length == 0 || length > LONGEST {
            return None;
        }
        let mut padded = [0; LONGEST];
        if let Some(chunk) = text.first_chunk::<LONGEST>() {
            padded = *chunk;
        } else {
            padded[..length].copy_from_slice(&text[..length]);
        }
        let mut bytes = [0; 3];
        for (index, chunk) in padded.as_chunks::<8>().0.iter().enumerate() {
            let kept = length.saturating_sub(8 * index).min(8);
            let mask = u64::MAX.checked_shr(64 - 8 * kept as u32).unwrap_or(0);
            bytes[index] = u64::from_le_bytes(*chunk) & mask;
        }
        let mixed = (bytes[0] ^ bytes[1].rotate_left(23) ^ bytes[2].rotate_left(47))
            .wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let place = (mixed >> 40) as usize % ENTRIES;
        Some(Key { bytes, length: length as u64, place })
    }
}

impl WordCache {
    /// Makes the cache ready for a model, told apart by its checksum.
    pub(crate) fn prepare(&mut self, model: u64) {
        if self.model != model || self.entries.is_empty() {
            self.entries = vec![[0; 8]; ENTRIES];
            self.model = model;
        }
    }

    /// Appends the ids of a word and tells whether it was there.
    #[inline]
    pub(crate) fn fetch(&self, key: Key, ids: &mut Vec<u32>) -> bool {
        let entry = &self.entries[key.place];
        let [first, second, third] = key.bytes;
        let differs = (entry[0] ^ first)
            | (entry[1] ^ second)
            | (entry[2] ^ third)
            | ((entry[3] & 0xFF) ^ key.length);
        if differs != 0 {
            return false;
        }
        let count = (entry[3] >> 8) as usize;
        for pair in &entry[4..4 + (count / 2).min(4)] {
            ids.extend_from_slice(&[*pair as u32, (*pair >> 32) as u32]);
        }
        if count % 2 == 1 {
            ids.push(entry[4 + count / 2] as u32);
        }
        true
    }

    /// Keeps the ids of a word, unless they are too many.
    pub(crate) fn keep(&mut self, key: Key, ids: &[u32]) {
        if ids.len() > MOST_IDS {
            return;
        }
        let entry = &mut self.entries[key.place];
        *entry = [0; 8];
        entry[..3].copy_from_slice(&key.bytes);
        entry[3] = key.length | ((ids.len() as u64) << 8);
        for (index, id) in ids.iter().enumerate() {
            entry[4 + index / 2] |= u64::from(*id) << (32 * (index % 2));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_whatever_stands_behind_them() {
        let mut cache = WordCache::default();
        cache.prepare(1);
        for length in 1..=LONGEST {
            let text = b"abcdefghijklmnopqrstuvwxyz and more";
            let ids: Vec<u32> = (0..length as u32 % 9).map(|id| id * 1_000_003).collect();
            cache.keep(Key::new(text, length).unwrap(), &ids);
            let mut found = Vec::new();
            assert!(cache.fetch(Key::new(&text[..length], length).unwrap(), &mut found));
            assert_eq!(found, ids, "length {length}");
        }
    }

    #[test]
    fn long_words_and_words_of_many_pieces_are_not_kept() {
        assert!(Key::new(&[b'a'; 40], 25).is_none());
        assert!(Key::new(b"a", 0).is_none());
        let mut cache = WordCache::default();
        cache.prepare(1);
        let key = Key::new(b"abc", 3).unwrap();
        cache.keep(key, &[1; 9]);
        assert!(!cache.fetch(key, &mut Vec::new()));
    }

    #[test]
    fn memory_of_a_long_word_is_given_back() {
        let mut scratch = Scratch::new();
        scratch.nodes.resize(MOST_KEPT_NODES, Node::EMPTY);
        scratch.trim();
        assert_eq!(scratch.nodes.len(), MOST_KEPT_NODES);
        scratch.nodes.resize(10 * MOST_KEPT_NODES, Node::EMPTY);
        scratch.trim();
        assert_eq!(scratch.nodes.capacity(), 0);
    }

    #[test]
    fn another_model_empties_the_cache() {
        let mut cache = WordCache::default();
        cache.prepare(1);
        let key = Key::new(b"abc", 3).unwrap();
        cache.keep(key, &[7]);
        cache.prepare(1);
        assert!(cache.fetch(key, &mut Vec::new()));
        cache.prepare(2);
        assert!(!cache.fetch(key, &mut Vec::new()));
    }
}
