//! Whether an index holds what its stored texts come to: each note is cut, its terms counted and its
//! vectors made again, and compared row by row. What is stored of one note may be sound in itself
//! and yet another's; only this comparison tells.

use rustc_hash::FxHashMap;

use super::{Findings, Parts, UPDATE};
use crate::error::Result;
use crate::indexer::{Derived, Deriver, TermSums, add_sums};
use crate::settings::Settings;
use crate::store::{DocumentRow, NoteRow};

/// Notes whose terms are held in memory at a time.
const BATCH: usize = 512;
/// Bytes of a stored vector before its steps: its scale.
const SCALE_BYTES: usize = 4;
/// How far a step of a stored vector, of 127, may be from the one made now. An index may come from a
/// machine whose logarithm differs in the last bit, by which a value that lies between two steps
/// goes to the other.
const STEP_TOLERANCE: u8 = 1;
/// How far a stored scale may be from the one made now, for the same reason, as a share of it.
const SCALE_TOLERANCE: f32 = 1e-4;

/// What the fault is called where a group of terms differs.
const TERM_FAULTS: [&str; 3] = [
    "a note's words in the term index are not those of its text",
    "a note's links in the term index are not those of its text",
    "a note's tags or type in the term index are not those of its text",
];

/// Compares all notes with what their stored texts come to.
pub(super) fn deep(parts: &Parts<'_>, settings: &Settings, findings: &mut Findings) -> Result<()> {
    if parts.notes.is_empty() {
        return Ok(());
    }
    let mut deriver = match Deriver::new(parts.store, settings)? {
        Ok(deriver) => deriver,
        Err(reason) => {
            let what = "texts cannot be compared with what another version or other settings made";
            findings.add_with(UPDATE, what, reason);
            return Ok(());
        }
    };
    let stored = Stored::read(parts)?;
    for batch in parts.notes.chunks(BATCH) {
        let mut derived_rows = Vec::with_capacity(batch.len());
        for row in batch {
            let document = parts.store.document(row.note_id);
            // A text that cannot be read has been named already.
            let Some(document) = findings.pass(document)? else { continue };
            let derived = deriver.derive(row, &document);
            content(row, &document, &derived, findings);
            let compared = vectors(parts, row, &derived, &deriver, &stored, findings);
            findings.pass(compared)?;
            derived_rows.push(row);
        }
        for (row, sums) in derived_rows.into_iter().zip(deriver.take_sums()) {
            terms(row, sums, &stored, findings);
        }
    }
    Ok(())
}

/// What the segments hold, by segment.
struct Stored {
    sums: FxHashMap<i64, Vec<TermSums>>,
    /// All sketches, and the number of pieces before each document.
    sketches: FxHashMap<i64, (Vec<u8>, Vec<usize>)>,
}

impl Stored {
    fn read(parts: &Parts<'_>) -> Result<Self> {
        let (mut sums, mut sketches) = (FxHashMap::default(), FxHashMap::default());
        for columns in &parts.segments {
            let segment_id = columns.segment_id;
            let mut own = vec![TermSums::default(); columns.notes.len()];
            parts.store.for_each_block(segment_id, |_, data| add_sums(data, &mut own))?;
            sums.insert(segment_id, own);
            let starts = columns.piece_counts.iter().scan(0usize, |before, count| {
                let own = *before;
                *before += *count as usize;
                Some(own)
            });
            let starts = starts.collect();
            sketches.insert(segment_id, (parts.store.all_sketches(segment_id)?, starts));
        }
        Ok(Stored { sums, sketches })
    }

    fn sketches(&self, row: &NoteRow, bytes: usize, piece_bytes: usize) -> Option<&[u8]> {
        let (all, starts) = self.sketches.get(&row.segment_id)?;
        let start = starts.get(row.ordinal as usize)? * piece_bytes;
        all.get(start..start + bytes)
    }
}

/// Title, tags and chunks.
fn content(row: &NoteRow, document: &DocumentRow, derived: &Derived, findings: &mut Findings) {
    let (stored, made) = (&document.attributes, &derived.attributes);
    let same_facts = document.title == derived.title
        && (&stored.aliases, &stored.tags) == (&made.aliases, &made.tags)
        && stored.note_type == made.note_type;
    if !same_facts {
        findings.add("a note's title, tags, aliases or type are not those of its text", &row.path);
    }
    let cut = derived.chunks.iter().zip(&derived.piece_counts);
    let same_chunks = document.layout.chunks.len() == derived.chunks.len()
        && document.layout.chunks.iter().zip(cut).all(|(stored, (made, pieces))| {
            stored.span == made.span
                && stored.overlap == made.overlap
                && stored.headings == made.headings
                && stored.pieces == *pieces
        });
    if !same_chunks {
        findings.add("a note's chunks are not those of its text", &row.path);
    }
}

/// A note's terms, by the sums of their hashes.
fn terms(row: &NoteRow, derived: TermSums, stored: &Stored, findings: &mut Findings) {
    let held = stored.sums.get(&row.segment_id).and_then(|sums| sums.get(row.ordinal as usize));
    for (group, what) in TERM_FAULTS.into_iter().enumerate() {
        if held.is_none_or(|held| held[group] != derived[group]) {
            findings.add(what, &row.path);
        }
    }
}

/// A note's vectors, and what is derived from them as they are stored.
fn vectors(
    parts: &Parts<'_>,
    row: &NoteRow,
    derived: &Derived,
    deriver: &Deriver<'_>,
    stored: &Stored,
    findings: &mut Findings,
) -> Result<()> {
    let Some([made_pieces, made_title]) = &derived.vectors else { return Ok(()) };
    let vector_bytes = made_title.len();
    let fault = parts.store.vectors(row.note_id, |title, norms, pieces| {
        if !alike(made_pieces, pieces, vector_bytes) {
            return Some("a note's vectors are not those of its text");
        }
        if !alike(made_title, title, vector_bytes) {
            return Some("a note's title vector is not that of its title");
        }
        let (made_norms, made_sketches) = deriver.place(pieces, title);
        let made_norms: Vec<u8> = made_norms.iter().flat_map(|norm| norm.to_le_bytes()).collect();
        let sketch_bytes = (vector_bytes - SCALE_BYTES).div_ceil(64) * 8;
        let sketches = stored.sketches(row, made_sketches.len(), sketch_bytes);
        let same = norms == made_norms && sketches == Some(&made_sketches);
        (!same).then_some("a note's norms or sketches are not those of its vectors")
    })?;
    // Vectors that are missing altogether have been named already.
    if let Some(what) = fault.flatten() {
        findings.add(what, &row.path);
    }
    Ok(())
}

/// Whether stored vectors are those that were made, but for rounding.
fn alike(made: &[u8], stored: &[u8], vector_bytes: usize) -> bool {
    let vectors = made.chunks(vector_bytes).zip(stored.chunks(vector_bytes));
    made.len() == stored.len()
        && vectors.into_iter().all(|(made, stored)| {
            let near = |(made, stored): (&u8, &u8)| {
                (*made as i8).abs_diff(*stored as i8) <= STEP_TOLERANCE
            };
            match (made.split_first_chunk(), stored.split_first_chunk()) {
                (Some((one, made)), Some((other, stored))) => {
                    let [one, other] = [one, other].map(|scale| f32::from_le_bytes(*scale));
                    (one - other).abs() <= one.abs() * SCALE_TOLERANCE
                        && made.iter().zip(stored).all(near)
                }
                _ => false,
            }
        })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::{Depth, check};
    use super::*;
    use crate::inspect::tests::{indexed, refresh};
    use crate::store::Layout;
    use crate::store::tests::forge;

    const NOTES: &str = "//- a.md\n---\ntags: [quagga]\n---\n# Alpha\n\nThe zebra stands here. See \
        [[other zulu]].\n\n## More\nSecond text, long enough to be a chunk.\n//- b.md\n検索の仕組みを\
        説明する文章。\n//- c.md\nThird note text.\n";

    fn messages(path: &Path, depth: Depth) -> Vec<String> {
        let problems = check(path, &Settings::default(), depth).expect("a check");
        problems.into_iter().map(|problem| problem.message).collect()
    }

    /// Every row's values, the bytes `from` in the last one replaced by `to`, which are as many.
    fn replaced(values: &[&[u8]], from: &[u8], to: &[u8]) -> Option<Vec<Vec<u8>>> {
        let (last, others) = values.split_last()?;
        let at = last.windows(from.len()).position(|part| part == from)?;
        let mut last = last.to_vec();
        last[at..at + to.len()].copy_from_slice(to);
        Some(others.iter().map(|value| value.to_vec()).chain([last]).collect())
    }

    /// Forges an index of [`NOTES`] in a way that the parts do not tell, and the faults that the
    /// texts tell, by how they begin.
    fn forged(forge: impl Fn(&Path), expected: &[&str]) {
        let vault = indexed(NOTES);
        assert_eq!(messages(&vault.index(), Depth::Texts), [""; 0], "before");
        forge(&vault.index());
        assert_eq!(messages(&vault.index(), Depth::Parts), [""; 0], "{expected:?}");
        let found = messages(&vault.index(), Depth::Texts);
        let expected: Vec<String> = expected.iter().map(|what| format!("{what}: a.md")).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn words_links_and_tags_that_are_not_the_texts_are_named() {
        for (from, to, what) in
            [("zebra", "zebrz", TERM_FAULTS[0]), (" zulu", " zulx", TERM_FAULTS[1])]
        {
            let edit = |values: &[&[u8]]| replaced(values, from.as_bytes(), to.as_bytes());
            forged(|index| forge(index, "postings", edit), &[what]);
        }
        let edit = |values: &[&[u8]]| replaced(values, b"quagga", b"quaggx");
        forged(|index| forge(index, "postings", edit), &[TERM_FAULTS[0], TERM_FAULTS[2]]);
    }

    #[test]
    fn chunks_that_are_not_the_texts_are_named() {
        let edit = |values: &[&[u8]]| {
            let mut layout = Layout::decode(values[2]).filter(|l| l.chunks.len() > 1)?;
            layout.chunks[1].headings = vec!["Another".to_owned()];
            let encoded = layout.encode();
            Some(vec![values[0].to_vec(), values[1].to_vec(), encoded, values[3].to_vec()])
        };
        forged(
            |index| forge(index, "documents", edit),
            &["a note's chunks are not those of its text"],
        );
    }

    #[test]
    fn vectors_that_are_not_the_texts_are_named() {
        let altered = |number: usize, at: usize, by: u8| {
            move |values: &[&[u8]]| {
                let mut values: Vec<Vec<u8>> = values.iter().map(|value| value.to_vec()).collect();
                values[number][at] = values[number][at].wrapping_add(by);
                Some(values)
            }
        };
        let check = |table: &str, [number, at]: [usize; 2], expected: &str| {
            let vault = indexed(NOTES);
            forge(&vault.index(), table, altered(number, at, 9));
            let found = messages(&vault.index(), Depth::Texts);
            assert_eq!(found, [format!("{expected}: a.md and 2 more")]);
        };
        check("vectors", [1, 10], "a note's vectors are not those of its text");
        check("placements", [0, 10], "a note's title vector is not that of its title");
        check("placements", [1, 1], "a note's norms or sketches are not those of its vectors");
    }

    #[test]
    fn an_index_of_other_settings_is_said_to_be_one_and_is_no_damage() {
        let vault = indexed(NOTES);
        let mut settings = Settings::default();
        settings.chunk.max_characters = 500;
        let problems = check(&vault.index(), &settings, Depth::Texts).expect("a check");
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].remedy.ends_with("hiku index"), "{problems:?}");
        refresh(&vault);
        assert_eq!(messages(&vault.index(), Depth::Texts), [""; 0]);
    }
}
