//! The extract's text: shown lines, gaps in their place, and the closing line. Chooses nothing,
//! except that a gap longer than what it stands for is not made.

use std::fmt::Write;
use std::ops::Range;

use super::notable::Class;
use super::select::Chosen;
use super::{CLOSING_MARK, Line, Options, Stable};

/// Gaps that are spelled out; later ones give figures alone.
const SPELLED_OUT_GAPS: usize = 4;

/// The text, and the lines that are not in it, blank ones not counted.
pub(super) fn write(output: &Stable, chosen: &Chosen, options: &Options) -> (String, usize) {
    let lines = &output.lines;
    let mut writing = Writing { lines, options, text: String::new(), gaps: 0, left_out: 0 };
    let mut end = 0;
    for line in (0..lines.len()).filter(|&line| chosen.is_shown[line]) {
        writing.gap(end..line);
        writing.line(line, chosen.repeats.get(&line));
        end = line + 1;
    }
    writing.gap(end..lines.len());
    let (messages, errors) = (options.messages, chosen.errors_left_out);
    let closing =
        messages.extract_closing(writing.left_out, lines.len(), output.tokens, &output.id);
    let errors = if errors == 0 { String::new() } else { messages.extract_errors_left_out(errors) };
    let _ = writeln!(writing.text, "{CLOSING_MARK}{errors}{closing}]");
    (writing.text, writing.left_out)
}

struct Writing<'w> {
    lines: &'w [Line],
    options: &'w Options,
    text: String,
    gaps: usize,
    left_out: usize,
}

impl Writing<'_> {
    fn line(&mut self, line: usize, repeats: Option<&(usize, usize)>) {
        self.text.push_str(&self.lines[line].text);
        if let Some((count, last)) = repeats {
            let repeated = self.options.messages.extract_repeated(count, last);
            let _ = write!(self.text, " [{repeated}]");
        }
        self.text.push('\n');
    }

    /// Says what is left out, or shows it where that is no longer. Blank lines go without a word.
    fn gap(&mut self, gap: Range<usize>) {
        let lines = self.lines;
        let is_said = |line: &usize| lines[*line].class != Class::Blank;
        let count = gap.clone().filter(is_said).count();
        let (Some(first), Some(last)) = (gap.clone().find(is_said), gap.clone().rfind(is_said))
        else {
            return;
        };
        let marker = self.marker(first..last + 1, count);
        let length: usize =
            gap.clone().filter(is_said).map(|line| lines[line].text.len() + 1).sum();
        if length <= marker.len() + 1 {
            gap.filter(is_said).for_each(|line| self.line(line, None));
            return;
        }
        self.gaps += 1;
        self.left_out += count;
        self.text.push_str(&marker);
        self.text.push('\n');
    }

    fn marker(&self, gap: Range<usize>, count: usize) -> String {
        let messages = self.options.messages;
        let range = match (gap.start + 1, gap.end) {
            (first, last) if first == last => first.to_string(),
            (first, last) => format!("{first}-{last}"),
        };
        match self.likeness(gap) {
            Likeness::Same => messages.extract_same(count, range),
            Likeness::Alike => messages.extract_alike(count, range),
            Likeness::Successes => messages.extract_succeeded(count, range),
            Likeness::None if self.gaps < SPELLED_OUT_GAPS => {
                messages.extract_left_out(count, range)
            }
            Likeness::None => format!("… {count} ({range}) …"),
        }
    }

    /// How the lines of a gap compare with the line before it.
    fn likeness(&self, gap: Range<usize>) -> Likeness {
        let said = || self.lines[gap.clone()].iter().filter(|line| line.class != Class::Blank);
        let before = gap.start.checked_sub(1).map(|before| &self.lines[before]);
        let is_alike = |before: &Line| {
            said().all(|line| line.class == before.class && line.form == before.form)
        };
        match before.filter(|before| before.class != Class::Blank) {
            Some(before) if said().all(|line| line.text == before.text) => Likeness::Same,
            Some(before) if is_alike(before) => Likeness::Alike,
            _ if said().all(|line| line.class == Class::Success) => Likeness::Successes,
            _ => Likeness::None,
        }
    }
}

/// How the lines of a gap compare.
enum Likeness {
    /// Each in the words of the line before.
    Same,
    /// Each in its form.
    Alike,
    /// Each reports success.
    Successes,
    /// Nothing is common to them.
    None,
}
