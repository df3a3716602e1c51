//! What of a prompt is asked of the index, which prompts are not asked at all, and whether a prompt
//! refers to something past. Pure; the words are in `words`.
//!
//! A prompt is mostly about what the agent is to do and hand over. Those words, which notes hold by
//! chance, are left out, and what is left is the subject. `docs/recall.md` has what each step does
//! for recall.

use std::collections::HashSet;

use super::words::{
    FUNCTION_WORDS, GENERAL_RUNS, NO_RECALL_RUNS, OWN_RUNS, OWN_WORDS, RECALL_PHRASES, RECALL_RUNS,
    TASK_WORDS,
};

/// Longest part of a prompt that is looked at, in characters. Longer ones hold a document, and the
/// request stands before or after it: both ends are kept.
const MAX_PROMPT_CHARACTERS: usize = 4_000;
/// Longest question in characters, well within the library's limit.
const MAX_QUESTION_CHARACTERS: usize = 2_000;
/// Lines of a fenced block that are asked for: its first ones say what it is.
const FENCED_LINES: usize = 5;
/// Fewest lines that make a log; fewer may be a sentence over two lines.
const MIN_LOG_LINES: usize = 3;
/// Elements by which programs mark what they put in a prompt's place, by their beginnings.
const MACHINE_ELEMENTS: [&str; 9] = [
    "task-notification",
    "system-reminder",
    "teammate-message",
    "bash-",
    "command-",
    "local-command-",
    "tool_result",
    "tool-result",
    "user-prompt-submit-hook",
];
/// Beginnings of prompts that a program wrote.
const MACHINE_OPENINGS: [&str; 6] = [
    "This session is being continued from",
    "Caveat:",
    "[Request interrupted",
    "[SYSTEM",
    "このセッションは前の会話の続き",
    "Another Claude session sent",
];

/// How plainly a prompt refers to something that may be written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reference {
    /// Not at all.
    None,
    /// It speaks of the writer's own affairs.
    Own,
    /// It speaks of what was done, decided or written.
    Past,
}

/// True for a prompt that a person may have written and that has a subject.
pub(super) fn may_ask(prompt: &str) -> bool {
    !question(prompt).is_empty()
}

/// What is asked of the index for a prompt: its subject. Empty for prompts of machines, and for
/// those of no subject.
pub(super) fn question(prompt: &str) -> String {
    let text = without_machine_elements(ends(prompt.trim()));
    let text = text.trim();
    if is_of_machine(text) {
        return String::new();
    }
    let general: HashSet<&str> =
        FUNCTION_WORDS.split_whitespace().chain(TASK_WORDS.split_whitespace()).collect();
    let subject = without_general_runs(&without_long_fences(text));
    let words = subject.split_whitespace().filter(|word| !is_general(word, &general));
    let words: Vec<&str> = words.collect();
    // A kanji or two without their endings are what is left of a verb.
    if words.iter().all(|word| word.chars().filter(|c| c.is_alphanumeric()).count() < 2) {
        return String::new();
    }
    words.join(" ").chars().take(MAX_QUESTION_CHARACTERS).collect()
}

/// How plainly the prompt refers to something that may be written down.
pub(super) fn reference(prompt: &str) -> Reference {
    let words = plain_words(prompt);
    let mut runs = prompt.to_owned();
    NO_RECALL_RUNS.split('|').for_each(|run| runs = runs.replace(run, " "));
    let says = |phrases: &str, wanted: &str| {
        let says_phrase = phrases.split('|').any(|phrase| words.contains(&format!(" {phrase} ")));
        says_phrase || wanted.split('|').any(|run| runs.contains(run))
    };
    if says(RECALL_PHRASES, RECALL_RUNS) {
        Reference::Past
    } else if says(OWN_WORDS, OWN_RUNS) {
        Reference::Own
    } else {
        Reference::None
    }
}

/// Lower-case words with one blank around each.
fn plain_words(text: &str) -> String {
    let lower = text.to_lowercase();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let words = lower.split(|c| !is_word(c)).filter(|word| !word.is_empty());
    words.fold(" ".to_owned(), |text, word| text + word + " ")
}

/// Beginning and end of a text that is too long.
fn ends(text: &str) -> String {
    let count = text.chars().count();
    if count <= MAX_PROMPT_CHARACTERS {
        return text.to_owned();
    }
    let half = MAX_PROMPT_CHARACTERS / 2;
    let first: String = text.chars().take(half).collect();
    let last: String = text.chars().skip(count - half).collect();
    format!("{first}\n{last}")
}

/// Takes out the elements in which programs report; what a person wrote beside them stays.
fn without_machine_elements(mut text: String) -> String {
    let mut from = 0;
    while let Some(start) = text[from..].find('<').map(|at| from + at) {
        from = start + 1;
        let name = &text[from..];
        let end = name.find(|c: char| !c.is_ascii_alphanumeric() && !"-_".contains(c));
        let name = name[..end.unwrap_or(name.len())].to_owned();
        if !MACHINE_ELEMENTS.iter().any(|beginning| name.starts_with(beginning)) {
            continue;
        }
        let close = format!("</{name}>");
        let end = text[start..].find(&close).map_or(text.len(), |at| start + at + close.len());
        text.replace_range(start..end, "\n");
        from = start;
    }
    text
}

fn is_of_machine(text: &str) -> bool {
    text.is_empty()
        || is_slash_command(text)
        || is_bracketed_notice(text)
        || MACHINE_OPENINGS.iter().any(|opening| text.starts_with(opening))
        || is_json(text)
        || is_log(text)
}

/// `/name` and its arguments; a path has a further slash.
fn is_slash_command(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('/') else { return false };
    let name = rest.split_whitespace().next().unwrap_or_default();
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && !name.contains(['/', '.'])
}

/// One line that begins with a program's name in brackets.
fn is_bracketed_notice(text: &str) -> bool {
    let Some((name, rest)) = text.strip_prefix('[').and_then(|text| text.split_once(']')) else {
        return false;
    };
    let is_name = !name.is_empty() && name.len() <= 24 && !name.contains(['[', '\n']);
    is_name && !text.contains('\n') && rest.starts_with(' ') && !rest.contains(['?', '？'])
}

fn is_json(text: &str) -> bool {
    let is_value = text.starts_with(['{', '[']);
    is_value && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// Lines that a program printed and no question beside them: most begin as the line before does, or
/// as lines of logs do.
fn is_log(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.len() < MIN_LOG_LINES {
        return false;
    }
    let beginning = |line: &str| line.chars().take(3).collect::<String>();
    let is_printed = |number: usize| {
        let line = lines[number];
        let is_marked = line.starts_with(|c: char| c.is_ascii_digit() || "[{#+$>".contains(c));
        let neighbour = if number == 0 { lines[1] } else { lines[number - 1] };
        is_marked || beginning(line) == beginning(neighbour)
    };
    let printed = (0..lines.len()).filter(|number| is_printed(*number)).count();
    // One line in four may be a summary; a request in prose is more, or the only one that is not
    // printed and then first or last with an end of a sentence.
    let asks = |line: &str| line.ends_with(['?', '？', '.', '。', '!', '！']);
    let has_request = [lines[0], lines[lines.len() - 1]].iter().any(|line| {
        let words = line.split_whitespace().count();
        asks(line) && (words > 3 || !line.is_ascii()) && !line.starts_with(['[', '#'])
    });
    printed * 4 >= lines.len() * 3 && !has_request
}

/// Cuts fenced blocks to their first lines.
fn without_long_fences(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut fenced = None;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = if fenced.is_none() { Some(0) } else { None };
            kept.push('\n');
            continue;
        }
        if let Some(lines) = &mut fenced {
            *lines += 1;
        }
        if fenced.is_none_or(|lines| lines <= FENCED_LINES) {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// Hiragana becomes blanks, and so do runs of kanji and katakana that are general words.
///
/// Hiragana is endings, particles and general verbs nearly always; the few words of a subject that
/// are written in it are given up for that.
fn without_general_runs(text: &str) -> String {
    let general: HashSet<&str> = GENERAL_RUNS.split('|').collect();
    let mut kept = String::with_capacity(text.len());
    let mut run = String::new();
    for found in text.chars() {
        if is_run(found) {
            run.push(found);
            continue;
        }
        end_run(&mut run, &general, &mut kept);
        kept.push(if ('ぁ'..='ゖ').contains(&found) { ' ' } else { found });
    }
    end_run(&mut run, &general, &mut kept);
    kept
}

fn end_run(run: &mut String, general: &HashSet<&str>, kept: &mut String) {
    kept.push_str(if general.contains(run.as_str()) { " " } else { run.as_str() });
    run.clear();
}

/// Kanji and katakana.
fn is_run(found: char) -> bool {
    ('一'..='龠').contains(&found)
        || found == '々'
        || ('ァ'..='ヴ').contains(&found)
        || found == 'ー'
}

/// True for a word without a subject: a general one, or no word at all.
fn is_general(word: &str, general: &HashSet<&str>) -> bool {
    let core = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_').to_lowercase();
    let core = core.replace('’', "'");
    let core = match core.rsplit_once('\'') {
        Some((stem, "s" | "re" | "ve" | "ll" | "d" | "m" | "t")) => stem,
        _ => core.as_str(),
    };
    core.is_empty() || (core.len() <= 1 && core.is_ascii()) || general.contains(core)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_the_subject() {
        let check = |prompt: &str, expected: &str| assert_eq!(question(prompt), expected);
        check("Please fix the failing test in `parser.rs`.", "`parser.rs`.");
        check("What's our rule for std::flat_map?", "rule std::flat_map?");
        check("前に gitleaks を入れたときどうやった", "gitleaks");
        check("権限の設計を確認してください", "権限 設計");
        check("why\n```\nerror one\n2\n3\n4\n5\nsix\n```\nhere", "error");
        for nothing in ["", "yes", "続けて", "ok go ahead", "はい、お願いします。", "2", "???"]
        {
            check(nothing, "");
        }
        assert!(question(&"long word ".repeat(9_000)).chars().count() <= MAX_QUESTION_CHARACTERS);
    }

    #[test]
    fn what_machines_write_is_not_asked() {
        for machine in [
            "/compact",
            "/review 412 --only-style",
            "<task-notification>\n<summary>cargo test</summary>\n</task-notification>",
            "<bash-stdout>gitleaks</bash-stdout><bash-stderr></bash-stderr>",
            "<system-reminder>gitleaks",
            "{\"type\":\"tool_result\",\"content\":\"gitleaks\"}",
            "[ci] build #1841 passed in 7m 12s",
            "10:02 gitleaks started\n10:03 gitleaks ended\n10:04 gitleaks left",
            "step 1 gitleaks\nstep 2 gitleaks\nstep 3 gitleaks",
        ] {
            assert!(!may_ask(machine), "{machine}");
        }
        for human in [
            "/srv/app/gitleaks fails",
            "why <T> in gitleaks",
            "<system-reminder>x</system-reminder>\ngitleaks again",
            "10:02 gitleaks started\n10:03 gitleaks ended\nHave we had this before?",
            "前回の gitleaks",
            "[x] in gitleaks means what?",
        ] {
            assert!(may_ask(human), "{human}");
        }
    }

    #[test]
    fn references_to_the_past_are_told_apart() {
        let check = |prompt: &str, expected| assert_eq!(reference(prompt), expected, "{prompt}");
        check("how did we do it?", Reference::Past);
        check("Didn't we settle this", Reference::Past);
        check("against all odds", Reference::None);
        check("前回と同じにして", Reference::Past);
        check("変数名前にする", Reference::None);
        check("our build is red", Reference::Own);
        check("今の値は何分", Reference::Own);
        check("sort this list", Reference::None);
    }
}
