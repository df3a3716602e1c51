//! A judged set as it is on disk: `corpus.jsonl` and `queries.jsonl` in BEIR layout (Thakur et al.
//! 2021). Reads files; indexes and asks nothing. Its judgements are read in `qrels`.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::error::Error;
use crate::lines;

/// Longest `info.json` that is read, in bytes.
const MAX_INFO_BYTES: u64 = 1 << 20;

/// A document of the corpus.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Document {
    /// Its identity, to the letter.
    #[serde(rename = "_id")]
    pub id: String,
    /// Its title; absent and empty are the same.
    #[serde(default)]
    pub title: String,
    /// Its text, which may be empty.
    #[serde(default)]
    pub text: String,
}

/// A query.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Query {
    /// Its identity, to the letter.
    #[serde(rename = "_id")]
    pub id: String,
    /// What is asked.
    pub text: String,
    /// What else is known of it.
    #[serde(default)]
    pub metadata: QueryMetadata,
}

/// What a set may say of a query beside its text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct QueryMetadata {
    /// Its category, or empty.
    pub category: String,
    /// Documents that are taken out of a ranking before it is scored.
    pub neutral: Vec<String>,
}

/// A set's corpus and queries. Judgements are not needed to answer it.
#[derive(Debug, Clone, Default)]
pub struct JudgedSet {
    /// The documents in the order of the file.
    pub documents: Vec<Document>,
    /// The queries in the order of the file.
    pub queries: Vec<Query>,
    /// Place of each document by its id.
    pub(crate) places: HashMap<String, usize>,
}

/// What `info.json` may say about the corpus.
#[derive(Debug, Default, Deserialize)]
struct Info {
    corpus_set: Option<String>,
}

impl JudgedSet {
    /// Reads a set. Where its `info.json` names a `corpus_set`, the corpus is the one in the
    /// sibling folder of that name.
    ///
    /// # Errors
    /// A missing or malformed file, an id that occurs twice, a corpus without documents.
    pub fn read(folder: &Path) -> Result<Self, Error> {
        let corpus = corpus_file(folder)?;
        let documents: Vec<Document> = lines::read_json(&corpus)?;
        if documents.is_empty() {
            return Err(Error::Empty { path: corpus, what: "documents" });
        }
        let queries = read_queries(folder)?;
        let places = places(&documents, &corpus)?;
        Ok(JudgedSet { documents, queries, places })
    }
}

fn corpus_file(folder: &Path) -> Result<PathBuf, Error> {
    let path = folder.join("info.json");
    let info = match hiku::vault::read_regular(&path, MAX_INFO_BYTES) {
        Err(source) if source.kind() == ErrorKind::NotFound => Info::default(),
        Err(source) => return Err(Error::Read { path, source }),
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| Error::Line {
            line: error.line(),
            detail: error.to_string(),
            path,
        })?,
    };
    // A name only: a set must not lead to files elsewhere.
    let sibling = info.corpus_set.filter(|name| !name.contains(['/', '\\']) && name != "..");
    let folder = match sibling {
        Some(name) => folder.join("..").join(name),
        None => folder.to_path_buf(),
    };
    Ok(folder.join("corpus.jsonl"))
}

/// Reads a set's queries.
///
/// # Errors
/// A missing or malformed file.
pub(crate) fn read_queries(folder: &Path) -> Result<Vec<Query>, Error> {
    lines::read_json(&folder.join("queries.jsonl"))
}

fn places(documents: &[Document], corpus: &Path) -> Result<HashMap<String, usize>, Error> {
    let mut places = HashMap::with_capacity(documents.len());
    for (place, document) in documents.iter().enumerate() {
        if places.insert(document.id.clone(), place).is_some() {
            let detail = format!("the id {:?} occurs twice", document.id);
            return Err(Error::Line { path: corpus.to_path_buf(), line: place + 1, detail });
        }
    }
    Ok(places)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::fs;

    use super::*;

    /// Writes a set with this corpus and these queries, and reads it.
    pub(crate) fn set(corpus: &str, queries: &str) -> Result<JudgedSet, Error> {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("corpus.jsonl"), corpus).expect("the corpus");
        fs::write(folder.path().join("queries.jsonl"), queries).expect("the queries");
        JudgedSet::read(folder.path())
    }

    #[test]
    fn titles_may_be_missing_and_texts_empty() {
        let set = set(
            "{\"_id\": \"a b\", \"title\": \"A\", \"text\": \"\"}\n\n{\"_id\": \"2\", \"text\": \"x\"}\r\n",
            "{\"_id\": \"q\", \"text\": \"あ\", \"metadata\": {\"neutral\": []}}",
        )
        .expect("a set");
        let document = |id: &str, title: &str, text: &str| Document {
            id: id.to_owned(),
            title: title.to_owned(),
            text: text.to_owned(),
        };
        assert_eq!(set.documents, [document("a b", "A", ""), document("2", "", "x")]);
        let query = Query { id: "q".to_owned(), text: "あ".to_owned(), ..Query::default() };
        assert_eq!(set.queries, [query]);
    }

    #[test]
    fn faults_name_file_and_line() {
        let check = |corpus: &str, expected: &str| {
            let message = set(corpus, "").expect_err("a fault").to_string();
            assert!(message.contains(expected), "{message}");
        };
        check("", "corpus.jsonl has no documents");
        check("{\"_id\": \"1\"}\n{", "corpus.jsonl:2: ");
        check("{\"_id\": \"1\"}\n{\"_id\": \"1\"}", "corpus.jsonl:2: the id \"1\" occurs twice");
    }

    #[test]
    fn a_corpus_may_be_a_siblings() {
        let folder = tempfile::tempdir().expect("a folder");
        for (file, text) in [
            ("one/corpus.jsonl", "{\"_id\": \"1\"}"),
            ("two/info.json", "{\"corpus_set\": \"one\"}"),
            ("two/queries.jsonl", ""),
        ] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        assert_eq!(JudgedSet::read(&folder.path().join("two")).expect("a set").documents.len(), 1);
    }
}
