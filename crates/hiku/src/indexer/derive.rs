//! What an index should hold of a note, made again from the text that is stored of it: chunks, terms
//! and vectors. For a check that compares; reads no note of the vault and writes nothing.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use super::identity::{self, Rebuild};
use super::maintain::{epoch_weights, stored_note};
use super::prepare::{add_terms, body_of, clean_title, title_of};
use super::tokens::Tokens;
use super::vectors::{EmbedJob, NoteVectors, embed_all, place, unpack_title};
use crate::chunk::{self, Chunk};
use crate::embed::TokenWeights;
use crate::error::Result;
use crate::postings::{Field, SegmentBuilder, combine, entries, split_key, walk};
use crate::settings::Settings;
use crate::store::{Attributes, DocumentRow, NoteRow, Store};
use crate::vault::{ScanEntry, VaultPath};

/// What a note's terms come to, one number each for words, links, and tags with types: the sum of
/// the hashes of (term, chunk, count), which does not depend on their order.
pub(crate) type TermSums = [u64; 3];

/// What of a note is compared.
#[derive(Debug)]
pub(crate) struct Derived {
    /// Title in use.
    pub(crate) title: String,
    /// Aliases, tags and type; the rest is not derived.
    pub(crate) attributes: Attributes,
    /// The chunks.
    pub(crate) chunks: Vec<Chunk>,
    /// Vector pieces of each chunk.
    pub(crate) piece_counts: Vec<usize>,
    /// Stored forms of its pieces and of its title vector. `None` where the index has none or they
    /// cannot be made.
    pub(crate) vectors: Option<[Vec<u8>; 2]>,
}

/// Makes again what is stored of notes, one after another.
pub(crate) struct Deriver<'s> {
    settings: &'s Settings,
    weights: Option<TokenWeights>,
    terms: SegmentBuilder,
}

impl<'s> Deriver<'s> {
    /// Prepares for an index. The inner error is the reason why its content is not what `settings`
    /// and this version would make of the same texts.
    ///
    /// # Errors
    /// `Corrupt` and `Io`.
    pub(crate) fn new(
        store: &Store,
        settings: &'s Settings,
    ) -> Result<std::result::Result<Self, &'static str>> {
        let rebuild = identity::needed(store, settings)?;
        if let Rebuild::Everything(reason) = rebuild {
            return Ok(Err(reason));
        }
        let can_embed = rebuild == Rebuild::Nothing && settings.embedder.is_some();
        let weights =
            if can_embed { epoch_weights(store)?.map(TokenWeights::computed) } else { None };
        Ok(Ok(Deriver { settings, weights, terms: SegmentBuilder::default() }))
    }

    /// Makes a note's chunks and vectors, and keeps its terms for [`Self::take_sums`].
    pub(crate) fn derive(&mut self, row: &NoteRow, document: &DocumentRow) -> Derived {
        let note = stored_note(document);
        let entry = entry_of(row);
        let title = if document.attributes.given_title {
            document.title.clone()
        } else {
            clean_title(&title_of(&note, &entry))
        };
        let chunks = chunk::chunk(&note, &document.text, &self.settings.chunk);
        let body: Vec<String> = chunks.iter().map(|c| body_of(&note, &document.text, c)).collect();
        add_terms(&mut self.terms, &entry, &note, &title, &chunks, &body);
        let embedder = self.settings.embedder.as_deref().filter(|_| self.weights.is_some());
        let (tokens, piece_counts) = Tokens::of(embedder, &self.settings.chunk, &title, &body);
        let attributes = Attributes {
            aliases: note.aliases,
            tags: note.tags,
            note_type: note.note_type.unwrap_or_default(),
            ..Attributes::default()
        };
        let vectors = self.embed(row, &tokens);
        Derived { title, attributes, chunks, piece_counts, vectors }
    }

    fn embed(&self, row: &NoteRow, tokens: &Tokens) -> Option<[Vec<u8>; 2]> {
        let (embedder, weights) = (self.settings.embedder.as_deref()?, self.weights.as_ref()?);
        row.vector_id?;
        let job = EmbedJob { tokens, known: None };
        let made = embed_all(embedder, weights, self.title_weight(), &[job], 1);
        made.into_iter().next().map(|made| [made.pieces.unwrap_or_default(), made.title])
    }

    /// Norms and sketches of stored pieces with a stored title vector.
    pub(crate) fn place(&self, pieces: &[u8], title: &[u8]) -> (Vec<f32>, Vec<u8>) {
        let mut placed = NoteVectors::default();
        place(pieces, &unpack_title(title), self.title_weight(), &mut placed);
        (placed.norms, placed.sketches)
    }

    fn title_weight(&self) -> f32 {
        self.settings.ranking.title_vector_weight as f32
    }

    /// The sums of the notes that were derived since the last call, in their order.
    pub(crate) fn take_sums(&mut self) -> Vec<TermSums> {
        let segment = combine(&[std::mem::take(&mut self.terms)]);
        let mut sums = vec![TermSums::default(); segment.lengths.len()];
        for block in &segment.blocks {
            add_sums(&block.data, &mut sums);
        }
        sums
    }
}

fn entry_of(row: &NoteRow) -> ScanEntry {
    ScanEntry {
        path: VaultPath::verbatim(&row.path),
        modified_ns: row.modified_ns,
        changed_ns: row.changed_ns,
        size: row.size,
    }
}

/// Adds the terms of a block to the sums of its documents. What cannot be read, or names a document
/// that is not there, is left out: the sums then differ.
pub(crate) fn add_sums(block: &[u8], sums: &mut [TermSums]) {
    walk(block, |key, list| {
        let group = match split_key(key) {
            Some((Field::Link, ..)) => 1,
            Some((Field::Tag | Field::Type, ..)) => 2,
            _ => 0,
        };
        let mut hasher = FxHasher::default();
        hasher.write(key);
        let term = hasher.finish();
        entries(list, |document, chunk, count| {
            if let Some(sums) = sums.get_mut(document as usize) {
                let place = u64::from(chunk) << 32 | u64::from(count);
                sums[group] = sums[group].wrapping_add(mixed(term ^ mixed(place)));
            }
        });
        true
    });
}

/// Spreads a number over all bits, so that sums of alike numbers differ: the last steps of
/// `SplitMix64` (Steele, Lea & Flood 2014).
fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}
