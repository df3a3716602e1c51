//! Opening the index file: what it must be, how connections are set up, and how `SQLite`'s errors
//! become ours.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::files::{check_place, share_permissions};
use super::zip::Unzip;

use crate::error::{Error, Result};

/// `PRAGMA application_id` of an index: the bytes `hiku`.
const APPLICATION_ID: i64 = 0x6869_6B75;
/// `PRAGMA user_version`: the format that this build reads and writes.
pub(crate) const FORMAT_VERSION: i64 = 2;
/// Bytes a page. Rows of vectors and texts have about 3 KB: with 8 KiB pages a fifth of the file
/// was left over at their ends, with 16 KiB half of that. Four blocks of term lists fill one.
const PAGE_BYTES: i64 = 16_384;
/// How much of the file is read through the page cache of the operating system rather than copied.
const MAPPED_BYTES: i64 = 1 << 30;
/// Milliseconds that a statement waits for a checkpoint to end.
const BUSY_MILLISECONDS: u64 = 5_000;
/// Bytes of an `SQLite` file's header (sqlite.org/fileformat2.html, section 1.3).
const HEADER_BYTES: usize = 100;
/// `SQLite`'s extended code for a page that is not all there (sqlite.org/rescode.html).
const IOERR_SHORT_READ: i32 = 522;
/// First bytes of every `SQLite` 3 file (sqlite.org/fileformat2.html, section 1.3).
const SQLITE_MAGIC: &[u8; 16] = b"SQLite format 3\0";

const SCHEMA: &str = "
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE notes(note_id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, modified_ns INTEGER NOT NULL,
  changed_ns INTEGER NOT NULL, size INTEGER NOT NULL, hash BLOB NOT NULL, vector_id INTEGER, segment_id INTEGER NOT NULL,
  ordinal INTEGER NOT NULL, day INTEGER);
CREATE INDEX notes_by_vector ON notes(vector_id);
CREATE TABLE documents(note_id INTEGER PRIMARY KEY, title TEXT NOT NULL, attributes BLOB NOT NULL,
  layout BLOB NOT NULL, text BLOB NOT NULL, checksum INTEGER NOT NULL);
CREATE TABLE vectors(vector_id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, pieces BLOB NOT NULL,
  checksum INTEGER NOT NULL);
CREATE TABLE placements(note_id INTEGER PRIMARY KEY, title BLOB NOT NULL, norms BLOB NOT NULL,
  checksum INTEGER NOT NULL);
CREATE TABLE segments(segment_id INTEGER PRIMARY KEY, notes BLOB NOT NULL, dead BLOB NOT NULL,
  lengths BLOB NOT NULL, chunk_counts BLOB NOT NULL, chunk_lengths BLOB NOT NULL,
  piece_counts BLOB NOT NULL, checksum INTEGER NOT NULL, marks_checksum INTEGER NOT NULL);
CREATE TABLE sketches(part_id INTEGER PRIMARY KEY, data BLOB NOT NULL, checksum INTEGER NOT NULL);
CREATE TABLE postings(block_id INTEGER PRIMARY KEY, segment_id INTEGER NOT NULL,
  first_term BLOB NOT NULL, data BLOB NOT NULL, checksum INTEGER NOT NULL);
CREATE UNIQUE INDEX postings_by_term ON postings(segment_id, first_term);
CREATE TABLE skipped(path TEXT NOT NULL, reason TEXT NOT NULL);
INSERT INTO meta VALUES('generation', 0);
";

/// An open index file.
#[derive(Debug)]
pub(crate) struct Store {
    pub(super) connection: Connection,
    pub(super) path: PathBuf,
    pub(super) unzip: Unzip,
}

impl Store {
    /// Opens an index for reading.
    ///
    /// # Errors
    /// `Corrupt` when it is missing, damaged or foreign; `Incompatible` for another format; `Io`.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        check_file(path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let store =
            Self::connect(path, flags).and_then(|store| store.check_identity().map(|()| store));
        match store {
            Err(error) if read_only(path) && error.kind() == crate::ErrorKind::Io => {
                Self::open_immutable(path)
            }
            other => other,
        }
    }

    /// A file in a folder that cannot be written has no write-ahead log: it is read as it stands.
    fn open_immutable(path: &Path) -> Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_URI;
        let text = path.to_string_lossy();
        let escaped = text.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
        let connection = Connection::open_with_flags(format!("file:{escaped}?immutable=1"), flags)
            .map_err(|error| failure(path, "open the file", error))?;
        let store = Store { connection, path: path.to_path_buf(), unzip: Unzip::default() };
        store.check_identity()?;
        Ok(store)
    }

    /// Opens an index for writing, making the file (mode 0600) and its schema if there is none.
    /// The caller holds the [`super::WriterLock`].
    ///
    /// # Errors
    /// As [`Self::open`], but a missing file is made.
    pub(crate) fn open_for_writing(path: &Path) -> Result<Self> {
        let new = fs::metadata(path).map_or(true, |metadata| metadata.len() == 0);
        if new {
            create_private(path)?;
        } else {
            check_file(path)?;
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let store = Self::connect(path, flags)?;
        if new || store.is_unfinished()? {
            store.create_schema()?;
        }
        store.check_identity()?;
        Ok(store)
    }

    fn connect(path: &Path, flags: OpenFlags) -> Result<Self> {
        share_permissions(path);
        let connection = Connection::open_with_flags(path, flags)
            .map_err(|error| failure(path, "open the file", error))?;
        let store = Store { connection, path: path.to_path_buf(), unzip: Unzip::default() };
        store.pragma("mmap_size", MAPPED_BYTES)?;
        store.keep_plans()?;
        store
            .connection
            .busy_timeout(std::time::Duration::from_millis(BUSY_MILLISECONDS))
            .map_err(|error| store.failure("set the time limit", error))?;
        Ok(store)
    }

    /// Built with STAT4, `SQLite` prepares a statement anew whenever a bound value could make for
    /// another plan, which took a seventh of a search; one plan a statement is what is wanted.
    fn keep_plans(&self) -> Result<()> {
        self.connection
            .set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
            .map(drop)
            .map_err(|error| self.failure("set up the connection", error))
    }

    fn create_schema(&self) -> Result<()> {
        self.pragma("page_size", PAGE_BYTES)?;
        self.pragma("journal_mode", "wal")?;
        self.pragma("synchronous", "normal")?;
        self.execute("begin")?;
        self.execute(SCHEMA)?;
        self.pragma("application_id", APPLICATION_ID)?;
        self.pragma("user_version", FORMAT_VERSION)?;
        self.execute("commit")
    }

    /// Whether the file is read through mapped memory: faster, but what a process keeps itself
    /// counts twice then.
    ///
    /// # Errors
    /// `Io`.
    pub(crate) fn map_file(&self, mapped: bool) -> Result<()> {
        self.pragma("mmap_size", if mapped { MAPPED_BYTES } else { 0 })
    }

    pub(super) fn execute(&self, sql: &str) -> Result<()> {
        self.connection.execute_batch(sql).map_err(|error| self.failure("run a statement", error))
    }

    pub(super) fn pragma(&self, name: &str, value: impl rusqlite::ToSql) -> Result<()> {
        self.connection
            .pragma_update(None, name, value)
            .map_err(|error| self.failure("set up the connection", error))
    }

    pub(super) fn pragma_value(&self, name: &str) -> Result<i64> {
        self.connection
            .pragma_query_value(None, name, |row| row.get(0))
            .map_err(|error| self.failure("read the file's header", error))
    }

    /// True for a database without a table and a mark of anybody: one whose making was cut off, by
    /// a full disk or by the end of the process.
    fn is_unfinished(&self) -> Result<bool> {
        let marks = [self.pragma_value("application_id")?, self.pragma_value("user_version")?];
        let is_empty = "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)";
        let empty = self.connection.query_row(is_empty, [], |row| row.get(0));
        Ok(marks == [0, 0] && empty.map_err(|error| self.failure("read the schema", error))?)
    }

    fn check_identity(&self) -> Result<()> {
        if self.pragma_value("application_id")? != APPLICATION_ID {
            if self.is_unfinished()? {
                return Err(self.damaged("its making was cut off"));
            }
            return Err(Error::IndexForeign { path: self.path.clone() });
        }
        let found = self.pragma_value("user_version")?;
        if found != FORMAT_VERSION {
            return Err(Error::IndexFormat {
                path: self.path.clone(),
                found,
                supported: FORMAT_VERSION,
            });
        }
        Ok(())
    }

    /// Runs `SQLite`'s own check of every page and index; gives what it found wrong.
    ///
    /// # Errors
    /// `Io` when it cannot be run.
    pub(crate) fn integrity_faults(&self) -> Result<Vec<String>> {
        let run = || -> rusqlite::Result<Vec<String>> {
            let mut statement = self.connection.prepare("PRAGMA integrity_check(20)")?;
            let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
            rows.collect()
        };
        match run() {
            Ok(lines) => Ok(lines.into_iter().filter(|line| line != "ok").collect()),
            Err(error) => match failure(&self.path, "check the file", error) {
                Error::IndexDamaged { detail, .. } => Ok(vec![detail]),
                other => Err(other),
            },
        }
    }

    /// Where the file is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The error for a note that the term index names and that is not there.
    pub(crate) fn missing_note(&self) -> Error {
        self.damaged("a note of the term index is missing")
    }

    /// The error for a term list that cannot be read.
    pub(crate) fn unreadable_list(&self) -> Error {
        self.damaged("a term list cannot be read")
    }

    /// Turns `SQLite`'s error into ours.
    pub(super) fn failure(&self, action: &'static str, error: rusqlite::Error) -> Error {
        failure(&self.path, action, error)
    }

    /// The error for content that cannot be what this program wrote.
    pub(super) fn damaged(&self, what: &str) -> Error {
        Error::IndexDamaged { path: self.path.clone(), detail: what.to_owned() }
    }
}

fn read_only(path: &Path) -> bool {
    let folder = path.parent().unwrap_or(Path::new("."));
    let readonly = |path: &Path| fs::metadata(path).is_ok_and(|m| m.permissions().readonly());
    readonly(path) || readonly(folder) || fs::OpenOptions::new().append(true).open(path).is_err()
}

/// Tells a missing, empty, truncated or foreign file before `SQLite` sees it.
fn check_file(path: &Path) -> Result<()> {
    check_place(path)?;
    let mut file = fs::File::open(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Error::IndexMissing { path: path.to_path_buf() },
        _ => Error::io(path, "open the index", error),
    })?;
    let mut header = Vec::with_capacity(HEADER_BYTES);
    file.by_ref()
        .take(HEADER_BYTES as u64)
        .read_to_end(&mut header)
        .map_err(|error| Error::io(path, "read the index", error))?;
    let magic = header.len().min(SQLITE_MAGIC.len());
    if header[..magic] != SQLITE_MAGIC[..magic] {
        return Err(Error::IndexForeign { path: path.to_path_buf() });
    }
    match header.first_chunk::<HEADER_BYTES>() {
        Some(header) => check_length(path, header),
        None => Err(Error::IndexDamaged {
            path: path.to_path_buf(),
            detail: "it is shorter than a header".to_owned(),
        }),
    }
}

/// Tells a file that was cut short: it has as many whole pages as its header says, unless a
/// write-ahead log holds the rest (sqlite.org/fileformat2.html, sections 1.3.2 and 1.3.8).
fn check_length(path: &Path, header: &[u8; HEADER_BYTES]) -> Result<()> {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    if fs::metadata(&log).is_ok_and(|metadata| metadata.len() > 0) {
        return Ok(());
    }
    let page = match u64::from(u16::from_be_bytes([header[16], header[17]])) {
        1 => 65_536,
        bytes => bytes,
    };
    let pages = u64::from(u32::from_be_bytes([header[28], header[29], header[30], header[31]]));
    let length =
        fs::metadata(path).map_err(|error| Error::io(path, "open the index", error))?.len();
    if page < 512 || length % page != 0 || length < pages * page {
        let detail = format!("it is cut short: {length} of {} bytes", pages * page);
        return Err(Error::IndexDamaged { path: path.to_path_buf(), detail });
    }
    Ok(())
}

/// Makes an empty file that only its owner can read, and its folder.
fn create_private(path: &Path) -> Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(|error| Error::io(folder, "make the folder", error))?;
    }
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path).map(drop).map_err(|error| Error::io(path, "make the index", error))
}

fn failure(path: &Path, action: &'static str, error: rusqlite::Error) -> Error {
    use rusqlite::ErrorCode::{
        ConstraintViolation, DatabaseBusy, DatabaseCorrupt, DatabaseLocked, DiskFull, NotADatabase,
        TooBig,
    };
    let path = path.to_path_buf();
    let cut_short = error.sqlite_error().is_some_and(|e| e.extended_code == IOERR_SHORT_READ);
    match error.sqlite_error_code() {
        _ if cut_short => Error::IndexDamaged { path, detail: "it is cut short".to_owned() },
        // A length beyond SQLite's limit is garbled: nothing that is written here comes near it.
        // Nor is anything written here twice where once is allowed, unless a row was read wrongly.
        Some(DatabaseCorrupt | NotADatabase | TooBig | ConstraintViolation) => {
            Error::IndexDamaged { path, detail: error.to_string() }
        }
        Some(DatabaseBusy | DatabaseLocked) => Error::Busy { path, holder: None },
        Some(DiskFull) => Error::Io {
            path,
            action: "write the index",
            source: std::io::Error::new(std::io::ErrorKind::StorageFull, "the disk is full"),
        },
        // Rows that are not there and values of another type are none of what this program wrote.
        None => Error::IndexDamaged { path, detail: error.to_string() },
        _ if error.to_string().contains("no such") => {
            Error::IndexDamaged { path, detail: error.to_string() }
        }
        _ => Error::Sqlite { path, action, source: Box::new(error) },
    }
}
