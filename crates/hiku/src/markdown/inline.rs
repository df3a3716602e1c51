//! What Obsidian adds inside running text and `CommonMark` does not know: wikilinks, tags, comments
//! and maths; and bare URLs. Works on the source of one run of text, with the stretches that the
//! Markdown parser has claimed (code, HTML, link destinations) left out.

use std::ops::Range;

use super::tags::tag_at;
use super::{Link, links};

/// How far the end of `$…$` is looked for, in bytes. Longer formulas are set off with `$$`.
const MAX_INLINE_MATHS_BYTES: usize = 500;
/// How far the end of `[[…]]` is looked for, in bytes.
const MAX_WIKILINK_BYTES: usize = 1_000;

/// What a scan finds.
#[derive(Debug, Default)]
pub(super) struct Findings<'t> {
    /// Wikilinks and bare URLs.
    pub(super) links: Vec<Link>,
    /// Tags without `#`, repetitions included.
    pub(super) tags: Vec<&'t str>,
    /// Comments and maths, in order.
    pub(super) hidden: Vec<Range<usize>>,
    /// End of a comment that began on a line of its own and goes on behind the run.
    pub(super) open_comment_end: Option<usize>,
}

/// A run of text and what in it is not text.
#[derive(Debug, Default, Clone)]
pub(super) struct Run {
    /// The run's bytes.
    pub(super) span: Range<usize>,
    /// Stretches inside it that are code, HTML or destinations, in order.
    pub(super) holes: Vec<Range<usize>>,
    /// Markdown links in it in order of their starts; a bare URL inside one is its text.
    pub(super) links: Vec<Range<usize>>,
}

/// Scans a run of running text.
pub(super) fn scan<'t>(text: &'t str, run: &Run, findings: &mut Findings<'t>) {
    Scanner { text, run, findings, markup: true, display_maths: true, unclosed_until: 0 }.all();
}

/// Scans front matter, where only links mean something.
pub(super) fn scan_links<'t>(text: &'t str, span: Range<usize>, findings: &mut Findings<'t>) {
    let run = Run { span, ..Run::default() };
    let run = &run;
    Scanner { text, run, findings, markup: false, display_maths: false, unclosed_until: 0 }.all();
}

struct Scanner<'s, 't> {
    text: &'t str,
    run: &'s Run,
    findings: &'s mut Findings<'t>,
    /// Whether tags, comments and maths are looked for.
    markup: bool,
    /// Cleared by the first `$$` without an end, so that a run is searched only once for it.
    display_maths: bool,
    /// Before this byte no `]]` begins that is not known.
    unclosed_until: usize,
}

/// Bytes at which something may begin.
const STARTS: [bool; 256] = {
    let mut table = [false; 256];
    table[b'[' as usize] = true;
    table[b'#' as usize] = true;
    table[b'%' as usize] = true;
    table[b'$' as usize] = true;
    table[b':' as usize] = true;
    table
};

impl Scanner<'_, '_> {
    fn all(&mut self) {
        let bytes = self.text.as_bytes();
        let mut at = self.run.span.start;
        let mut holes = self.run.holes.iter().peekable();
        while at < self.run.span.end {
            let hole = loop {
                match holes.peek() {
                    Some(hole) if hole.end <= at => drop(holes.next()),
                    next => break next.copied(),
                }
            };
            let stop = hole.map_or(self.run.span.end, |hole| hole.start.max(at));
            match bytes[at..stop].iter().position(|byte| STARTS[*byte as usize]) {
                Some(offset) => at = self.construct(at + offset, stop),
                None => at = hole.map_or(stop, |hole| hole.end.max(stop)),
            }
        }
    }

    /// Reads what begins at `at` and returns where to go on. Nothing reaches over `stop` but
    /// comments and maths, which may contain code.
    fn construct(&mut self, at: usize, stop: usize) -> usize {
        let end = match self.text.as_bytes()[at] {
            b'[' => self.wikilink(at, stop),
            b':' => self.url(at, stop),
            b'#' if self.markup => self.tag(at, stop),
            b'%' if self.markup => self.comment(at),
            b'$' if self.markup => self.maths(at),
            _ => None,
        };
        end.unwrap_or(at + 1)
    }

    fn wikilink(&mut self, at: usize, stop: usize) -> Option<usize> {
        if !self.text[at..stop].starts_with("[[") {
            return None;
        }
        if self.is_escaped(at) || self.link_before(at).is_some_and(|link| link.start == at) {
            return None;
        }
        let inner = &self.text[at + 2..self.closing_brackets(at + 2, stop)?];
        // An earlier `[[` without an end does not take the later link's brackets.
        if inner.contains("[[") || inner.starts_with('[') {
            return None;
        }
        let end = at + inner.len() + 4;
        let embed = self.text[..at].ends_with('!') && at > self.run.span.start;
        let span = at - usize::from(embed)..end;
        self.findings.links.extend(links::wiki(inner, embed, span));
        Some(end)
    }

    /// Where the next `]]` on the line is, looked for from `from`.
    fn closing_brackets(&mut self, from: usize, stop: usize) -> Option<usize> {
        let end = stop.min(from + MAX_WIKILINK_BYTES);
        // What was searched in vain is not searched again, or a run of `[` would take ages.
        let start = from.max(self.unclosed_until).min(end);
        let bytes = &self.text.as_bytes()[start..end];
        let line = bytes.iter().position(|byte| *byte == b'\n');
        let on_line = &bytes[..line.unwrap_or(bytes.len())];
        let found = on_line.windows(2).position(|pair| pair == b"]]");
        if found.is_none() {
            let one_back = usize::from(line.is_none() && !bytes.is_empty());
            self.unclosed_until = start + on_line.len() - one_back;
        }
        found.map(|offset| start + offset)
    }

    fn url(&mut self, at: usize, stop: usize) -> Option<usize> {
        if !self.text[at..stop].starts_with("://") {
            return None;
        }
        let before = &self.text[self.run.span.start..at];
        let scheme = ["https", "http"].into_iter().find(|scheme| before.ends_with(scheme))?;
        let start = at - scheme.len();
        if self.text[..start].ends_with(|c: char| c.is_ascii_alphanumeric()) {
            return None;
        }
        let end = start + url_length(&self.text[start..stop]);
        if end <= at + 3 || self.link_before(at).is_some_and(|link| at < link.end) {
            return None;
        }
        self.findings.links.push(links::external(&self.text[start..end], None, start..end));
        Some(end)
    }

    fn tag(&mut self, at: usize, stop: usize) -> Option<usize> {
        // Marks of emphasis and highlighting may stand between the blank and the tag.
        let before = self.text[..at].trim_end_matches(['*', '_', '=', '~']);
        let may_follow = |character: char| {
            character.is_whitespace()
                || before.len() <= self.run.span.start && !matches!(character, '\\' | '[' | '&')
        };
        if !before.chars().next_back().is_none_or(may_follow) {
            return None;
        }
        let tag = tag_at(&self.text[at + 1..stop])?;
        self.findings.tags.push(tag);
        Some(at + 1 + tag.len())
    }

    fn comment(&mut self, at: usize) -> Option<usize> {
        let run_end = self.run.span.end;
        let inside = self.text[at..run_end].strip_prefix("%%")?;
        if let Some(length) = inside.find("%%") {
            return Some(self.hide(at, at + length + 4));
        }
        if !self.begins_line(at) {
            return Some(at + 2);
        }
        let Some(length) = self.text[at + 2..].find("%%") else {
            return Some(at + 2);
        };
        let end = at + length + 4;
        self.findings.open_comment_end = Some(end);
        Some(self.hide(at, end))
    }

    fn maths(&mut self, at: usize) -> Option<usize> {
        if self.is_escaped(at) {
            return None;
        }
        let inside = &self.text[at + 1..self.run.span.end];
        if let Some(display) = inside.strip_prefix('$') {
            let length = if self.display_maths { display.find("$$") } else { None };
            self.display_maths = length.is_some();
            return Some(length.map_or(at + 2, |length| self.hide(at, at + length + 4)));
        }
        let end = at + 1 + inline_maths_length(inside)?;
        Some(self.hide(at, end + 1))
    }

    fn hide(&mut self, start: usize, end: usize) -> usize {
        self.findings.hidden.push(start..end);
        end
    }

    /// The last Markdown link that begins at or before `at`.
    fn link_before(&self, at: usize) -> Option<&Range<usize>> {
        let count = self.run.links.partition_point(|link| link.start <= at);
        self.run.links[..count].last()
    }

    fn begins_line(&self, at: usize) -> bool {
        let line = self.text[..at].rsplit('\n').next().unwrap_or_default();
        line.trim().is_empty()
    }

    /// Whether an odd number of backslashes stands before `at`.
    fn is_escaped(&self, at: usize) -> bool {
        let before = &self.text.as_bytes()[..at];
        before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
    }
}

/// Length of the inside of `$…$`: no blank behind the first dollar sign and before the second, and
/// no digit behind it, so that prices are no maths.
fn inline_maths_length(inside: &str) -> Option<usize> {
    let bytes = inside.as_bytes();
    if bytes.first().is_none_or(u8::is_ascii_whitespace) {
        return None;
    }
    let window = &bytes[..bytes.len().min(MAX_INLINE_MATHS_BYTES)];
    (1..window.len()).find(|&at| {
        window[at] == b'$'
            && !matches!(window[at - 1], b'\\' | b' ' | b'\t' | b'\n' | b'\r')
            && !bytes.get(at + 1).is_some_and(u8::is_ascii_digit)
    })
}

/// Length of the URL at the start of `text`: to a blank, bracket, quote or Japanese sign, without
/// the punctuation at its end.
fn url_length(text: &str) -> usize {
    let is_end = |c: char| {
        c.is_whitespace()
            || c.is_control()
            || matches!(c, '<' | '>' | '"' | '`' | '|' | '\\' | '^' | '{' | '}' | '[' | ']')
            || ('\u{3000}'..='\u{303f}').contains(&c)
            || ('\u{ff00}'..='\u{ff0f}').contains(&c)
    };
    let url = &text[..text.find(is_end).unwrap_or(text.len())];
    let mut unopened = url.matches(')').count().saturating_sub(url.matches('(').count());
    let kept = url.trim_end_matches(|c: char| match c {
        ')' if unopened > 0 => {
            unopened -= 1;
            true
        }
        _ => matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '*' | '_' | '~'),
    });
    kept.len()
}
