//! `hiku eval golden add`: shows what a search finds, asks which of it is right, and keeps the
//! query with its labels. Writes the golden file that the user names and nothing else.

use std::io::{self, BufRead, Write};

use hiku::{Hit, Index, SearchRequest};
use hiku_eval::{Golden, GoldenQuery};

use super::failure;
use crate::args::AddArguments;
use crate::exit::{CommandError, Exit};
use crate::messages::Messages;
use crate::render;
use crate::session::Session;

/// The three lists of labels, as numbers and paths.
#[derive(Debug, Default, PartialEq, Eq)]
struct Labels {
    relevant: Vec<String>,
    partly: Vec<String>,
    must_not: Vec<String>,
}

/// Runs `hiku eval golden add`.
///
/// # Errors
/// Exit codes 1, 2 and 10.
pub(super) fn run(arguments: &AddArguments, session: &Session) -> Result<Exit, CommandError> {
    let messages = session.messages();
    let place = session.place(&arguments.place)?;
    let index = Index::open(&place.index, &place.settings).map_err(|e| place.failed(e))?;
    let query = arguments.words.join(" ");
    let limit = usize::from(arguments.limit);
    let request = SearchRequest { limit, ..SearchRequest::new(query.as_str()) };
    let hits = index.search(&request).map_err(|e| place.failed(e))?.hits;
    let labels = match typed(arguments) {
        Some(labels) => Some(labels),
        None => ask(&hits, session)?,
    };
    let Some(labels) = labels else {
        session.say(&messages.golden_nothing());
        return Ok(Exit::Done);
    };
    let paths = |labels: &[String]| -> Result<Vec<String>, CommandError> {
        labels.iter().map(|label| path(label, &hits, &index, messages)).collect()
    };
    let golden = GoldenQuery {
        id: String::new(),
        query,
        relevant: paths(&labels.relevant)?,
        partly: paths(&labels.partly)?,
        must_not: paths(&labels.must_not)?,
        category: arguments.category.clone(),
        comment: arguments.comment.clone(),
    };
    let id = Golden::add(&arguments.golden, golden).map_err(|error| failure(session, &error))?;
    session.say(&messages.golden_added(id, arguments.golden.display()));
    Ok(Exit::Done)
}

/// The labels of the flags; `None` where there are none.
fn typed(arguments: &AddArguments) -> Option<Labels> {
    let is_typed =
        arguments.nothing || !arguments.relevant.is_empty() || !arguments.must_not.is_empty();
    is_typed.then(|| Labels {
        relevant: arguments.relevant.clone(),
        partly: arguments.partly.clone(),
        must_not: arguments.must_not.clone(),
    })
}

/// Shows the hits and reads one line of labels; `None` for an empty one.
fn ask(hits: &[Hit], session: &Session) -> Result<Option<Labels>, CommandError> {
    session.text(|out| render::numbered(out, hits))?;
    session.say(&session.messages().golden_question());
    io::stderr().flush()?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    read_labels(&line).map_err(|()| {
        let messages = session.messages();
        CommandError::new(Exit::Usage, messages.golden_unreadable(line.trim()))
            .hint(messages.hint_golden())
    })
}

/// Reads `1 3 / 2 / 5`, or `0` for nothing.
fn read_labels(line: &str) -> Result<Option<Labels>, ()> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words[..] {
        [] => return Ok(None),
        ["0"] => return Ok(Some(Labels::default())),
        _ => {}
    }
    let mut lists = words.split(|word| *word == "/").map(|list| {
        list.iter().map(|word| word.trim_matches(',').to_owned()).collect::<Vec<String>>()
    });
    let mut next = || lists.next().unwrap_or_default();
    let labels = Labels { relevant: next(), partly: next(), must_not: next() };
    let is_whole = next().is_empty() && (labels.partly.is_empty() || !labels.relevant.is_empty());
    if is_whole { Ok(Some(labels)) } else { Err(()) }
}

/// The path that a label means: a number of the list, or a note of the index.
fn path(
    label: &str,
    hits: &[Hit],
    index: &Index,
    messages: Messages,
) -> Result<String, CommandError> {
    let Ok(number) = label.parse::<usize>() else {
        return Ok(index.stored(label)?.path);
    };
    let hit = number.checked_sub(1).and_then(|place| hits.get(place));
    hit.map(|hit| hit.path.clone()).ok_or_else(|| {
        CommandError::new(Exit::Usage, messages.golden_no_result(number))
            .hint(messages.hint_range(1, hits.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_labels_has_three_parts() {
        let check = |line: &str, expected: Result<Option<[&[&str]; 3]>, ()>| {
            let owned = |list: &[&str]| list.iter().map(ToString::to_string).collect();
            let expected = expected.map(|labels| {
                labels.map(|[relevant, partly, must_not]| Labels {
                    relevant: owned(relevant),
                    partly: owned(partly),
                    must_not: owned(must_not),
                })
            });
            assert_eq!(read_labels(line), expected, "{line:?}");
        };
        check("", Ok(None));
        check(" \n", Ok(None));
        check("0\n", Ok(Some([&[], &[], &[]])));
        check("1 3 / 2 / 5\n", Ok(Some([&["1", "3"], &["2"], &["5"]])));
        check("1, 3", Ok(Some([&["1", "3"], &[], &[]])));
        check("notes/a.md /", Ok(Some([&["notes/a.md"], &[], &[]])));
        check("/ / 4", Ok(Some([&[], &[], &["4"]])));
        check("/ 4", Err(()));
        check("1 / 2 / 3 / 4", Err(()));
    }
}
