//! Writes `data/bert.characters`: what BERT's normaliser and pre-tokenizer do to each character, as
//! the `tokenizers` crate does it (its Unicode tables are of another version than any crate that
//! could be asked at run time): `cargo run --example bert_characters -- FILE` in this folder.
//!
//! All numbers are u32, little-endian: count and ranges (first, last) of dropped characters, count
//! and ranges of punctuation, count of decompositions, for each its character and the end of its
//! text in what follows; then the texts. Hangul syllables are left out, they are computed.

use tokenizers::normalizers::BertNormalizer;
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
use tokenizers::{
    NormalizedString, Normalizer, OffsetReferential, OffsetType, PreTokenizedString, PreTokenizer,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("usage: bert_characters FILE")?;
    let clean = BertNormalizer::new(true, false, Some(false), false);
    let strip = BertNormalizer::new(false, false, Some(true), false);
    let mut bytes = Vec::new();
    write_ranges(&mut bytes, |character| normalize(clean, character).is_empty());
    write_ranges(&mut bytes, is_punctuation);
    write_decompositions(&mut bytes, strip);
    std::fs::write(file, bytes)?;
    Ok(())
}

fn normalize(normalizer: BertNormalizer, character: char) -> String {
    let mut text = NormalizedString::from(character.to_string());
    normalizer.normalize(&mut text).expect("normalising never fails");
    text.get().to_owned()
}

fn is_punctuation(character: char) -> bool {
    let mut text = PreTokenizedString::from(format!("a{character}b"));
    BertPreTokenizer.pre_tokenize(&mut text).expect("splitting never fails");
    text.get_splits(OffsetReferential::Original, OffsetType::Byte).len() == 3
}

fn write(bytes: &mut Vec<u8>, number: usize) {
    bytes.extend_from_slice(&(number as u32).to_le_bytes());
}

fn write_ranges(bytes: &mut Vec<u8>, belongs: impl Fn(char) -> bool) {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for character in ('\0'..=char::MAX).filter(|character| belongs(*character)) {
        let code = character as usize;
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == code => *last = code,
            _ => ranges.push((code, code)),
        }
    }
    write(bytes, ranges.len());
    for (first, last) in ranges {
        write(bytes, first);
        write(bytes, last);
    }
}

fn write_decompositions(bytes: &mut Vec<u8>, strip: BertNormalizer) {
    let mut texts = String::new();
    let mut entries = Vec::new();
    for character in ('\0'..=char::MAX).filter(|character| !('가'..='힣').contains(character)) {
        let text = normalize(strip, character);
        if text != character.to_string() {
            texts.push_str(&text);
            entries.push((character as usize, texts.len()));
        }
    }
    write(bytes, entries.len());
    for (character, end) in entries {
        write(bytes, character);
        write(bytes, end);
    }
    bytes.extend_from_slice(texts.as_bytes());
}
