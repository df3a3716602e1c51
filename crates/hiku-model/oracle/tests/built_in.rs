//! Compares the compact tokenizer with the `tokenizers` crate, piece for piece.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hiku_model::StaticModel;
use serde_json::{Value, json};
use tokenizers::Tokenizer;
use tokenizers::normalizers::Precompiled;

use crate::generated_lines::line;

/// How many lines are generated.
const LINES: usize = 10_000;

/// The tokenizer of the `tokenizers` crate with the built-in model's own pieces, scores and map.
/// Ids of special tokens get texts that occur nowhere.
fn rebuilt(model: &StaticModel) -> Tokenizer {
    let mut vocabulary: Vec<Value> = (0..model.vocabulary_size())
        .map(|id| json!([format!("\u{10FFFE}{id}"), model.score(id as u32)]))
        .collect();
    for (piece, id) in model.vocabulary() {
        vocabulary[id as usize][0] = json!(piece);
    }
    let map = Precompiled::from(&model.character_map().unwrap()).unwrap();
    let collapse = json!({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "});
    let value = json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
        "normalizer": {"type": "Sequence", "normalizers": [serde_json::to_value(map).unwrap(), collapse]},
        "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"},
        "post_processor": null, "decoder": null,
        "model": {"type": "Unigram", "unk_id": 3, "vocab": vocabulary},
    });
    Tokenizer::from_bytes(value.to_string()).unwrap()
}

/// The ids that the oracle gives, those of unknown stretches left out: they have the unknown id,
/// but not its text.
fn expected(oracle: &Tokenizer, text: &str, unknown: u32) -> Vec<u32> {
    let encoding = oracle.encode(text, false).unwrap();
    let name = oracle.id_to_token(unknown).unwrap();
    let tokens = encoding.get_ids().iter().zip(encoding.get_tokens());
    tokens.filter(|(id, token)| **id != unknown || **token == name).map(|(id, _)| *id).collect()
}

fn ids(model: &StaticModel, text: &str) -> Vec<u32> {
    let mut ids = Vec::new();
    model.tokenize(text, &mut ids);
    ids
}

fn check(model: &StaticModel, oracle: &Tokenizer, unknown: u32, text: &str) {
    let (found, expected) = (ids(model, text), expected(oracle, text, unknown));
    let names = |ids: &[u32]| -> Vec<_> { ids.iter().map(|id| oracle.id_to_token(*id)).collect() };
    assert!(
        found == expected,
        "{text:?} ({})\n gave {:?}\n not  {:?}",
        text.escape_unicode(),
        names(&found),
        names(&expected)
    );
}

#[test]
fn generated_lines_give_the_same_ids() {
    let model = StaticModel::builtin();
    let oracle = rebuilt(model);
    check(model, &oracle, 3, "");
    for number in 0..LINES {
        check(model, &oracle, 3, &line(number));
    }
}

#[test]
fn pieces_are_those_of_the_ids() {
    let model = StaticModel::builtin();
    let oracle = rebuilt(model);
    for number in 0..1_000 {
        let text = line(number);
        let pieces: Vec<_> =
            ids(model, &text).iter().map(|id| oracle.id_to_token(*id).unwrap()).collect();
        assert_eq!(model.pieces(&text), pieces, "{text:?}");
    }
}

/// Lines of real text against the tokenizer file itself: the folder of a model in `HIKU_MODEL_DIR`,
/// texts in `HIKU_DATA`.
#[test]
#[ignore = "needs HIKU_MODEL_DIR and HIKU_DATA"]
fn real_lines_give_the_same_ids() {
    let (Some(folder), Some(data)) =
        (std::env::var_os("HIKU_MODEL_DIR"), std::env::var_os("HIKU_DATA"))
    else {
        println!("skipped: HIKU_MODEL_DIR or HIKU_DATA is not set");
        return;
    };
    let model = StaticModel::open(Path::new(&folder)).unwrap();
    let (oracle, unknown) = oracle_of(&PathBuf::from(folder).join("tokenizer.json"));
    let mut lines = 0;
    for file in sample_files(Path::new(&data)) {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        check(&model, &oracle, unknown, &text.chars().take(20_000).collect::<String>());
        let all: Vec<&str> = text.lines().collect();
        let step = (all.len() / 20_000).max(1);
        for line in all.iter().step_by(step) {
            check(&model, &oracle, unknown, line);
            lines += 1;
        }
    }
    println!("{lines} lines are equal");
}

/// The oracle of a tokenizer file, whose special tokens are text like any other, and the id of the
/// unknown piece.
fn oracle_of(file: &Path) -> (Tokenizer, u32) {
    let mut value: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let specials: BTreeSet<String> = value["added_tokens"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|token| token["content"].as_str().map(str::to_owned))
        .collect();
    value["added_tokens"] = json!([]);
    value["truncation"] = json!(null);
    value["padding"] = json!(null);
    value["post_processor"] = json!(null);
    let unknown = unknown_id(&mut value["model"]);
    if let Some(list) = value["model"]["vocab"].as_array_mut() {
        for (id, entry) in list.iter_mut().enumerate() {
            if specials.contains(entry[0].as_str().unwrap()) {
                entry[0] = json!(format!("\u{10FFFE}{id}"));
            }
        }
    }
    (Tokenizer::from_bytes(value.to_string()).unwrap(), unknown)
}

/// The id of the unknown piece by its name. A stale `unk_id`, as is left where pieces were
/// renumbered, is put right: with it the oracle takes an ordinary piece for the unknown one.
fn unknown_id(model: &mut Value) -> u32 {
    let Some(list) = model["vocab"].as_array() else {
        return model["vocab"]["[UNK]"].as_u64().unwrap() as u32;
    };
    let named = list.iter().position(|entry| entry[0] == "<unk>").unwrap();
    model["unk_id"] = json!(named);
    named as u32
}

/// Training texts and every 20th note of the vaults.
fn sample_files(data: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = ["en", "ja", "other"]
        .map(|name| data.join("training-text").join(format!("{name}.txt")))
        .into();
    for vault in ["kepano", "cpprefjp", "mdn-en", "tldr"] {
        let mut notes = Vec::new();
        collect(&data.join("vault").join(vault), &mut notes);
        notes.sort();
        files.extend(notes.into_iter().step_by(20));
    }
    files
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            files.push(path);
        }
    }
}
