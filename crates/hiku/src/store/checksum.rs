//! The checksum of a stored record: XXH64 over its parts, cut to 32 bits. It tells bytes that were
//! altered on disk, not an attacker's.

/// The primes of XXH64 (`doc/xxhash_spec.md` of github.com/Cyan4973/xxHash).
const PRIMES: [u64; 5] = [
    0x9E37_79B1_85EB_CA87,
    0xC2B2_AE3D_27D4_EB4F,
    0x1656_67B1_9E37_79F9,
    0x85EB_CA77_C2B2_AE63,
    0x27D4_EB2F_1656_67C5,
];

/// The checksum of a record's parts in their order: each part's hash is the next one's seed, so
/// that bytes which move from one part to another are told too. 32 bits take four bytes of a row,
/// and let one in four thousand million alterations pass.
pub(super) fn checksum(parts: &[&[u8]]) -> i64 {
    let hash = parts.iter().fold(0, |seed, part| xxh64(part, seed));
    i64::from(hash as u32 as i32)
}

/// XXH64 as its specification describes it.
fn xxh64(bytes: &[u8], seed: u64) -> u64 {
    let (stripes, rest) = bytes.as_chunks::<32>();
    let mut hash = if stripes.is_empty() {
        seed.wrapping_add(PRIMES[4])
    } else {
        converge(consume(stripes, seed))
    };
    hash = hash.wrapping_add(bytes.len() as u64);
    let (lanes, rest) = rest.as_chunks::<8>();
    for lane in lanes {
        hash ^= round(0, u64::from_le_bytes(*lane));
        hash = hash.rotate_left(27).wrapping_mul(PRIMES[0]).wrapping_add(PRIMES[3]);
    }
    let (halves, rest) = rest.as_chunks::<4>();
    for half in halves {
        hash ^= u64::from(u32::from_le_bytes(*half)).wrapping_mul(PRIMES[0]);
        hash = hash.rotate_left(23).wrapping_mul(PRIMES[1]).wrapping_add(PRIMES[2]);
    }
    for byte in rest {
        hash ^= u64::from(*byte).wrapping_mul(PRIMES[4]);
        hash = hash.rotate_left(11).wrapping_mul(PRIMES[0]);
    }
    avalanche(hash)
}

fn consume(stripes: &[[u8; 32]], seed: u64) -> [u64; 4] {
    let mut lanes = [
        seed.wrapping_add(PRIMES[0]).wrapping_add(PRIMES[1]),
        seed.wrapping_add(PRIMES[1]),
        seed,
        seed.wrapping_sub(PRIMES[0]),
    ];
    for stripe in stripes {
        for (lane, bytes) in lanes.iter_mut().zip(stripe.as_chunks::<8>().0) {
            *lane = round(*lane, u64::from_le_bytes(*bytes));
        }
    }
    lanes
}

fn converge(lanes: [u64; 4]) -> u64 {
    let rotated = lanes.iter().zip([1, 7, 12, 18]).map(|(lane, by)| lane.rotate_left(by));
    let hash = rotated.fold(0u64, u64::wrapping_add);
    lanes.iter().fold(hash, |hash, lane| {
        (hash ^ round(0, *lane)).wrapping_mul(PRIMES[0]).wrapping_add(PRIMES[3])
    })
}

fn round(lane: u64, input: u64) -> u64 {
    let sum = lane.wrapping_add(input.wrapping_mul(PRIMES[1]));
    sum.rotate_left(31).wrapping_mul(PRIMES[0])
}

fn avalanche(mut hash: u64) -> u64 {
    hash = (hash ^ (hash >> 33)).wrapping_mul(PRIMES[1]);
    hash = (hash ^ (hash >> 29)).wrapping_mul(PRIMES[2]);
    hash ^ (hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vectors of the reference implementation.
    #[test]
    fn it_is_xxh64() {
        for (text, seed, hash) in [
            ("", 0, 0xEF46_DB37_51D8_E999),
            ("a", 0, 0xD24E_C4F1_A98C_6E5B),
            ("abc", 0, 0x44BC_2CF5_AD77_0999),
            ("Nobody inspects the spammish repetition", 0, 0xFBCE_A83C_8A37_8BF1),
        ] {
            assert_eq!(xxh64(text.as_bytes(), seed), hash, "{text}");
        }
    }

    #[test]
    fn every_altered_bit_and_every_moved_byte_is_told() {
        let bytes: Vec<u8> = (0..100u8).map(|number| number.wrapping_mul(37)).collect();
        for length in [1, 4, 7, 31, 32, 33, 100] {
            let own = &bytes[..length];
            let right = checksum(&[own, b"rest"]);
            for bit in 0..length * 8 {
                let mut altered = own.to_vec();
                altered[bit / 8] ^= 1 << (bit % 8);
                assert_ne!(checksum(&[&altered, b"rest"]), right, "bit {bit} of {length} bytes");
            }
            assert_ne!(checksum(&[&own[..length - 1], b"rest"]), right);
            assert_ne!(
                checksum(&[&own[..length - 1], &[&own[length - 1..], b"rest"].concat()]),
                right
            );
        }
    }
}
