//! Turns a `Model2Vec` folder into a compact model. Responsible for the choice of sections and for
//! the identity; the files are read by the modules below.

mod base64;
mod folder;
mod pieces;
mod safetensors;
mod tokenizer;

use std::path::Path;

use crate::charsmap::Charsmap;
use crate::classes;
use crate::convert::folder::Folder;
use crate::convert::safetensors::Tensors;
use crate::convert::tokenizer::TokenizerFile;
use crate::error::ModelError;
use crate::format::{Writer, write_text};
use crate::options::{Kind, Options, flag};

/// Converts a `Model2Vec` folder to the bytes of a compact model.
///
/// The folder holds `model.safetensors` and `tokenizer.json`, at its root or in
/// `0_StaticEmbedding`; `config.json` is not needed. Truncation, padding and templates of the
/// tokenizer are ignored; 16- and 64-bit floats become 32-bit ones.
///
/// # Errors
/// Fails when a file is missing, damaged or contradicts another, or when the tokenizer has a part
/// that the compact form does not have; see [`ModelError`].
pub fn convert(folder: &Path) -> Result<Vec<u8>, ModelError> {
    let folder = Folder::find(folder)?;
    let mut tensors = Tensors::read(&folder.tensors)?;
    let tokenizer = TokenizerFile::read(&folder.tokenizer)?;
    let vocabulary = tensors.entries();
    let largest_id = tokenizer.pieces.iter().map(|piece| piece.id).max().unwrap_or_default();
    if largest_id as usize >= vocabulary {
        return Err(ModelError::Mismatch { path: folder.root, largest_id, available: vocabulary });
    }
    let mut writer = Writer::default();
    tensors.write(&mut writer);
    write_tokenizer(&tokenizer, vocabulary, &folder.tokenizer, &mut writer)?;
    let id = format!("{}:{:016x}", folder.name, writer.checksum());
    writer.add("INFO", info(&tensors, vocabulary, &folder.name, &id));
    Ok(writer.finish())
}

/// Adds the tokenizer's sections.
fn write_tokenizer(
    tokenizer: &TokenizerFile,
    vocabulary: usize,
    path: &Path,
    writer: &mut Writer,
) -> Result<(), ModelError> {
    writer.add("TOKN", tokenizer.options.write());
    writer.add("TRIE", pieces::trie(&tokenizer.pieces, path)?);
    if tokenizer.options.kind == Kind::Unigram {
        writer.add("SCOR", pieces::scores(&tokenizer.pieces, vocabulary));
        let parts = tokenizer.charsmap.as_deref().and_then(Charsmap::split);
        let late = parts.filter(|_| tokenizer.options.steps.is_empty());
        let charsmap = late.map(|(trie, replacements)| Charsmap::new(trie, replacements));
        let table =
            classes::build(charsmap, |character| begins_word(&tokenizer.options, character));
        if let Some((trie, replacements)) = parts {
            writer.add("CMAP", trie.to_vec());
            writer.add("CNRM", replacements.to_vec());
        }
        writer.add("CLAS", table);
    }
    Ok(())
}

/// Whether a character that the map leaves alone is not copied blindly.
fn begins_word(options: &Options, character: char) -> bool {
    character == options.mark || (options.has(flag::SPLIT_WHITESPACE) && character.is_whitespace())
}

/// The section `INFO`.
fn info(tensors: &Tensors, vocabulary: usize, name: &str, id: &str) -> Vec<u8> {
    let numbers =
        [tensors.dimensions as u32, tensors.rows as u32, vocabulary as u32, tensors.element as u32];
    let mut bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    write_text(&mut bytes, name);
    write_text(&mut bytes, id);
    bytes
}
