//! The rows of a model and their weighted sums. Not responsible for which rows a text needs or for
//! norms.

use multiversion::multiversion;

use crate::format::read_u32;

/// How the numbers of a row are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    /// One signed byte; all rows have one common, unknown scale.
    Int8 = 0,
    /// A little-endian 32-bit float.
    Float32 = 1,
}

impl Element {
    /// Size in bytes.
    pub(crate) fn size(self) -> usize {
        match self {
            Element::Int8 => 1,
            Element::Float32 => 4,
        }
    }
}

/// The table, read from the file's bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Table<'a> {
    pub(crate) rows: &'a [u8],
    pub(crate) dimensions: usize,
    pub(crate) element: Element,
    /// Row of each piece; empty when piece and row numbers are the same.
    pub(crate) mapping: &'a [u8],
    /// Weight of each piece; empty when all are one.
    pub(crate) weights: &'a [u8],
}

impl Table<'_> {
    /// Adds weighted rows to a sum, in the order given.
    pub(crate) fn accumulate(&self, ids: &[u32], weights: &[f32], sum: &mut [f32]) {
        assert_eq!(sum.len(), self.dimensions, "the sum has as many numbers as a row");
        match self.element {
            Element::Int8 => add_bytes(self, ids, weights, sum),
            Element::Float32 => add_floats(self, ids, weights, sum),
        }
    }

    /// The bytes of a piece's row and the weight with which they count.
    #[inline]
    fn row(&self, id: u32, weight: f32) -> (&[u8], f32) {
        let own = read_u32(self.weights, 4 * id as usize).map_or(1.0, f32::from_bits);
        let row = read_u32(self.mapping, 4 * id as usize).unwrap_or(id) as usize;
        let size = self.dimensions * self.element.size();
        (&self.rows[row * size..][..size], weight * own)
    }
}

#[multiversion(targets("x86_64+avx2+fma", "aarch64+neon"))]
fn add_bytes(table: &Table<'_>, ids: &[u32], weights: &[f32], sum: &mut [f32]) {
    for (id, weight) in ids.iter().zip(weights) {
        let (row, weight) = table.row(*id, *weight);
        for (total, byte) in sum.iter_mut().zip(row) {
            *total += weight * f32::from(*byte as i8);
        }
    }
}

#[multiversion(targets("x86_64+avx2+fma", "aarch64+neon"))]
fn add_floats(table: &Table<'_>, ids: &[u32], weights: &[f32], sum: &mut [f32]) {
    for (id, weight) in ids.iter().zip(weights) {
        let (row, weight) = table.row(*id, *weight);
        for (total, bytes) in sum.iter_mut().zip(row.as_chunks().0) {
            *total += weight * f32::from_le_bytes(*bytes);
        }
    }
}
