//! Reads judgements: a set's `qrels.tsv`, TREC's layout, or whatever a path holds.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::golden::Golden;
use crate::judgements::{JudgedQuery, Judgements, Kind};
use crate::lines;
use crate::set::{JudgedSet, Query, read_queries};

impl Judgements {
    /// Reads a judged set's folder, a golden file (JSON lines), or a file of judgements alone
    /// (`query-id corpus-id score` with a first line of names, or TREC's `query 0 document grade`).
    ///
    /// # Errors
    /// A missing or malformed file, or one without judgements.
    pub fn read(path: &Path) -> Result<Self, Error> {
        if path.is_dir() {
            return of_set(path, read_queries(path)?);
        }
        if path.extension().is_some_and(|end| end == "jsonl") {
            return Ok(Golden::read(path)?.judgements());
        }
        let (order, grades) = read_grades(path)?;
        let query = |id: String| Query { id, ..Query::default() };
        Ok(join(order.into_iter().map(query).collect(), grades))
    }
}

impl JudgedSet {
    /// Reads the set's judgements, `qrels.tsv` or `qrels/test.tsv` in its folder; `None` where it
    /// has neither.
    ///
    /// # Errors
    /// A malformed file, or one without judgements.
    pub fn judgements(&self, folder: &Path) -> Result<Option<Judgements>, Error> {
        if !qrels_file(folder).is_file() {
            return Ok(None);
        }
        of_set(folder, self.queries.clone()).map(Some)
    }
}

/// Joins a set's queries with the judgements in its folder.
fn of_set(folder: &Path, queries: Vec<Query>) -> Result<Judgements, Error> {
    Ok(join(queries, read_grades(&qrels_file(folder))?.1))
}

/// `qrels.tsv`, or `qrels/test.tsv` as the sets of BEIR have it.
fn qrels_file(folder: &Path) -> PathBuf {
    let nested = folder.join("qrels").join("test.tsv");
    if nested.is_file() { nested } else { folder.join("qrels.tsv") }
}

fn join(queries: Vec<Query>, mut grades: HashMap<String, HashMap<String, i64>>) -> Judgements {
    let judged = queries.into_iter().map(|query| {
        let grades = grades.remove(&query.id).unwrap_or_default();
        let is_scored = grades.values().any(|grade| *grade > 0);
        JudgedQuery {
            kind: if is_scored { Kind::Scored } else { Kind::Unjudged },
            id: query.id,
            text: query.text,
            category: query.metadata.category,
            neutral: query.metadata.neutral,
            must_not: Vec::new(),
            grades,
        }
    });
    Judgements { queries: judged.collect(), level: 1, missing: Vec::new() }
}

/// The ids of the queries in the order of the file, and each query's grades.
type Grades = (Vec<String>, HashMap<String, HashMap<String, i64>>);

fn read_grades(path: &Path) -> Result<Grades, Error> {
    let mut order = Vec::new();
    let mut grades: HashMap<String, HashMap<String, i64>> = HashMap::new();
    lines::read(path, |number, text| {
        let fields = lines::fields(text);
        let ([query, document, grade] | [query, _, document, grade]) = fields[..] else {
            return Err(format!("a judgement has 3 or 4 fields, and this has {}", fields.len()));
        };
        let Ok(grade) = grade.trim().parse::<i64>() else {
            let is_names = number == 1;
            let fault = format!("the grade {grade:?} is no whole number");
            return if is_names { Ok(None) } else { Err(fault) };
        };
        let of_query = grades.entry(query.to_owned()).or_insert_with(|| {
            order.push(query.to_owned());
            HashMap::new()
        });
        match of_query.insert(document.to_owned(), grade) {
            Some(other) if other != grade => {
                Err(format!("{document:?} has the grade {other} for query {query:?} already"))
            }
            _ => Ok(Some(())),
        }
    })?;
    if order.is_empty() {
        return Err(Error::Empty { path: path.to_path_buf(), what: "judgements" });
    }
    Ok((order, grades))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn read(text: &str) -> Result<Judgements, Error> {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("qrels.tsv");
        fs::write(&file, text).expect("the file");
        Judgements::read(&file)
    }

    #[test]
    fn both_layouts_of_judgements_are_read() {
        for text in [
            "query-id\tcorpus-id\tscore\nq2\ta b\t2\nq1\tc\t0\nq2\td\t1\r\n",
            "q2\t0\ta b\t2\nq1\t0\tc\t0\n\nq2\t0\td\t1",
        ] {
            let judgements = read(text).expect("judgements");
            let ids: Vec<&str> = judgements.queries.iter().map(|query| query.id.as_str()).collect();
            assert_eq!(ids, ["q2", "q1"]);
            assert_eq!(judgements.queries[0].grade("a b"), 2);
            assert_eq!(judgements.queries[0].kind, Kind::Scored);
            assert_eq!(judgements.queries[1].kind, Kind::Unjudged);
            assert_eq!(judgements.level, 1);
        }
        assert_eq!(read("q 0 d 1").expect("judgements").queries[0].grade("d"), 1);
    }

    #[test]
    fn faults_name_file_and_line() {
        let check = |text: &str, expected: &str| {
            let message = read(text).expect_err("a fault").to_string();
            assert!(message.ends_with(expected), "{message}");
        };
        check("", "qrels.tsv has no judgements");
        check("query-id\tcorpus-id\tscore\n", "qrels.tsv has no judgements");
        check("q\td\t1\nq\td\n", "qrels.tsv:2: a judgement has 3 or 4 fields, and this has 2");
        check("q\td\t1\nq\te\t1.5\n", "qrels.tsv:2: the grade \"1.5\" is no whole number");
        check("q\td\t1\nq\td\t2\n", "qrels.tsv:2: \"d\" has the grade 1 for query \"q\" already");
    }

    #[test]
    fn a_sets_queries_bring_category_and_neutral_documents() {
        let folder = tempfile::tempdir().expect("a folder");
        let queries = "{\"_id\": \"1\", \"text\": \"x\", \"metadata\": {\"category\": \"c\", \
                       \"neutral\": [\"n\"], \"other\": 3}}\n{\"_id\": \"2\", \"text\": \"y\"}\n";
        fs::write(folder.path().join("queries.jsonl"), queries).expect("queries");
        fs::create_dir(folder.path().join("qrels")).expect("a folder");
        fs::write(folder.path().join("qrels/test.tsv"), "1\td\t1\n").expect("judgements");
        let judgements = Judgements::read(folder.path()).expect("judgements");
        let [first, second] = &judgements.queries[..] else { panic!("two queries") };
        assert_eq!((first.category.as_str(), &first.neutral[..]), ("c", &["n".to_owned()][..]));
        assert_eq!((first.kind, second.kind), (Kind::Scored, Kind::Unjudged));
    }
}
