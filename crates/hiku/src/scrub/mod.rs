//! Credentials become `[REDACTED:rule]`: the same call on every way in (before storage and
//! embedding) and every way out. Knows nothing of notes, files or logs.
//!
//! Rules of two kinds run behind one pass over their keywords (`prefilter`):
//! - the vendors' (`rules`): the published table in `data/gitleaks-rules.tsv`, and
//!   `data/vendor-rules.tsv` beside it;
//! - detectors that go by what stands around a credential: `password-assignment`,
//!   `connection-string`, `cloud-service-account`, `secret-assignment`, `high-entropy-hex` and
//!   `high-entropy-base64` (`assignment`, with English and Japanese labels), `database-url` and
//!   `basic-auth-url` (`url`), `bearer-token`, `basic-auth-header`, `authorization-header` and
//!   `session-cookie` (`header`), `private-key` (`pem`), `kubernetes-secret-yaml` (`manifest`),
//!   `prefixed-token` (`token`).

mod assignment;
mod find;
mod header;
mod label;
mod manifest;
mod naming;
mod pem;
mod prefilter;
mod rules;
#[cfg(test)]
mod tests;
mod token;
mod url;
mod value;

use std::borrow::Cow;
use std::ops::Range;

use find::{Find, Finds};

/// Version of the rules and detectors together; part of the index's identity. Raise it when a
/// change of rules must reach notes that are already indexed.
pub const RULES_VERSION: u32 = 1;

/// Which rules run.
///
/// Part of the index's identity: another value makes the next update rebuild everything, so that a
/// rule which is switched on again reaches notes that are stored already.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScrubOptions {
    /// Rule names that are switched off. As in markers: `github-pat`. Unknown names do nothing.
    pub allowed_rules: Vec<String>,
    /// Per rule name (or `*`), exact texts that are never redacted. Compared with the credential
    /// alone, not with the label before it.
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
///
/// ```
/// use hiku::scrub::{ScrubOptions, Scrubber};
///
/// let scrubber = Scrubber::new(&ScrubOptions::default());
/// let scrubbed = scrubber.scrub("password: tr0ub4dor-and-3\n");
/// assert_eq!(scrubbed.text, "password: [REDACTED:password-assignment]\n");
/// assert_eq!(scrubbed.redactions[0].span, 10..25);
/// ```
#[derive(Debug, Default)]
pub struct Scrubber {
    options: ScrubOptions,
}

impl Scrubber {
    /// Makes a scrubber with the given exceptions.
    pub fn new(options: &ScrubOptions) -> Self {
        Scrubber { options: options.clone() }
    }

    /// Replaces every credential found in `text`. Applied to its own output it changes nothing.
    /// A replacement keeps the line breaks of what it replaces, behind the marker, so that line
    /// numbers do not move.
    pub fn scrub<'t>(&self, text: &'t str) -> Scrubbed<'t> {
        let mut finds = self.finds(text);
        if finds.is_empty() {
            return Scrubbed { text: Cow::Borrowed(text), redactions: Vec::new() };
        }
        // A marker is shorter than what it replaces, so that a value may move close enough to a
        // label to be found. Each pass covers text that no marker covered before: this ends.
        let mut scrubbed = replace(text, &finds);
        loop {
            let more = self.finds(&scrubbed.text);
            if more.is_empty() {
                return scrubbed;
            }
            finds.extend(more.into_iter().map(|find| find.in_original(&scrubbed)));
            finds.sort_by_key(|find| find.span.start);
            scrubbed = replace(text, &finds);
        }
    }

    fn finds(&self, text: &str) -> Vec<Find> {
        let mut finds = Finds::new(text, &self.options);
        prefilter::search(text, &mut finds);
        finds.merged()
    }
}

/// Writes the markers in place of the finds, which are in order and without overlap.
fn replace<'t>(text: &'t str, finds: &[Find]) -> Scrubbed<'t> {
    let mut new = String::with_capacity(text.len());
    let mut redactions = Vec::with_capacity(finds.len());
    let mut end = 0;
    for find in finds {
        new.push_str(&text[end..find.span.start]);
        let start = new.len();
        new.push_str("[REDACTED:");
        new.push_str(find.rule);
        new.push(']');
        new.extend(text[find.span.clone()].chars().filter(|&letter| matches!(letter, '\n' | '\r')));
        let replacement = start..new.len();
        redactions.push(Redaction { rule: find.rule, span: find.span.clone(), replacement });
        end = find.span.end;
    }
    new.push_str(&text[end..]);
    Scrubbed { text: Cow::Owned(new), redactions }
}

/// The text without its `[REDACTED:rule]` markers (each becomes one space), so that a rule's name
/// never becomes an index term or part of a vector.
///
/// ```
/// assert_eq!(hiku::scrub::without_markers("key [REDACTED:github-pat] ok"), "key   ok");
/// ```
pub fn without_markers(text: &str) -> Cow<'_, str> {
    let mut kept = String::new();
    let mut end = 0;
    for (start, _) in text.match_indices("[REDACTED:") {
        if let Some(length) = find::marker_length(&text.as_bytes()[start..]) {
            kept.push_str(&text[end..start]);
            kept.push(' ');
            end = start + length;
        }
    }
    if end == 0 {
        return Cow::Borrowed(text);
    }
    kept.push_str(&text[end..]);
    Cow::Owned(kept)
}
