//! What the rules and detectors found in one text: collects spans, keeps them off existing
//! markers and off the exceptions, and merges overlaps. Does not search.

use std::ops::Range;

use super::{ScrubOptions, Scrubbed};

/// How every marker starts.
pub(super) const MARKER_START: &[u8] = b"[REDACTED:";
/// Shortest part of a find that is left beside a marker, in bytes. Less is punctuation.
const PART_BYTES: usize = 4;

/// One credential found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Find {
    /// Where it stands, in bytes.
    pub(super) span: Range<usize>,
    /// The rule that found it.
    pub(super) rule: &'static str,
    /// How much the rule's name tells.
    telling: Telling,
}

/// How much a rule's name tells of what it found; among finds of one length the most telling
/// gives the marker its name.
///
/// `github-pat` says more than `secret-assignment`, and that more than `high-entropy-hex`: a reader
/// of the marker wants to know what to revoke.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Telling {
    /// Some key.
    Generic,
    /// A kind of credential, by what stands around it.
    Label,
    /// A credential of a form that the rule knows.
    Form,
}

impl Find {
    /// The same find in the text from which `scrubbed` was made.
    pub(super) fn in_original(self, scrubbed: &Scrubbed<'_>) -> Find {
        let start = scrubbed.original_offset(self.span.start);
        let end = scrubbed.original_offset(self.span.end);
        Find { span: start..end, ..self }
    }
}

/// The finds of one pass over a text.
#[derive(Debug)]
pub(super) struct Finds<'a> {
    text: &'a str,
    options: &'a ScrubOptions,
    markers: Vec<Range<usize>>,
    list: Vec<Find>,
}

impl<'a> Finds<'a> {
    /// No finds yet.
    pub(super) fn new(text: &'a str, options: &'a ScrubOptions) -> Self {
        Finds { text, options, markers: Vec::new(), list: Vec::new() }
    }

    /// Notes that a marker starts at `start`, if it is one. Markers are noted before any find
    /// that reaches them is read back.
    pub(super) fn note_marker(&mut self, start: usize) {
        if let Some(length) = marker_length(&self.text.as_bytes()[start..]) {
            self.markers.push(start..start + length);
        }
    }

    /// Whether the byte at `at` is part of a marker noted so far.
    pub(super) fn in_marker(&self, at: usize) -> bool {
        self.markers.last().is_some_and(|marker| marker.contains(&at))
    }

    /// Whether `rule` is switched on.
    pub(super) fn runs(&self, rule: &str) -> bool {
        !self.options.allowed_rules.iter().any(|allowed| allowed == rule)
    }

    /// Adds a credential that a detector found by what stands around it.
    pub(super) fn add(&mut self, rule: &'static str, span: Range<usize>) {
        self.add_as(Telling::Label, rule, span);
    }

    /// Adds a credential, unless an exception names it.
    pub(super) fn add_as(&mut self, telling: Telling, rule: &'static str, span: Range<usize>) {
        let span = self.without_white_space(span);
        let credential = &self.text.as_bytes()[span.clone()];
        let mut allowed = self.options.allowed_texts.iter();
        let excepted = allowed
            .any(|(name, text)| (name == rule || name == "*") && text.as_bytes() == credential);
        if self.runs(rule) && !excepted && !credential.is_empty() {
            let span =
                self.text.floor_char_boundary(span.start)..self.text.ceil_char_boundary(span.end);
            self.list.push(Find { span, rule, telling });
        }
    }

    fn without_white_space(&self, span: Range<usize>) -> Range<usize> {
        let bytes = &self.text.as_bytes()[span.clone()];
        let start = span.start + (bytes.len() - bytes.trim_ascii_start().len());
        start..start + bytes.trim_ascii().len()
    }

    /// The finds in order, without overlap, without markers. Overlapping finds become one, named
    /// after the longest of them, among equals after the most telling.
    pub(super) fn merged(mut self) -> Vec<Find> {
        self.list.sort_by_key(|find| (find.span.start, std::cmp::Reverse(find.telling)));
        let mut merged: Vec<(Find, usize)> = Vec::new();
        for find in std::mem::take(&mut self.list) {
            let length = find.span.len();
            match merged.last_mut() {
                Some((last, longest)) if find.span.start < last.span.end => {
                    last.span.end = last.span.end.max(find.span.end);
                    if (length, find.telling) > (*longest, last.telling) {
                        (last.rule, last.telling) = (find.rule, find.telling);
                        *longest = length;
                    }
                }
                _ => merged.push((find, length)),
            }
        }
        merged.into_iter().flat_map(|(find, _)| self.beside_markers(find)).collect()
    }

    /// The parts of a find that no marker covers.
    fn beside_markers(&self, find: Find) -> Vec<Find> {
        let mut parts = Vec::new();
        let mut start = find.span.start;
        let mut touched = false;
        for marker in &self.markers {
            if marker.end > start && marker.start < find.span.end {
                touched = true;
                parts.push(start..marker.start.max(start));
                start = marker.end;
            }
        }
        if !touched {
            return vec![find];
        }
        parts.push(start.min(find.span.end)..find.span.end);
        let parts = parts.into_iter().map(|part| self.trimmed(part));
        parts
            .filter(|part| part.len() >= PART_BYTES)
            .map(|span| Find { span, ..find.clone() })
            .collect()
    }

    /// The part without white space and punctuation at its ends.
    fn trimmed(&self, part: Range<usize>) -> Range<usize> {
        let text = &self.text[part.clone()];
        let is_edge = |letter: char| letter.is_whitespace() || letter.is_ascii_punctuation();
        let start = part.start + (text.len() - text.trim_start_matches(is_edge).len());
        let inner = text.trim_matches(is_edge);
        start..start + inner.len()
    }
}

/// Length of the marker that `text` starts with, in bytes.
pub(super) fn marker_length(text: &[u8]) -> Option<usize> {
    let name = text.strip_prefix(MARKER_START)?;
    let is_name = |byte: &&u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || **byte == b'-';
    let length = name.iter().take_while(is_name).count();
    (length > 0 && name.get(length) == Some(&b']')).then_some(MARKER_START.len() + length + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(
        text: &str,
        finds: &[(&'static str, Range<usize>)],
    ) -> Vec<(&'static str, Range<usize>)> {
        let options = ScrubOptions::default();
        let mut list = Finds::new(text, &options);
        for start in 0..text.len() {
            list.note_marker(start);
        }
        for (rule, span) in finds {
            list.add(rule, span.clone());
        }
        list.merged().into_iter().map(|find| (find.rule, find.span)).collect()
    }

    #[test]
    fn overlaps_become_one_named_after_the_longest() {
        let text = "0123456789abcdefghij";
        assert_eq!(merged(text, &[("a", 0..5), ("b", 3..12)]), [("b", 0..12)]);
        assert_eq!(merged(text, &[("b", 3..12), ("a", 0..12)]), [("a", 0..12)]);
        assert_eq!(merged(text, &[("a", 2..5), ("b", 2..5)]), [("a", 2..5)]);
        assert_eq!(merged(text, &[("b", 5..9), ("a", 0..5)]), [("a", 0..5), ("b", 5..9)]);
    }

    #[test]
    fn markers_are_left_alone() {
        let text = "abcdef [REDACTED:x-1] ghijkl";
        assert_eq!(merged(text, &[("a", 0..28)]), [("a", 0..6), ("a", 22..28)]);
        assert_eq!(merged(text, &[("a", 7..22)]), []);
    }

    #[test]
    fn marker_lengths() {
        assert_eq!(marker_length(b"[REDACTED:a-1] b"), Some(14));
        for text in ["[REDACTED:]", "[REDACTED:A]", "[REDACTED:a", "[REDACTED: a]", ""] {
            assert_eq!(marker_length(text.as_bytes()), None, "{text}");
        }
    }
}
