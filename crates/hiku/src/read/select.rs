//! Where a wanted part of a note stands: its bytes and lines. Cuts nothing out and redacts nothing.

use std::ops::Range;

use super::Selection;
use crate::error::{Error, Result};
use crate::markdown::{Heading, Note};
use crate::text::{LineIndex, fold};

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    /// Its bytes, whole lines with their breaks.
    pub(super) span: Range<usize>,
    /// First line, 1-based.
    pub(super) line_start: usize,
    /// Last line, 1-based.
    pub(super) line_end: usize,
    /// Lines of the whole text.
    pub(super) lines: usize,
}

/// Finds the wanted part of a text, which is that of `note`.
///
/// # Errors
/// `User` for a heading or lines that the text does not have.
pub(super) fn part(text: &str, note: &Note, selection: &Selection, path: &str) -> Result<Part> {
    let index = LineIndex::new(text);
    let lines = index.lines(text);
    let (line_start, line_end) = match selection {
        Selection::Whole => (1, lines),
        Selection::Heading(heading) => section(text, note, &index, heading)
            .ok_or_else(|| Error::NoHeading { path: path.to_owned(), heading: heading.clone() })?,
        Selection::Lines(start, end) => {
            let range = ((*start).max(1), (*end).min(lines));
            if range.0 > range.1 {
                let (start, end) = (*start, *end);
                return Err(Error::NoLines { path: path.to_owned(), start, end, lines });
            }
            range
        }
    };
    let start = index.start(line_start).unwrap_or(text.len());
    let end = index.start(line_end + 1).unwrap_or(text.len());
    Ok(Part { span: start..end.max(start), line_start, line_end, lines })
}

/// First and last line of a heading's section, blank lines at its end left out.
fn section(text: &str, note: &Note, index: &LineIndex, wanted: &str) -> Option<(usize, usize)> {
    let at = find(&note.headings, wanted)?;
    let heading = &note.headings[at];
    let next = note.headings[at + 1..].iter().find(|next| next.level <= heading.level);
    let end = next.map_or(text.len(), |next| next.span.start);
    let inside = text[..end].trim_end().len().max(heading.span.end);
    Some((index.line(heading.span.start), index.line(inside.saturating_sub(1))))
}

fn find(headings: &[Heading], wanted: &str) -> Option<usize> {
    let position = |wanted: &str| {
        let wanted = fold(wanted);
        headings.iter().position(|heading| fold(&heading.text) == wanted)
    };
    position(wanted).or_else(|| position(wanted.trim_start().trim_start_matches('#')))
}
