//! Changing the file: one transaction a publication, made by the holder of the lock.

use std::path::Path;

use rusqlite::params;

use super::checksum::checksum;
use super::connection::Store;
use super::lock::WriterLock;
use super::pack::pack;
use super::record::{Attributes, Layout};
use super::segments::StoredSegment;
use super::zip::zip;
use super::{NoteRow, SegmentColumns};
use crate::error::Result;
use crate::postings::{MergeSource, merge};
use crate::vault::ScanEntry;

/// Free pages of a file that are reclaimed once they are this share of it, one in so many. The copy
/// then costs at most five times what the changes that freed them wrote.
const FREE_SHARE: i64 = 5;
/// Fewer free pages than these (256 KiB) are left alone.
const LEAST_FREE_PAGES: i64 = 16;

/// A note's content as it is stored.
#[derive(Debug, Clone, Default)]
pub(crate) struct NoteContent {
    /// Title in use.
    pub title: String,
    /// [`Attributes`], encoded.
    pub attributes: Vec<u8>,
    /// [`Layout`], encoded.
    pub layout: Vec<u8>,
    /// The redacted text, compressed.
    pub text: Vec<u8>,
}

impl NoteContent {
    /// Encodes and compresses a note's content; done by the workers.
    ///
    /// # Errors
    /// The compressor's refusal, which only a lack of memory causes.
    pub(crate) fn encode(
        title: String,
        attributes: &Attributes,
        layout: &Layout,
        text: &str,
    ) -> std::io::Result<Self> {
        let text = zip(text)?;
        Ok(NoteContent { title, attributes: attributes.encode(), layout: layout.encode(), text })
    }

    fn checksum(&self) -> i64 {
        checksum(&[self.title.as_bytes(), &self.attributes, &self.layout, &self.text])
    }
}

/// An index file open for writing while its lock is held.
///
/// Changes are made between `begin` and `publish`, in one transaction of SQLite. One that is
/// dropped in between leaves the state that was published before.
#[derive(Debug)]
pub(crate) struct Writer {
    store: Store,
}

impl Writer {
    /// Opens an index for writing, making it if there is none. The caller keeps the lock until the
    /// writer is gone.
    ///
    /// # Errors
    /// As [`Store::open_for_writing`].
    pub(crate) fn open(path: &Path, _lock: &WriterLock) -> Result<Self> {
        let store = Store::open_for_writing(path)?;
        store.pragma("synchronous", "normal")?;
        // A rebuild passes over the whole old file, which would be mapped for the rest of the run.
        store.map_file(false)?;
        store.pragma("cache_size", -32_000)?;
        Ok(Writer { store })
    }

    /// The file, to read from.
    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    /// Begins a publication.
    ///
    /// # Errors
    /// `Busy` and `Io`.
    pub(crate) fn begin(&self) -> Result<()> {
        self.store.execute("BEGIN IMMEDIATE")
    }

    /// Publishes: the generation grows by one and readers see everything at once.
    ///
    /// # Errors
    /// `Io`; nothing is published then.
    pub(crate) fn publish(&self) -> Result<()> {
        self.run("publish", "UPDATE meta SET value = value + 1 WHERE key = 'generation'", [])?;
        self.store.execute("COMMIT")
    }

    /// Drops what was not published.
    pub(crate) fn discard(&self) {
        // Fails only where no publication was begun, which is the state that is wanted.
        let _ = self.store.connection.execute_batch("ROLLBACK");
    }

    fn run(
        &self,
        action: &'static str,
        sql: &str,
        parameters: impl rusqlite::Params,
    ) -> Result<usize> {
        self.store
            .connection
            .prepare_cached(sql)
            .and_then(|mut statement| statement.execute(parameters))
            .map_err(|error| self.store.failure(action, error))
    }

    /// Sets a fact about the file.
    ///
    /// # Errors
    /// `Io`.
    pub(crate) fn set_number(&self, key: &str, value: i64) -> Result<()> {
        self.run("write a fact", "INSERT OR REPLACE INTO meta VALUES(?1, ?2)", params![key, value])
            .map(drop)
    }

    /// Sets a fact about the file.
    ///
    /// # Errors
    /// `Io`.
    pub(crate) fn set_text(&self, key: &str, value: &str) -> Result<()> {
        self.run("write a fact", "INSERT OR REPLACE INTO meta VALUES(?1, ?2)", params![key, value])
            .map(drop)
    }

    /// Sets a fact about the file.
    ///
    /// # Errors
    /// `Io`.
    pub(crate) fn set_numbers(&self, key: &str, values: &[u32]) -> Result<()> {
        let bytes = pack(values, u32::to_le_bytes);
        self.run(
            "write a fact",
            "INSERT OR REPLACE INTO meta VALUES(?1, ?2)",
            params![key, bytes],
        )?;
        self.set_number(&checksum_key(key), checksum(&[&bytes]))
    }

    /// Removes everything but the facts.
    ///
    /// # Errors
    /// `Io`.
    pub(crate) fn clear(&self) -> Result<()> {
        self.store.execute(
            "DELETE FROM notes; DELETE FROM documents; DELETE FROM vectors; DELETE FROM placements;
             DELETE FROM segments; DELETE FROM sketches; DELETE FROM postings; DELETE FROM skipped;",
        )
    }

    /// Removes all vectors; their notes are to be embedded again.
    ///
    /// # Errors
    /// `Io`.
    pub(crate) fn clear_vectors(&self) -> Result<()> {
        self.store.execute(
            "DELETE FROM vectors; DELETE FROM placements;
             UPDATE notes SET vector_id = NULL WHERE vector_id IS NOT NULL;",
        )
    }

    /// Writes a note's row and content. A note id of 0 stands for a new note.
    ///
    /// # Errors
    /// `Io`.
    pub(crate) fn put_note(&self, note: &NoteRow, content: &NoteContent) -> Result<i64> {
        let known = (note.note_id != 0).then_some(note.note_id);
        self.run(
            "write a note",
            "INSERT OR REPLACE INTO notes VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            params![
                known,
                note.path,
                note.modified_ns,
                note.changed_ns,
                note.size as i64,
                note.hash,
                note.vector_id,
                note.segment_id,
                note.ordinal,
                note.stated_day
            ],
        )?;
        let note_id = known.unwrap_or_else(|| self.store.connection.last_insert_rowid());
        self.run(
            "write a note's text",
            "INSERT OR REPLACE INTO documents VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
            params![
                note_id,
                content.title,
                content.attributes,
                content.layout,
                content.text,
                content.checksum()
            ],
        )?;
        Ok(note_id)
    }

    /// Records that a file was touched without a change of its content.
    ///
    /// # Errors
    /// `Io`.
    pub(crate) fn touch(&self, note_id: i64, entry: &ScanEntry) -> Result<()> {
        self.run(
            "write a note",
            "UPDATE notes SET modified_ns = ?2, changed_ns = ?3, size = ?4 WHERE note_id = ?1",
            params![note_id, entry.modified_ns, entry.changed_ns, entry.size as i64],
        )
        .map(drop)
    }

    /// Connects a note with its content's vectors.
    ///
    /// # Errors
    /// `Io`.
    pub(crate) fn set_vector(&self, note_id: i64, vector_id: Option<i64>) -> Result<()> {
        self.run(
            "write a note",
            "UPDATE notes SET vector_id = ?2 WHERE note_id = ?1",
            params![note_id, vector_id],
        )
        .map(drop)
    }

    /// Writes the vectors of a content and gives their id; the id there is, where it has some.
    ///
    /// # Errors
    /// `Io`.
    pub(crate) fn put_vectors(&self, hash: &[u8], pieces: &[u8]) -> Result<i64> {
        if let Some(vector_id) = self.store.vector_id(hash)? {
            return Ok(vector_id);
        }
        self.run(
            "write vectors",
            "INSERT INTO vectors(hash, pieces, checksum) VALUES(?1, ?2, ?3)",
            params![hash, pieces, checksum(&[hash, pieces])],
        )?;
        Ok(self.store.connection.last_insert_rowid())
    }

    /// Writes a note's title vector and the norms of its pieces.
    ///
    /// # Errors
    /// `Io`.
    pub(crate) fn put_placement(&self, note_id: i64, title: &[u8], norms: &[f32]) -> Result<()> {
        let norms = pack(norms, f32::to_le_bytes);
        self.run(
            "write vectors",
            "INSERT OR REPLACE INTO placements VALUES(?1, ?2, ?3, ?4)",
            params![note_id, title, norms, checksum(&[title, &norms])],
        )
        .map(drop)
    }

    /// Removes a note's title vector and norms.
    ///
    /// # Errors
    /// `Io`.
    pub(crate) fn remove_placement(&self, note_id: i64) -> Result<()> {
        let sql = "DELETE FROM placements WHERE note_id = ?1";
        self.run("remove vectors", sql, [note_id]).map(drop)
    }

    /// Removes notes. Their documents are marked dead by [`Self::mark_dead`].
    ///
    /// # Errors
    /// `Io`.
    pub(crate) fn remove_note(&self, note_id: i64) -> Result<()> {
        for sql in [
            "DELETE FROM notes WHERE note_id = ?1",
            "DELETE FROM documents WHERE note_id = ?1",
            "DELETE FROM placements WHERE note_id = ?1",
        ] {
            self.run("remove a note", sql, [note_id])?;
        }
        Ok(())
    }

    /// Removes vectors that no note uses, out of those given.
    ///
    /// # Errors
    /// `Io`.
    pub(crate) fn drop_unused_vectors(&self, vector_ids: &[i64]) -> Result<()> {
        for vector_id in vector_ids {
            self.run(
                "remove vectors",
                "DELETE FROM vectors WHERE vector_id = ?1
                 AND NOT EXISTS (SELECT 1 FROM notes WHERE vector_id = ?1)",
                [vector_id],
            )?;
        }
        Ok(())
    }

    /// Writes the list of skipped files.
    ///
    /// # Errors
    /// `Io`.
    pub(crate) fn set_skipped(&self, skipped: &[(String, String)]) -> Result<()> {
        self.run("write the skipped files", "DELETE FROM skipped", [])?;
        for (path, reason) in skipped {
            self.run(
                "write the skipped files",
                "INSERT INTO skipped VALUES(?1, ?2)",
                params![path, reason],
            )?;
        }
        Ok(())
    }

    /// Writes a segment; its notes' rows are made to point at it.
    ///
    /// # Errors
    /// `Io`.
    pub(crate) fn put_segment(&self, stored: &StoredSegment) -> Result<i64> {
        let run = || -> rusqlite::Result<i64> {
            let segment_id = self.store.insert_segment(stored)?;
            let mut place = self.store.connection.prepare_cached(
                "UPDATE notes SET segment_id = ?2, ordinal = ?3 WHERE note_id = ?1",
            )?;
            for (ordinal, note_id) in stored.notes.iter().enumerate() {
                place.execute(params![note_id, segment_id, ordinal as i64])?;
            }
            Ok(segment_id)
        };
        run().map_err(|error| self.store.failure("write a segment", error))
    }

    /// The id that the next segment will get.
    ///
    /// # Errors
    /// `Io`.
    pub(crate) fn next_segment_id(&self) -> Result<i64> {
        self.store
            .connection
            .prepare_cached("SELECT coalesce(max(segment_id), 0) + 1 FROM segments")
            .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
            .map_err(|error| self.store.failure("read the segments", error))
    }

    /// Writes a segment whose notes' rows already point at it.
    ///
    /// # Errors
    /// `Io`.
    pub(crate) fn put_placed_segment(&self, stored: &StoredSegment) -> Result<i64> {
        self.store
            .insert_segment(stored)
            .map_err(|error| self.store.failure("write a segment", error))
    }

    /// Marks documents of a segment as dead.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn mark_dead(&self, segment_id: i64, ordinals: &[u32]) -> Result<()> {
        self.store.check_columns(segment_id)?;
        self.store
            .mark_dead(segment_id, ordinals)
            .map_err(|error| self.store.failure("mark removed notes", error))
    }

    /// Replaces the sketches of a segment.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn set_sketches(
        &self,
        segment_id: i64,
        piece_counts: &[u32],
        sketches: &[u8],
    ) -> Result<()> {
        self.store.check_columns(segment_id)?;
        self.store
            .replace_sketches(segment_id, piece_counts, sketches)
            .map_err(|error| self.store.failure("write sketches", error))
    }

    /// Merges some segments into a new one, dead documents left out.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn merge_segments(&self, segments: &[SegmentColumns]) -> Result<()> {
        let mut joined = StoredSegment::default();
        let mut sources = Vec::with_capacity(segments.len());
        for columns in segments {
            self.store.check_columns(columns.segment_id)?;
            let whole = self.store.whole_segment(columns)?;
            append_living(&mut joined, &whole, &columns.dead);
            sources.push(MergeSource { segment: whole.segment, dead: columns.dead.clone() });
        }
        joined.segment = merge(&sources)
            .ok_or_else(|| self.store.damaged("a block of term lists cannot be read"))?;
        for columns in segments {
            self.store
                .delete_segment(columns.segment_id)
                .map_err(|error| self.store.failure("remove a segment", error))?;
        }
        if joined.notes.is_empty() { Ok(()) } else { self.put_segment(&joined).map(drop) }
    }

    /// Gives free pages back to the file system where they are a good part of the file: each
    /// publication is written before what it replaces is free, so that a file whose notes are all
    /// rewritten would keep half again its size for good. Copies what is left of the file.
    pub(crate) fn reclaim(&self) -> Result<()> {
        let free = self.store.pragma_value("freelist_count")?;
        if free < LEAST_FREE_PAGES || free * FREE_SHARE < self.store.pragma_value("page_count")? {
            return Ok(());
        }
        // Without room for a copy the file is as good as before, and the next run tries again.
        let _ = self.store.connection.execute_batch("VACUUM");
        Ok(())
    }

    /// Moves the write-ahead log into the file and empties it.
    pub(crate) fn checkpoint(&self) {
        // A reader that is busy makes it end early; the next publication tries again.
        let _ = self.store.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    }
}

/// The fact that holds the checksum of another one.
pub(super) fn checksum_key(key: &str) -> String {
    format!("{key}_checksum")
}

/// Copies the living documents' notes and sketches.
fn append_living(joined: &mut StoredSegment, whole: &StoredSegment, dead: &[bool]) {
    let pieces: u32 = whole.piece_counts.iter().sum();
    let sketch_bytes = whole.sketches.len().checked_div(pieces as usize).unwrap_or(0);
    let mut at = 0usize;
    for (document, pieces) in whole.piece_counts.iter().enumerate() {
        let end = at + *pieces as usize * sketch_bytes;
        if !dead[document] {
            joined.notes.push(whole.notes[document]);
            joined.piece_counts.push(*pieces);
            joined.sketches.extend_from_slice(&whole.sketches[at..end]);
        }
        at = end;
    }
}
