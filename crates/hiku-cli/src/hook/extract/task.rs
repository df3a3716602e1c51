//! Which lines have to do with what the conversation is about. Knows no meaning: a line matches by
//! the words that it shares with the prompt.

/// Words of a prompt that are looked for; a longer prompt is a pasted text. At most 64, a bit each.
const MAX_WORDS: usize = 40;
/// A word in more than one of so many lines says nothing about a line.
const COMMON_ONE_IN: usize = 10;
/// English words that prompts are full of.
const STOP_WORDS: &[&str] = &[
    "the", "and", "for", "with", "that", "this", "from", "have", "are", "was", "but", "not", "you",
    "all", "can", "why", "how", "what", "when", "where", "which", "does", "did", "please", "fix",
    "run", "make", "use", "test", "tests", "error", "errors", "file", "files", "code", "into",
    "then", "should", "would", "could", "will", "there", "their", "them", "its", "has", "had",
    "look", "see", "get", "let", "add", "new", "now", "our", "out", "any", "some", "only", "also",
];

/// The words of a prompt that a line may share, lower-case, each once, in their order.
pub(super) fn words(task: &str) -> Vec<String> {
    let lower = task.to_lowercase();
    let mut words: Vec<String> = Vec::new();
    for word in lower.split(|letter: char| !is_of_a_word(letter)).flat_map(runs) {
        if words.len() < MAX_WORDS && is_telling(word) && !words.iter().any(|old| old == word) {
            words.push(word.to_owned());
        }
    }
    words
}

/// Hiragana joins Japanese words and is none; it separates.
fn is_of_a_word(letter: char) -> bool {
    let is_hiragana = ('\u{3040}'..='\u{309f}').contains(&letter);
    (letter.is_alphanumeric() || letter == '_' || letter == 'ー') && !is_hiragana
}

/// The ASCII and the other runs of a word, which Japanese writes without a space.
fn runs(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?.is_ascii();
        let end = rest.find(|letter: char| letter.is_ascii() != first).unwrap_or(rest.len());
        let (run, behind) = rest.split_at(end);
        rest = behind;
        Some(run)
    })
}

fn is_telling(word: &str) -> bool {
    let enough = if word.is_ascii() { 3 } else { 2 };
    word.chars().count() >= enough
        && !STOP_WORDS.contains(&word)
        && !word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Where a text first has one of the words.
pub(super) fn position(words: &[String], text: &str) -> Option<usize> {
    let lower = text.to_ascii_lowercase();
    words.iter().filter_map(|word| lower.find(word.as_str())).min()
}

/// Which of the words a text has, one bit each.
pub(super) fn words_of(words: &[String], text: &str) -> u64 {
    if words.is_empty() {
        return 0;
    }
    let lower = text.to_ascii_lowercase();
    let has = |(_, word): &(usize, &String)| lower.contains(word.as_str());
    words.iter().enumerate().filter(has).map(|(number, _)| 1 << number).sum()
}

/// The lines that share words with the task, given the words of each: those with the rarest words
/// first, then in their order.
pub(super) fn matches(lines: &[u64]) -> Vec<usize> {
    let count = |word: usize| lines.iter().filter(|&&words| words >> word & 1 == 1).count();
    let all = lines.iter().fold(0, |all, words| all | words);
    let counts: Vec<usize> =
        (0..MAX_WORDS).map(|word| if all >> word & 1 == 1 { count(word) } else { 0 }).collect();
    let is_rare = |&word: &usize| counts[word] * COMMON_ONE_IN <= lines.len();
    let rarest = |words: u64| {
        let its = (0..MAX_WORDS).filter(|word| words >> word & 1 == 1);
        its.filter(is_rare).map(|word| counts[word]).min()
    };
    let found = lines.iter().enumerate().filter(|(_, words)| **words != 0);
    let mut ranked: Vec<(usize, usize)> =
        found.filter_map(|(line, &words)| Some((rarest(words)?, line))).collect();
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, line)| line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_gives_the_words_that_tell() {
        assert_eq!(words("Fix the flaky test read_config, please"), ["flaky", "read_config"]);
        assert_eq!(words("設定のReaderが失敗する"), ["設定", "reader", "失敗"]);
        assert_eq!(words("12 34"), Vec::<String>::new());
    }

    #[test]
    fn rare_words_come_first_and_common_ones_do_not_count() {
        let mut lines = vec!["a common line"; 40];
        lines[7] = "common chunker";
        lines[3] = "reader";
        lines[9] = "reader";
        let words = words("common chunker reader");
        let found: Vec<u64> = lines.iter().map(|line| words_of(&words, line)).collect();
        assert_eq!(matches(&found), [7, 3, 9]);
        assert_eq!(matches(&[]), Vec::<usize>::new());
    }
}
