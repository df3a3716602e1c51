//! Reads `tokenizer.json`: the vocabulary and what is done to a text before pieces are sought. Not
//! responsible for truncation, padding, templates and decoders, which are ignored on purpose.

mod normalizer;
mod pre_tokenizer;

use std::collections::HashSet;
use std::path::Path;

use serde_json::Value;

use super::pieces::Piece;
use crate::error::ModelError;
use crate::file::read_file;
use crate::options::{Kind, Options, flag};

/// How much worse than the worst piece an unknown character is: the constant of `SentencePiece`
/// (`kUnkPenalty` in `unigram_model.cc`).
const UNKNOWN_PENALTY: f64 = 10.0;

/// What unknown pieces are called.
const UNKNOWN_NAMES: [&str; 3] = ["<unk>", "[UNK]", "<UNK>"];

/// What a tokenizer file says.
#[derive(Debug)]
pub(super) struct TokenizerFile {
    pub(super) options: Options,
    pub(super) pieces: Vec<Piece>,
    /// The character map as the file holds it, decoded.
    pub(super) charsmap: Option<Vec<u8>>,
}

/// Where an error is said to be.
#[derive(Clone, Copy)]
struct Context<'a> {
    path: &'a Path,
}

impl Context<'_> {
    fn unsupported(self, part: &'static str, kind: impl Into<String>) -> ModelError {
        ModelError::UnsupportedTokenizer { path: self.path.to_owned(), part, kind: kind.into() }
    }

    fn field(self, field: &'static str) -> ModelError {
        ModelError::TokenizerField { path: self.path.to_owned(), field }
    }
}

impl TokenizerFile {
    /// Reads a tokenizer file.
    pub(super) fn read(path: &Path) -> Result<TokenizerFile, ModelError> {
        let bytes = read_file(path)?;
        let value: Value = serde_json::from_slice(&bytes)
            .map_err(|source| ModelError::Json { path: path.to_owned(), source })?;
        let context = Context { path };
        let special = special_tokens(&value);
        // Files of 2020 and before have no type; those with merges are BPE.
        let kind = value["model"]["type"].as_str().unwrap_or("without a type");
        let mut file = match kind {
            "Unigram" => read_unigram(&value["model"], &special, context)?,
            "WordPiece" => read_word_piece(&value["model"], &special, context)?,
            other => return Err(context.unsupported("model", other)),
        };
        normalizer::read(&value["normalizer"], &mut file, context)?;
        pre_tokenizer::read(&value["pre_tokenizer"], &mut file.options, context)?;
        simplify(&mut file);
        Ok(file)
    }
}

/// The names of special tokens.
fn special_tokens(value: &Value) -> HashSet<String> {
    let added = value["added_tokens"].as_array().into_iter().flatten();
    let special = added.filter(|token| token["special"].as_bool() == Some(true));
    special.filter_map(|token| token["content"].as_str().map(str::to_owned)).collect()
}

fn read_unigram(
    model: &Value,
    special: &HashSet<String>,
    context: Context<'_>,
) -> Result<TokenizerFile, ModelError> {
    if model["byte_fallback"].as_bool() == Some(true) {
        return Err(context.unsupported("option", "byte_fallback"));
    }
    let list = model["vocab"].as_array().ok_or(context.field("model.vocab"))?;
    let mut pieces = Vec::with_capacity(list.len());
    for (id, entry) in list.iter().enumerate() {
        let text = entry[0].as_str().ok_or(context.field("model.vocab"))?.to_owned();
        let score = entry[1].as_f64().ok_or(context.field("model.vocab"))?;
        let ordinary = !special.contains(&text);
        pieces.push(Piece { text, id: id as u32, score, ordinary });
    }
    // The id of the unknown piece is `unk_id` here, and has no `unk_token` beside it.
    let unknown = model["unk_id"].as_u64().map(|id| id as u32);
    if unknown.is_some_and(|id| id as usize >= pieces.len()) {
        return Err(context.field("model.unk_id"));
    }
    // Model2Vec renumbers pieces and may leave `unk_id` pointing to one that is not the unknown
    // one: that one stays in use. Unknown characters give no id either way.
    if let Some(piece) = unknown.and_then(|id| pieces.get_mut(id as usize)) {
        piece.ordinary &= !UNKNOWN_NAMES.contains(&piece.text.as_str());
    }
    let worst = pieces.iter().map(|piece| piece.score).fold(f64::INFINITY, f64::min);
    let options = Options { unknown, unknown_score: worst - UNKNOWN_PENALTY, ..Options::default() };
    Ok(TokenizerFile { options, pieces, charsmap: None })
}

fn read_word_piece(
    model: &Value,
    special: &HashSet<String>,
    context: Context<'_>,
) -> Result<TokenizerFile, ModelError> {
    if model["continuing_subword_prefix"].as_str().unwrap_or("##") != "##" {
        return Err(context.unsupported("option", "continuing_subword_prefix"));
    }
    let map = model["vocab"].as_object().ok_or(context.field("model.vocab"))?;
    let unknown_text = model["unk_token"].as_str().unwrap_or("[UNK]");
    let mut pieces = Vec::with_capacity(map.len());
    for (text, id) in map {
        let id = id.as_u64().and_then(|id| u32::try_from(id).ok());
        let id = id.ok_or(context.field("model.vocab"))?;
        let ordinary = !special.contains(text) && text != unknown_text;
        pieces.push(Piece { text: text.clone(), id, score: 0.0, ordinary });
    }
    let unknown = map.get(unknown_text).and_then(Value::as_u64).map(|id| id as u32);
    let longest = model["max_input_chars_per_word"].as_u64().unwrap_or(100);
    let options = Options {
        kind: Kind::WordPiece,
        unknown,
        longest_word: longest as u32,
        ..Options::default()
    };
    Ok(TokenizerFile { options, pieces, charsmap: None })
}

/// Makes the fast way possible where it gives the same: a normaliser that is only the character
/// map and the collapsing of spaces needs no steps on the whole text; and when no piece has a mark
/// behind its first character, words may be cut apart at marks even if the file does not ask for
/// it.
fn simplify(file: &mut TokenizerFile) {
    let mark = file.options.mark;
    let inner = |text: &str| text.chars().skip(1).any(|character| character == mark);
    if file.pieces.iter().all(|piece| !piece.ordinary || !inner(&piece.text)) {
        file.options.flags |= flag::SPLIT_AT_MARK;
    }
    if let Some(collapse) = normalizer::is_fast(&file.options.steps) {
        file.options.steps.clear();
        file.options.flags |= if collapse { flag::COLLAPSE_SPACES } else { 0 };
    }
}
