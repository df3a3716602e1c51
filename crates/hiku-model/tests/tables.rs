//! Tables of all element types, mapping and weights, and headers that lie.

use std::fs;
use std::path::Path;

use hiku_model::{ModelError, StaticModel, TensorFault, convert};
use proptest::prelude::*;
use tempfile::tempdir;

use crate::fixture::{Tensor, floats, safetensors, unigram, with_header, write};

/// The rows of the five pieces of the small Unigram tokenizer, all exact in 16 bits.
const ROWS: [[f32; 3]; 5] =
    [[0.0, 0.0, 0.0], [1.0, -2.0, 0.5], [-0.25, 100.0, 3.0], [7.0, 8.0, -9.0], [0.125, 0.0, -1.0]];

fn open(tensors: &[u8]) -> Result<StaticModel, ModelError> {
    let temporary = tempdir().unwrap();
    write(temporary.path(), &unigram(), tensors);
    StaticModel::open(temporary.path())
}

fn fault(tensors: &[u8]) -> TensorFault {
    match open(tensors).unwrap_err() {
        ModelError::Safetensors { cause, .. } => cause,
        other => panic!("{other}"),
    }
}

fn row(model: &StaticModel, id: u32) -> Vec<f32> {
    let mut sum = vec![0.0; model.dimensions()];
    model.accumulate(id, 1.0, &mut sum);
    sum
}

/// The upper half of a float's bits with the exponent of 16-bit floats; for exact numbers only.
fn half(number: f32) -> u16 {
    let bits = number.to_bits();
    let sign = (bits >> 16) & 0x8000;
    if number == 0.0 {
        return sign as u16;
    }
    (sign | ((((bits >> 23) & 0xFF) - 112) << 10) | ((bits >> 13) & 0x3FF)) as u16
}

#[test]
fn all_float_types_and_names_give_the_same_rows() {
    let flat = ROWS.as_flattened();
    let encodings: [(&str, Vec<u8>); 4] = [
        ("F32", floats(flat)),
        ("F64", flat.iter().flat_map(|number| f64::from(*number).to_le_bytes()).collect()),
        ("F16", flat.iter().flat_map(|number| half(*number).to_le_bytes()).collect()),
        (
            "BF16",
            flat.iter()
                .flat_map(|number| ((number.to_bits() >> 16) as u16).to_le_bytes())
                .collect(),
        ),
    ];
    for (dtype, bytes) in encodings {
        for name in ["embeddings", "embedding.weight", "0"] {
            let model = open(&safetensors(&[(name, dtype, vec![5, 3], bytes.clone())])).unwrap();
            for (id, expected) in ROWS.iter().enumerate() {
                assert_eq!(row(&model, id as u32), expected, "{dtype} {name} {id}");
            }
        }
    }
}

#[test]
fn signed_bytes_are_signed() {
    let bytes: Vec<u8> = vec![0, 1, 127, 128, 255, 2, 3, 4, 5, 6];
    let model = open(&safetensors(&[("embeddings", "I8", vec![5, 2], bytes)])).unwrap();
    assert_eq!(row(&model, 1), [127.0, -128.0]);
    assert_eq!(row(&model, 2), [-1.0, 2.0]);
}

#[test]
fn many_rows_add_up_like_single_ones() {
    let model = StaticModel::builtin();
    let ids: Vec<u32> = (0..500).map(|index| index * 95).collect();
    let weights: Vec<f32> = (0..500).map(|index| 0.25 + index as f32 / 256.0).collect();
    let (mut together, mut singly) = (vec![0.0; 256], vec![0.0; 256]);
    model.accumulate_all(&ids, &weights, &mut together);
    for (id, weight) in ids.iter().zip(&weights) {
        model.accumulate(*id, *weight, &mut singly);
    }
    assert_eq!(together, singly);
    assert!(together.iter().any(|number| *number != 0.0));
}

#[test]
fn mapping_and_weights_are_followed() {
    let mapping = [2i64, 0, 1, 1, 2];
    let small: Vec<u8> = mapping.iter().flat_map(|row| (*row as i32).to_le_bytes()).collect();
    let large: Vec<u8> = mapping.iter().flat_map(|row| row.to_le_bytes()).collect();
    for (dtype, bytes) in [("I32", small), ("I64", large)] {
        let tensors: [Tensor<'_>; 3] = [
            ("embeddings", "F32", vec![3, 1], floats(&[10.0, 20.0, 30.0])),
            ("mapping", dtype, vec![5], bytes),
            ("weights", "F32", vec![5], floats(&[1.0, 0.5, 2.0, -1.0, 0.0])),
        ];
        let model = open(&safetensors(&tensors)).unwrap();
        let found: Vec<f32> = (0..5).flat_map(|id| row(&model, id)).collect();
        assert_eq!(found, [30.0, 5.0, 40.0, -20.0, 0.0], "{dtype}");
        assert_eq!(model.vocabulary_size(), 5);
    }
}

#[test]
fn headers_that_lie_are_found_out() {
    let data = floats(&[1.0; 15]);
    let entry = |shape: &str, offsets: &str| {
        format!(r#"{{"embeddings":{{"dtype":"F32","shape":{shape},"data_offsets":{offsets}}}}}"#)
    };
    let extent = || TensorFault::Extent { name: "embeddings".into() };
    let cases = [
        (entry("[5,4]", "[0,60]"), extent()),
        (entry("[5,3]", "[0,61]"), extent()),
        (entry("[5,3]", "[4,64]"), extent()),
        (entry("[5,3]", "[60,0]"), extent()),
        (entry("[4611686018427387904,8]", "[0,60]"), extent()),
        (entry("[5,3]", "[18446744073709551615,1]"), extent()),
        (
            entry("[15]", "[0,60]"),
            TensorFault::Shape { name: "embeddings".into(), shape: vec![15] },
        ),
        (
            entry("[0,3]", "[0,0]"),
            TensorFault::Shape { name: "embeddings".into(), shape: vec![0, 3] },
        ),
        (entry("[-5,3]", "[0,60]"), TensorFault::BadHeader),
        (entry("[5,3]", "[0]"), TensorFault::BadHeader),
        ("[]".to_owned(), TensorFault::BadHeader),
        ("{".to_owned(), TensorFault::BadHeader),
        ("{}".to_owned(), TensorFault::NoTable),
    ];
    for (header, expected) in cases {
        assert_eq!(fault(&with_header(&header, &data)), expected, "{header}");
    }
}

#[test]
fn numbers_that_are_not_finite_are_refused() {
    for number in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut rows = [1.0; 5];
        rows[3] = number;
        let table = safetensors(&[("embeddings", "F32", vec![5, 1], floats(&rows))]);
        assert_eq!(fault(&table), TensorFault::NotFinite { name: "embeddings".into(), index: 3 });
        let weighted = safetensors(&[
            ("embeddings", "I8", vec![5, 1], vec![1; 5]),
            ("weights", "F32", vec![5], floats(&rows)),
        ]);
        assert_eq!(fault(&weighted), TensorFault::NotFinite { name: "weights".into(), index: 3 });
    }
}

#[test]
fn impossible_types_and_mappings_are_refused() {
    let integers = safetensors(&[("embeddings", "I32", vec![5, 1], vec![0; 20])]);
    let unknown = safetensors(&[("embeddings", "F8_E4M3", vec![5, 1], vec![0; 5])]);
    for (file, dtype) in [(integers, "I32"), (unknown, "F8_E4M3")] {
        let expected = TensorFault::ElementType { name: "embeddings".into(), dtype: dtype.into() };
        assert_eq!(fault(&file), expected);
    }
    for wrong in [-1i32, 5] {
        let mapping = [0, 1, wrong, 3, 4].iter().flat_map(|row: &i32| row.to_le_bytes()).collect();
        let file = safetensors(&[
            ("embeddings", "I8", vec![5, 1], vec![1; 5]),
            ("mapping", "I32", vec![5], mapping),
        ]);
        assert_eq!(fault(&file), TensorFault::Mapping { id: 2, row: i64::from(wrong), rows: 5 });
    }
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    let whole = safetensors(&[("embeddings", "F32", vec![5, 3], floats(ROWS.as_flattened()))]);
    for length in 0..whole.len() {
        assert!(open(&whole[..length]).is_err(), "at {length}");
    }
}

#[test]
fn a_row_of_zeros_and_a_text_without_pieces_add_nothing() {
    let table = safetensors(&[("embeddings", "F32", vec![5, 3], floats(ROWS.as_flattened()))]);
    let model = open(&table).unwrap();
    assert_eq!(row(&model, 0), [0.0; 3]);
    let mut sum = vec![0.0; 3];
    model.accumulate_all(&[], &[], &mut sum);
    assert_eq!(sum, [0.0; 3]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn any_bytes_for_a_table_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let temporary = tempdir().unwrap();
        fs::write(temporary.path().join("model.safetensors"), bytes).unwrap();
        fs::write(temporary.path().join("tokenizer.json"), unigram().to_string()).unwrap();
        prop_assert!(convert(Path::new(temporary.path())).is_err());
    }
}
