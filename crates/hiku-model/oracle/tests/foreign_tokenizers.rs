//! Other models' tokenizers against the `tokenizers` crate: `WordPiece` of the BERT kind, and
//! Unigram with the normalizers and pre-tokenizers that multilingual models have.

use std::collections::BTreeSet;

use hiku_model::StaticModel;
use serde_json::{Value, json};
use tempfile::tempdir;
use tokenizers::normalizers::Precompiled;
use tokenizers::{
    NormalizedString, Normalizer, NormalizerWrapper, OffsetReferential, OffsetType,
    PreTokenizedString, PreTokenizer, Tokenizer,
};

use crate::fixture::{narrow_table, word_piece, write};
use crate::generated_lines::{Numbers, line};

/// Opens a model with this tokenizer and compares ids on generated lines; `unknown` is the id that
/// is left out.
fn compare(value: &Value, unknown: u32, lines: usize) {
    let temporary = tempdir().unwrap();
    let model = &value["model"]["vocab"];
    let pieces = model.as_array().map_or_else(|| model.as_object().unwrap().len(), Vec::len);
    write(temporary.path(), value, &narrow_table(pieces));
    let model = StaticModel::open(temporary.path()).unwrap();
    let mut plain = value.clone();
    plain["added_tokens"] = json!([]);
    let oracle = Tokenizer::from_bytes(plain.to_string()).unwrap();
    let mut total = 0;
    for number in 0..lines {
        let text = line(number);
        let mut found = Vec::new();
        model.tokenize(&text, &mut found);
        let encoding = oracle.encode_fast(text.as_str(), false).unwrap();
        let expected: Vec<u32> =
            encoding.get_ids().iter().copied().filter(|id| *id != unknown).collect();
        assert_eq!(found, expected, "{} {:?}", text.escape_unicode(), encoding.get_tokens());
        total += found.len();
    }
    assert!(total > lines, "{total} ids for {lines} lines test little");
}

/// Beginnings, middles and ends of the words of generated lines, and half of the characters.
fn made_up_pieces(value: &Value) -> Vec<String> {
    let oracle = Tokenizer::from_bytes(value.to_string()).unwrap();
    let mut numbers = Numbers::new(7);
    let mut pieces = BTreeSet::new();
    for number in 0..4_000 {
        let mut text = NormalizedString::from(line(number));
        let normalizer: &NormalizerWrapper = oracle.get_normalizer().unwrap();
        normalizer.normalize(&mut text).unwrap();
        let mut split = PreTokenizedString::from(text.get());
        oracle.get_pre_tokenizer().unwrap().pre_tokenize(&mut split).unwrap();
        for (word, _, _) in split.get_splits(OffsetReferential::Original, OffsetType::Byte) {
            let characters: Vec<char> = word.chars().collect();
            let start = numbers.below(characters.len());
            let length = 1 + numbers.below(4);
            let part: String = characters[start..].iter().take(length).collect();
            pieces.insert(if start == 0 { part } else { format!("##{part}") });
            let single = characters[numbers.below(characters.len())];
            pieces.insert(single.to_string());
            pieces.insert(format!("##{single}"));
        }
    }
    pieces.into_iter().collect()
}

#[test]
fn word_piece_gives_the_same_ids() {
    for lowercase in [true, false] {
        let pieces = made_up_pieces(&word_piece(&[], lowercase));
        compare(&word_piece(&pieces, lowercase), 1, 10_000);
    }
}

#[test]
fn the_options_of_bert_are_independent() {
    let pieces = made_up_pieces(&word_piece(&[], true));
    for (clean, chinese, strip) in [(false, true, json!(true)), (true, false, json!(false))] {
        let mut value = word_piece(&pieces, true);
        value["normalizer"]["clean_text"] = json!(clean);
        value["normalizer"]["handle_chinese_chars"] = json!(chinese);
        value["normalizer"]["strip_accents"] = strip;
        compare(&value, 1, 2_000);
    }
}

#[test]
fn every_character_of_the_basic_plane_is_alike_for_bert() {
    let temporary = tempdir().unwrap();
    let pieces = made_up_pieces(&word_piece(&[], true));
    let value = word_piece(&pieces, true);
    write(temporary.path(), &value, &narrow_table(pieces.len() + 2));
    let model = StaticModel::open(temporary.path()).unwrap();
    let mut plain = value;
    plain["added_tokens"] = json!([]);
    let oracle = Tokenizer::from_bytes(plain.to_string()).unwrap();
    for character in '\0'..='\u{1FFFF}' {
        let text = format!("the{character}a");
        let mut found = Vec::new();
        model.tokenize(&text, &mut found);
        let encoding = oracle.encode_fast(text.as_str(), false).unwrap();
        let expected: Vec<u32> = encoding.get_ids().iter().copied().filter(|id| *id != 1).collect();
        assert_eq!(found, expected, "{}", character.escape_unicode());
    }
}

/// A Unigram tokenizer with every third piece of the built-in model, some pieces with a space mark
/// inside, and these parts.
fn unigram(normalizer: &Value, pre_tokenizer: &Value, inner_marks: bool) -> Value {
    let model = StaticModel::builtin();
    let mut vocabulary = vec![json!(["\u{10FFFE}", 0.0])];
    for (piece, id) in model.vocabulary() {
        if id % 3 == 0 || piece.chars().count() == 1 {
            vocabulary.push(json!([piece, model.score(id).unwrap()]));
        }
    }
    if inner_marks {
        vocabulary.push(json!(["▁the▁local", -3.0]));
        vocabulary.push(json!(["。▁", -3.0]));
    }
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
        "normalizer": normalizer, "pre_tokenizer": pre_tokenizer,
        "post_processor": null, "decoder": null,
        "model": {"type": "Unigram", "unk_id": 0, "vocab": vocabulary},
    })
}

fn sequence(normalizers: &[Value]) -> Value {
    json!({"type": "Sequence", "normalizers": normalizers})
}

#[test]
fn unigram_with_other_parts_gives_the_same_ids() {
    let map = Precompiled::from(&StaticModel::builtin().character_map().unwrap()).unwrap();
    let map = serde_json::to_value(map).unwrap();
    let replace = |from: &str, to: &str| json!({"type": "Replace", "pattern": {"String": from}, "content": to});
    let runs =
        |of: &str, to: &str| json!({"type": "Replace", "pattern": {"Regex": of}, "content": to});
    let strip = |left: bool, right: bool| json!({"type": "Strip", "strip_left": left, "strip_right": right});
    let metaspace = |scheme: &str, split: bool| json!({"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": split});
    let words = json!({"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, metaspace("always", true)]});
    let spaced = [
        map.clone(),
        replace(".", " . "),
        replace("。", " 。 "),
        replace("the", ""),
        runs(r"\s+", " "),
        strip(true, true),
    ];
    let cases = [
        (json!(null), metaspace("always", true)),
        (json!(null), words.clone()),
        (map.clone(), metaspace("never", true)),
        (map.clone(), words.clone()),
        (
            sequence(&[map.clone(), strip(false, true), runs(" {2,}", "▁")]),
            metaspace("always", true),
        ),
        (sequence(&[map.clone(), runs(" {2,}", " ")]), metaspace("first", false)),
        (sequence(&spaced), metaspace("always", false)),
        (sequence(&[json!({"type": "Lowercase"}), map.clone(), strip(true, false)]), words),
        (sequence(&[map, json!({"type": "Prepend", "prepend": "▁"})]), metaspace("never", false)),
    ];
    for (normalizer, pre_tokenizer) in cases {
        for inner_marks in [false, true] {
            compare(&unigram(&normalizer, &pre_tokenizer, inner_marks), 0, 1_000);
        }
    }
}
