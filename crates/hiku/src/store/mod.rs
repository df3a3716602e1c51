//! The index file: schema, opening and checking it, one writer, consistent reads. The only module
//! with SQL. Keeps bytes; what they mean is decided above (`indexer`, `retrieve`) and below
//! (`postings`, `embed`).
//!
//! Tables (all numbers little-endian in blobs; sizes in bytes, times in nanoseconds since 1970; all
//! but `meta`, `notes` and `skipped` have a `checksum` of the row's other blobs and texts, see
//! `checksum`):
//!
//! | table | one row | columns |
//! |---|---|---|
//! | `meta` | a fact about the file | `key`, `value`: `generation`, `model`, `settings` (hash of what the content depends on), `tokenizer`, `rules`, `title_vector_weight`, `vault` (hash of its folder), `documents` and `chunks` (how many there are), `epoch_notes`, `epoch_changes`, `epoch_counts` (u32 a token) and their checksum |
//! | `notes` | a note | `note_id`, `path` (as on disk), `modified_ns`, `changed_ns` (of its entry), `size`, `hash` (BLAKE3, 16 bytes), `vector_id`, `segment_id` and `ordinal` (its document), `day` (days since 1970, where the note or its name states one) |
//! | `documents` | a note's content | `note_id`, `title`, `attributes`, `layout` (see `record`), `text` (redacted; length and zstd frame) |
//! | `vectors` | the pieces of one content | `vector_id`, `hash` (of the content), `pieces` (f32 scale and i8 steps each) |
//! | `placements` | a note's title vector | `note_id`, `title` (as one piece), `norms` (f32 a piece) |
//! | `segments` | a segment of the term index | `segment_id`, `notes` (i64 a document), `dead` (a byte a document), `lengths` (12 u32 a document), `chunk_counts`, `chunk_lengths`, `piece_counts` (u32 each); `marks_checksum` is that of `dead` and `piece_counts`, which change |
//! | `sketches` | up to 64 KiB of a segment's sketches | `part_id` (segment times 2^24 plus number), `data` (u64 words a piece) |
//! | `postings` | a block of term lists | `block_id`, `segment_id`, `first_term`, `data` (see `postings`) |
//! | `skipped` | a file that is no note | `path`, `reason` |

mod audit;
mod checksum;
mod connection;
mod files;
mod lock;
mod pack;
mod reader;
mod record;
mod segments;
mod writer;
mod zip;

pub(crate) use audit::{AuditedDocument, PlacementSizes, VectorSizes};
pub(crate) use connection::{FORMAT_VERSION, Store};
pub(crate) use files::{remove, set_aside};
pub(crate) use lock::WriterLock;
pub(crate) use reader::{DocumentRow, NoteRow};
pub(crate) use record::{Attributes, ChunkLayout, Layout};
pub(crate) use segments::{SegmentColumns, StoredSegment};
pub(crate) use writer::{NoteContent, Writer};

#[cfg(test)]
pub(crate) mod tests;
