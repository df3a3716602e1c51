//! Writes small model folders: safetensors files and tokenizer files made on the spot.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

/// A tensor: name, element type, shape, bytes.
pub(crate) type Tensor<'a> = (&'a str, &'a str, Vec<usize>, Vec<u8>);

/// The bytes of a safetensors file.
pub(crate) fn safetensors(tensors: &[Tensor<'_>]) -> Vec<u8> {
    let mut header = serde_json::Map::new();
    let mut data = Vec::new();
    for (name, dtype, shape, bytes) in tensors {
        let start = data.len();
        data.extend_from_slice(bytes);
        let entry = json!({"dtype": dtype, "shape": shape, "data_offsets": [start, data.len()]});
        header.insert((*name).to_owned(), entry);
    }
    with_header(&Value::Object(header).to_string(), &data)
}

/// A safetensors file with any header.
pub(crate) fn with_header(header: &str, data: &[u8]) -> Vec<u8> {
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend_from_slice(header.as_bytes());
    file.extend_from_slice(data);
    file
}

/// The bytes of 32-bit floats.
pub(crate) fn floats(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// A Unigram tokenizer of five pieces, `<unk>` first, and of the words `a`, `b`, `ab`, `▁`.
pub(crate) fn unigram() -> Value {
    json!({
        "version": "1.0",
        "truncation": {"direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0},
        "padding": {
            "strategy": {"Fixed": 8}, "direction": "Right", "pad_to_multiple_of": null,
            "pad_id": 0, "pad_type_id": 0, "pad_token": "<unk>"
        },
        "added_tokens": [],
        "normalizer": null,
        "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"},
        "post_processor": null, "decoder": null,
        "model": {"type": "Unigram", "unk_id": 0, "vocab":
            [["<unk>", 0.0], ["a", -2.0], ["b", -2.0], ["ab", -3.0], ["▁", -1.0]]},
    })
}

/// A `WordPiece` tokenizer with the given pieces behind `[PAD]` and `[UNK]`.
pub(crate) fn word_piece(pieces: &[String], lowercase: bool) -> Value {
    let mut vocabulary = serde_json::Map::new();
    for name in ["[PAD]", "[UNK]"].into_iter().chain(pieces.iter().map(String::as_str)) {
        let id = vocabulary.len();
        vocabulary.entry(name).or_insert(json!(id));
    }
    json!({
        "version": "1.0", "truncation": null, "padding": null,
        "added_tokens": [added(0, "[PAD]"), added(1, "[UNK]")],
        "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
            "strip_accents": null, "lowercase": lowercase},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": null, "decoder": null,
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": vocabulary},
    })
}

/// A special token of a tokenizer file.
fn added(id: u32, content: &str) -> Value {
    json!({"id": id, "content": content, "single_word": false, "lstrip": false, "rstrip": false,
        "normalized": false, "special": true})
}

/// Writes a model into a folder, which is made.
pub(crate) fn write(folder: &Path, tokenizer: &Value, tensors: &[u8]) {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("tokenizer.json"), tokenizer.to_string()).unwrap();
    fs::write(folder.join("model.safetensors"), tensors).unwrap();
    fs::write(folder.join("config.json"), r#"{"model_type": "model2vec", "hidden_dim": 999}"#)
        .unwrap();
}

/// A table of one 8-bit number for each of so many pieces.
pub(crate) fn narrow_table(pieces: usize) -> Vec<u8> {
    safetensors(&[("embeddings", "I8", vec![pieces, 1], vec![1; pieces])])
}
