//! Building, finding and merging lists, against a plain map.

use std::collections::BTreeMap;

use super::*;

/// Every entry of a segment, by key.
fn contents(segment: &Segment) -> BTreeMap<Vec<u8>, Vec<(u32, u32, u32)>> {
    let mut map = BTreeMap::new();
    for block in &segment.blocks {
        walk(&block.data, |term, list| {
            let mut found = Vec::new();
            entries(list, |document, chunk, count| found.push((document, chunk, count)))
                .expect("a sound list");
            map.insert(term.to_vec(), found);
            true
        })
        .expect("a sound block");
    }
    map
}

fn build(notes: &[&[&str]]) -> SegmentBuilder {
    let mut builder = SegmentBuilder::default();
    for chunks in notes {
        builder.begin(chunks.len() as u32);
        for (chunk, text) in chunks.iter().enumerate() {
            builder.add(Field::Body, chunk as u32, &[text]);
        }
    }
    builder
}

const NOTES: [&[&str]; 4] =
    [&["alpha beta beta", "beta"], &["gamma 認証"], &[], &["alpha", "delta", "alpha alpha alpha"]];

#[test]
fn lists_tell_documents_chunks_and_counts() {
    let segment = combine(&[build(&NOTES)]);
    let map = contents(&segment);
    let list = |term: &str| map[&key(Field::Body, Class::Strong, term)].clone();
    assert_eq!(list("beta"), [(0, 0, 2), (0, 1, 1)]);
    assert_eq!(list("alpha"), [(0, 0, 1), (3, 0, 1), (3, 2, 3)]);
    assert_eq!(segment.chunk_counts, [2, 1, 0, 3]);
    assert_eq!(segment.chunk_lengths, [3, 1, 2, 1, 1, 3]);
    assert_eq!(segment.lengths[0][slot(Field::Body, Class::Strong)], 4);
}

#[test]
fn split_among_workers_it_is_the_same_segment() {
    let whole = contents(&combine(&[build(&NOTES)]));
    for at in 0..=NOTES.len() {
        let parts = combine(&[build(&NOTES[..at]), build(&NOTES[at..])]);
        assert_eq!(contents(&parts), whole, "split at {at}");
    }
}

#[test]
fn merged_without_the_dead_it_is_as_built_without_them() {
    let sources = [
        MergeSource { segment: combine(&[build(&NOTES[..2])]), dead: vec![false, true] },
        MergeSource { segment: combine(&[build(&NOTES[2..])]), dead: vec![false, false] },
    ];
    let merged = merge(&sources).expect("sound blocks");
    let built = combine(&[build(&[NOTES[0], NOTES[2], NOTES[3]])]);
    assert_eq!(contents(&merged), contents(&built));
    assert_eq!(merged.lengths, built.lengths);
    assert_eq!(merged.chunk_lengths, built.chunk_lengths);
}

#[test]
fn terms_are_found_in_blocks_and_by_prefix() {
    let mut builder = SegmentBuilder::default();
    for number in 0..3_000 {
        builder.begin(1);
        builder.add(Field::Body, 0, &[&format!("w{number}x 鍵{number}")]);
    }
    let segment = combine(&[builder]);
    assert!(segment.blocks.len() > 3);
    let wanted = key(Field::Body, Class::Strong, "=w1234x");
    let at = segment.blocks.partition_point(|block| block.first <= wanted) - 1;
    let mut found = Vec::new();
    let each = |key: &[u8], list: &[u8]| {
        let field = key.last().copied();
        documents(list, |document, count| found.push((field, document, count))).expect("sound");
    };
    prefixed(&segment.blocks[at].data, &wanted, each).expect("sound");
    assert_eq!(found, [(Some(Field::Body as u8), 1234, 1)]);
    let none = prefixed(&segment.blocks[at].data, b"\0absent", |_, _| panic!("absent"));
    assert!(none.is_some());
}

#[test]
fn keys_come_apart() {
    for field in FIELDS {
        for class in Class::ALL {
            let whole = key(field, class, "検索");
            assert_eq!(split_key(&whole), Some((field, class, "検索".as_bytes())));
            assert_eq!(split_key(&whole[..whole.len() - 1]), None);
        }
    }
    for bytes in [&b""[..], b"\0", b"\0\0", b"\x09a\0\0", b"\0a\0\x09"] {
        assert_eq!(split_key(bytes), None, "{bytes:?}");
    }
}

proptest::proptest! {
    #[test]
    fn damaged_bytes_are_noticed_and_never_panic(bytes in proptest::collection::vec(0u8.., 0..200)) {
        let _ = entries(&bytes, |_, _, _| {});
        let _ = documents(&bytes, |_, _| {});
        let _ = prefixed(&bytes, b"t", |_, _| {});
    }
}
