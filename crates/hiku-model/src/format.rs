//! The container of a compact model: a header, a table of sections, and the sections, so that a
//! model is used by slicing into its bytes. Knows nothing of what the sections mean.
//!
//! All integers are little-endian.
//!
//! | offset | size | content |
//! |---|---|---|
//! | 0 | 8 | the mark `HIKUMODL` |
//! | 8 | 4 | format version |
//! | 12 | 4 | number of sections |
//! | 16 | 24 each | section: tag (4 letters), 4 zero bytes, offset (u64), length (u64) |
//! | | | the sections, each at a multiple of 64 bytes, in the order of the table |
//!
//! Sections of a model (those with a star are optional):
//!
//! | tag | content |
//! |---|---|
//! | `INFO` | dimensions, rows, vocabulary, element kind (u32 each), name and identity (u32 length, UTF-8) |
//! | `ROWS` | the table, row by row, int8 or f32 |
//! | `MAPP`* | row of each piece (u32), for models whose pieces share rows |
//! | `WGHT`* | weight of each piece (f32) |
//! | `TOKN` | the tokenizer's kind and options, see [`crate::options`] |
//! | `TRIE` | the pieces as a double array, see [`crate::trie`] |
//! | `SCOR`* | score of each piece (f64), Unigram only |
//! | `CMAP`* | the trie of the `SentencePiece` character map (u32), see [`crate::charsmap`] |
//! | `CNRM`* | the character map's replacements, each ended by a zero byte |
//! | `CLAS`* | two bits for each character of the basic plane, see [`crate::classes`] |

use std::ops::Range;

use crate::error::CompactFault;

/// The first bytes of every compact model.
const MAGIC: &[u8; 8] = b"HIKUMODL";

/// The version that is written and read; raised when a section's meaning changes.
const VERSION: u32 = 1;

/// Alignment of sections in bytes: a cache line, so that a 256-byte row touches only four.
const ALIGNMENT: usize = 64;

/// Size in bytes of an entry in the section table.
const ENTRY: usize = 24;

/// Size in bytes of the header before the section table.
const HEADER: usize = 16;

/// Collects sections and writes them as one file.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    sections: Vec<(&'static str, Vec<u8>)>,
}

impl Writer {
    /// Adds a section; `tag` has four letters.
    pub(crate) fn add(&mut self, tag: &'static str, content: Vec<u8>) {
        self.sections.push((tag, content));
    }

    /// The checksum over all sections added so far, with their tags and lengths.
    pub(crate) fn checksum(&self) -> u64 {
        checksum(self.sections.iter().map(|(tag, content)| (*tag, content.as_slice())))
    }

    /// The file's bytes.
    pub(crate) fn finish(self) -> Vec<u8> {
        let mut file = Vec::new();
        file.extend_from_slice(MAGIC);
        file.extend_from_slice(&VERSION.to_le_bytes());
        file.extend_from_slice(&(self.sections.len() as u32).to_le_bytes());
        let mut offset = align(HEADER + ENTRY * self.sections.len());
        for (tag, content) in &self.sections {
            file.extend_from_slice(tag.as_bytes());
            file.extend_from_slice(&[0; 4]);
            file.extend_from_slice(&(offset as u64).to_le_bytes());
            file.extend_from_slice(&(content.len() as u64).to_le_bytes());
            offset = align(offset + content.len());
        }
        file.reserve_exact(offset);
        for (_, content) in self.sections {
            file.resize(align(file.len()), 0);
            file.extend_from_slice(&content);
        }
        file
    }
}

/// The sections of a file, by tag.
#[derive(Debug)]
pub(crate) struct Sections<'a> {
    file: &'a [u8],
    count: usize,
}

impl<'a> Sections<'a> {
    /// Reads the header.
    pub(crate) fn parse(file: &'a [u8]) -> Result<Self, CompactFault> {
        let header = file.get(..HEADER).ok_or(CompactFault::Magic)?;
        if &header[..8] != MAGIC {
            return Err(CompactFault::Magic);
        }
        let found = read_u32(header, 8).unwrap_or_default();
        if found != VERSION {
            return Err(CompactFault::Version { found, expected: VERSION });
        }
        let count = read_u32(header, 12).unwrap_or_default() as usize;
        if count > 64 || file.len() < HEADER + ENTRY * count {
            return Err(CompactFault::Section { section: "table" });
        }
        Ok(Sections { file, count })
    }

    /// The place of a section, or nothing when it is not there or lies outside the file.
    pub(crate) fn find(&self, tag: &str) -> Option<Range<usize>> {
        (0..self.count)
            .map(|index| HEADER + ENTRY * index)
            .find(|&entry| self.file.get(entry..entry + 4) == Some(tag.as_bytes()))
            .and_then(|entry| {
                let offset = usize::try_from(read_u64(self.file, entry + 8)?).ok()?;
                let length = usize::try_from(read_u64(self.file, entry + 16)?).ok()?;
                let end = offset.checked_add(length)?;
                (end <= self.file.len()).then_some(offset..end)
            })
    }

    /// The place of a section that must be there.
    pub(crate) fn required(&self, section: &'static str) -> Result<Range<usize>, CompactFault> {
        self.find(section).ok_or(CompactFault::Section { section })
    }

    /// The checksum over the given sections, as [`Writer::checksum`] made it.
    pub(crate) fn checksum(&self, tags: &[&'static str]) -> u64 {
        checksum(
            tags.iter().filter_map(|tag| self.find(tag).map(|range| (*tag, &self.file[range]))),
        )
    }
}

/// The first 64 bits of BLAKE3 over tags, lengths and contents.
fn checksum<'a>(sections: impl Iterator<Item = (&'static str, &'a [u8])>) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for (tag, content) in sections {
        hasher.update(tag.as_bytes());
        hasher.update(&(content.len() as u64).to_le_bytes());
        hasher.update(content);
    }
    read_u64(hasher.finalize().as_bytes(), 0).unwrap_or_default()
}

/// Reads a u32 at a byte offset.
pub(crate) fn read_u32(bytes: &[u8], offset: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(offset..)?.first_chunk()?))
}

/// Reads a u64 at a byte offset.
pub(crate) fn read_u64(bytes: &[u8], offset: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(offset..)?.first_chunk()?))
}

/// Appends a string as its length (u32) and its bytes.
pub(crate) fn write_text(target: &mut Vec<u8>, text: &str) {
    target.extend_from_slice(&(text.len() as u32).to_le_bytes());
    target.extend_from_slice(text.as_bytes());
}

/// Reads a string written by [`write_text`] and moves the offset behind it.
pub(crate) fn read_text<'a>(bytes: &'a [u8], offset: &mut usize) -> Option<&'a str> {
    let length = read_u32(bytes, *offset)? as usize;
    let start = *offset + 4;
    let text = std::str::from_utf8(bytes.get(start..start.checked_add(length)?)?).ok()?;
    *offset = start + length;
    Some(text)
}

/// The next multiple of [`ALIGNMENT`].
fn align(offset: usize) -> usize {
    offset.next_multiple_of(ALIGNMENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> Vec<u8> {
        let mut writer = Writer::default();
        writer.add("AAAA", vec![1, 2, 3]);
        writer.add("BBBB", vec![9; 100]);
        writer.finish()
    }

    #[test]
    fn sections_are_found_aligned_and_whole() {
        let file = file();
        let sections = Sections::parse(&file).unwrap();
        let range = sections.required("BBBB").unwrap();
        assert_eq!(range.start % ALIGNMENT, 0);
        assert_eq!(file[range], vec![9; 100]);
        assert_eq!(&file[sections.required("AAAA").unwrap()], &[1, 2, 3]);
        assert_eq!(sections.find("CCCC"), None);
    }

    #[test]
    fn a_file_cut_anywhere_never_panics_and_loses_its_last_section() {
        let file = file();
        for length in 0..file.len() {
            if let Ok(sections) = Sections::parse(&file[..length]) {
                assert_eq!(sections.find("BBBB"), None, "at {length}");
            }
        }
    }

    #[test]
    fn another_version_and_another_kind_of_file_are_told_apart() {
        let mut newer = file();
        newer[8] = 9;
        let fault = Sections::parse(&newer).unwrap_err();
        assert_eq!(fault, CompactFault::Version { found: 9, expected: VERSION });
        assert_eq!(Sections::parse(b"PK\x03\x04........").unwrap_err(), CompactFault::Magic);
    }

    #[test]
    fn the_checksum_depends_on_tags_and_cuts() {
        let sum = |sections: &[(&'static str, &[u8])]| checksum(sections.iter().copied());
        assert_ne!(sum(&[("AAAA", b"xy")]), sum(&[("BBBB", b"xy")]));
        assert_ne!(sum(&[("AAAA", b"x"), ("BBBB", b"y")]), sum(&[("AAAA", b"xy"), ("BBBB", b"")]));
    }
}
