//! Large blocks of bytes that are read here and there. Knows nothing of what they hold.

use std::io;
use std::ops::{Deref, DerefMut};

use memmap2::MmapMut;

/// Zeroed bytes outside of the heap, on large pages where the system has them to give: a search
/// looks at some hundred places far apart, and with pages of 4 KiB finding each page takes longer
/// than reading it, above all inside a virtual machine.
#[derive(Debug)]
pub(super) struct LargeBytes(MmapMut);

impl LargeBytes {
    /// # Errors
    /// Where there is no memory left.
    pub(super) fn zeroed(length: usize) -> io::Result<Self> {
        let map = MmapMut::map_anon(length)?;
        ask_for_large_pages(&map);
        Ok(LargeBytes(map))
    }
}

/// A wish only: where it is not granted the bytes are the same.
#[cfg(target_os = "linux")]
fn ask_for_large_pages(map: &MmapMut) {
    map.advise(memmap2::Advice::HugePage).ok();
}

#[cfg(not(target_os = "linux"))]
fn ask_for_large_pages(_: &MmapMut) {}

impl Deref for LargeBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl DerefMut for LargeBytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_length_is_zeroed_and_writable() {
        for length in [0, 1, 5000, 3 << 20] {
            let mut bytes = LargeBytes::zeroed(length).expect("memory");
            assert_eq!(bytes.len(), length);
            assert!(bytes.iter().all(|byte| *byte == 0));
            bytes.iter_mut().for_each(|byte| *byte = 7);
            assert!(bytes.iter().all(|byte| *byte == 7));
        }
    }
}
