//! Ways to damage an index, for the tests of its check.

use std::path::Path;

use super::Store;

/// Name and statement of each damage. They expect notes a.md, b.md and c.md in segment 1.
pub(crate) const DAMAGES: [(&str, &str); 32] = [
    (
        "content of a note is gone",
        "DELETE FROM documents WHERE note_id = (SELECT note_id FROM notes WHERE path = 'b.md')",
    ),
    ("note of a content is gone", "DELETE FROM notes WHERE path = 'b.md'"),
    ("attributes", "UPDATE documents SET attributes = x'01FF'"),
    ("layout", "UPDATE documents SET layout = x'0105'"),
    ("text", "UPDATE documents SET text = x'05FFFFFF'"),
    ("shorter text", "UPDATE documents SET text = x''"),
    ("segment", "UPDATE notes SET segment_id = 9"),
    ("ordinal", "UPDATE notes SET ordinal = 7 WHERE path = 'b.md'"),
    ("exchanged places", "UPDATE notes SET ordinal = 1 - ordinal WHERE path IN ('a.md', 'b.md')"),
    ("dead document", "UPDATE segments SET dead = x'010000'"),
    (
        "document of no note",
        "DELETE FROM documents WHERE note_id = (SELECT note_id FROM notes WHERE path = 'b.md'); \
        DELETE FROM placements WHERE note_id = (SELECT note_id FROM notes WHERE path = 'b.md'); \
        DELETE FROM vectors WHERE vector_id = (SELECT vector_id FROM notes WHERE path = 'b.md'); \
        DELETE FROM notes WHERE path = 'b.md'",
    ),
    ("other chunks", "UPDATE segments SET chunk_counts = x'010000000100000002000000'"),
    ("vectors are gone", "DELETE FROM vectors"),
    (
        "vectors of another",
        "UPDATE notes SET vector_id = (SELECT vector_id FROM notes WHERE path = 'b.md')",
    ),
    ("orphaned vectors", "INSERT INTO vectors(hash, pieces, checksum) VALUES(x'00', x'', 0)"),
    ("title vector is gone", "DELETE FROM placements"),
    (
        "orphaned title vector",
        "INSERT INTO placements SELECT 999, title, norms, checksum FROM placements LIMIT 1",
    ),
    (
        "title vector's length",
        "UPDATE placements SET title = x'0000' WHERE note_id = (SELECT note_id FROM notes WHERE path = 'c.md')",
    ),
    ("pieces", "UPDATE vectors SET pieces = x''"),
    ("norms", "UPDATE placements SET norms = x''"),
    ("sketches", "DELETE FROM sketches"),
    ("columns", "UPDATE segments SET lengths = x''"),
    ("type of a value", "UPDATE documents SET layout = 'text'"),
    ("lengths", "UPDATE segments SET lengths = zeroblob(length(lengths))"),
    ("chunk lengths", "UPDATE segments SET chunk_lengths = zeroblob(length(chunk_lengths))"),
    ("block", "UPDATE postings SET data = substr(data, 1, length(data) - 1)"),
    ("first term", "UPDATE postings SET first_term = x'00'"),
    (
        "list",
        "UPDATE segments SET notes = substr(notes, 1, 8), dead = x'00', lengths = substr(lengths, 1, 48), \
        chunk_counts = substr(chunk_counts, 1, 4), piece_counts = substr(piece_counts, 1, 4), chunk_lengths = substr(chunk_lengths, 1, \
        4 * (instr('0123456789ABCDEF', substr(hex(chunk_counts), 2, 1)) - 1))",
    ),
    (
        "lists of no segment",
        "INSERT INTO postings(segment_id, first_term, data, checksum) VALUES(7, x'00', x'', 0)",
    ),
    ("fact", "DELETE FROM meta WHERE key = 'rules'"),
    ("generation", "DELETE FROM meta WHERE key = 'generation'"),
    ("token counts", "DELETE FROM meta WHERE key = 'epoch_counts'"),
];

/// Damages an index.
pub(crate) fn damage(path: &Path, name: &str) {
    let (_, sql) = DAMAGES.iter().find(|(known, _)| *known == name).expect("a known damage");
    Store::open(path).and_then(|store| store.execute(sql)).expect("the damage is done");
}

/// Every blob and text that has a checksum, as table and column.
pub(crate) const CHECKED_COLUMNS: [(&str, &str); 17] = [
    ("documents", "title"),
    ("documents", "attributes"),
    ("documents", "layout"),
    ("documents", "text"),
    ("vectors", "hash"),
    ("vectors", "pieces"),
    ("placements", "title"),
    ("placements", "norms"),
    ("segments", "notes"),
    ("segments", "dead"),
    ("segments", "lengths"),
    ("segments", "chunk_counts"),
    ("segments", "chunk_lengths"),
    ("segments", "piece_counts"),
    ("sketches", "data"),
    ("postings", "first_term"),
    ("postings", "data"),
];

/// Alters the lowest bit of one byte of a column's first row: the byte `part` in 8 of its length.
pub(crate) fn alter(path: &Path, table: &str, column: &str, part: usize) {
    let store = Store::open(path).expect("an index");
    let read = format!("SELECT rowid, {column} FROM {table} LIMIT 1");
    let (row, mut bytes): (i64, Vec<u8>) = store
        .connection
        .query_row(&read, [], |row| Ok((row.get(0)?, row.get_ref(1)?.as_bytes()?.to_vec())))
        .expect("a row");
    let at = (bytes.len() * part / 8).min(bytes.len() - 1);
    bytes[at] ^= 1;
    let write = format!("UPDATE {table} SET {column} = ?2 WHERE rowid = ?1");
    let value: rusqlite::types::Value = match (column, table) {
        ("title", "documents") => String::from_utf8(bytes).expect("still text").into(),
        _ => bytes.into(),
    };
    store.connection.execute(&write, rusqlite::params![row, value]).expect("the row is altered");
}

/// Puts other bytes in the place of a column's value in the rows where `edit` gives some, with the
/// checksum that belongs to them: damage that only the note's text tells. Fails where no row is
/// edited.
pub(crate) fn forge(path: &Path, table: &str, edit: impl Fn(&[&[u8]]) -> Option<Vec<Vec<u8>>>) {
    let columns: Vec<&str> = CHECKED_COLUMNS
        .iter()
        .filter(|(own, column)| *own == table && !["dead", "piece_counts"].contains(column))
        .map(|(_, column)| *column)
        .collect();
    let store = Store::open(path).expect("an index");
    let read = format!("SELECT rowid, {} FROM {table} ORDER BY rowid", columns.join(", "));
    let mut edited = Vec::new();
    let mut statement = store.connection.prepare(&read).expect("a statement");
    let mut rows = statement.query([]).expect("the rows");
    while let Some(row) = rows.next().expect("a row") {
        let values: Vec<&[u8]> = (1..=columns.len())
            .map(|at| row.get_ref(at).expect("a value").as_bytes().expect("bytes"))
            .collect();
        edited.extend(edit(&values).map(|new| (row.get::<_, i64>(0).expect("a row id"), new)));
    }
    assert!(!edited.is_empty(), "no row of {table} is edited");
    for (rowid, values) in edited {
        let parts: Vec<&[u8]> = values.iter().map(Vec::as_slice).collect();
        let set = format!("UPDATE {table} SET checksum = ?1 WHERE rowid = ?2");
        let new = super::checksum::checksum(&parts);
        store.connection.execute(&set, [new, rowid]).expect("the checksum");
        for (column, value) in
            columns.iter().zip(&values).filter(|(own, _)| (table, **own) != ("documents", "title"))
        {
            let set = format!("UPDATE {table} SET {column} = ?1 WHERE rowid = ?2");
            store.connection.execute(&set, rusqlite::params![value, rowid]).expect("the value");
        }
    }
}

/// A full disk or the end of the process may come between the file and its schema.
#[test]
fn a_file_whose_making_was_cut_off_is_filled_by_the_next_writer() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("i.hiku");
    for begun in ["PRAGMA page_size = 16384; PRAGMA journal_mode = wal", "VACUUM"] {
        let connection = rusqlite::Connection::open(&path).expect("a database");
        connection.execute_batch(begun).expect("a beginning");
        drop(connection);
        let kind = Store::open(&path).err().map(|error| error.kind());
        assert_eq!(kind, Some(crate::ErrorKind::Corrupt), "{begun}");
        assert_eq!(Store::open_for_writing(&path).and_then(|s| s.generation()).ok(), Some(0));
        assert!(Store::open(&path).is_ok(), "{begun}");
        std::fs::remove_file(&path).expect("the file");
    }
    let foreign = rusqlite::Connection::open(&path).expect("a database");
    foreign.execute_batch("CREATE TABLE t(x)").expect("another's table");
    let error = Store::open_for_writing(&path).err();
    assert!(matches!(error, Some(crate::Error::IndexForeign { .. })), "{error:?}");
}

/// The founding pipeline's formula is FTS5's own: column weights multiply the counts, lengths are
/// those of whole rows, and SQLite's score is negative.
#[test]
fn the_founding_formula_is_that_of_fts5() {
    use crate::ranking::{bm25_saturation, fts5_idf};
    let rows = [
        ("alpha beta beta gamma", "alpha"),
        ("beta delta", "epsilon"),
        ("gamma gamma zeta eta theta", ""),
        ("iota kappa", "beta"),
        ("lambda", "mu"),
    ];
    let connection = rusqlite::Connection::open_in_memory().expect("a database");
    connection.execute_batch("CREATE VIRTUAL TABLE t USING fts5(body, section)").expect("FTS5");
    for (body, section) in rows {
        let insert = "INSERT INTO t VALUES(?1, ?2)";
        connection.execute(insert, [body, section]).expect("a row");
    }
    let counts = |text: &str, term: &str| text.split(' ').filter(|word| *word == term).count();
    let length = |text: &str| text.split_whitespace().count();
    let lengths = rows.map(|(body, section)| (length(body) + length(section)) as f64);
    let mean = lengths.iter().sum::<f64>() / rows.len() as f64;
    for term in ["alpha", "beta", "gamma", "lambda"] {
        let matching: Vec<usize> = (0..rows.len())
            .filter(|row| counts(rows[*row].0, term) + counts(rows[*row].1, term) > 0)
            .collect();
        let idf = fts5_idf(rows.len(), matching.len());
        for row in matching {
            let count = counts(rows[row].0, term) as f64 + 0.5 * counts(rows[row].1, term) as f64;
            let ours = idf * bm25_saturation(count, lengths[row] / mean, 1.2, 0.75);
            let sql = "SELECT bm25(t, 1.0, 0.5) FROM t WHERE t MATCH ?1 AND rowid = ?2";
            let rowid = (row + 1).to_string();
            let theirs: f64 =
                connection.query_row(sql, [term, &rowid], |row| row.get(0)).expect("a score");
            assert!((ours + theirs).abs() < 1e-9, "{term} in {row}: {ours} {theirs}");
        }
    }
}
