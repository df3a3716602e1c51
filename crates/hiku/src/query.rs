//! User text to a [`Query`]: free text, phrases, exclusions and filters. Any text is legal. Knows
//! no SQL and no terms.
//!
//! Syntax: `"phrase"` must stand in the note; `-word` and `-"phrase"` must not; `tag:x`, `path:x`,
//! `type:x` filter, with `-` in front they exclude; `[[note]]` wants a link to that note.
//!
//! | typed | becomes |
//! |---|---|
//! | `gitleaks 入れた` | text `gitleaks 入れた` |
//! | `"grace period" token` | required `grace period`; text `grace period token` |
//! | `-draft -"old plan"` | excluded `draft`, `old plan` |
//! | `tag:auth -tag:old` | tags `auth`, not `old`; a `#` in front of the value is dropped |
//! | `path:"my folder"` | paths `my folder` |
//! | `[[鍵の管理]] 手順` | links `鍵の管理`; text `手順` |
//! | `std::flat_map`, `http://x`, `a - b` | text as it stands: no name, no value, no word behind the hyphen |
//! | `say "unclosed` | text as it stands: a quote without its partner is a character |
//!
//! Operators are read before any normalisation, so that a full-width `－` or `：` is text. A hyphen
//! excludes only before a letter, digit or quote: `--flag` and `->` are text.

/// One condition of a filter; conditions of one sort are alternatives, except that every
/// excluding one must hold.
///
/// `tag:a tag:b -tag:c` lets a note through that has a or b, and not c.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// The tag, glob or type. Tags and types are compared folded (width, case, kana); globs to the
    /// letter, in gitignore form.
    pub value: String,
    /// True where matching notes are left out.
    pub exclude: bool,
}

/// Which notes may be found. Empty lists let everything through.
///
/// Lists of different sorts hold together: tag and path and type and days. Filters are applied
/// before anything is ranked, so that a limit never hides a note that passes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filters {
    /// Tags without `#`; a tag includes its nested ones (`a` matches `a/b`).
    pub tags: Vec<Condition>,
    /// Path globs relative to the vault; a pattern without `*` also matches as a folder.
    pub paths: Vec<Condition>,
    /// `type` of the front matter.
    pub types: Vec<Condition>,
    /// Only notes dated on or after this day (`YYYY-MM-DD`). A note's day is `date`, `created`,
    /// `published` or `updated` of its front matter, else a date in its file name, else its
    /// modification (UTC).
    pub after: Option<String>,
    /// Only notes dated before this day (`YYYY-MM-DD`).
    pub before: Option<String>,
}

/// A question, taken apart.
///
/// Phrases rank as words too; exclusions, filters and links do not.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Query {
    /// What ranks: everything that is not an operator, and the phrases.
    pub text: String,
    /// Phrases, as typed, that a note must hold.
    pub required: Vec<String>,
    /// Words and phrases, as typed, that a note must not hold.
    pub excluded: Vec<String>,
    /// Filters in the text.
    pub filters: Filters,
    /// Notes that a note must link to, as typed.
    pub links: Vec<String>,
}

impl Query {
    /// Takes text as it is: nothing in it is an operator.
    pub(crate) fn plain(text: &str) -> Self {
        Query { text: text.trim().to_owned(), ..Query::default() }
    }

    /// Reads the operators.
    pub(crate) fn parse(text: &str) -> Self {
        let mut query = Query::default();
        let mut free: Vec<&str> = Vec::new();
        let mut rest = text;
        while let Some(part) = next_part(&mut rest) {
            if !query.take_operator(part, &mut free) {
                free.push(part);
            }
        }
        query.text = free.join(" ");
        query
    }

    /// Takes a part that is an operator; false for free text.
    fn take_operator<'t>(&mut self, part: &'t str, free: &mut Vec<&'t str>) -> bool {
        let (excludes, body) = match part.strip_prefix('-') {
            Some(body) if body.starts_with(|c: char| c.is_alphanumeric() || c == '"') => {
                (true, body)
            }
            _ => (false, part),
        };
        if let Some(phrase) = quoted(body) {
            if excludes {
                self.excluded.push(phrase.to_owned());
            } else {
                self.required.push(phrase.to_owned());
                free.push(phrase);
            }
            return true;
        }
        if let Some(target) = part.strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]"))
            && !target.trim().is_empty()
        {
            self.links.push(target.trim().to_owned());
            return true;
        }
        if let Some((list, value)) = self.filter_of(body) {
            list.push(Condition { value, exclude: excludes });
            return true;
        }
        if excludes {
            self.excluded.push(body.to_owned());
        }
        excludes
    }

    /// The list that a `name:value` belongs to.
    fn filter_of(&mut self, body: &str) -> Option<(&mut Vec<Condition>, String)> {
        let (name, value) = body.split_once(':')?;
        let value = quoted(value).unwrap_or(value).trim_start_matches('#');
        if value.is_empty() || value.starts_with(':') {
            return None;
        }
        let list = match name {
            "tag" => &mut self.filters.tags,
            "path" => &mut self.filters.paths,
            "type" => &mut self.filters.types,
            _ => return None,
        };
        Some((list, value.to_owned()))
    }

    /// True where there are no words to rank by.
    pub(crate) fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }
}

/// The inside of a text that is one quoted phrase and not blank.
fn quoted(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('"')?.strip_suffix('"')?;
    (!inside.trim().is_empty() && !inside.contains('"')).then_some(inside)
}

/// Cuts the next part off: up to a blank outside quotes and `[[ ]]`. A quote without its partner
/// is a character like any other.
fn next_part<'t>(rest: &mut &'t str) -> Option<&'t str> {
    let text = rest.trim_start();
    if text.is_empty() {
        return None;
    }
    let mut at = 0;
    while at < text.len() {
        let here = &text[at..];
        let Some(character) = here.chars().next() else { break };
        if character.is_whitespace() {
            break;
        }
        let closed = |open: &str, close: &str| {
            here.strip_prefix(open)?.find(close).map(|end| open.len() + end + close.len())
        };
        at += match closed("\"", "\"").or_else(|| closed("[[", "]]")) {
            Some(length) if starts_part(text, at) => length,
            _ => character.len_utf8(),
        };
    }
    let (part, tail) = text.split_at(at);
    *rest = tail;
    Some(part)
}

/// True where a quote may open: at the part's start, behind `-`, or behind `name:`.
fn starts_part(text: &str, at: usize) -> bool {
    matches!(text[..at].trim_start_matches('-'), "" | "tag:" | "path:" | "type:")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, free: &str, required: &[&str], excluded: &[&str]) {
        let query = Query::parse(text);
        assert_eq!(query.text, free, "free text of {text:?}");
        assert_eq!(query.required, required, "phrases of {text:?}");
        assert_eq!(query.excluded, excluded, "exclusions of {text:?}");
    }

    #[test]
    fn operators_are_read_and_everything_else_is_text() {
        check("plain words", "plain words", &[], &[]);
        check("a \"two words\" b", "a two words b", &["two words"], &[]);
        check("a -draft -\"old stuff\"", "a", &[], &["draft", "old stuff"]);
        check("a - b -- -", "a - b -- -", &[], &[]);
        check("say \"unclosed", "say \"unclosed", &[], &[]);
        check("NEAR(a b) * ( ' \" ^", "NEAR(a b) * ( ' \" ^", &[], &[]);
        check("std::flat_map http://x", "std::flat_map http://x", &[], &[]);
        check("権限 -下書き", "権限", &[], &["下書き"]);
        check("it\"s a \"b\"", "it\"s a b", &["b"], &[]);
        check("", "", &[], &[]);
    }

    #[test]
    fn filters_and_links_are_taken_out() {
        let query = Query::parse("x tag:#a/b -tag:c path:\"my folder\" type:daily [[Note A]]");
        let condition = |value: &str, exclude| Condition { value: value.to_owned(), exclude };
        assert_eq!(query.filters.tags, [condition("a/b", false), condition("c", true)]);
        assert_eq!(query.filters.paths, [condition("my folder", false)]);
        assert_eq!(query.filters.types, [condition("daily", false)]);
        assert_eq!((query.links, query.text), (vec!["Note A".to_owned()], "x".to_owned()));
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config {
            cases: testkit::cases(),
            failure_persistence: None,
            ..Default::default()
        })]

        #[test]
        fn any_text_is_a_query(text in "[\\-\"\\[\\]:# a-c鍵\\t*(]{0,40}|\\PC*") {
            let _ = Query::parse(&text);
        }
    }
}
