//! A run: what was found for each query, in TREC form. Reads, orders and writes; judges nothing.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::path::Path;

use hiku::Score;

use crate::error::Error;
use crate::lines;

/// What was found for each query.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Run {
    /// Query id, then document ids with scores, in the order in which they were found.
    pub rankings: Vec<(String, Vec<(String, Score)>)>,
}

impl Run {
    /// Reads a run: query, `Q0`, document, rank, score and tag, with tabs between, or blanks where
    /// no id has one.
    ///
    /// # Errors
    /// A file that cannot be read or holds no answers, a line with other fields, a document that
    /// occurs twice for one query.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let mut run = Run::default();
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut seen = HashSet::new();
        lines::read(path, |_, text| {
            let fields = lines::fields(text);
            let [query, _, document, _, score, _] = fields[..] else {
                let detail = "a line of a run has 6 fields (query Q0 document rank score tag)";
                return Err(format!("{detail}, and this has {}", fields.len()));
            };
            let number = score.trim().parse::<Score>().ok().filter(|score| score.is_finite());
            let number = number.ok_or_else(|| format!("the score {score:?} is no number"))?;
            if !seen.insert((query.to_owned(), document.to_owned())) {
                return Err(format!("{document:?} occurs twice for query {query:?}"));
            }
            let place = *places.entry(query.to_owned()).or_insert_with(|| {
                run.rankings.push((query.to_owned(), Vec::new()));
                run.rankings.len() - 1
            });
            run.rankings[place].1.push((document.to_owned(), number));
            Ok(Some(()))
        })?;
        if run.rankings.is_empty() {
            return Err(Error::Empty { path: path.to_path_buf(), what: "answers" });
        }
        Ok(run)
    }

    /// Number of lines in the run.
    pub fn lines(&self) -> usize {
        self.rankings.iter().map(|(_, found)| found.len()).sum()
    }

    /// Writes the run in TREC form: query, `Q0`, document, 1-based rank, score and `hiku`, with
    /// tabs between, so that ids may hold blanks.
    ///
    /// # Errors
    /// The writer's refusal.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        for (query, found) in &self.rankings {
            for (place, (document, score)) in found.iter().enumerate() {
                writeln!(out, "{query}\tQ0\t{document}\t{}\t{score}\thiku", place + 1)?;
            }
        }
        out.flush()
    }

    /// Each query's documents in the order in which they are scored.
    pub(crate) fn ordered(&self) -> HashMap<&str, Vec<&str>> {
        self.rankings.iter().map(|(query, found)| (query.as_str(), ordered(found))).collect()
    }
}

/// Orders as `trec_eval` does, whatever the ranks say: by score as a number of 32 bits, best first,
/// and equal scores by id from last to first, byte by byte.
fn ordered(found: &[(String, Score)]) -> Vec<&str> {
    let mut order: Vec<&(String, Score)> = found.iter().collect();
    order.sort_by(|a, b| (b.1 as f32).total_cmp(&(a.1 as f32)).then_with(|| b.0.cmp(&a.0)));
    order.into_iter().map(|(document, _)| document.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Run, Error> {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.run");
        std::fs::write(&file, text).expect("the file");
        Run::read(&file)
    }

    #[test]
    fn a_run_has_six_fields_and_ids_to_the_letter_and_is_read_as_it_was_written() {
        let found = vec![("a b.md".to_owned(), 1.5), ("あ".to_owned(), 0.25)];
        let run = Run { rankings: vec![("q 1".to_owned(), found), ("q2".to_owned(), Vec::new())] };
        let mut text = Vec::new();
        run.write(&mut text).expect("memory takes all");
        let text = String::from_utf8(text).expect("UTF-8");
        assert_eq!(text, "q 1\tQ0\ta b.md\t1\t1.5\thiku\nq 1\tQ0\tあ\t2\t0.25\thiku\n");
        assert_eq!(run.lines(), 2);
        assert_eq!(read(&text).expect("a run").rankings, run.rankings[..1]);
    }

    #[test]
    fn order_is_by_score_then_by_id_from_last_to_first() {
        let run = read("q Q0 a 1 0.5 x\nq Q0 b 2 0.5 x\nq Q0 c 3 9e-1 x\nq Q0 d 4 0.500000001 x\n");
        let run = run.expect("a run");
        assert_eq!(run.ordered()["q"], ["c", "d", "b", "a"]);
    }

    #[test]
    fn faults_name_file_and_line() {
        let check = |text: &str, expected: &str| {
            let message = read(text).expect_err("a fault").to_string();
            assert!(message.ends_with(expected), "{message}");
        };
        check("\n", "a.run has no answers");
        check(
            "q Q0 a 1 0.5\n",
            "a.run:1: a line of a run has 6 fields (query Q0 document rank score tag), and this has 5",
        );
        check("q Q0 a 1 0.5 x\nq Q0 b 2 x x\n", "a.run:2: the score \"x\" is no number");
        check("q Q0 a 1 nan x\n", "a.run:1: the score \"nan\" is no number");
        check("q Q0 a 1 2 x\nq Q0 a 2 1 x\n", "a.run:2: \"a\" occurs twice for query \"q\"");
    }
}
