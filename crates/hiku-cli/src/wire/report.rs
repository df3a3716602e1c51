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
    schema: u32,
    vault: String,
    index: String,
    dry_run: bool,
    generation: i64,
    notes: usize,
    chunks: usize,
    added: Vec<&'a str>,
    changed: Vec<&'a str>,
    moved: Vec<&'a str>,
    removed: Vec<&'a str>,
    embedded: usize,
    kept: usize,
    hidden: usize,
    rebuilt: Option<&'a str>,
    interrupted: bool,
    skipped: Vec<SkippedForm>,
    warnings: Vec<WarningForm<'a>>,
    redactions: Vec<RedactionForm<'a>>,
}

#[derive(Debug, Serialize)]
struct SkippedForm {
    path: String,
    reason: String,
}

#[derive(Debug, Serialize)]
struct WarningForm<'a> {
    path: &'a str,
    line: usize,
    message: &'a str,
}

#[derive(Debug, Serialize)]
struct RedactionForm<'a> {
    rule: &'a str,
    count: usize,
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
    schema: u32,
    vault: String,
    index: IndexStatus<'a>,
    skipped: Vec<SkippedForm>,
    warnings: Vec<WarningForm<'a>>,
    redactions: Vec<RedactionForm<'a>>,
}

#[derive(Debug, Serialize)]
struct IndexStatus<'a> {
    path: String,
    bytes: u64,
    generation: i64,
    notes: usize,
    chunks: usize,
    pieces: usize,
    segments: usize,
    model: &'a str,
    format: i64,
    tokenizer: u32,
    rules: u32,
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
    problems: Vec<ProblemForm<'a>>,
    #[serde(flatten)]
    status: StatusAnswer<'a>,
}

#[derive(Debug, Serialize)]
struct ProblemForm<'a> {
    message: &'a str,
    remedy: &'a str,
}

impl<'a> DoctorAnswer<'a> {
    /// The JSON form of problems and status.
    pub(crate) fn new(problems: &'a [Problem], status: StatusAnswer<'a>) -> Self {
        let form = |p: &'a Problem| ProblemForm { message: &p.message, remedy: p.remedy };
        DoctorAnswer { problems: problems.iter().map(form).collect(), status }
    }
}

/// A part of a note.
#[derive(Debug, Serialize)]
pub(crate) struct ReadAnswer<'a> {
    schema: u32,
    path: &'a str,
    title: &'a str,
    line_start: usize,
    line_end: usize,
    lines: usize,
    redactions: usize,
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
    schema: u32,
    note_id: i64,
    path: &'a str,
    title: &'a str,
    aliases: &'a [String],
    tags: &'a [String],
    #[serde(rename = "type")]
    note_type: Option<&'a str>,
    date: &'a str,
    hash: &'a str,
    model: &'a str,
    redactions: BTreeMap<&'a str, usize>,
    warnings: Vec<WarningForm<'a>>,
    links: Vec<LinkForm<'a>>,
    chunks: Vec<ChunkForm<'a>>,
    terms: BTreeMap<&'a str, BTreeMap<&'a str, u32>>,
}

#[derive(Debug, Serialize)]
struct LinkForm<'a> {
    kind: &'a str,
    target: &'a str,
    line: usize,
}

#[derive(Debug, Serialize)]
struct ChunkForm<'a> {
    context: &'a str,
    line_start: usize,
    line_end: usize,
    byte_start: usize,
    byte_end: usize,
    pieces: usize,
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
    schema: u32,
    vaults: Vec<VaultForm>,
}

#[derive(Debug, Serialize)]
struct VaultForm {
    vault: Option<String>,
    index: String,
    bytes: u64,
    default: bool,
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
