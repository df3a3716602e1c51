//! Which documents may be found at all: living ones that pass every filter, phrase and exclusion.

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustc_hash::FxHashMap;

use super::lexical::{QueryTerm, having, having_all, query_terms};
use super::snapshot::{Document, Snapshot};
use crate::error::{Error, Result};
use crate::indexer::{link_key, parse_day};
use crate::postings::Field;
use crate::query::{Condition, Filters, Query};
use crate::store::Store;
use crate::text::{Script, fold};
use crate::tokenize::{Analyzer, Class};

/// For each document whether it may be found.
///
/// Tags, types and links are looked up as terms, paths and days compared note by note, and phrases
/// last, in the texts of the notes that are left: reading texts is what costs.
///
/// # Errors
/// `User` for a malformed glob or date, `Corrupt` and `Io` from the file.
pub(crate) fn allowed(
    store: &Store,
    snapshot: &Snapshot,
    analyzer: &mut Analyzer,
    query: &Query,
    filters: &Filters,
) -> Result<Vec<bool>> {
    let mut allowed = snapshot.living();
    for tags in [&filters.tags, &query.filters.tags] {
        by_terms(store, snapshot, Field::Tag, tags, &mut allowed)?;
    }
    for types in [&filters.types, &query.filters.types] {
        by_terms(store, snapshot, Field::Type, types, &mut allowed)?;
    }
    for target in &query.links {
        let documents = linking_to(store, snapshot, &link_key(link_target(target)))?;
        keep(&mut allowed, &documents);
    }
    by_place_and_day(store, snapshot, query, filters, &mut allowed)?;
    by_phrases(store, snapshot, analyzer, query, &mut allowed)?;
    Ok(allowed)
}

/// Living documents with a link whose target has this name, in the form of [`link_key`].
///
/// # Errors
/// `Corrupt` and `Io` from the file.
pub(crate) fn linking_to(store: &Store, snapshot: &Snapshot, key: &str) -> Result<Vec<Document>> {
    having(store, snapshot, Field::Link, key)
}

/// The file part of a link as typed.
fn link_target(link: &str) -> &str {
    link.split(['|', '#']).next().unwrap_or(link).trim()
}

fn keep(allowed: &mut [bool], documents: &[Document]) {
    let mut kept = vec![false; allowed.len()];
    for document in documents {
        kept[*document as usize] = true;
    }
    for (allowed, kept) in allowed.iter_mut().zip(kept) {
        *allowed &= kept;
    }
}

fn by_terms(
    store: &Store,
    snapshot: &Snapshot,
    field: Field,
    conditions: &[Condition],
    allowed: &mut [bool],
) -> Result<()> {
    let mut wanted: Option<Vec<Document>> = None;
    for condition in conditions {
        let folded = fold(condition.value.trim_start_matches('#'));
        let documents = having(store, snapshot, field, &folded)?;
        if condition.exclude {
            for document in documents {
                allowed[document as usize] = false;
            }
        } else {
            wanted.get_or_insert_default().extend(documents);
        }
    }
    if let Some(wanted) = wanted {
        keep(allowed, &wanted);
    }
    Ok(())
}

/// One row of path conditions, compiled.
struct PathRule {
    glob: Gitignore,
    exclude: bool,
}

impl PathRule {
    /// A glob in gitignore form, so that a folder's name takes in all below it.
    fn compile(condition: &Condition) -> Result<Self> {
        let mut builder = GitignoreBuilder::new("");
        let line = condition.value.trim_end_matches('/');
        let pattern_error = |error: ignore::Error| Error::Pattern {
            pattern: condition.value.clone(),
            detail: error.to_string(),
        };
        builder.add_line(None, line).map_err(pattern_error)?;
        let glob = builder.build().map_err(pattern_error)?;
        Ok(PathRule { glob, exclude: condition.exclude })
    }

    fn matches(&self, path: &str) -> bool {
        self.glob.matched_path_or_any_parents(path, false).is_ignore()
    }
}

fn passes(rules: &[PathRule], path: &str) -> bool {
    let excluded = rules.iter().any(|rule| rule.exclude && rule.matches(path));
    let mut wanting = rules.iter().filter(|rule| !rule.exclude).peekable();
    !excluded && (wanting.peek().is_none() || wanting.any(|rule| rule.matches(path)))
}

fn by_place_and_day(
    store: &Store,
    snapshot: &Snapshot,
    query: &Query,
    filters: &Filters,
    allowed: &mut [bool],
) -> Result<()> {
    let compile = |conditions: &[Condition]| -> Result<Vec<PathRule>> {
        conditions.iter().map(PathRule::compile).collect()
    };
    let (given, typed) = (compile(&filters.paths)?, compile(&query.filters.paths)?);
    let after = day(filters.after.as_deref(), "after")?;
    let before = day(filters.before.as_deref(), "before")?;
    if given.is_empty() && typed.is_empty() && after.is_none() && before.is_none() {
        return Ok(());
    }
    let mut passing: FxHashMap<i64, bool> = FxHashMap::default();
    store.for_each_note(|note_id, path, day| {
        let in_time =
            after.is_none_or(|after| day >= after) && before.is_none_or(|before| day < before);
        passing.insert(note_id, in_time && passes(&given, path) && passes(&typed, path));
    })?;
    let notes = snapshot.segments.iter().flat_map(|columns| &columns.notes);
    for (allowed, note_id) in allowed.iter_mut().zip(notes) {
        *allowed &= passing.get(note_id).copied().unwrap_or(false);
    }
    Ok(())
}

fn day(text: Option<&str>, name: &'static str) -> Result<Option<i32>> {
    let Some(text) = text else { return Ok(None) };
    parse_day(text).map(Some).ok_or_else(|| Error::Pattern {
        pattern: text.to_owned(),
        detail: format!("--{name} takes a day as YYYY-MM-DD"),
    })
}

/// Phrases that must and must not stand in a note.
fn by_phrases(
    store: &Store,
    snapshot: &Snapshot,
    analyzer: &mut Analyzer,
    query: &Query,
    allowed: &mut [bool],
) -> Result<()> {
    for phrase in &query.required {
        let holding = holding(store, snapshot, analyzer, phrase, allowed)?;
        keep(allowed, &holding);
    }
    for phrase in &query.excluded {
        for document in holding(store, snapshot, analyzer, phrase, allowed)? {
            allowed[document as usize] = false;
        }
    }
    Ok(())
}

/// Allowed documents that hold a phrase: narrowed by its terms, then looked for in title and text,
/// all folded. A phrase that begins or ends with a letter of a script with blanks begins or ends at
/// a word's edge; Japanese ones match anywhere.
fn holding(
    store: &Store,
    snapshot: &Snapshot,
    analyzer: &mut Analyzer,
    phrase: &str,
    allowed: &[bool],
) -> Result<Vec<Document>> {
    let folded = fold(phrase);
    let narrowing: Vec<_> =
        query_terms(analyzer, phrase).into_iter().filter(narrows_substring).collect();
    let candidates = if narrowing.is_empty() {
        (0..snapshot.documents as Document).collect()
    } else {
        having_all(store, snapshot, &narrowing)?
    };
    let mut holding = Vec::new();
    for document in candidates {
        if allowed[document as usize] {
            let row = store.document(snapshot.note_id(document))?;
            if stands_in(&fold(&row.title), &folded) || stands_in(&fold(&row.text), &folded) {
                holding.push(document);
            }
        }
    }
    Ok(holding)
}

/// True for a term that every text has which holds the phrase, whatever stands around it: whole
/// words, and Japanese pairs and kanji; not Japanese runs, which may go on outside of the phrase,
/// nor chains of words.
fn narrows_substring(term: &QueryTerm) -> bool {
    let first = term.text.chars().next().unwrap_or(' ');
    match term.class {
        Class::Strong => !Script::of(first).is_japanese() && !term.is_bonus,
        Class::Kanji => true,
        Class::Bigram => !term.is_prefix,
    }
}

/// True where a folded text holds a folded phrase, at word edges where the phrase has such.
fn stands_in(text: &str, phrase: &str) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(|c| Script::of(c) == Script::Word);
    let (first, last) = (phrase.chars().next(), phrase.chars().next_back());
    text.match_indices(phrase).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let behind = text[at + phrase.len()..].chars().next();
        let inside_a_word =
            (is_word(first) && is_word(before)) || (is_word(last) && is_word(behind));
        !inside_a_word
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_keep_to_word_edges_but_for_japanese() {
        for (text, phrase, stands) in [
            ("the flow field here", "flow field", true),
            ("the overflow field", "flow field", false),
            ("fields", "field", false),
            ("日本語の検索", "本語", true),
            ("再実行gen-itgc後", "gen", true),
            ("c++ code", "c++", true),
        ] {
            assert_eq!(stands_in(text, phrase), stands, "{phrase} in {text}");
        }
    }
}
