//! Rows of fixed-width numbers as blobs, little-endian, and back.

/// Numbers as bytes.
pub(super) fn pack<T: Copy, const WIDTH: usize>(
    values: &[T],
    bytes_of: impl Fn(T) -> [u8; WIDTH],
) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(values.len() * WIDTH);
    for value in values {
        bytes.extend_from_slice(&bytes_of(*value));
    }
    bytes
}

/// Bytes as numbers; a rest that is shorter than one number is ignored.
pub(super) fn unpack<T, const WIDTH: usize>(
    bytes: &[u8],
    of_bytes: impl Fn([u8; WIDTH]) -> T,
) -> Vec<T> {
    bytes.as_chunks::<WIDTH>().0.iter().map(|chunk| of_bytes(*chunk)).collect()
}
