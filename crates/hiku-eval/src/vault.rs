//! A golden file asked of a vault's index as it is: the index is opened for reading only and never
//! made, brought up to date or mended.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use hiku::{ErrorKind, Index, Progress, Settings};

use crate::answer::{Answers, RunOptions, answer};
use crate::error::Error;
use crate::golden::{Golden, GoldenQuery, RELEVANT};
use crate::judgements::{JudgedQuery, Judgements, Kind, MissingLabel};

/// What an index answered, and the labels that it can be judged by.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// What was found, and what did not run.
    pub answers: Answers,
    /// The labels, by the paths that the index has; labels that it does not hold are in `missing`.
    pub judgements: Judgements,
}

impl Golden {
    /// Asks every query of the index at `path`.
    ///
    /// # Errors
    /// What the library says of an index that is missing or unusable; an index without notes.
    pub fn measure(
        &self,
        path: &Path,
        settings: &Settings,
        options: RunOptions,
        progress: &dyn Progress,
    ) -> Result<Measured, Error> {
        let index = Index::open(path, settings)?;
        if index.status()?.notes == 0 {
            return Err(Error::Empty { path: path.to_path_buf(), what: "notes" });
        }
        let answers = answer(&self.questions(), path, settings, options, progress)?;
        let rankings = answers.run.rankings.iter();
        let found = rankings.flat_map(|(_, found)| found.iter().map(|(note, _)| note.clone()));
        let names = names(self, &index, found.collect())?;
        let mut judgements = self.judgements();
        for query in &mut judgements.queries {
            judgements.missing.extend(resolve(query, &names));
        }
        Ok(Measured { answers, judgements })
    }
}

/// The path in the index of each label; `None` where no note is meant, or more than one. What was
/// `found` needs no look.
fn names(
    golden: &Golden,
    index: &Index,
    found: HashSet<String>,
) -> Result<HashMap<String, Option<String>>, Error> {
    let mut names: HashMap<String, Option<String>> =
        found.into_iter().map(|path| (path.clone(), Some(path))).collect();
    for label in golden.queries.iter().flat_map(GoldenQuery::labels) {
        if !names.contains_key(label) {
            let path = match index.stored(label) {
                Ok(note) => Some(note.path),
                Err(error) if error.kind() == ErrorKind::User => None,
                Err(error) => return Err(error.into()),
            };
            names.insert(label.clone(), path);
        }
    }
    Ok(names)
}

/// Replaces labels by paths, takes out those that nothing can find, and gives them.
fn resolve(query: &mut JudgedQuery, names: &HashMap<String, Option<String>>) -> Vec<MissingLabel> {
    let path = |label: &str| names.get(label).cloned().flatten();
    let mut missing = Vec::new();
    let mut known = |label: &str| {
        let path = path(label);
        if path.is_none() {
            missing.push(label.to_owned());
        }
        path
    };
    let grades = std::mem::take(&mut query.grades);
    let must_not = std::mem::take(&mut query.must_not);
    query.grades = grades.iter().filter_map(|(l, grade)| Some((known(l)?, *grade))).collect();
    query.must_not = must_not.iter().filter_map(|label| known(label)).collect();
    let is_relevant = |grade: &i64| *grade >= RELEVANT;
    if query.kind == Kind::Scored && !query.grades.values().any(is_relevant) {
        query.kind = Kind::LabelsMissing;
    }
    missing.sort();
    missing.into_iter().map(|label| MissingLabel { query: query.id.clone(), label }).collect()
}
