//! A model as callers see it: opened, asked for ids and for sums of rows. Not responsible for the
//! meaning of weights, for norms, or for cutting long texts.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::charsmap::Charsmap;
use crate::classes::{Classes, TABLE_BYTES};
use crate::error::{CompactFault, ModelError};
use crate::file::read_file;
use crate::format::{Sections, read_text, read_u32};
use crate::options::{Kind, Options};
use crate::scratch::Scratch;
use crate::table::{Element, Table};
use crate::tokenizer::Tokenizer;
use crate::trie::Trie;
use crate::unigram::Unigram;

/// The sections that make up a model's identity, in the order in which they are hashed.
pub(crate) const IDENTITY_SECTIONS: [&str; 9] =
    ["ROWS", "MAPP", "WGHT", "TOKN", "TRIE", "SCOR", "CMAP", "CNRM", "CLAS"];

/// The built-in model's bytes at a multiple of a cache line.
#[repr(C, align(64))]
struct Aligned<Bytes: ?Sized>(Bytes);

/// The built-in model.
static BUILT_IN: &Aligned<[u8]> = &Aligned(*include_bytes!("../data/multilingual.hikumodel"));

thread_local! {
    /// Buffers for calls that bring none.
    static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch::new());
}

/// A static embedding model with its tokenizer: each piece of a text has a fixed vector, and a
/// text's vector is a weighted sum of them.
pub struct StaticModel {
    bytes: Cow<'static, [u8]>,
    layout: Layout,
}

/// Where the parts of a model lie in its bytes, and the few values worth decoding once.
#[derive(Debug)]
struct Layout {
    name: String,
    id: String,
    checksum: u64,
    dimensions: usize,
    vocabulary: usize,
    element: Element,
    options: Options,
    rows: Range<usize>,
    mapping: Range<usize>,
    weights: Range<usize>,
    trie: Range<usize>,
    scores: Range<usize>,
    charsmap: Option<(Range<usize>, Range<usize>)>,
    classes: Range<usize>,
}

impl StaticModel {
    /// The built-in English and Japanese model.
    ///
    /// The first call costs some microseconds, later ones nothing.
    ///
    /// # Panics
    /// Panics when the crate was built with a damaged model file.
    pub fn builtin() -> &'static StaticModel {
        static MODEL: OnceLock<StaticModel> = OnceLock::new();
        MODEL.get_or_init(|| {
            let layout = Layout::read(&BUILT_IN.0).expect("the built-in model is whole");
            StaticModel { bytes: Cow::Borrowed(&BUILT_IN.0), layout }
        })
    }

    /// Opens a compact model file, or a `Model2Vec` folder, which is converted in memory.
    ///
    /// A folder may have the files at its root, or in `0_StaticEmbedding`, or be a folder with the
    /// tokenizer and the table whose parent has `config.json`.
    ///
    /// # Errors
    /// Fails when a file cannot be read, is damaged, or needs a tokenizer that is not supported;
    /// see [`ModelError`].
    pub fn open(path: &Path) -> Result<StaticModel, ModelError> {
        if path.is_dir() {
            return Self::from_bytes(crate::convert(path)?, path);
        }
        Self::from_bytes(read_file(path)?, path)
    }

    /// Takes a compact model's bytes, as [`convert`](crate::convert()) gives them. `path` is only
    /// named in errors.
    ///
    /// # Errors
    /// Fails when the bytes are damaged or of another format version.
    pub fn from_bytes(bytes: Vec<u8>, path: &Path) -> Result<StaticModel, ModelError> {
        let corrupt = |cause| ModelError::Corrupt { path: PathBuf::from(path), cause };
        let layout = Layout::read(&bytes).map_err(corrupt)?;
        let model = StaticModel { bytes: Cow::Owned(bytes), layout };
        model.verify().map_err(corrupt)?;
        Ok(model)
    }

    /// The identity of table and tokenizer: the name, a colon, and 16 hexadecimal digits.
    ///
    /// Vectors of models with different identities must not be compared.
    pub fn id(&self) -> &str {
        &self.layout.id
    }

    /// The model's name, taken from its folder when it was converted.
    pub fn name(&self) -> &str {
        &self.layout.name
    }

    /// The number of numbers in a vector.
    pub fn dimensions(&self) -> usize {
        self.layout.dimensions
    }

    /// The number of ids: all ids are below it.
    pub fn vocabulary_size(&self) -> usize {
        self.layout.vocabulary
    }

    /// Appends the ids of a text's pieces to `ids`.
    ///
    /// Unknown pieces are left out; no special tokens are added, and the names of special tokens
    /// in the text are text; nothing is cut off.
    pub fn tokenize(&self, text: &str, ids: &mut Vec<u32>) {
        SCRATCH.with_borrow_mut(|scratch| self.tokenize_with(scratch, text, ids));
    }

    /// As [`tokenize`](Self::tokenize), with the caller's buffers.
    pub fn tokenize_with(&self, scratch: &mut Scratch, text: &str, ids: &mut Vec<u32>) {
        scratch.cache.prepare(self.layout.checksum);
        self.tokenizer().tokenize(scratch, text, ids);
        scratch.trim();
    }

    /// The pieces of a text as the vocabulary spells them (with space marks or `##`), unknown ones
    /// left out. Slow; for tests and for showing what was stored.
    pub fn pieces(&self, text: &str) -> Vec<String> {
        SCRATCH.with_borrow_mut(|scratch| self.tokenizer().pieces(scratch, text))
    }

    /// All pieces with their ids, in byte order; special tokens are not among them. Slow.
    pub fn vocabulary(&self) -> Vec<(String, u32)> {
        let pieces = self.trie().pieces().into_iter();
        pieces.filter_map(|(piece, id)| Some((String::from_utf8(piece).ok()?, id))).collect()
    }

    /// The score of a piece, for Unigram tokenizers.
    pub fn score(&self, id: u32) -> Option<f64> {
        let scores: &[[u8; 8]] = self.slice(&self.layout.scores).as_chunks().0;
        scores.get(id as usize).map(|bytes| f64::from_le_bytes(*bytes))
    }

    /// The `SentencePiece` character map as a tokenizer file holds it, before base64.
    pub fn character_map(&self) -> Option<Vec<u8>> {
        let (trie, replacements) = self.layout.charsmap.as_ref()?;
        let mut map = (trie.len() as u32).to_le_bytes().to_vec();
        map.extend_from_slice(self.slice(trie));
        map.extend_from_slice(self.slice(replacements));
        Some(map)
    }

    /// Adds `weight` times the vector of a piece to `sum`.
    ///
    /// # Panics
    /// Panics when `id` is not below [`vocabulary_size`](Self::vocabulary_size) or the sum's length
    /// is not [`dimensions`](Self::dimensions).
    pub fn accumulate(&self, id: u32, weight: f32, sum: &mut [f32]) {
        self.table().accumulate(&[id], &[weight], sum);
    }

    /// Adds the vectors of many pieces to `sum`, each times its weight, in the order given. Much
    /// faster than one call for each.
    ///
    /// # Panics
    /// As [`accumulate`](Self::accumulate), and when there are not as many weights as ids.
    pub fn accumulate_all(&self, ids: &[u32], weights: &[f32], sum: &mut [f32]) {
        assert_eq!(ids.len(), weights.len(), "each id has a weight");
        self.table().accumulate(ids, weights, sum);
    }

    fn slice(&self, range: &Range<usize>) -> &[u8] {
        &self.bytes[range.clone()]
    }

    fn table(&self) -> Table<'_> {
        Table {
            rows: self.slice(&self.layout.rows),
            dimensions: self.layout.dimensions,
            element: self.layout.element,
            mapping: self.slice(&self.layout.mapping),
            weights: self.slice(&self.layout.weights),
        }
    }

    fn trie(&self) -> Trie<'_> {
        Trie::new(self.slice(&self.layout.trie))
    }

    fn charsmap(&self) -> Option<Charsmap<'_>> {
        let (trie, replacements) = self.layout.charsmap.as_ref()?;
        Some(Charsmap::new(self.slice(trie), self.slice(replacements)))
    }

    fn tokenizer(&self) -> Tokenizer<'_> {
        Tokenizer {
            options: &self.layout.options,
            charsmap: self.charsmap(),
            classes: self.slice(&self.layout.classes).first_chunk::<TABLE_BYTES>().map(Classes),
            unigram: Unigram {
                trie: self.trie(),
                scores: self.slice(&self.layout.scores).as_chunks().0,
                unknown_score: self.layout.options.unknown_score,
            },
        }
    }

    /// Checks what would otherwise be found out in the middle of a text. Too slow for the built-in
    /// model, which the tests check.
    fn verify(&self) -> Result<(), CompactFault> {
        let content = |section| CompactFault::Content { section };
        let sections = Sections::parse(&self.bytes)?;
        if sections.checksum(&IDENTITY_SECTIONS) != self.layout.checksum {
            return Err(CompactFault::Checksum);
        }
        let limit = self.layout.vocabulary;
        let trie = self.trie();
        if !trie.is_sound() || trie.pieces().iter().any(|(_, id)| *id as usize >= limit) {
            return Err(content("TRIE"));
        }
        let rows = self.layout.rows.len() / self.layout.row_size();
        let mapping: &[[u8; 4]] = self.slice(&self.layout.mapping).as_chunks().0;
        if mapping.iter().any(|row| u32::from_le_bytes(*row) as usize >= rows) {
            return Err(content("MAPP"));
        }
        Ok(())
    }
}

impl std::fmt::Debug for StaticModel {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("StaticModel")
            .field("id", &self.layout.id)
            .field("dimensions", &self.layout.dimensions)
            .field("vocabulary_size", &self.layout.vocabulary)
            .finish_non_exhaustive()
    }
}

impl Layout {
    /// Reads the header and the small sections and checks that the large ones have the right size.
    fn read(bytes: &[u8]) -> Result<Layout, CompactFault> {
        let sections = Sections::parse(bytes)?;
        let info = &bytes[sections.required("INFO")?];
        let mut layout =
            Layout::read_info(info).ok_or(CompactFault::Content { section: "INFO" })?;
        layout.options = Options::read(&bytes[sections.required("TOKN")?])
            .ok_or(CompactFault::Content { section: "TOKN" })?;
        layout.rows = sections.required("ROWS")?;
        layout.trie = sections.required("TRIE")?;
        layout.mapping = sections.find("MAPP").unwrap_or_default();
        layout.weights = sections.find("WGHT").unwrap_or_default();
        layout.scores = sections.find("SCOR").unwrap_or_default();
        layout.charsmap = sections.find("CMAP").zip(sections.find("CNRM"));
        layout.classes = sections.find("CLAS").unwrap_or_default();
        layout.check_sizes(read_u32(info, 4).unwrap_or_default() as usize)?;
        Ok(layout)
    }

    fn read_info(info: &[u8]) -> Option<Layout> {
        let element = match read_u32(info, 12)? {
            0 => Element::Int8,
            1 => Element::Float32,
            _ => return None,
        };
        let mut offset = 16;
        let name = read_text(info, &mut offset)?.to_owned();
        let id = read_text(info, &mut offset)?.to_owned();
        let checksum = u64::from_str_radix(id.rsplit(':').next()?, 16).ok()?;
        Some(Layout {
            name,
            id,
            checksum,
            dimensions: read_u32(info, 0)? as usize,
            vocabulary: read_u32(info, 8)? as usize,
            element,
            options: Options::default(),
            rows: 0..0,
            mapping: 0..0,
            weights: 0..0,
            trie: 0..0,
            scores: 0..0,
            charsmap: None,
            classes: 0..0,
        })
    }

    fn check_sizes(&self, rows: usize) -> Result<(), CompactFault> {
        let wrong = |section| Err(CompactFault::Section { section });
        let mapped = if self.mapping.is_empty() { rows } else { self.mapping.len() / 4 };
        let unigram = self.options.kind == Kind::Unigram;
        if self.dimensions == 0 || rows.checked_mul(self.row_size()) != Some(self.rows.len()) {
            return wrong("ROWS");
        }
        if mapped < self.vocabulary {
            return wrong("MAPP");
        }
        if !self.weights.is_empty() && self.weights.len() / 4 < self.vocabulary {
            return wrong("WGHT");
        }
        if unigram && self.scores.len() / 8 < self.vocabulary {
            return wrong("SCOR");
        }
        if unigram && self.classes.len() != TABLE_BYTES {
            return wrong("CLAS");
        }
        Ok(())
    }

    /// Size of a row in bytes.
    fn row_size(&self) -> usize {
        self.dimensions * self.element.size()
    }
}
