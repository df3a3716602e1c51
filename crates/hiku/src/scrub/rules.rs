//! The vendors' rules: reads the checked-in tables, compiles an expression when it is first
//! needed, and decides with entropy and allowlists whether a match is a credential. Knows nothing
//! of keywords in a text (`prefilter`) nor of the hand-written detectors.

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::AhoCorasick;
use regex::bytes::{Captures, Regex, RegexBuilder};

use super::{label, naming, value};

/// Made from the published rules by the example `convert_rules`.
const PUBLISHED: &str = include_str!("../../data/gitleaks-rules.tsv");
/// The same columns, written for this project from the vendors' own documents.
const ADDED: &str = include_str!("../../data/vendor-rules.tsv");
/// Words of which none occurs in a value that `generic-api-key` takes for a credential.
const STOPWORDS: &str = include_str!("../../data/gitleaks-stopwords.txt");
/// The one published rule that is not about a vendor. It minds the words of [`STOPWORDS`] and
/// needs a digit in the value.
pub(super) const GENERIC_RULE: &str = "generic-api-key";
/// Longest label, in bytes, that the published rules accept before their keyword. The published
/// expressions say so; a search must begin that far before a keyword to find all that they would.
const LABEL_BYTES: usize = 50;
/// Longest stretch without white space by which a search's end moves, in bytes.
const TOKEN_BYTES: usize = 4 * 1024;

/// All rules of both tables, in the tables' order.
pub(super) static RULES: LazyLock<Vec<Rule>> =
    LazyLock::new(|| parse(PUBLISHED).chain(parse(ADDED)).collect());

static GLOBAL_ALLOWLIST: LazyLock<Vec<Allowed>> = LazyLock::new(|| allowlist(PUBLISHED, "global"));

static STOPWORD_AUTOMATON: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(STOPWORDS.lines())
        .expect("a few kilobytes of words make an automaton")
});

/// How a rule is searched for around one of its keywords.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// The keyword is part of a label, behind which an operator and the value follow.
    Label,
    /// The keyword is part of the credential, which holds no white space.
    Literal,
    /// Anywhere in a stretch around the keyword.
    Window,
}

/// One rule for one kind of credential.
#[derive(Debug)]
pub(super) struct Rule {
    /// Its name in a marker.
    pub(super) id: &'static str,
    /// Where its expression is tried.
    pub(super) shape: Shape,
    /// Bytes before the keyword at which the search starts.
    before: usize,
    /// Bytes behind the keyword that are searched.
    after: usize,
    /// Entropy in bits per byte that the credential must exceed, 0 for any.
    entropy: f64,
    /// The group that is the credential, 0 for the first that took part.
    group: usize,
    /// Words near which it is searched for; with capitals where only these count.
    pub(super) keywords: Vec<&'static str>,
    /// Whether the keyword must begin a word.
    pub(super) at_word_start: bool,
    pattern: &'static str,
    regex: OnceLock<Option<Regex>>,
    allowed: Vec<Allowed>,
}

/// A line of an allowlist.
#[derive(Debug)]
struct Allowed {
    target: Target,
    pattern: &'static str,
    regex: OnceLock<Option<Regex>>,
}

/// What a line of an allowlist is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Secret,
    Match,
    Line,
    /// A plain word inside the credential, whatever its case.
    Stopword,
}

impl Rule {
    /// Adds the spans of the credentials that this rule finds around the keyword at `hit`.
    pub(super) fn find(&self, text: &[u8], hit: &Range<usize>, found: &mut Vec<Range<usize>>) {
        let Some(regex) = self.regex.get_or_init(|| self.compile()) else { return };
        let end = match self.shape {
            Shape::Window => window_end(text, hit.end + self.after),
            Shape::Literal if self.before > 0 => window_end(text, hit.end + self.after),
            Shape::Literal | Shape::Label => text.len(),
        };
        // An anchored expression gives up at the first byte that does not fit. What its `\b`
        // asks of the byte before the keyword was looked at with the keyword.
        let origin = if self.before == 0 { hit.start } else { 0 };
        let mut start = hit.start.saturating_sub(self.before);
        while let Some(captures) = regex.captures_at(&text[origin..end], start - origin) {
            let shift = |range: Range<usize>| range.start + origin..range.end + origin;
            let whole = captures.get(0).map_or(start..start, |whole| shift(whole.range()));
            let secret = shift(self.secret(&captures));
            if self.accepts(text, &whole, &secret) {
                found.push(secret);
            }
            start = whole.end.max(start + 1);
            if self.before == 0 || start > end {
                return;
            }
        }
    }

    fn compile(&self) -> Option<Regex> {
        if self.before == 0 {
            compile(&format!(r"\A(?:{})", self.pattern))
        } else {
            compile(self.pattern)
        }
    }

    fn secret(&self, captures: &Captures<'_>) -> Range<usize> {
        let group = match self.group {
            0 => captures.iter().skip(1).flatten().find(|group| !group.is_empty()),
            group => captures.get(group),
        };
        group.or_else(|| captures.get(0)).map_or(0..0, |group| group.range())
    }

    fn accepts(&self, text: &[u8], whole: &Range<usize>, secret: &Range<usize>) -> bool {
        let credential = &text[secret.clone()];
        if credential.is_empty()
            || (self.entropy > 0.0 && value::entropy(credential) <= self.entropy)
        {
            return false;
        }
        if value::is_placeholder(credential) {
            return false;
        }
        if self.shape == Shape::Label && !credential.iter().any(u8::is_ascii_digit) {
            return false;
        }
        if self.id == GENERIC_RULE
            && (STOPWORD_AUTOMATON.is_match(credential)
                || !value::is_random(credential)
                || !names_secret(text, whole.start))
        {
            return false;
        }
        let mut allowed = self.allowed.iter().chain(GLOBAL_ALLOWLIST.iter());
        !allowed.any(|allowed| allowed.holds(text, whole, credential))
    }
}

impl Allowed {
    fn holds(&self, text: &[u8], whole: &Range<usize>, secret: &[u8]) -> bool {
        if self.target == Target::Stopword {
            return value::contains_ignoring_case(secret, self.pattern.as_bytes());
        }
        let Some(regex) = self.regex.get_or_init(|| compile(self.pattern)) else { return false };
        match self.target {
            Target::Match => regex.is_match(&text[label_start(text, whole.start)..whole.end]),
            Target::Line => regex.is_match(line_around(text, whole)),
            Target::Secret | Target::Stopword => regex.is_match(secret),
        }
    }
}

/// Whether the label around `at` names a secret: the generic rule takes any label that holds
/// "key" or "api".
fn names_secret(text: &[u8], at: usize) -> bool {
    let start = label_start(text, at);
    let length = text[start..].iter().take_while(|&&byte| value::is_label_byte(byte)).count();
    let label = label::with_word_before(text, &(start..start + length));
    naming::kind(&text[label]) != naming::Kind::Other
}

/// The published expressions start with an optional label, which the table leaves out; an
/// allowlist that looks at the match wants it back.
fn label_start(text: &[u8], start: usize) -> usize {
    let label = text[..start].iter().rev().take(LABEL_BYTES);
    start - label.take_while(|&&byte| value::is_label_byte(byte)).count()
}

fn line_around<'t>(text: &'t [u8], span: &Range<usize>) -> &'t [u8] {
    let start = text[..span.start].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let rest = text[span.end..].iter().position(|&byte| byte == b'\n');
    &text[start..rest.map_or(text.len(), |at| span.end + at)]
}

/// A search's end moves to the next white space, so that no credential is cut in two and no `$`
/// holds in the middle of a word.
fn window_end(text: &[u8], end: usize) -> usize {
    let end = end.min(text.len());
    let word = text[end..].iter().take(TOKEN_BYTES);
    end + word.take_while(|byte| !byte.is_ascii_whitespace()).count()
}

/// Expressions work on bytes without Unicode: with it, compiling takes a hundred times as long.
fn compile(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(pattern).unicode(false).size_limit(1 << 24).build().ok()
}

fn parse(table: &'static str) -> impl Iterator<Item = Rule> {
    table.split("\nrule\t").skip(1).filter_map(|entry| {
        let line = entry.lines().next()?;
        let mut rule = parse_line(line)?;
        rule.allowed = allowlist(entry, "allow");
        Some(rule)
    })
}

fn parse_line(line: &'static str) -> Option<Rule> {
    let mut columns = line.splitn(8, '\t');
    let id = columns.next()?;
    let shape = match columns.next()? {
        "label" => Shape::Label,
        "literal" => Shape::Literal,
        _ => Shape::Window,
    };
    let before = columns.next()?.parse().ok()?;
    let after = columns.next()?.parse().ok()?;
    let entropy = columns.next()?.parse().ok()?;
    let group = columns.next()?.parse().ok()?;
    let keywords: Vec<&str> = columns.next()?.split(' ').collect();
    let pattern = columns.next()?;
    let at_word_start = pattern.trim_start_matches("(?i)").starts_with(r"\b") && before == 0;
    Some(Rule {
        id,
        shape,
        before,
        after,
        entropy,
        group,
        keywords,
        at_word_start,
        pattern,
        regex: OnceLock::new(),
        allowed: Vec::new(),
    })
}

fn allowlist(table: &'static str, kind: &str) -> Vec<Allowed> {
    let lines = table.lines().filter_map(|line| {
        let mut columns = line.splitn(3, '\t');
        (columns.next()? == kind).then_some(())?;
        let target = match columns.next()? {
            "match" => Target::Match,
            "line" => Target::Line,
            "stopword" => Target::Stopword,
            _ => Target::Secret,
        };
        Some(Allowed { target, pattern: columns.next()?, regex: OnceLock::new() })
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_compiles_and_has_a_keyword() {
        assert!(RULES.len() > 200, "only {} rules", RULES.len());
        for rule in RULES.iter() {
            assert!(rule.compile().is_some(), "{}: {}", rule.id, rule.pattern);
            assert!(rule.keywords.iter().all(|word| word.len() > 1), "{}", rule.id);
            for allowed in &rule.allowed {
                assert!(compile(allowed.pattern).is_some(), "{}: {}", rule.id, allowed.pattern);
            }
        }
    }

    #[test]
    fn names_fit_into_a_marker() {
        for rule in RULES.iter() {
            let fits =
                |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            assert!(rule.id.bytes().all(fits), "{}", rule.id);
        }
    }

    #[test]
    fn global_allowlist_is_read() {
        let kinds: Vec<Target> = GLOBAL_ALLOWLIST.iter().map(|allowed| allowed.target).collect();
        assert!(kinds.contains(&Target::Secret) && kinds.contains(&Target::Stopword));
        assert!(STOPWORD_AUTOMATON.is_match("my_abstract_key"));
    }
}
