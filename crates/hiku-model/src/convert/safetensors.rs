//! Reads the table of a model from a safetensors file: eight bytes of header length, a JSON header,
//! the numbers. Believes nothing that the header says. Not responsible for the tokenizer.

use std::ops::Range;
use std::path::Path;

use serde_json::{Map, Value};

use crate::error::{ModelError, TensorFault};
use crate::file::read_file;
use crate::format::{Writer, read_u64};
use crate::table::Element;

/// Names of the table, in the order in which they are tried: `Model2Vec`'s own, then those of
/// sentence-transformers.
const TABLE_NAMES: [&str; 3] = ["embeddings", "embedding.weight", "0"];

/// The table of a model.
#[derive(Debug)]
pub(super) struct Tensors {
    pub(super) rows: usize,
    pub(super) dimensions: usize,
    pub(super) element: Element,
    numbers: Vec<u8>,
    mapping: Option<Vec<u32>>,
    weights: Option<Vec<f32>>,
}

impl Tensors {
    /// Reads and checks the table, and mapping and weights where they are.
    pub(super) fn read(path: &Path) -> Result<Tensors, ModelError> {
        let bytes = read_file(path)?;
        Self::parse(&bytes)
            .map_err(|cause| ModelError::Safetensors { path: path.to_owned(), cause })
    }

    fn parse(bytes: &[u8]) -> Result<Tensors, TensorFault> {
        let file = File::parse(bytes)?;
        let table = TABLE_NAMES.iter().find_map(|name| file.tensor(name).transpose());
        let table = table.ok_or(TensorFault::NoTable)??;
        let &[rows, dimensions] = table.shape.as_slice() else { return Err(table.bad_shape()) };
        if rows == 0 || dimensions == 0 || rows.max(dimensions) > u32::MAX as usize {
            return Err(table.bad_shape());
        }
        let element = if table.dtype == "I8" { Element::Int8 } else { Element::Float32 };
        let numbers = table.numbers()?;
        let mapping = file.tensor("mapping")?.map(|mapping| mapping.mapping(rows)).transpose()?;
        let weights = file.tensor("weights")?.map(|weights| weights.vector()).transpose()?;
        Ok(Tensors { rows, dimensions, element, numbers, mapping, weights })
    }

    /// The number of ids that the table covers.
    pub(super) fn entries(&self) -> usize {
        let mapped = self.mapping.as_ref().map_or(self.rows, Vec::len);
        self.weights.as_ref().map_or(mapped, |weights| weights.len().min(mapped))
    }

    /// Moves the table into its sections.
    pub(super) fn write(&mut self, writer: &mut Writer) {
        writer.add("ROWS", std::mem::take(&mut self.numbers));
        if let Some(mapping) = &self.mapping {
            writer.add("MAPP", mapping.iter().flat_map(|row| row.to_le_bytes()).collect());
        }
        if let Some(weights) = &self.weights {
            writer.add("WGHT", weights.iter().flat_map(|weight| weight.to_le_bytes()).collect());
        }
    }
}

/// A safetensors file with its header.
struct File<'a> {
    header: Map<String, Value>,
    data: &'a [u8],
}

impl<'a> File<'a> {
    fn parse(bytes: &'a [u8]) -> Result<Self, TensorFault> {
        let length = read_u64(bytes, 0).ok_or(TensorFault::TruncatedHeader)?;
        let end = usize::try_from(length).ok().and_then(|length| length.checked_add(8));
        let end = end.filter(|end| *end <= bytes.len()).ok_or(TensorFault::TruncatedHeader)?;
        match serde_json::from_slice(&bytes[8..end]) {
            Ok(Value::Object(header)) => Ok(File { header, data: &bytes[end..] }),
            _ => Err(TensorFault::BadHeader),
        }
    }

    /// A tensor by name, with bytes that fit its shape.
    fn tensor(&self, name: &str) -> Result<Option<Tensor<'a>>, TensorFault> {
        let Some(entry) = self.header.get(name) else { return Ok(None) };
        let dtype = entry["dtype"].as_str().ok_or(TensorFault::BadHeader)?.to_owned();
        let shape = numbers(&entry["shape"]).ok_or(TensorFault::BadHeader)?;
        let offsets = numbers(&entry["data_offsets"]).ok_or(TensorFault::BadHeader)?;
        let &[start, end] = offsets.as_slice() else { return Err(TensorFault::BadHeader) };
        let size = element_size(&dtype)
            .ok_or_else(|| TensorFault::ElementType { name: name.into(), dtype: dtype.clone() })?;
        let expected = shape.iter().try_fold(size, |product, side| product.checked_mul(*side));
        let bytes = self.data.get(Range { start, end });
        let bytes = bytes.filter(|bytes| Some(bytes.len()) == expected);
        let bytes = bytes.ok_or_else(|| TensorFault::Extent { name: name.to_owned() })?;
        Ok(Some(Tensor { name: name.to_owned(), dtype, shape, bytes }))
    }
}

/// One tensor.
struct Tensor<'a> {
    name: String,
    dtype: String,
    shape: Vec<usize>,
    bytes: &'a [u8],
}

impl Tensor<'_> {
    fn bad_shape(&self) -> TensorFault {
        TensorFault::Shape { name: self.name.clone(), shape: self.shape.clone() }
    }

    fn bad_type(&self) -> TensorFault {
        TensorFault::ElementType { name: self.name.clone(), dtype: self.dtype.clone() }
    }

    /// The table's bytes in the compact form: as they are, or as 32-bit floats. Large tables are
    /// copied only once.
    fn numbers(&self) -> Result<Vec<u8>, TensorFault> {
        match self.dtype.as_str() {
            "I8" => Ok(self.bytes.to_vec()),
            "F32" => {
                let (fours, _) = self.bytes.as_chunks();
                self.check_finite(fours.iter().map(|bytes| f32::from_le_bytes(*bytes)))?;
                Ok(self.bytes.to_vec())
            }
            _ => Ok(self.floats()?.iter().flat_map(|number| number.to_le_bytes()).collect()),
        }
    }

    /// The numbers as 32-bit floats, all finite.
    fn floats(&self) -> Result<Vec<f32>, TensorFault> {
        let (pairs, fours, eights) =
            (self.bytes.as_chunks().0, self.bytes.as_chunks().0, self.bytes.as_chunks().0);
        let floats: Vec<f32> = match self.dtype.as_str() {
            "F16" => pairs.iter().map(|bytes| half(u16::from_le_bytes(*bytes))).collect(),
            "BF16" => pairs
                .iter()
                .map(|bytes| f32::from_bits(u32::from(u16::from_le_bytes(*bytes)) << 16))
                .collect(),
            "F32" => fours.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect(),
            "F64" => eights.iter().map(|bytes| f64::from_le_bytes(*bytes) as f32).collect(),
            _ => return Err(self.bad_type()),
        };
        self.check_finite(floats.iter().copied())?;
        Ok(floats)
    }

    fn check_finite(&self, mut numbers: impl Iterator<Item = f32>) -> Result<(), TensorFault> {
        match numbers.position(|number| !number.is_finite()) {
            Some(index) => Err(TensorFault::NotFinite { name: self.name.clone(), index }),
            None => Ok(()),
        }
    }

    /// A tensor of one dimension as floats.
    fn vector(&self) -> Result<Vec<f32>, TensorFault> {
        if self.shape.len() == 1 { self.floats() } else { Err(self.bad_shape()) }
    }

    /// A tensor of one dimension as row numbers.
    fn mapping(&self, rows: usize) -> Result<Vec<u32>, TensorFault> {
        if self.shape.len() != 1 {
            return Err(self.bad_shape());
        }
        let (fours, eights) = (self.bytes.as_chunks().0, self.bytes.as_chunks().0);
        let mapping: Vec<i64> = match self.dtype.as_str() {
            "I32" => fours.iter().map(|bytes| i64::from(i32::from_le_bytes(*bytes))).collect(),
            "I64" => eights.iter().map(|bytes| i64::from_le_bytes(*bytes)).collect(),
            _ => return Err(self.bad_type()),
        };
        let check = |(id, row): (usize, &i64)| {
            let fits = usize::try_from(*row).is_ok_and(|row| row < rows);
            if fits { Ok(*row as u32) } else { Err(TensorFault::Mapping { id, row: *row, rows }) }
        };
        mapping.iter().enumerate().map(check).collect()
    }
}

/// Size in bytes of an element type.
fn element_size(dtype: &str) -> Option<usize> {
    Some(match dtype {
        "I8" | "U8" | "BOOL" => 1,
        "F16" | "BF16" | "I16" | "U16" => 2,
        "F32" | "I32" | "U32" => 4,
        "F64" | "I64" | "U64" => 8,
        _ => return None,
    })
}

/// A JSON list of sizes.
fn numbers(value: &Value) -> Option<Vec<usize>> {
    let list = value.as_array()?.iter();
    list.map(|number| usize::try_from(number.as_u64()?).ok()).collect()
}

/// A 16-bit float (IEEE 754 binary16) as a 32-bit one.
fn half(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let exponent = i32::from((bits >> 10) & 0x1F);
    let fraction = f32::from(bits & 0x3FF);
    sign * match exponent {
        0 => fraction * 2f32.powi(-24),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction / 1024.0) * 2f32.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_exact() {
        let cases = [
            (0x0000, 0.0),
            (0x3C00, 1.0),
            (0xC000, -2.0),
            (0x7BFF, 65504.0),
            (0x0001, 5.960_464_5e-8),
            (0x3555, 0.333_251_95),
            (0x7C00, f32::INFINITY),
        ];
        for (bits, expected) in cases {
            assert_eq!(half(bits).to_bits(), f32::to_bits(expected), "{bits:#x}");
        }
        assert!(half(0x7E00).is_nan());
    }
}
