//! Normalisation steps on a whole text, for models whose normaliser is not just a character map.
//! Not responsible for words and not fast.

use unicode_segmentation::UnicodeSegmentation;

use crate::charsmap::Charsmap;
use crate::options::{RunKind, Step};
use crate::words::LONG_CLUSTER;

/// Applies steps in order; gives the text itself when there are none. The buffers hold the result.
pub(crate) fn apply<'a>(
    steps: &[Step],
    charsmap: Option<Charsmap<'_>>,
    text: &'a str,
    whole: &'a mut String,
    spare: &mut String,
) -> &'a str {
    if steps.is_empty() {
        return text;
    }
    whole.clear();
    whole.push_str(text);
    for step in steps {
        spare.clear();
        apply_one(step, charsmap, whole, spare);
        std::mem::swap(whole, spare);
    }
    whole
}

fn apply_one(step: &Step, charsmap: Option<Charsmap<'_>>, text: &str, target: &mut String) {
    match step {
        Step::Charsmap => apply_charsmap(charsmap, text, target),
        Step::Replace(from, to) => target.push_str(&text.replace(from.as_str(), to)),
        Step::ReplaceRuns(RunKind::TwoSpaces, to) => {
            replace_runs(text, 2, |character| character == ' ', to, target);
        }
        Step::ReplaceRuns(RunKind::WhiteSpace, to) => {
            replace_runs(text, 1, char::is_whitespace, to, target);
        }
        Step::StripLeft => target.push_str(text.trim_start()),
        Step::StripRight => target.push_str(text.trim_end()),
        Step::Lowercase => target.extend(text.chars().flat_map(char::to_lowercase)),
        Step::Prepend(prefix) => {
            target.push_str(if text.is_empty() { "" } else { prefix });
            target.push_str(text);
        }
    }
}

/// Replaces runs of at least `least` matching characters.
fn replace_runs(
    text: &str,
    least: usize,
    matches: impl Fn(char) -> bool,
    replacement: &str,
    target: &mut String,
) {
    let mut rest = text;
    while let Some(start) = rest.find(&matches) {
        let tail = &rest[start..];
        let end = tail.find(|character| !matches(character)).unwrap_or(tail.len());
        target.push_str(&rest[..start]);
        let run = &tail[..end];
        target.push_str(if run.chars().count() >= least { replacement } else { run });
        rest = &tail[end..];
    }
    target.push_str(rest);
}

/// Applies the character map cluster by cluster, as [`crate::words`] does.
fn apply_charsmap(charsmap: Option<Charsmap<'_>>, text: &str, target: &mut String) {
    let Some(charsmap) = charsmap else {
        target.push_str(text);
        return;
    };
    for cluster in text.graphemes(true) {
        let short = cluster.len() < LONG_CLUSTER;
        if let Some(mapped) = charsmap.replacement(cluster.as_bytes()).filter(|_| short) {
            target.push_str(mapped);
            continue;
        }
        let mut buffer = [0; 4];
        for character in cluster.chars() {
            let own = character.encode_utf8(&mut buffer);
            target.push_str(charsmap.replacement(own.as_bytes()).unwrap_or(own));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(steps: &[Step], text: &str, expected: &str) {
        let (mut whole, mut spare) = (String::new(), String::new());
        assert_eq!(
            apply(steps, None, text, &mut whole, &mut spare),
            expected,
            "{steps:?} {text:?}"
        );
    }

    #[test]
    fn each_step_does_its_part() {
        let replace = |from: &str, to: &str| Step::Replace(from.into(), to.into());
        let runs = |kind, to: &str| Step::ReplaceRuns(kind, to.into());
        check(&[], " a ", " a ");
        check(&[Step::Charsmap], "a", "a");
        check(&[replace(".", " . ")], "a..b", "a .  . b");
        check(&[runs(RunKind::TwoSpaces, "_")], " a  b   c\t\t", " a_b_c\t\t");
        check(&[runs(RunKind::WhiteSpace, " ")], "\na \u{3000}\tb", " a b");
        check(&[Step::StripLeft], " \n a ", "a ");
        check(&[Step::StripRight], " a \u{3000}", " a");
        check(&[Step::Lowercase], "ÀΣx", "àσx");
        check(&[Step::Prepend("▁".into())], "a", "▁a");
        check(&[Step::Prepend("▁".into())], "", "");
    }

    #[test]
    fn steps_follow_each_other() {
        let steps = [
            Step::Replace(",".into(), " , ".into()),
            Step::ReplaceRuns(RunKind::WhiteSpace, " ".into()),
            Step::StripRight,
        ];
        check(&steps, "a,  b,", "a , b ,");
    }
}
