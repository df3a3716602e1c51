//! Stored text: its length, then a zstd frame. Compressor and decompressor are kept between texts,
//! since making one costs more than using it on a note.

use std::cell::RefCell;

use zstd::bulk::{Compressor, Decompressor};

use crate::postings::{Reader, write_number};

/// Level of zstd: the fastest; level 3 saved 8 % of the text's bytes for twice the time.
const LEVEL: i32 = 1;
/// Longest text that is unpacked: a length beyond it is damage, not a note.
const MAX_TEXT_BYTES: u64 = 1 << 31;

thread_local! {
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
}

/// Packs a text. An empty text has no bytes.
pub(super) fn zip(text: &str) -> std::io::Result<Vec<u8>> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    COMPRESSOR.with_borrow_mut(|kept| {
        let compressor = match kept {
            Some(compressor) => compressor,
            None => kept.insert(Compressor::new(LEVEL)?),
        };
        let mut bytes = Vec::new();
        write_number(&mut bytes, text.len() as u64);
        bytes.append(&mut compressor.compress(text.as_bytes())?);
        Ok(bytes)
    })
}

/// Unpacks texts.
#[derive(Default)]
pub(super) struct Unzip {
    kept: RefCell<Option<Decompressor<'static>>>,
}

impl std::fmt::Debug for Unzip {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Unzip")
    }
}

impl Unzip {
    /// The text; `None` where the bytes are damaged.
    pub(super) fn text(&self, bytes: &[u8]) -> Option<String> {
        if bytes.is_empty() {
            return Some(String::new());
        }
        let mut reader = Reader::new(bytes);
        let length = reader.number().filter(|length| *length <= MAX_TEXT_BYTES)?;
        // The frame states its length too: a garbled number must not ask for memory.
        if zstd::zstd_safe::get_frame_content_size(reader.rest()).ok()? != Some(length) {
            return None;
        }
        let mut kept = self.kept.borrow_mut();
        let decompressor = match &mut *kept {
            Some(decompressor) => decompressor,
            None => kept.insert(Decompressor::new().ok()?),
        };
        let text = decompressor.decompress(reader.rest(), usize::try_from(length).ok()?).ok()?;
        String::from_utf8(text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_and_damage_is_noticed() {
        let unzip = Unzip::default();
        for text in ["", "a", "検索 検索 検索", &"long ".repeat(10_000)] {
            let bytes = zip(text).expect("it packs");
            assert_eq!(unzip.text(&bytes).as_deref(), Some(text));
            if bytes.len() > 12 {
                assert_eq!(unzip.text(&bytes[..bytes.len() - 6]), None);
            }
        }
        assert_eq!(unzip.text(&[0xFF; 30]), None);
    }
}
