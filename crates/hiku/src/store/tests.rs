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
    ("orphaned vectors", "INSERT INTO vectors(hash, pieces) VALUES(x'00', x'')"),
    ("title vector is gone", "DELETE FROM placements"),
    (
        "orphaned title vector",
        "INSERT INTO placements SELECT 999, title, norms FROM placements LIMIT 1",
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
        chunk_counts = substr(chunk_counts, 1, 4), chunk_lengths = substr(chunk_lengths, 1, 8), piece_counts = substr(piece_counts, 1, 4)",
    ),
    (
        "lists of no segment",
        "INSERT INTO postings(segment_id, first_term, data) VALUES(7, x'00', x'')",
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
