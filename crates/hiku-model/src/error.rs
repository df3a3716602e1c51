//! Why a model cannot be opened or converted: each error names the file, the cause and the next
//! step. Not responsible for how errors are shown.

use std::path::PathBuf;

/// An error while opening or converting a model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A file could not be read or the folder could not be listed.
    #[error("cannot read {path}: {source}; check that the file exists and is readable", path = .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        source: std::io::Error,
    },
    /// The path is neither a compact model file nor a folder with a model in it.
    #[error("{path} holds no model ({missing} is missing); give a .hikumodel file or a folder with model.safetensors and tokenizer.json", path = .path.display())]
    NotAModel {
        /// The path that was given.
        path: PathBuf,
        /// The name of the file that was looked for.
        missing: &'static str,
    },
    /// A JSON file does not parse.
    #[error("{path} is not valid JSON: {source}; download the file again", path = .path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// The parser's reason, with line and column.
        source: serde_json::Error,
    },
    /// A safetensors file contradicts itself, is cut short, or holds no usable table.
    #[error("{path} is not a usable safetensors file: {cause}; download the file again or choose another model", path = .path.display())]
    Safetensors {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        cause: TensorFault,
    },
    /// A tokenizer uses a part that the compact form does not have.
    #[error("{path} needs the {part} `{kind}`, which is not supported; choose a model with a WordPiece or Unigram tokenizer", path = .path.display())]
    UnsupportedTokenizer {
        /// The file.
        path: PathBuf,
        /// Which part of the tokenizer: "model", "normalizer", "pre-tokenizer" or "option".
        part: &'static str,
        /// The name that the file gives.
        kind: String,
    },
    /// A tokenizer file lacks a field or has one of the wrong kind.
    #[error("{path} has no usable `{field}`; download the file again or choose another model", path = .path.display())]
    TokenizerField {
        /// The file.
        path: PathBuf,
        /// The field's path inside the file.
        field: &'static str,
    },
    /// The tokenizer has pieces for which the table has no row.
    #[error("{path}: the tokenizer gives ids up to {largest_id}, but the table has {available} entries; the two files belong to different models, download both again", path = .path.display())]
    Mismatch {
        /// The model's folder.
        path: PathBuf,
        /// The largest id of the tokenizer.
        largest_id: u32,
        /// The number of ids that the table covers.
        available: usize,
    },
    /// A compact model file is damaged.
    #[error("{path} is not a usable compact model: {cause}; convert the model again", path = .path.display())]
    Corrupt {
        /// The file, or the name of the built-in model.
        path: PathBuf,
        /// What is wrong.
        cause: CompactFault,
    },
}

/// What is wrong with a safetensors file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TensorFault {
    /// The file ends before its header does.
    #[error("the file is cut short inside its header")]
    TruncatedHeader,
    /// The header is not a JSON object of tensors.
    #[error("the header is not a JSON object")]
    BadHeader,
    /// None of the known table names is there.
    #[error("no tensor is named embeddings, embedding.weight or 0")]
    NoTable,
    /// A tensor's element type has no meaning here.
    #[error("tensor {name} has the element type {dtype}")]
    ElementType {
        /// The tensor.
        name: String,
        /// Its element type as written.
        dtype: String,
    },
    /// A tensor's shape is not the expected one.
    #[error("tensor {name} has the shape {shape:?}")]
    Shape {
        /// The tensor.
        name: String,
        /// Its shape as written.
        shape: Vec<usize>,
    },
    /// A tensor's bytes lie outside the file or do not fit its shape.
    #[error("the bytes of tensor {name} do not fit its shape or the file")]
    Extent {
        /// The tensor.
        name: String,
    },
    /// A tensor holds an infinite number or none at all.
    #[error("tensor {name} holds a number that is not finite, at element {index}")]
    NotFinite {
        /// The tensor.
        name: String,
        /// The position in row order.
        index: usize,
    },
    /// The mapping points to a row that is not there.
    #[error("the mapping of piece {id} points to row {row}, but there are {rows}")]
    Mapping {
        /// The piece.
        id: usize,
        /// The row that it points to.
        row: i64,
        /// The number of rows.
        rows: usize,
    },
}

/// What is wrong with a compact model file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompactFault {
    /// The file does not begin as a compact model does.
    #[error("it does not begin with the format's mark")]
    Magic,
    /// The file was written by another version of the format.
    #[error("it has format version {found}, this program reads version {expected}")]
    Version {
        /// The file's version.
        found: u32,
        /// The version that is read.
        expected: u32,
    },
    /// A section is missing, cut short or of the wrong size.
    #[error("the section {section} is missing or has the wrong size")]
    Section {
        /// The section's four letters.
        section: &'static str,
    },
    /// A section's content contradicts another's.
    #[error("the section {section} is damaged")]
    Content {
        /// The section's four letters.
        section: &'static str,
    },
    /// The content does not give the identity that the header states.
    #[error("its content does not match its own checksum")]
    Checksum,
}
