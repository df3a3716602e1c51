//! What two lines have in common that say the same of different things: `Compiling a v1.0` and
//! `Compiling b v2.1`. Compares forms, not meaning.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::kind::Kind;

/// Words of a line that its form is made of.
const MAX_WORDS: usize = 8;

/// A hash of a line's form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Form(u64);

/// The form of a line: equal for lines that are alike. Of a search it is the file that a line is
/// of; else the first word and the sorts of the others.
pub(super) fn form(kind: Kind, line: &str) -> Form {
    let mut hasher = DefaultHasher::new();
    match kind {
        Kind::Search => path_of(line).unwrap_or("").hash(&mut hasher),
        _ => words(line, &mut hasher),
    }
    Form(hasher.finish())
}

/// The path before the line number of a match.
fn path_of(line: &str) -> Option<&str> {
    let mut end = 0;
    for part in line.split([':', '-']) {
        if !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()) {
            return line[..end].strip_suffix([':', '-']);
        }
        end = (end + part.len() + 1).min(line.len());
    }
    line.split_once(':').map(|(path, _)| path)
}

fn words(line: &str, hasher: &mut impl Hasher) {
    line.starts_with([' ', '\t']).hash(hasher);
    for (number, word) in line.split_whitespace().take(MAX_WORDS).enumerate() {
        let is_word = || word.trim_end_matches([':', ',', '.']).chars().all(char::is_alphabetic);
        match sort(word) {
            'w' if number == 0 && is_word() => word.hash(hasher),
            sort => sort.hash(hasher),
        }
    }
}

/// `n` a number, `w` a word, `p` marks only, `m` letters mixed with digits or marks, such as paths
/// and versions.
fn sort(word: &str) -> char {
    let inner = word.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '%');
    let all = |test: fn(char) -> bool| inner.chars().all(test);
    if !inner.contains(char::is_alphanumeric) {
        'p'
    } else if all(char::is_alphabetic) {
        'w'
    } else if inner.contains(char::is_alphabetic) {
        'm'
    } else {
        'n'
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alike_lines_have_one_form() {
        let alike = |a, b| form(Kind::Log, a) == form(Kind::Log, b);
        assert!(alike("   Compiling serde v1.0.1", "   Compiling toml v0.9.0"));
        assert!(alike("test a::b_1 ... ok", "test c::d_22 ... ok"));
        assert!(alike("tests/a.py::x PASSED <progress>", "tests/b.py::y PASSED <progress>"));
        assert!(!alike("   Compiling serde v1.0.1", "   Downloading serde v1.0.1"));
        assert!(!alike("Compiling serde v1.0.1", "   Compiling serde v1.0.1"));
    }

    #[test]
    fn matches_of_one_file_are_alike() {
        assert_eq!(path_of("a/b.md:12:text"), Some("a/b.md"));
        assert_eq!(path_of("a/b.md-13-text"), Some("a/b.md"));
        assert_eq!(path_of("a/b.md:text"), Some("a/b.md"));
        assert_eq!(path_of("text"), None);
        let alike = |a, b| form(Kind::Search, a) == form(Kind::Search, b);
        assert!(alike("a.rs:1:x y", "a.rs:20:z") && !alike("a.rs:1:x", "b.rs:1:x"));
    }
}
