//! Reading notes, documents and vectors.

use rusqlite::{OptionalExtension, Row, params};

use super::checksum::checksum;
use super::connection::Store;
use super::pack::unpack;
use super::record::{Attributes, Layout};
use crate::error::Result;

/// A note's row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NoteRow {
    /// Identity.
    pub note_id: i64,
    /// Path as on disk.
    pub path: String,
    /// Modification time in nanoseconds since 1970.
    pub modified_ns: i64,
    /// Time at which its entry changed in nanoseconds since 1970; 0 where it is not known.
    pub changed_ns: i64,
    /// Size in bytes.
    pub size: u64,
    /// BLAKE3 of the file's bytes, 16 bytes.
    pub hash: Vec<u8>,
    /// Its content's vectors, if it has any.
    pub vector_id: Option<i64>,
    /// Segment of its document.
    pub segment_id: i64,
    /// Number of its document in the segment.
    pub ordinal: u32,
    /// Date in days since 1970 where the note or its name states one.
    pub stated_day: Option<i32>,
}

/// Nanoseconds of a day.
const DAY_NS: i64 = 86_400_000_000_000;

/// The day that a note states, else the day (UTC) of its modification.
fn effective_day(stated: Option<i32>, modified_ns: i64) -> i32 {
    stated.unwrap_or_else(|| modified_ns.div_euclid(DAY_NS) as i32)
}

impl NoteRow {
    /// The note's date in days since 1970: stated, else that of its modification (UTC).
    pub(crate) fn day(&self) -> i32 {
        effective_day(self.stated_day, self.modified_ns)
    }
}

/// A note's content.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct DocumentRow {
    /// Title in use.
    pub title: String,
    /// What is known of it.
    pub attributes: Attributes,
    /// Its chunks.
    pub layout: Layout,
    /// The redacted text.
    pub text: String,
}

const NOTE_COLUMNS: &str =
    "note_id, path, modified_ns, changed_ns, size, hash, vector_id, segment_id, ordinal, day";

/// Whether the columns of a row have the checksum that stands behind them.
pub(super) fn is_sound(row: &Row<'_>, columns: std::ops::Range<usize>) -> rusqlite::Result<bool> {
    let mut parts = [&[][..]; 6];
    let count = columns.len();
    for (part, column) in parts.iter_mut().zip(columns.clone()) {
        *part = row.get_ref(column)?.as_bytes()?;
    }
    Ok(row.get_ref(columns.end)?.as_i64()? == checksum(&parts[..count]))
}

fn note_row(row: &Row<'_>) -> rusqlite::Result<NoteRow> {
    Ok(NoteRow {
        note_id: row.get(0)?,
        path: row.get(1)?,
        modified_ns: row.get(2)?,
        changed_ns: row.get(3)?,
        size: row.get::<_, i64>(4)? as u64,
        hash: row.get(5)?,
        vector_id: row.get(6)?,
        segment_id: row.get(7)?,
        ordinal: row.get(8)?,
        stated_day: row.get(9)?,
    })
}

impl Store {
    /// The generation: grows with each publication.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn generation(&self) -> Result<i64> {
        self.meta_number("generation").map(|generation| generation.unwrap_or(0))
    }

    /// A number among the facts about the file.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn meta_number(&self, key: &str) -> Result<Option<i64>> {
        self.meta(key, |row| row.get(0))
    }

    /// A text among the facts about the file.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn meta_text(&self, key: &str) -> Result<Option<String>> {
        self.meta(key, |row| row.get(0))
    }

    /// Numbers of 32 bits among the facts about the file.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn meta_numbers(&self, key: &str) -> Result<Option<Vec<u32>>> {
        self.meta(key, |row| Ok(unpack(row.get_ref(0)?.as_blob()?, u32::from_le_bytes)))
    }

    /// Whether there is a fact of this name, whatever its type.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn has_fact(&self, key: &str) -> Result<bool> {
        self.meta(key, |_| Ok(())).map(|found| found.is_some())
    }

    fn meta<T>(
        &self,
        key: &str,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>> {
        self.connection
            .prepare_cached("SELECT value FROM meta WHERE key = ?1")
            .and_then(|mut statement| statement.query_row([key], read).optional())
            .map_err(|error| self.failure("read the file's facts", error))
    }

    /// Begins a view of one published state, which later writes do not change; ends with
    /// [`Self::end_view`].
    ///
    /// # Errors
    /// `Io`.
    pub(crate) fn begin_view(&self) -> Result<()> {
        self.execute("BEGIN")
    }

    /// Ends the view.
    ///
    /// # Errors
    /// `Io`.
    pub(crate) fn end_view(&self) -> Result<()> {
        self.execute("COMMIT")
    }

    /// All notes, by path.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn notes(&self) -> Result<Vec<NoteRow>> {
        let run = || -> rusqlite::Result<Vec<NoteRow>> {
            let sql = format!("SELECT {NOTE_COLUMNS} FROM notes ORDER BY path");
            let mut statement = self.connection.prepare_cached(&sql)?;
            statement.query_map([], note_row)?.collect()
        };
        run().map_err(|error| self.failure("read the notes", error))
    }

    /// Some paths, spread evenly over all.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn sample_of_paths(&self, most: usize) -> Result<Vec<String>> {
        let mut paths = Vec::new();
        self.for_each_row("SELECT path FROM notes ORDER BY path", |row| {
            paths.push(row.get::<_, String>(0)?);
            Ok(())
        })?;
        let total = paths.len();
        let place = |number: usize| number * total / most.max(1);
        if total > most {
            paths = (0..most).map(|number| std::mem::take(&mut paths[place(number)])).collect();
        }
        Ok(paths)
    }

    /// Number of notes that have no vectors.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn notes_without_vectors(&self) -> Result<usize> {
        self.connection
            .prepare_cached("SELECT count(*) FROM notes WHERE vector_id IS NULL")
            .and_then(|mut statement| statement.query_row([], |row| row.get::<_, u32>(0)))
            .map(|count| count as usize)
            .map_err(|error| self.failure("count the notes", error))
    }

    /// A note by its identity.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn note(&self, note_id: i64) -> Result<Option<NoteRow>> {
        let sql = format!("SELECT {NOTE_COLUMNS} FROM notes WHERE note_id = ?1");
        self.connection
            .prepare_cached(&sql)
            .and_then(|mut statement| statement.query_row([note_id], note_row).optional())
            .map_err(|error| self.failure("read a note", error))
    }

    /// A note by its path.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn note_at(&self, path: &str) -> Result<Option<NoteRow>> {
        let sql = format!("SELECT {NOTE_COLUMNS} FROM notes WHERE path = ?1");
        self.connection
            .prepare_cached(&sql)
            .and_then(|mut statement| statement.query_row([path], note_row).optional())
            .map_err(|error| self.failure("look for a note", error))
    }

    /// Calls `each` with (note id, path, day) of every note.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn for_each_note(&self, mut each: impl FnMut(i64, &str, i32)) -> Result<()> {
        let mut run = || -> rusqlite::Result<()> {
            let mut statement = self
                .connection
                .prepare_cached("SELECT note_id, path, day, modified_ns FROM notes")?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let day = effective_day(row.get(2)?, row.get(3)?);
                each(row.get(0)?, row.get_ref(1)?.as_str()?, day);
            }
            Ok(())
        };
        run().map_err(|error| self.failure("read the notes", error))
    }

    /// A note's title and attributes.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn attributes(&self, note_id: i64) -> Result<(String, Attributes)> {
        let (title, bytes): (String, Vec<u8>) = self
            .connection
            .prepare_cached("SELECT title, attributes FROM documents WHERE note_id = ?1")
            .and_then(|mut statement| {
                statement.query_row([note_id], |row| Ok((row.get(0)?, row.get(1)?)))
            })
            .map_err(|error| self.failure("read a note's attributes", error))?;
        let attributes = Attributes::decode(&bytes)
            .ok_or_else(|| self.damaged("a note's attributes cannot be read"))?;
        Ok((title, attributes))
    }

    /// Calls `each` with the note id and attributes of every document; `None` where they cannot be
    /// read.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn for_each_attributes(
        &self,
        mut each: impl FnMut(i64, Option<Attributes>),
    ) -> Result<()> {
        self.for_each_row("SELECT note_id, attributes FROM documents", |row| {
            each(row.get(0)?, Attributes::decode(row.get_ref(1)?.as_blob()?));
            Ok(())
        })
    }

    /// Calls `each` with every row of a question without parameters.
    pub(super) fn for_each_row(
        &self,
        sql: &'static str,
        mut each: impl FnMut(&Row<'_>) -> rusqlite::Result<()>,
    ) -> Result<()> {
        let mut run = || -> rusqlite::Result<()> {
            let mut statement = self.connection.prepare_cached(sql)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                each(row)?;
            }
            Ok(())
        };
        run().map_err(|error| self.failure("read the index", error))
    }

    /// A note's whole content.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn document(&self, note_id: i64) -> Result<DocumentRow> {
        let read = |row: &Row<'_>| {
            let is_sound = is_sound(row, 0..4)?;
            let title: String = row.get(0)?;
            let attributes = Attributes::decode(row.get_ref(1)?.as_blob()?);
            let layout = Layout::decode(row.get_ref(2)?.as_blob()?);
            let text = self.unzip.text(row.get_ref(3)?.as_blob()?);
            Ok((title, attributes, layout, text.filter(|_| is_sound)))
        };
        let (title, attributes, layout, text) = self
            .connection
            .prepare_cached(
                "SELECT title, attributes, layout, text, checksum FROM documents WHERE note_id = ?1",
            )
            .and_then(|mut statement| statement.query_row([note_id], read))
            .map_err(|error| self.failure("read a note's text", error))?;
        match (attributes, layout, text) {
            (Some(attributes), Some(layout), Some(text))
                if layout.chunks.iter().all(|c| text.get(c.span.clone()).is_some()) =>
            {
                Ok(DocumentRow { title, attributes, layout, text })
            }
            _ => Err(self.damaged("a note's stored text cannot be read")),
        }
    }

    /// Calls `read` with the bytes of a content's pieces; `None` where it has none.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn pieces<T>(
        &self,
        vector_id: i64,
        read: impl FnOnce(&[u8]) -> T,
    ) -> Result<Option<T>> {
        self.connection
            .prepare_cached("SELECT pieces FROM vectors WHERE vector_id = ?1")
            .and_then(|mut statement| {
                statement
                    .query_row([vector_id], |row| Ok(read(row.get_ref(0)?.as_blob()?)))
                    .optional()
            })
            .map_err(|error| self.failure("read vectors", error))
    }

    /// Calls `read` with a note's title vector, norms and pieces; `None` where it has no vectors.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn vectors<T>(
        &self,
        note_id: i64,
        read: impl FnOnce(&[u8], &[u8], &[u8]) -> T,
    ) -> Result<Option<T>> {
        self.connection
            .prepare_cached(
                "SELECT p.title, p.norms, v.pieces FROM placements p
                 JOIN notes n ON n.note_id = p.note_id JOIN vectors v ON v.vector_id = n.vector_id
                 WHERE p.note_id = ?1",
            )
            .and_then(|mut statement| {
                statement
                    .query_row([note_id], |row| {
                        let blob = |at| row.get_ref(at).and_then(|value| Ok(value.as_blob()?));
                        Ok(read(blob(0)?, blob(1)?, blob(2)?))
                    })
                    .optional()
            })
            .map_err(|error| self.failure("read vectors", error))
    }

    /// The content that already has vectors, if any.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn vector_id(&self, hash: &[u8]) -> Result<Option<i64>> {
        self.connection
            .prepare_cached("SELECT vector_id FROM vectors WHERE hash = ?1")
            .and_then(|mut statement| {
                statement.query_row(params![hash], |row| row.get(0)).optional()
            })
            .map_err(|error| self.failure("look for vectors", error))
    }

    /// Files that the last update skipped, (path, reason).
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn skipped(&self) -> Result<Vec<(String, String)>> {
        let run = || -> rusqlite::Result<Vec<(String, String)>> {
            let mut statement =
                self.connection.prepare_cached("SELECT path, reason FROM skipped ORDER BY path")?;
            statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        };
        run().map_err(|error| self.failure("read the skipped files", error))
    }
}
