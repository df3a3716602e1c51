//! One note from its bytes to everything the store keeps of it: decoded, scrubbed, parsed, cut,
//! its terms added to a segment and its tokens counted. Writes nothing.

use rustc_hash::FxHashMap;

use crate::chunk::{self, Chunk, ChunkOptions};
use crate::documents::Document;
use crate::embed::Embedder;
use crate::markdown::{self, LinkKind, Note};
use crate::postings::{Field, SegmentBuilder};
use crate::scrub::{Scrubbed, Scrubber, without_markers};
use crate::store::{Attributes, ChunkLayout, Layout, NoteContent, NoteRow};
use crate::text::{LineIndex, clean, fold};
use crate::vault::{NoteKind, ScanEntry, SkipReason, Skipped, Source};

use super::dates::stated_day;
use super::tokens::Tokens;

/// Longest value of a front matter field that becomes context terms, in bytes: longer ones are
/// text, not facts.
const MAX_FIELD_BYTES: usize = 300;

/// The warning about a note that is not UTF-8; its encoding stands behind a colon.
const OTHER_ENCODING: &str = "not UTF-8, read as";

/// Bytes of a content hash.
pub(super) const HASH_BYTES: usize = 16;

/// What preparing needs and does not change.
pub(super) struct Preparer<'s> {
    pub(super) source: &'s dyn Source,
    pub(super) scrubber: &'s Scrubber,
    pub(super) chunk: &'s ChunkOptions,
    pub(super) embedder: Option<&'s dyn Embedder>,
    /// Rows of the notes that need no work where their content is the same, by path.
    pub(super) settled: &'s FxHashMap<String, NoteRow>,
}

/// What preparing a note came to.
pub(super) enum Outcome {
    /// It is to be stored.
    Ready(Box<Prepared>),
    /// Its content is as stored; only time or size differ.
    Same,
}

/// A note, ready to be stored.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) entry: ScanEntry,
    pub(super) hash: Vec<u8>,
    pub(super) content: NoteContent,
    pub(super) stated_day: Option<i32>,
    pub(super) tokens: Tokens,
    pub(super) attributes: Attributes,
}

/// 16 bytes of BLAKE3.
pub(crate) fn content_hash(bytes: &[u8]) -> Vec<u8> {
    blake3::hash(bytes).as_bytes()[..HASH_BYTES].to_vec()
}

impl Preparer<'_> {
    /// Prepares a note and adds its terms to `segment` as the next document.
    pub(super) fn prepare(
        &self,
        entry: &ScanEntry,
        segment: &mut SegmentBuilder,
    ) -> Result<Outcome, Skipped> {
        let skip = |reason: String| Skipped {
            path: entry.path.to_string(),
            reason: SkipReason::Unreadable(reason),
        };
        let bytes = self.source.read(&entry.path).map_err(|error| skip(error.to_string()))?;
        let hash = content_hash(&bytes);
        let is_settled = |row: &NoteRow| {
            row.hash == hash && (row.vector_id.is_some() || self.embedder.is_none())
        };
        if self.settled.get(entry.path.as_str()).is_some_and(is_settled) {
            return Ok(Outcome::Same);
        }
        let document = Document::read(&entry.path, &bytes).map_err(|malformed| Skipped {
            path: entry.path.to_string(),
            reason: SkipReason::Malformed(malformed.reason, malformed.line),
        })?;
        let scrubbed = self.scrubber.scrub(document.text());
        let name = || document.is_written.then(|| entry.path.name().to_owned());
        let given = self.source.given_title(&entry.path).or_else(name);
        let note = match given {
            Some(_) => markdown::parse_body(&scrubbed.text),
            None => markdown::parse(&scrubbed.text),
        };
        let chunks = chunk::chunk(&note, &scrubbed.text, self.chunk);
        let title = given.clone().unwrap_or_else(|| title_of(&note, entry));
        let title = clean_title(&title);
        let body: Vec<String> = chunks.iter().map(|c| body_of(&note, &scrubbed.text, c)).collect();
        let (tokens, counts) = Tokens::of(self.embedder, self.chunk, &title, &body);
        add_terms(segment, entry, &note, &title, &chunks, &body);
        let mut attributes = attributes_of(&note, &scrubbed);
        attributes.given_title = given.is_some();
        document.encoding.unwrap_or_default().clone_into(&mut attributes.encoding);
        if document.lossy {
            attributes.warnings.insert(0, (1, "some bytes are not valid text".to_owned()));
        }
        if let Some(encoding) = document.encoding {
            attributes.warnings.insert(0, (1, format!("{OTHER_ENCODING}: {encoding}")));
        }
        let original = |offset| document.original_offset(scrubbed.original_offset(offset));
        let layout = layout_of(&chunks, &counts, &original, document.original());
        let content = NoteContent::encode(title, &attributes, &layout, &scrubbed.text)
            .map_err(|error| skip(error.to_string()))?;
        Ok(Outcome::Ready(Box::new(Prepared {
            entry: entry.clone(),
            hash,
            content,
            stated_day: stated_day(&note.fields, &entry.path),
            tokens,
            attributes,
        })))
    }
}

/// The text of a chunk that is indexed and embedded: without what it repeats of the chunk before,
/// structured blocks flattened, markers of redacted credentials left out.
pub(super) fn body_of(note: &Note, text: &str, chunk: &Chunk) -> String {
    let own = chunk.span.start + chunk.overlap..chunk.span.end;
    let indexed = chunk::index_text(note, text, own);
    without_markers(&indexed).into_owned()
}

/// Front matter title, else a first heading of level 1, else the file's name.
pub(crate) fn title_of(note: &Note, entry: &ScanEntry) -> String {
    if entry.path.kind() != NoteKind::Markdown {
        return entry.path.name().to_owned();
    }
    first_h1(note)
        .filter(|_| note.title.is_none())
        .or(note.title.as_deref())
        .unwrap_or_else(|| entry.path.stem())
        .to_owned()
}

/// A title without what a file's name or YAML may have smuggled into it.
pub(super) fn clean_title(title: &str) -> String {
    clean(title).text.into_owned()
}

fn first_h1(note: &Note) -> Option<&str> {
    let first = note.headings.first().filter(|heading| heading.level == 1)?;
    Some(first.text.as_str()).filter(|text| !text.trim().is_empty())
}

/// Adds a note's terms to a segment as the next document.
pub(super) fn add_terms(
    segment: &mut SegmentBuilder,
    entry: &ScanEntry,
    note: &Note,
    title: &str,
    chunks: &[Chunk],
    body: &[String],
) {
    segment.begin(chunks.len() as u32);
    for (number, text) in body.iter().enumerate() {
        let lead = if number == 0 { title } else { "" };
        segment.add(Field::Body, number as u32, &[lead, text]);
        if let Some(heading) = chunks[number].headings.last() {
            segment.add(Field::Heading, number as u32, &[heading]);
        }
    }
    if body.is_empty() {
        segment.add(Field::Body, 0, &[title]);
    }
    let mut names: Vec<&str> = vec![title, entry.path.name()];
    names.extend(note.aliases.iter().map(String::as_str));
    names.extend(first_h1(note));
    names.dedup();
    add_clean(segment, Field::Title, &names);
    let mut context: Vec<&str> = vec![entry.path.folder()];
    context.extend(note.note_type.as_deref());
    context.extend(note.tags.iter().map(String::as_str));
    let short = |value: &&str| value.len() <= MAX_FIELD_BYTES;
    context.extend(note.fields.iter().map(|(_, value)| value.as_str()).filter(short));
    add_clean(segment, Field::Context, &context);
    segment.add_verbatim(Field::Link, &link_keys(note));
    segment.add_verbatim(Field::Tag, &tag_keys(&note.tags));
    segment.add_verbatim(Field::Type, &note.note_type.iter().map(|t| fold(t)).collect::<Vec<_>>());
}

/// Adds names and values of a note. A file's name may hold escape sequences, and YAML may spell
/// them.
fn add_clean(segment: &mut SegmentBuilder, field: Field, texts: &[&str]) {
    let clean: Vec<_> = texts.iter().map(|text| clean(text).text).collect();
    segment.add(field, 0, &clean.iter().map(AsRef::as_ref).collect::<Vec<_>>());
}

/// A tag and the tags above it, folded.
fn tag_keys(tags: &[String]) -> Vec<String> {
    let mut keys = Vec::new();
    for tag in tags {
        let folded = fold(tag);
        keys.extend(folded.match_indices('/').map(|(at, _)| folded[..at].to_owned()));
        keys.push(folded);
    }
    keys
}

/// Folded file names of the notes that a note links to.
fn link_keys(note: &Note) -> Vec<String> {
    let inside = note.links.iter().filter(|link| link.kind != LinkKind::External);
    inside.filter(|link| !link.target.is_empty()).map(|link| link_key(&link.target)).collect()
}

/// The form in which link targets are compared: the file's name, folded, without extension.
pub(crate) fn link_key(target: &str) -> String {
    fold(crate::vault::VaultPath::verbatim(target.trim_end_matches('/')).stem())
}

fn attributes_of(note: &Note, scrubbed: &Scrubbed<'_>) -> Attributes {
    let mut redactions: Vec<(String, usize)> = Vec::new();
    for redaction in &scrubbed.redactions {
        match redactions.iter_mut().find(|(rule, _)| rule == redaction.rule) {
            Some((_, count)) => *count += 1,
            None => redactions.push((redaction.rule.to_owned(), 1)),
        }
    }
    Attributes {
        aliases: note.aliases.clone(),
        tags: note.tags.clone(),
        note_type: note.note_type.clone().unwrap_or_default(),
        warnings: note.diagnostics.iter().map(|d| (d.line, d.message.clone())).collect(),
        redactions,
        ..Attributes::default()
    }
}

fn layout_of(
    chunks: &[Chunk],
    pieces: &[usize],
    original_offset: &dyn Fn(usize) -> usize,
    original: &str,
) -> Layout {
    let lines = LineIndex::new(original);
    let place = |(chunk, pieces): (&Chunk, &usize)| {
        let start = original_offset(chunk.span.start);
        let end = original_offset(chunk.span.end).max(start);
        let last = original.get(..end).map_or(start, |text| text.trim_end().len().max(start));
        ChunkLayout {
            span: chunk.span.clone(),
            overlap: chunk.overlap,
            original: start..end,
            line_start: lines.line(start),
            line_end: lines.line(last.saturating_sub(1).max(start)),
            headings: chunk.headings.clone(),
            pieces: *pieces,
        }
    };
    Layout { chunks: chunks.iter().zip(pieces).map(place).collect() }
}
