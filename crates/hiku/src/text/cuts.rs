//! Where bytes were taken out of a text, and so the way back from the new text to the old one.

/// The cuts of one text, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Cuts(Vec<(usize, usize)>);

impl Cuts {
    /// Notes that `taken` bytes in all are gone before the byte that comes at `at` of the new text.
    pub(crate) fn record(&mut self, at: usize, taken: usize) {
        match self.0.last_mut() {
            Some((_, before)) if *before == taken => {}
            None if taken == 0 => {}
            Some((last, all)) if *last == at => *all = taken,
            _ => self.0.push((at, taken)),
        }
    }

    /// Byte offset in the old text that corresponds to `offset` in the new one: before what was
    /// taken out there.
    pub(crate) fn original_offset(&self, offset: usize) -> usize {
        let before = self.0.partition_point(|(at, _)| *at < offset);
        offset + before.checked_sub(1).map_or(0, |last| self.0[last].1)
    }
}
