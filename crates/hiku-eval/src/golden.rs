//! Golden files: a person's own labelled queries over a vault, one JSON object a line. Reads them
//! and adds to them; asks nothing.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::Deserialize;

use crate::error::Error;
use crate::judgements::{JudgedQuery, Judgements, Kind};
use crate::lines;
use crate::set::Query;

/// Grade of a relevant note.
pub(crate) const RELEVANT: i64 = 2;
/// Grade of a partly relevant note.
const PARTLY: i64 = 1;

/// A labelled query. Notes are named by their paths in the vault.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoldenQuery {
    /// Its identity in the file.
    pub id: String,
    /// What is asked.
    pub query: String,
    /// Notes that answer it. None: nothing in the vault does, and that is the label.
    #[serde(default)]
    pub relevant: Vec<String>,
    /// Notes that help: a gain in nDCG of half the size, and not relevant to other metrics.
    #[serde(default)]
    pub partly: Vec<String>,
    /// Notes that must not be found.
    #[serde(default)]
    pub must_not: Vec<String>,
    /// What sort of query it is; may be empty.
    #[serde(default)]
    pub category: String,
    /// A remark for readers; nothing depends on it.
    #[serde(default)]
    pub comment: String,
}

/// A golden file's queries in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Golden {
    /// The queries.
    pub queries: Vec<GoldenQuery>,
}

impl Golden {
    /// Reads a golden file.
    ///
    /// # Errors
    /// A file that cannot be read or has no queries, and a line that is not a labelled query: an
    /// unknown field, an id or query that occurs twice, an empty query, a note with two labels,
    /// partly relevant notes where none is relevant.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let queries = Self::read_numbered(path)?.into_iter().map(|(_, query)| query).collect();
        let golden = Golden { queries };
        if golden.queries.is_empty() {
            return Err(Error::Empty { path: path.to_path_buf(), what: "queries" });
        }
        Ok(golden)
    }

    /// The queries with their lines, 1-based; there may be none.
    fn read_numbered(path: &Path) -> Result<Vec<(usize, GoldenQuery)>, Error> {
        let mut known = HashSet::new();
        lines::read(path, |number, text| {
            let query: GoldenQuery = lines::parse_json(text)?;
            query.check()?;
            for (name, value) in [("id", &query.id), ("query", &query.query)] {
                if !known.insert((name, value.clone())) {
                    return Err(format!("the {name} {value:?} occurs twice"));
                }
            }
            Ok(Some((number, query)))
        })
    }

    /// The queries as they are asked.
    pub fn questions(&self) -> Vec<Query> {
        let question = |golden: &GoldenQuery| Query {
            id: golden.id.clone(),
            text: golden.query.clone(),
            ..Query::default()
        };
        self.queries.iter().map(question).collect()
    }

    /// The labels as judgements: grade 2 for relevant, 1 for partly relevant, relevant from 2.
    pub fn judgements(&self) -> Judgements {
        let judged = |golden: &GoldenQuery| JudgedQuery {
            id: golden.id.clone(),
            text: golden.query.clone(),
            category: golden.category.clone(),
            kind: if golden.relevant.is_empty() { Kind::Negative } else { Kind::Scored },
            grades: golden.grades(),
            must_not: golden.must_not.clone(),
            neutral: Vec::new(),
        };
        let queries = self.queries.iter().map(judged).collect();
        Judgements { queries, level: RELEVANT, missing: Vec::new() }
    }

    /// Adds a query to the file at `path` as one line, making the file if it is missing; its id
    /// follows the last one where it is empty. Gives the id. The lines that are there stay as they
    /// are, and other programs see all of the new line or nothing.
    ///
    /// # Errors
    /// As [`Golden::read`], for the file and for the new query; or the file cannot be written.
    pub fn add(path: &Path, mut query: GoldenQuery) -> Result<String, Error> {
        let known = if path.exists() { Self::read_numbered(path)? } else { Vec::new() };
        if query.id.is_empty() {
            query.id = next_id(&known);
        }
        let fault = |line, detail| Error::Line { path: path.to_path_buf(), line, detail };
        let end = known.last().map_or(1, |(line, _)| line + 1);
        query.check().map_err(|detail| fault(end, detail))?;
        if let Some((line, _)) = known.iter().find(|(_, known)| known.query == query.query) {
            return Err(fault(*line, format!("the query {:?} is here already", query.query)));
        }
        append(path, &query.line())
            .map_err(|source| Error::Write { path: path.to_path_buf(), source })?;
        Ok(query.id)
    }
}

/// The last id with its number raised until it is free; `g001` in an empty file.
fn next_id(known: &[(usize, GoldenQuery)]) -> String {
    let last = known.last().map_or("g000", |(_, query)| query.id.as_str());
    let stem = last.trim_end_matches(|c: char| c.is_ascii_digit());
    let (digits, width) = (&last[stem.len()..], last.len() - stem.len());
    let ids: HashSet<&str> = known.iter().map(|(_, query)| query.id.as_str()).collect();
    let first = digits.parse::<u64>().unwrap_or(0) + 1;
    let mut free = (first..).map(|number| format!("{stem}{number:0width$}"));
    free.find(|id| !ids.contains(id.as_str())).unwrap_or_default()
}

impl GoldenQuery {
    fn check(&self) -> Result<(), String> {
        if self.id.trim().is_empty() || self.query.trim().is_empty() {
            return Err("id and query must not be empty".to_owned());
        }
        if self.relevant.is_empty() && !self.partly.is_empty() {
            return Err("a query with partly relevant notes needs a relevant one".to_owned());
        }
        let mut labels = HashSet::new();
        let mut all = self.labels();
        match all.find(|label| !labels.insert(*label)) {
            Some(twice) => Err(format!("the note {twice:?} has two labels")),
            None => Ok(()),
        }
    }

    /// Every note that a label names.
    pub(crate) fn labels(&self) -> impl Iterator<Item = &String> {
        self.relevant.iter().chain(&self.partly).chain(&self.must_not)
    }

    fn grades(&self) -> HashMap<String, i64> {
        let relevant = self.relevant.iter().map(|note| (note.clone(), RELEVANT));
        relevant.chain(self.partly.iter().map(|note| (note.clone(), PARTLY))).collect()
    }

    /// The query as a line of a golden file, fields in the documented order.
    fn line(&self) -> String {
        let json = |text: &String| serde_json::Value::from(text.as_str()).to_string();
        let list = |notes: &[String]| {
            format!("[{}]", notes.iter().map(json).collect::<Vec<_>>().join(", "))
        };
        let mut line = format!(
            "{{\"id\": {}, \"query\": {}, \"relevant\": {}, \"partly\": {}, \"must_not\": {}, \
             \"category\": {}",
            json(&self.id),
            json(&self.query),
            list(&self.relevant),
            list(&self.partly),
            list(&self.must_not),
            json(&self.category),
        );
        if !self.comment.is_empty() {
            let _ = write!(line, ", \"comment\": {}", json(&self.comment));
        }
        line + "}\n"
    }
}

/// Appends in one write, and takes back what a full disk let through.
fn append(path: &Path, line: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).read(true).open(path)?;
    let length = file.metadata()?.len();
    let begins_a_line = length == 0 || last_byte(&mut file)? == b'\n';
    let text = if begins_a_line { line.to_owned() } else { format!("\n{line}") };
    file.write_all(text.as_bytes()).and_then(|()| file.sync_data()).inspect_err(|_| {
        let _ = fs::File::set_len(&file, length);
    })
}

fn last_byte(file: &mut File) -> io::Result<u8> {
    let mut byte = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut byte)?;
    Ok(byte[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Golden, Error> {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("g.jsonl");
        fs::write(&file, text).expect("the file");
        Golden::read(&file)
    }

    fn query(id: &str, query: &str, relevant: &[&str]) -> GoldenQuery {
        GoldenQuery {
            id: id.to_owned(),
            query: query.to_owned(),
            relevant: relevant.iter().map(ToString::to_string).collect(),
            ..GoldenQuery::default()
        }
    }

    #[test]
    fn labels_become_grades() {
        let golden = read(
            "{\"id\": \"a\", \"query\": \"x\", \"relevant\": [\"r.md\"], \"partly\": [\"p.md\"], \
             \"must_not\": [\"m.md\"], \"category\": \"c\"}\n{\"id\": \"b\", \"query\": \"y\"}\n",
        );
        let judgements = golden.expect("a golden file").judgements();
        let [first, second] = &judgements.queries[..] else { panic!("two queries") };
        assert_eq!(["r.md", "p.md", "m.md", "x"].map(|id| first.grade(id)), [2, 1, 0, 0]);
        assert_eq!((first.kind, second.kind), (Kind::Scored, Kind::Negative));
        assert_eq!((judgements.level, first.category.as_str()), (2, "c"));
    }

    #[test]
    fn faults_name_file_and_line() {
        let check = |text: &str, expected: &str| {
            let message = read(text).expect_err("a fault").to_string();
            assert!(message.contains(expected), "{message}");
        };
        let first = "{\"id\": \"a\", \"query\": \"x\"}\n";
        check("", "g.jsonl has no queries");
        check(&format!("{first}{{"), "g.jsonl:2: EOF while parsing");
        check("{\"id\": \"a\"}", "g.jsonl:1: missing field `query`");
        check(
            "{\"id\": \"a\", \"query\": \"x\", \"must-not\": []}",
            "g.jsonl:1: unknown field `must-not`, expected one of `id`, `query`, `relevant`",
        );
        check(&format!("{first}{first}"), "g.jsonl:2: the id \"a\" occurs twice");
        check(
            &format!("{first}{{\"id\": \"b\", \"query\": \"x\"}}"),
            "g.jsonl:2: the query \"x\" occurs twice",
        );
        check("{\"id\": \"a\", \"query\": \" \"}", "g.jsonl:1: id and query must not be empty");
        let labelled = |labels: &str| format!("{{\"id\": \"a\", \"query\": \"x\", {labels}}}");
        check(&labelled("\"partly\": [\"p\"]"), "g.jsonl:1: a query with partly relevant notes");
        check(
            &labelled("\"relevant\": [\"r\"], \"must_not\": [\"r\"]"),
            "g.jsonl:1: the note \"r\" has two labels",
        );
    }

    #[test]
    fn queries_are_added_behind_the_others() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("g.jsonl");
        assert_eq!(
            Golden::add(&file, query("", "引く \"x\"", &["a b.md"])).expect("added"),
            "g001"
        );
        let line = "{\"id\": \"g001\", \"query\": \"引く \\\"x\\\"\", \"relevant\": [\"a b.md\"], \
                    \"partly\": [], \"must_not\": [], \"category\": \"\"}\n";
        assert_eq!(fs::read_to_string(&file).expect("the file"), line);
        fs::write(&file, "{\"id\": \"q9\", \"query\": \"z\"}").expect("the file");
        assert_eq!(Golden::add(&file, query("", "y", &[])).expect("added"), "q10");
        assert_eq!(Golden::add(&file, query("own", "w", &[])).expect("added"), "own");
        assert_eq!(Golden::add(&file, query("", "v", &[])).expect("added"), "own1");
        let before = fs::read_to_string(&file).expect("the file");
        let refused = Golden::add(&file, query("", "y", &["a.md"])).expect_err("it is there");
        assert!(refused.to_string().ends_with("g.jsonl:2: the query \"y\" is here already"));
        assert!(Golden::add(&file, query("", " ", &[])).is_err());
        assert_eq!(fs::read_to_string(&file).expect("the file"), before);
        assert_eq!(Golden::read(&file).expect("a golden file").queries.len(), 4);
    }
}
