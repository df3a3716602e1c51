//! Where a model's files may lie, what is refused, and that compact files survive damage.

use std::fs;
use std::path::Path;

use hiku_model::{CompactFault, ModelError, StaticModel, convert};
use proptest::prelude::*;
use serde_json::json;
use tempfile::tempdir;

use crate::fixture::{narrow_table, unigram, word_piece, write};

fn ids(model: &StaticModel, text: &str) -> Vec<u32> {
    let mut ids = Vec::new();
    model.tokenize(text, &mut ids);
    ids
}

#[test]
fn a_model_is_found_in_all_layouts() {
    let temporary = tempdir().unwrap();
    let root = temporary.path();
    write(&root.join("plain"), &unigram(), &narrow_table(5));
    write(&root.join("transformer/0_StaticEmbedding"), &unigram(), &narrow_table(5));
    fs::write(root.join("transformer/config_sentence_transformers.json"), "{}").unwrap();
    let snapshot = root.join("models--maker--small-model/snapshots/0123abc");
    write(&snapshot, &unigram(), &narrow_table(5));
    let cases = [
        (root.join("plain"), "plain"),
        (root.join("transformer"), "transformer"),
        (root.join("transformer/0_StaticEmbedding"), "transformer"),
        (snapshot, "maker/small-model"),
    ];
    for (path, name) in cases {
        let model = StaticModel::open(&path).unwrap();
        assert_eq!(model.name(), name);
        assert!(model.id().starts_with(&format!("{name}:")), "{}", model.id());
        assert_eq!((model.dimensions(), model.vocabulary_size()), (1, 5));
    }
}

#[test]
fn truncation_padding_and_unknown_pieces_leave_no_trace() {
    let temporary = tempdir().unwrap();
    let folder = temporary.path().join("m");
    write(&folder, &unigram(), &narrow_table(5));
    let model = StaticModel::open(&folder).unwrap();
    assert_eq!(ids(&model, "ab a b ab ab"), [4, 3, 4, 1, 4, 2, 4, 3, 4, 3]);
    assert_eq!(ids(&model, "axxb"), [4, 1, 2]);
    assert_eq!(ids(&model, "<unk>"), [4]);
    assert_eq!(ids(&model, ""), [0; 0]);
    assert_eq!(model.pieces("ab c"), ["▁", "ab", "▁"]);
}

#[test]
fn the_names_of_special_tokens_are_text() {
    let temporary = tempdir().unwrap();
    let folder = temporary.path().join("m");
    let pieces = ["[", "]", "pad", "##x"].map(str::to_owned);
    write(&folder, &word_piece(&pieces, true), &narrow_table(6));
    let model = StaticModel::open(&folder).unwrap();
    assert_eq!(
        model.pieces("[PAD] [UNK] padx padz ##x"),
        ["[", "pad", "]", "[", "]", "pad", "##x"]
    );
}

#[test]
fn a_stale_unknown_id_does_not_cost_a_piece() {
    let temporary = tempdir().unwrap();
    let folder = temporary.path().join("m");
    let mut tokenizer = unigram();
    tokenizer["model"]["unk_id"] = json!(1);
    write(&folder, &tokenizer, &narrow_table(5));
    let model = StaticModel::open(&folder).unwrap();
    assert_eq!(model.pieces("axb"), ["▁", "a", "b"]);
}

#[test]
fn identity_depends_on_content_and_not_on_place() {
    let temporary = tempdir().unwrap();
    let at = |place: &str| temporary.path().join(place).join("m");
    write(&at("1"), &unigram(), &narrow_table(5));
    write(&at("2"), &unigram(), &narrow_table(5));
    write(&at("3"), &unigram(), &narrow_table(6));
    let mut changed = unigram();
    changed["model"]["vocab"][3][1] = json!(-9.0);
    write(&at("4"), &changed, &narrow_table(5));
    let [first, second, third, fourth] =
        ["1", "2", "3", "4"].map(|place| StaticModel::open(&at(place)).unwrap().id().to_owned());
    assert_eq!(first, second);
    assert_ne!(first, third);
    assert_ne!(first, fourth);
}

#[test]
fn unsupported_tokenizers_are_named() {
    let mut bpe = unigram();
    bpe["model"] = json!({"type": "BPE", "vocab": {}, "merges": []});
    let mut fallback = unigram();
    fallback["model"]["byte_fallback"] = json!(true);
    let mut digits = unigram();
    digits["pre_tokenizer"] = json!({"type": "Digits", "individual_digits": true});
    let mut composed = unigram();
    composed["normalizer"] = json!({"type": "Sequence", "normalizers": [{"type": "NFKC"}]});
    let mut expression = unigram();
    expression["normalizer"] =
        json!({"type": "Replace", "pattern": {"Regex": "[a-z]"}, "content": ""});
    let cases = [
        (bpe, "the model `BPE`"),
        (fallback, "the option `byte_fallback`"),
        (digits, "the pre-tokenizer `Digits`"),
        (composed, "the normalizer `NFKC`"),
        (expression, "the normalizer `Replace of the expression [a-z]`"),
    ];
    for (tokenizer, part) in cases {
        let temporary = tempdir().unwrap();
        write(temporary.path(), &tokenizer, &narrow_table(5));
        let message = convert(temporary.path()).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
        assert!(message.contains("tokenizer.json"), "{message}");
    }
}

#[test]
fn damaged_tokenizers_are_refused() {
    let mut no_vocabulary = unigram();
    no_vocabulary["model"]["vocab"] = json!(null);
    let mut no_scores = unigram();
    no_scores["model"]["vocab"] = json!(["a", "b"]);
    let mut unknown = unigram();
    unknown["model"]["unk_id"] = json!(77);
    let mut map = unigram();
    map["normalizer"] = json!({"type": "Precompiled", "precompiled_charsmap": "//////8="});
    for (tokenizer, field) in [
        (no_vocabulary, "model.vocab"),
        (no_scores, "model.vocab"),
        (unknown, "model.unk_id"),
        (map, "normalizer.precompiled_charsmap"),
    ] {
        let temporary = tempdir().unwrap();
        write(temporary.path(), &tokenizer, &narrow_table(5));
        let error = convert(temporary.path()).unwrap_err();
        assert!(
            matches!(error, ModelError::TokenizerField { field: found, .. } if found == field),
            "{error}"
        );
    }
}

#[test]
fn missing_files_and_foreign_files_are_told_apart() {
    let temporary = tempdir().unwrap();
    let root = temporary.path();
    let missing = |path: &Path| match StaticModel::open(path).unwrap_err() {
        ModelError::NotAModel { missing, .. } => missing,
        other => panic!("{other}"),
    };
    assert_eq!(missing(root), "model.safetensors");
    fs::write(root.join("model.safetensors"), narrow_table(5)).unwrap();
    assert_eq!(missing(root), "tokenizer.json");
    fs::write(root.join("tokenizer.json"), "{\"model\": ").unwrap();
    assert!(matches!(StaticModel::open(root).unwrap_err(), ModelError::Json { .. }));
    let absent = StaticModel::open(&root.join("absent")).unwrap_err();
    assert!(matches!(absent, ModelError::Read { .. }), "{absent}");
    let foreign = StaticModel::open(&root.join("tokenizer.json")).unwrap_err();
    assert!(matches!(foreign, ModelError::Corrupt { cause: CompactFault::Magic, .. }), "{foreign}");
}

#[test]
fn a_tokenizer_of_another_model_is_refused() {
    let temporary = tempdir().unwrap();
    write(temporary.path(), &unigram(), &narrow_table(4));
    let error = convert(temporary.path()).unwrap_err();
    assert!(matches!(error, ModelError::Mismatch { largest_id: 4, available: 4, .. }), "{error}");
}

#[test]
fn a_converted_model_is_the_same_from_its_file() {
    let temporary = tempdir().unwrap();
    let folder = temporary.path().join("m");
    write(&folder, &unigram(), &narrow_table(5));
    let file = temporary.path().join("m.hikumodel");
    fs::write(&file, convert(&folder).unwrap()).unwrap();
    let (direct, stored) = (StaticModel::open(&folder).unwrap(), StaticModel::open(&file).unwrap());
    assert_eq!(direct.id(), stored.id());
    assert_eq!(ids(&direct, "ab ba"), ids(&stored, "ab ba"));
}

#[test]
fn models_are_shared_between_threads_and_errors_travel() {
    fn shared<T: Send + Sync + std::fmt::Debug>() {}
    shared::<StaticModel>();
    shared::<ModelError>();
    let text = "one text, many threads: 一つの文";
    let expected = ids(StaticModel::builtin(), text);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(ids(StaticModel::builtin(), text), expected));
        }
    });
}

#[test]
fn the_built_in_model_is_whole() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/multilingual.hikumodel");
    let opened = StaticModel::open(&file).unwrap();
    let model = StaticModel::builtin();
    assert_eq!(opened.id(), model.id());
    assert_eq!(model.name(), "multilingual-v1");
    assert_eq!((model.dimensions(), model.vocabulary_size()), (256, 71_280));
}

fn small_model() -> Vec<u8> {
    let temporary = tempdir().unwrap();
    write(temporary.path(), &unigram(), &narrow_table(5));
    convert(temporary.path()).unwrap()
}

#[test]
fn a_compact_file_cut_anywhere_is_refused() {
    let whole = small_model();
    for length in (0..whole.len()).step_by(97).chain(whole.len() - 70..whole.len()) {
        let cut = StaticModel::from_bytes(whole[..length].to_vec(), Path::new("cut"));
        assert!(cut.is_err(), "at {length} of {}", whole.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn a_changed_byte_never_panics(place in 0usize..2_000, value: u8) {
        let mut bytes = small_model();
        let place = place % bytes.len();
        bytes[place] = value;
        if let Ok(model) = StaticModel::from_bytes(bytes, Path::new("changed")) {
            let mut found = Vec::new();
            model.tokenize("ab ba 猫 \u{301}x", &mut found);
            let mut sum = vec![0.0; model.dimensions()];
            for id in found {
                model.accumulate(id, 1.0, &mut sum);
            }
        }
    }
}
