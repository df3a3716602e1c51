//! Rows as a check of the index reads them: all of a table, damage told apart instead of ending the
//! reading. What the rows must agree on is decided by the check.

use rusqlite::params;

use super::checksum::checksum;
use super::connection::Store;
use super::pack::pack;
use super::reader::is_sound;
use super::record::{Attributes, Layout};
use super::segments::MAX_SKETCH_PARTS;
use super::writer::checksum_key;
use crate::error::Result;

/// A note's content; each part `None` where it cannot be read.
#[derive(Debug)]
pub(crate) struct AuditedDocument {
    /// The note that it is the content of.
    pub note_id: i64,
    /// What is known of the note.
    pub attributes: Option<Attributes>,
    /// Its chunks.
    pub layout: Option<Layout>,
    /// The redacted text.
    pub text: Option<String>,
}

/// How large the vectors of a content are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct VectorSizes {
    /// Identity.
    pub vector_id: i64,
    /// Hash of the content.
    pub hash: Vec<u8>,
    /// Bytes of all pieces.
    pub pieces: usize,
}

/// How large a note's title vector and norms are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PlacementSizes {
    /// The note.
    pub note_id: i64,
    /// Bytes of the title vector.
    pub title: usize,
    /// Bytes of the norms.
    pub norms: usize,
}

/// Every table with a checksum: what a row is, the question for its identity, its parts and their
/// checksum, and the number of parts.
const CHECKED: [(&str, &str, usize); 7] = [
    (
        "columns of segment",
        "SELECT segment_id, notes, lengths, chunk_counts, chunk_lengths, checksum FROM segments",
        4,
    ),
    ("marks of segment", "SELECT segment_id, dead, piece_counts, marks_checksum FROM segments", 2),
    ("sketches", "SELECT part_id, data, checksum FROM sketches", 1),
    ("text of note", "SELECT note_id, title, attributes, layout, text, checksum FROM documents", 4),
    ("vectors", "SELECT vector_id, hash, pieces, checksum FROM vectors", 2),
    ("title vector of note", "SELECT note_id, title, norms, checksum FROM placements", 2),
    ("term lists", "SELECT block_id, first_term, data, checksum FROM postings", 2),
];
/// How many of [`CHECKED`] are the columns of segments.
const COLUMNS: usize = 2;

impl Store {
    /// Calls `each` with kind and identity of every record whose bytes are not those that were
    /// written.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn for_each_altered(&self, mut each: impl FnMut(&'static str, i64)) -> Result<()> {
        self.altered(&CHECKED, &mut each)?;
        if !self.has_sound_numbers("epoch_counts")? {
            each("token counts", 0);
        }
        Ok(())
    }

    /// Refuses an index in which a record is not as it was written; `columns` looks at those of the
    /// segments alone, which are few bytes and concern every search.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn verify(&self, columns: bool) -> Result<()> {
        let mut found = None;
        let mut note = |what, id| found = found.or(Some((what, id)));
        if columns {
            self.altered(&CHECKED[..COLUMNS], &mut note)?;
        } else {
            self.for_each_altered(&mut note)?;
        }
        match found {
            Some((what, id)) => Err(self.damaged(&format!("{what} {id}: it was altered"))),
            None => Ok(()),
        }
    }

    fn altered(
        &self,
        checked: &[(&'static str, &'static str, usize)],
        each: &mut dyn FnMut(&'static str, i64),
    ) -> Result<()> {
        for (what, sql, parts) in checked {
            self.for_each_row(sql, |row| {
                if !is_sound(row, 1..parts + 1)? {
                    each(what, row.get(0)?);
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Whether a fact that is a row of numbers is as it was written, or not there.
    fn has_sound_numbers(&self, key: &str) -> Result<bool> {
        let Some(numbers) = self.meta_numbers(key)? else { return Ok(true) };
        let bytes = pack(&numbers, u32::to_le_bytes);
        Ok(self.meta_number(&checksum_key(key))? == Some(checksum(&[&bytes])))
    }

    /// Calls `each` with every document.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn for_each_document(&self, mut each: impl FnMut(AuditedDocument)) -> Result<()> {
        self.for_each_row("SELECT note_id, attributes, layout, text FROM documents", |row| {
            each(AuditedDocument {
                note_id: row.get(0)?,
                attributes: Attributes::decode(row.get_ref(1)?.as_blob()?),
                layout: Layout::decode(row.get_ref(2)?.as_blob()?),
                text: self.unzip.text(row.get_ref(3)?.as_blob()?),
            });
            Ok(())
        })
    }

    /// Sizes of all vectors.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn vector_sizes(&self) -> Result<Vec<VectorSizes>> {
        let mut sizes = Vec::new();
        self.for_each_row("SELECT vector_id, hash, length(pieces) FROM vectors", |row| {
            sizes.push(VectorSizes {
                vector_id: row.get(0)?,
                hash: row.get(1)?,
                pieces: row.get::<_, u32>(2)? as usize,
            });
            Ok(())
        })?;
        Ok(sizes)
    }

    /// Sizes of all title vectors and norms.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn placement_sizes(&self) -> Result<Vec<PlacementSizes>> {
        let mut sizes = Vec::new();
        self.for_each_row("SELECT note_id, length(title), length(norms) FROM placements", |row| {
            sizes.push(PlacementSizes {
                note_id: row.get(0)?,
                title: row.get::<_, u32>(1)? as usize,
                norms: row.get::<_, u32>(2)? as usize,
            });
            Ok(())
        })?;
        Ok(sizes)
    }

    /// Calls `each` with the first term and the lists of every block of a segment, by first term.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn for_each_block(
        &self,
        segment_id: i64,
        mut each: impl FnMut(&[u8], &[u8]),
    ) -> Result<()> {
        let mut run = || -> rusqlite::Result<()> {
            let mut statement = self.connection.prepare_cached(
                "SELECT first_term, data FROM postings WHERE segment_id = ?1 ORDER BY first_term",
            )?;
            let mut rows = statement.query([segment_id])?;
            while let Some(row) = rows.next()? {
                each(row.get_ref(0)?.as_blob()?, row.get_ref(1)?.as_blob()?);
            }
            Ok(())
        };
        run().map_err(|error| self.failure("read the terms", error))
    }

    /// Segments that term lists or sketches name and that are not there.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn stray_segments(&self) -> Result<Vec<i64>> {
        let run = || -> rusqlite::Result<Vec<i64>> {
            let mut statement = self.connection.prepare_cached(
                "SELECT segment_id FROM postings WHERE segment_id NOT IN
                   (SELECT segment_id FROM segments)
                 UNION SELECT part_id / ?1 FROM sketches WHERE part_id / ?1 NOT IN
                   (SELECT segment_id FROM segments)",
            )?;
            statement.query_map(params![MAX_SKETCH_PARTS], |row| row.get(0))?.collect()
        };
        run().map_err(|error| self.failure("read the segments", error))
    }
}
