//! Segments in the file: their columns, finding term lists, writing and removing them.

use rusqlite::{OptionalExtension, params};

use super::checksum::checksum;
use super::connection::Store;
use super::pack::{pack, unpack};
use super::reader::is_sound;
use crate::error::Result;
use crate::postings::{Block, Lengths, Segment, prefixed};

/// What a segment knows of its documents, beside the term lists.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SegmentColumns {
    /// Identity in the file; later segments have greater ones.
    pub segment_id: i64,
    /// Note id of each document.
    pub notes: Vec<i64>,
    /// Whether each document is dead: its note is gone or has a newer document.
    pub dead: Vec<bool>,
    /// Lengths of each document.
    pub lengths: Vec<Lengths>,
    /// Chunks of each document.
    pub chunk_counts: Vec<u32>,
    /// Vector pieces of each document.
    pub piece_counts: Vec<u32>,
}

/// A segment as it is written or merged.
#[derive(Debug, Clone, Default)]
pub(crate) struct StoredSegment {
    /// Note id of each document.
    pub notes: Vec<i64>,
    /// Terms, lengths and chunks.
    pub segment: Segment,
    /// Vector pieces of each document.
    pub piece_counts: Vec<u32>,
    /// Sketches of all pieces, document after document: 64-bit words.
    pub sketches: Vec<u8>,
}

/// Bytes of sketches in one row: small enough to stay in the processor's cache while a query passes
/// over it, and a multiple of every sketch length up to 512 bytes.
const SKETCH_PART_BYTES: usize = 1 << 16;
/// Rows of sketches that a segment may have: part `n` of segment `s` has id `s * this + n`.
pub(super) const MAX_SKETCH_PARTS: i64 = 1 << 24;

fn flatten(lengths: &[Lengths]) -> Vec<u32> {
    lengths.iter().flatten().copied().collect()
}

fn lengths_of(bytes: &[u8]) -> Vec<Lengths> {
    let flat = unpack(bytes, u32::from_le_bytes);
    flat.as_chunks::<12>().0.to_vec()
}

impl Store {
    /// Columns of all segments, oldest first.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn segments(&self) -> Result<Vec<SegmentColumns>> {
        let run = || -> rusqlite::Result<Vec<(SegmentColumns, i64, i64)>> {
            let mut statement = self.connection.prepare_cached(
                "SELECT segment_id, notes, dead, lengths, chunk_counts, piece_counts,
                   length(chunk_lengths) / 4,
                   (SELECT coalesce(sum(length(data)), 0) / 8 FROM sketches
                    WHERE part_id >= segment_id * ?1 AND part_id < (segment_id + 1) * ?1)
                 FROM segments ORDER BY segment_id",
            )?;
            let rows = statement.query_map([MAX_SKETCH_PARTS], |row| {
                let blob = |at| row.get_ref(at).and_then(|value| Ok(value.as_blob()?));
                let columns = SegmentColumns {
                    segment_id: row.get(0)?,
                    notes: unpack(blob(1)?, i64::from_le_bytes),
                    dead: blob(2)?.iter().map(|byte| *byte != 0).collect(),
                    lengths: lengths_of(blob(3)?),
                    chunk_counts: unpack(blob(4)?, u32::from_le_bytes),
                    piece_counts: unpack(blob(5)?, u32::from_le_bytes),
                };
                Ok((columns, row.get::<_, i64>(6)?, row.get::<_, i64>(7)?))
            })?;
            rows.collect()
        };
        let rows = run().map_err(|error| self.failure("read the segments", error))?;
        let sum = |counts: &[u32]| counts.iter().map(|count| i64::from(*count)).sum::<i64>();
        for (segment, chunks, sketch_words) in &rows {
            let documents = segment.notes.len();
            let agree = segment.dead.len() == documents
                && segment.lengths.len() == documents
                && segment.chunk_counts.len() == documents
                && segment.piece_counts.len() == documents
                // Garbled counts would ask for any amount of memory.
                && sum(&segment.chunk_counts) == *chunks
                && sum(&segment.piece_counts) <= *sketch_words;
            if !agree {
                return Err(self.damaged("a segment's columns disagree"));
            }
        }
        Ok(rows.into_iter().map(|(segment, ..)| segment).collect())
    }

    /// Strong body terms of each chunk of a segment.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn chunk_lengths(&self, segment_id: i64) -> Result<Vec<u32>> {
        self.connection
            .prepare_cached("SELECT chunk_lengths FROM segments WHERE segment_id = ?1")
            .and_then(|mut statement| {
                statement.query_row([segment_id], |row| {
                    Ok(unpack(row.get_ref(0)?.as_blob()?, u32::from_le_bytes))
                })
            })
            .map_err(|error| self.failure("read the chunk lengths", error))
    }

    /// Calls `each` with every key of a segment that starts with `prefix`, in order, and its list.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn term_lists(
        &self,
        segment_id: i64,
        prefix: &[u8],
        mut each: impl FnMut(&[u8], &[u8]),
    ) -> Result<()> {
        let mut sound = true;
        let mut scan = |data: &[u8]| {
            prefixed(data, prefix, &mut each).unwrap_or_else(|| {
                sound = false;
                false
            })
        };
        let mut run = || -> rusqlite::Result<()> {
            // The block that holds the first such key starts at or before it, or is the next one.
            let first = self
                .connection
                .prepare_cached(
                    "SELECT first_term, data FROM postings WHERE segment_id = ?1
                     AND first_term <= ?2 ORDER BY first_term DESC LIMIT 1",
                )?
                .query_row(params![segment_id, prefix], |row| {
                    let goes_on = scan(row.get_ref(1)?.as_blob()?);
                    if goes_on { row.get::<_, Vec<u8>>(0).map(Some) } else { Ok(None) }
                })
                .optional()?;
            let after = match first {
                Some(None) => return Ok(()),
                Some(Some(first)) => first,
                None => Vec::new(),
            };
            let mut next = self.connection.prepare_cached(
                "SELECT first_term, data FROM postings WHERE segment_id = ?1 AND first_term > ?2
                 ORDER BY first_term",
            )?;
            let mut rows = next.query(params![segment_id, after])?;
            while let Some(row) = rows.next()? {
                let inside = row.get_ref(0)?.as_blob()?.starts_with(prefix);
                if !inside || !scan(row.get_ref(1)?.as_blob()?) {
                    break;
                }
            }
            Ok(())
        };
        run().map_err(|error| self.failure("read a term", error))?;
        if sound { Ok(()) } else { Err(self.damaged("a block of term lists cannot be read")) }
    }

    /// All of a segment, to be merged or checked.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn whole_segment(&self, columns: &SegmentColumns) -> Result<StoredSegment> {
        let mut altered = false;
        let mut run = || -> rusqlite::Result<Vec<Block>> {
            let mut statement = self.connection.prepare_cached(
                "SELECT first_term, data, checksum FROM postings WHERE segment_id = ?1
                 ORDER BY first_term",
            )?;
            let rows = statement.query_map([columns.segment_id], |row| {
                altered |= !is_sound(row, 0..2)?;
                Ok(Block { first: row.get(0)?, data: row.get(1)? })
            })?;
            rows.collect()
        };
        let blocks = run().map_err(|error| self.failure("read the terms", error))?;
        if altered {
            return Err(self.damaged("a block of term lists was altered"));
        }
        Ok(StoredSegment {
            notes: columns.notes.clone(),
            segment: Segment {
                lengths: columns.lengths.clone(),
                chunk_counts: columns.chunk_counts.clone(),
                chunk_lengths: self.chunk_lengths(columns.segment_id)?,
                blocks,
            },
            piece_counts: columns.piece_counts.clone(),
            sketches: self.all_sketches(columns.segment_id)?,
        })
    }

    /// Calls `each` with the sketches of a segment, some whole sketches at a time.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn sketches(&self, segment_id: i64, mut each: impl FnMut(&[u8])) -> Result<()> {
        let mut run = || -> rusqlite::Result<()> {
            let mut statement = self.connection.prepare_cached(
                "SELECT data FROM sketches WHERE part_id >= ?1 AND part_id < ?2 ORDER BY part_id",
            )?;
            let first = segment_id * MAX_SKETCH_PARTS;
            let mut rows = statement.query(params![first, first + MAX_SKETCH_PARTS])?;
            while let Some(row) = rows.next()? {
                each(row.get_ref(0)?.as_blob()?);
            }
            Ok(())
        };
        run().map_err(|error| self.failure("read sketches", error))
    }

    /// All sketches of a segment.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn all_sketches(&self, segment_id: i64) -> Result<Vec<u8>> {
        let mut all = Vec::new();
        self.sketches(segment_id, |part| all.extend_from_slice(part))?;
        Ok(all)
    }

    fn insert_sketches(&self, segment_id: i64, sketches: &[u8]) -> rusqlite::Result<()> {
        let mut insert =
            self.connection.prepare_cached("INSERT INTO sketches VALUES(?1, ?2, ?3)")?;
        for (part, data) in (0i64..).zip(sketches.chunks(SKETCH_PART_BYTES)) {
            let part_id = segment_id * MAX_SKETCH_PARTS + part;
            insert.execute(params![part_id, data, checksum(&[data])])?;
        }
        Ok(())
    }

    fn delete_sketches(&self, segment_id: i64) -> rusqlite::Result<()> {
        let first = segment_id * MAX_SKETCH_PARTS;
        self.connection
            .prepare_cached("DELETE FROM sketches WHERE part_id >= ?1 AND part_id < ?2")?
            .execute([first, first + MAX_SKETCH_PARTS])
            .map(drop)
    }

    /// Writes a segment behind all others and gives its id.
    pub(super) fn insert_segment(&self, stored: &StoredSegment) -> rusqlite::Result<i64> {
        let segment = &stored.segment;
        let notes = pack(&stored.notes, i64::to_le_bytes);
        let dead = vec![0u8; stored.notes.len()];
        let lengths = pack(&flatten(&segment.lengths), u32::to_le_bytes);
        let [chunk_counts, chunk_lengths, piece_counts] =
            [&segment.chunk_counts, &segment.chunk_lengths, &stored.piece_counts]
                .map(|column| pack(column, u32::to_le_bytes));
        self.connection
            .prepare_cached(
                "INSERT INTO segments VALUES(
                   (SELECT coalesce(max(segment_id), 0) + 1 FROM segments), ?1, ?2, ?3, ?4, ?5, ?6,
                   ?7, ?8)",
            )?
            .execute(params![
                notes,
                dead,
                lengths,
                chunk_counts,
                chunk_lengths,
                piece_counts,
                checksum(&[&notes, &lengths, &chunk_counts, &chunk_lengths]),
                checksum(&[&dead, &piece_counts])
            ])?;
        let segment_id = self.connection.last_insert_rowid();
        self.insert_sketches(segment_id, &stored.sketches)?;
        let mut insert = self.connection.prepare_cached(
            "INSERT INTO postings(segment_id, first_term, data, checksum) VALUES(?1, ?2, ?3, ?4)",
        )?;
        for block in &segment.blocks {
            let checksum = checksum(&[&block.first, &block.data]);
            insert.execute(params![segment_id, block.first, block.data, checksum])?;
        }
        Ok(segment_id)
    }

    /// Replaces the sketches of a segment, its pieces having new vectors.
    pub(super) fn replace_sketches(
        &self,
        segment_id: i64,
        piece_counts: &[u32],
        sketches: &[u8],
    ) -> rusqlite::Result<()> {
        self.delete_sketches(segment_id)?;
        self.insert_sketches(segment_id, sketches)?;
        let (dead, _) = self.marks(segment_id)?;
        self.set_marks(segment_id, &dead, &pack(piece_counts, u32::to_le_bytes))
    }

    /// The two columns of a segment that change: dead documents and numbers of pieces.
    fn marks(&self, segment_id: i64) -> rusqlite::Result<(Vec<u8>, Vec<u8>)> {
        self.connection
            .prepare_cached("SELECT dead, piece_counts FROM segments WHERE segment_id = ?1")?
            .query_row([segment_id], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// Checks that the columns of a segment are as they were written, before they are written on:
    /// a checksum over altered bytes would hide what happened to them.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(super) fn check_columns(&self, segment_id: i64) -> Result<()> {
        let sound = self
            .connection
            .prepare_cached(
                "SELECT notes, lengths, chunk_counts, chunk_lengths, checksum, dead, piece_counts,
                   marks_checksum FROM segments WHERE segment_id = ?1",
            )
            .and_then(|mut statement| {
                statement
                    .query_row([segment_id], |row| Ok(is_sound(row, 0..4)? && is_sound(row, 5..7)?))
            })
            .map_err(|error| self.failure("read the segments", error))?;
        if sound { Ok(()) } else { Err(self.damaged("a segment's columns were altered")) }
    }

    fn set_marks(&self, segment_id: i64, dead: &[u8], pieces: &[u8]) -> rusqlite::Result<()> {
        self.connection
            .prepare_cached(
                "UPDATE segments SET dead = ?2, piece_counts = ?3, marks_checksum = ?4
                 WHERE segment_id = ?1",
            )?
            .execute(params![segment_id, dead, pieces, checksum(&[dead, pieces])])
            .map(drop)
    }

    /// Marks documents of a segment as dead.
    pub(super) fn mark_dead(&self, segment_id: i64, ordinals: &[u32]) -> rusqlite::Result<()> {
        let (mut dead, pieces) = self.marks(segment_id)?;
        for ordinal in ordinals {
            if let Some(byte) = dead.get_mut(*ordinal as usize) {
                *byte = 1;
            }
        }
        self.set_marks(segment_id, &dead, &pieces)
    }

    /// Removes a segment and its lists.
    pub(super) fn delete_segment(&self, segment_id: i64) -> rusqlite::Result<()> {
        self.delete_sketches(segment_id)?;
        self.connection
            .prepare_cached("DELETE FROM postings WHERE segment_id = ?1")?
            .execute([segment_id])?;
        self.connection
            .prepare_cached("DELETE FROM segments WHERE segment_id = ?1")?
            .execute([segment_id])
            .map(drop)
    }
}
