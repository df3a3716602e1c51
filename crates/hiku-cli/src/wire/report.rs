//! The JSON forms of everything but search: reports of index, status, doctor, read and vaults.

use std::collections::BTreeMap;
use std::path::Path;

use hiku::{Change, Problem, ReadNote, Status, StoredNote, UpdateReport};
use serde::Serialize;

use super::SCHEMA;
use crate::registry::KnownVault;

/// What `hiku index` did.
#[derive(Debug, Serialize)]
pub(crate) struct IndexAnswer<'a> {
    /// Version of this form; raised when a field changes its meaning or goes away.
    schema: u32,
    /// The vault's folder, absolute.
    vault: String,
    /// The index file, absolute.
    index: String,
    /// True where nothing was written.
    dry_run: bool,
    /// Generation of the index afterwards.
    generation: i64,
    /// Notes in the vault, skipped files left out.
    notes: usize,
    /// Chunks in the index afterwards; 0 in a dry run.
    chunks: usize,
    /// Paths of new notes; in these four lists in ascending order.
    added: Vec<&'a str>,
    /// Paths of notes whose content differs.
    changed: Vec<&'a str>,
    /// New paths of notes that were elsewhere with the same content.
    moved: Vec<&'a str>,
    /// Paths that are gone from the index.
    removed: Vec<&'a str>,
    /// Notes whose vectors were computed; 0 in a dry run.
    embedded: usize,
    /// Notes that are in the index though they were not seen in the vault.
    kept: usize,
    /// Those of the kept ones that only a file or folder that cannot be read hides.
    hidden: usize,
    /// Why everything was made anew; `null` where it was not. A sentence for people.
    rebuilt: Option<&'a str>,
    /// True where a signal ended the run early; the exit code says so too.
    interrupted: bool,
    /// Files that look like notes and are none.
    skipped: Vec<SkippedForm>,
    /// What could not be read as meant, of the notes that this run read.
    warnings: Vec<WarningForm<'a>>,
    /// Credentials of the notes that this run read, by rule, never their text.
    redactions: Vec<RedactionForm<'a>>,
}

#[derive(Debug, Serialize)]
struct SkippedForm {
    /// Relative to the vault; where it is not UTF-8, with replacement characters.
    path: String,
    /// Why, as a short phrase in English.
    reason: String,
}

#[derive(Debug, Serialize)]
struct WarningForm<'a> {
    /// Relative to the vault.
    path: &'a str,
    /// 1-based line in the file.
    line: usize,
    /// One sentence in English without a full stop.
    message: &'a str,
}

#[derive(Debug, Serialize)]
struct RedactionForm<'a> {
    /// Name of the rule, as in `[REDACTED:rule]`.
    rule: &'a str,
    /// Redactions by it.
    count: usize,
    /// Notes that hold at least one.
    notes: usize,
}

impl<'a> IndexAnswer<'a> {
    /// The JSON form of a report; `redacted` is its redactions as (rule, count, notes).
    pub(crate) fn new(
        report: &'a UpdateReport,
        redacted: &[(&'a str, usize, usize)],
        place: (&Path, &Path),
        dry_run: bool,
    ) -> Self {
        let (vault, index) = place;
        let changes = |wanted: Change| {
            report.changes.iter().filter(move |(kind, _)| *kind == wanted).map(|(_, path)| &**path)
        };
        let skipped = report.skipped.iter().map(|skipped| SkippedForm {
            path: skipped.path.clone(),
            reason: skipped.reason.describe(),
        });
        let warnings = report.warnings.iter().map(|(path, line, message)| WarningForm {
            path,
            line: *line,
            message,
        });
        IndexAnswer {
            schema: SCHEMA,
            vault: vault.to_string_lossy().into_owned(),
            index: index.to_string_lossy().into_owned(),
            dry_run,
            generation: report.generation,
            notes: report.notes,
            chunks: report.chunks,
            added: changes(Change::Added).collect(),
            changed: changes(Change::Changed).collect(),
            moved: changes(Change::Moved).collect(),
            removed: changes(Change::Removed).collect(),
            embedded: report.embedded,
            kept: report.kept,
            hidden: report.hidden,
            rebuilt: report.rebuilt,
            interrupted: report.interrupted,
            skipped: skipped.collect(),
            warnings: warnings.collect(),
            redactions: redactions(redacted),
        }
    }
}

fn redactions<'a>(counts: &[(&'a str, usize, usize)]) -> Vec<RedactionForm<'a>> {
    counts.iter().map(|&(rule, count, notes)| RedactionForm { rule, count, notes }).collect()
}

/// The index at a glance.
#[derive(Debug, Serialize)]
pub(crate) struct StatusAnswer<'a> {
    /// Version of this form; raised when a field changes its meaning or goes away.
    schema: u32,
    /// The vault's folder, absolute.
    vault: String,
    /// Size and versions of the index.
    index: IndexStatus<'a>,
    /// Notes that are not in UTF-8, by encoding.
    encodings: BTreeMap<&'a str, usize>,
    /// As of the last run.
    skipped: Vec<SkippedForm>,
    /// Of all notes in the index.
    warnings: Vec<WarningForm<'a>>,
    /// Of all notes in the index.
    redactions: Vec<RedactionForm<'a>>,
}

#[derive(Debug, Serialize)]
struct IndexStatus<'a> {
    /// The index file, absolute.
    path: String,
    /// Bytes of the file with its write-ahead log.
    bytes: u64,
    /// Grows by one with each published change.
    generation: i64,
    /// Notes in it.
    notes: usize,
    /// Chunks in it.
    chunks: usize,
    /// Pieces that have a vector.
    pieces: usize,
    /// Segments of the term lists; merged as they pile up.
    segments: usize,
    /// Id of the embedding model; empty without one.
    model: &'a str,
    /// The file's format version (`user_version`).
    format: i64,
    /// Version of the cutting into terms.
    tokenizer: u32,
    /// Version of the credential rules.
    rules: u32,
    /// Notes whose counts the token weights were taken from.
    epoch_notes: usize,
}

impl<'a> StatusAnswer<'a> {
    /// The JSON form of a status.
    pub(crate) fn new(status: &'a Status, vault: &Path, index: &Path) -> Self {
        let skipped = status.skipped.iter().cloned();
        let warnings = status.warnings.iter();
        let counts: Vec<_> = status.redactions.iter().map(|(r, c, n)| (&**r, *c, *n)).collect();
        StatusAnswer {
            schema: SCHEMA,
            vault: vault.to_string_lossy().into_owned(),
            index: IndexStatus {
                path: index.to_string_lossy().into_owned(),
                bytes: status.bytes,
                generation: status.generation,
                notes: status.notes,
                chunks: status.chunks,
                pieces: status.pieces,
                segments: status.segments,
                model: &status.model,
                format: status.format,
                tokenizer: status.tokenizer,
                rules: status.rules,
                epoch_notes: status.epoch_notes,
            },
            encodings: status.encodings.iter().map(|(name, notes)| (&**name, *notes)).collect(),
            skipped: skipped.map(|(path, reason)| SkippedForm { path, reason }).collect(),
            warnings: warnings
                .map(|(path, line, message)| WarningForm { path, line: *line, message })
                .collect(),
            redactions: redactions(&counts),
        }
    }
}

/// What `hiku doctor` found.
#[derive(Debug, Serialize)]
pub(crate) struct DoctorAnswer<'a> {
    /// Empty for a sound index; else the exit code is 1.
    problems: Vec<ProblemForm<'a>>,
    /// With `--deep`: in what the index is behind the vault, which is no problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    stale: Option<Vec<StaleForm<'a>>>,
    /// The fields of `hiku status --json`, on the same level.
    #[serde(flatten)]
    status: StatusAnswer<'a>,
}

#[derive(Debug, Serialize)]
struct ProblemForm<'a> {
    /// What is wrong, in English; alike faults are counted in one.
    message: &'a str,
    /// What to do, ending in a command without the flags that name the place.
    remedy: &'a str,
}

#[derive(Debug, Serialize)]
struct StaleForm<'a> {
    /// Relative to the vault, as on disk.
    path: &'a str,
    /// `added`, `changed` or `removed` since the index was brought up to date.
    change: &'static str,
}

impl<'a> DoctorAnswer<'a> {
    /// The JSON form of problems and status.
    pub(crate) fn new(
        problems: &'a [Problem],
        stale: Option<&'a [(Change, String)]>,
        status: StatusAnswer<'a>,
    ) -> Self {
        let behind = |(change, path): &'a (Change, String)| StaleForm {
            path,
            change: match change {
                Change::Added => "added",
                Change::Removed => "removed",
                Change::Changed | Change::Moved => "changed",
            },
        };
        let stale = stale.map(|stale| stale.iter().map(behind).collect());
        let form = |p: &'a Problem| ProblemForm { message: &p.message, remedy: p.remedy };
        DoctorAnswer { problems: problems.iter().map(form).collect(), stale, status }
    }
}

/// A part of a note.
#[derive(Debug, Serialize)]
pub(crate) struct ReadAnswer<'a> {
    /// Version of this form; raised when a field changes its meaning or goes away.
    schema: u32,
    /// Relative to the vault, as on disk.
    path: &'a str,
    /// The note's title.
    title: &'a str,
    /// First line of the part, 1-based.
    line_start: usize,
    /// Last line of the part, 1-based; 0 for an empty note.
    line_end: usize,
    /// Lines of the whole note.
    lines: usize,
    /// Credentials redacted in the part, also those it cuts through.
    redactions: usize,
    /// The part, redacted, controls escaped as JSON escapes them.
    text: &'a str,
}

impl<'a> ReadAnswer<'a> {
    /// The JSON form of a part of a note.
    pub(crate) fn new(note: &'a ReadNote) -> Self {
        ReadAnswer {
            schema: SCHEMA,
            path: &note.path,
            title: &note.title,
            line_start: note.line_start,
            line_end: note.line_end,
            lines: note.lines,
            redactions: note.redactions,
            text: &note.text,
        }
    }
}

/// All that the index holds of a note.
#[derive(Debug, Serialize)]
pub(crate) struct StoredAnswer<'a> {
    /// Version of this form; raised when a field changes its meaning or goes away.
    schema: u32,
    /// Identity in this index.
    note_id: i64,
    /// Relative to the vault, as on disk.
    path: &'a str,
    /// The title that search shows.
    title: &'a str,
    /// Other names, from the front matter.
    aliases: &'a [String],
    /// Without `#`, as written.
    tags: &'a [String],
    /// `type` of the front matter.
    #[serde(rename = "type")]
    note_type: Option<&'a str>,
    /// The day that filters compare, `YYYY-MM-DD`.
    date: &'a str,
    /// First 128 bits of the BLAKE3 hash of the file, hexadecimal.
    hash: &'a str,
    /// Id of the model that its vectors are of.
    model: &'a str,
    /// Credentials redacted, by rule.
    redactions: BTreeMap<&'a str, usize>,
    /// What could not be read as meant.
    warnings: Vec<WarningForm<'a>>,
    /// Links in the order of the text, unresolved.
    links: Vec<LinkForm<'a>>,
    /// Chunks in the order of the text.
    chunks: Vec<ChunkForm<'a>>,
    /// By class, each term with the number of its occurrences in the body.
    terms: BTreeMap<&'a str, BTreeMap<&'a str, u32>>,
}

#[derive(Debug, Serialize)]
struct LinkForm<'a> {
    /// `wiki`, `embed`, `markdown` or `external`.
    kind: &'a str,
    /// As written, without heading or block.
    target: &'a str,
    /// 1-based line in the file.
    line: usize,
}

#[derive(Debug, Serialize)]
struct ChunkForm<'a> {
    /// What is indexed with the chunk at low weight.
    context: &'a str,
    /// First line in the file, 1-based.
    line_start: usize,
    /// Last line in the file, 1-based.
    line_end: usize,
    /// Where the chunk begins in the file's text, in bytes of UTF-8.
    byte_start: usize,
    /// Where it ends, exclusive.
    byte_end: usize,
    /// Vectors that it has.
    pieces: usize,
    /// Its text, redacted.
    text: &'a str,
}

impl<'a> StoredAnswer<'a> {
    /// The JSON form of a stored note.
    pub(crate) fn new(note: &'a StoredNote) -> Self {
        let warnings = note.warnings.iter();
        let links = note.links.iter();
        StoredAnswer {
            schema: SCHEMA,
            note_id: note.note_id,
            path: &note.path,
            title: &note.title,
            aliases: &note.aliases,
            tags: &note.tags,
            note_type: note.note_type.as_deref(),
            date: &note.date,
            hash: &note.hash,
            model: &note.model,
            redactions: note.redactions.iter().map(|(rule, count)| (&**rule, *count)).collect(),
            warnings: warnings
                .map(|(line, message)| WarningForm { path: &note.path, line: *line, message })
                .collect(),
            links: links
                .map(|(kind, target, line)| LinkForm { kind, target, line: *line })
                .collect(),
            chunks: note.chunks.iter().map(chunk).collect(),
            terms: terms_by_class(note),
        }
    }
}

fn chunk(chunk: &hiku::StoredChunk) -> ChunkForm<'_> {
    ChunkForm {
        context: &chunk.context,
        line_start: chunk.line_start,
        line_end: chunk.line_end,
        byte_start: chunk.bytes.start,
        byte_end: chunk.bytes.end,
        pieces: chunk.pieces,
        text: &chunk.text,
    }
}

fn terms_by_class(note: &StoredNote) -> BTreeMap<&str, BTreeMap<&str, u32>> {
    let mut classes: BTreeMap<&str, BTreeMap<&str, u32>> = BTreeMap::new();
    for (class, term, count) in &note.terms {
        classes.entry(class).or_default().insert(term, *count);
    }
    classes
}

/// The vaults with an index.
#[derive(Debug, Serialize)]
pub(crate) struct VaultsAnswer {
    /// Version of this form; raised when a field changes its meaning or goes away.
    schema: u32,
    /// By folder, ascending; those of unknown folders first.
    vaults: Vec<VaultForm>,
}

#[derive(Debug, Serialize)]
struct VaultForm {
    /// The folder, absolute; `null` where nothing is known of the index but its file.
    vault: Option<String>,
    /// The index file, absolute.
    index: String,
    /// Bytes of the index file and what belongs to it.
    bytes: u64,
    /// True for the vault that is taken where none is chosen.
    default: bool,
    /// False where the folder is gone or unknown.
    present: bool,
}

impl VaultsAnswer {
    /// The JSON form of a list of vaults.
    pub(crate) fn new(vaults: &[KnownVault]) -> Self {
        let form = |known: &KnownVault| VaultForm {
            vault: known.vault.as_ref().map(|vault| vault.to_string_lossy().into_owned()),
            index: known.index.to_string_lossy().into_owned(),
            bytes: known.bytes,
            default: known.is_default,
            present: known.is_present,
        };
        VaultsAnswer { schema: SCHEMA, vaults: vaults.iter().map(form).collect() }
    }
}
