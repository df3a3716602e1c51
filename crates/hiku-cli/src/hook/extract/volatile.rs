//! What differs between two runs of the same command, replaced by what it is: times, durations,
//! rates, progress bars, memory addresses, process ids, random names of temporary files, hashes of
//! builds. Judges nothing.
//!
//! Only logs go through here. What a search, a listing or a history shows is data, to the letter.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// What is looked for, in the order in which it wins at the same place, and what stands for it.
/// `None` keeps the text: it looks volatile and is not.
const PATTERNS: &[(&str, Option<&str>)] = &[
    // A limit that was set is part of the message; so is a position behind a name.
    (
        r"(?i)(?:^|[^\w-])(?:after|within|exceeded|timeout|limit)(?: of)?[ =:]+\d+(?:\.\d+)? ?\w+",
        None,
    ),
    (r"\w:\d+:\d+:\d+\b", None),
    (
        r"\d{4}[-/]\d{2}[-/]\d{2}[T _]\d{2}[:_]\d{2}[:_]\d{2}(?:[.,_]\d+)?(?:Z| ?[+-]\d{2}:?\d{2}\b)?",
        Some("<time>"),
    ),
    (
        r"\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? +)?(?:\d{1,2} )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d{1,4},? \d{2}:\d{2}:\d{2}(?: (?:UTC|GMT|[+-]\d{4}))?(?: \d{4}\b)?",
        Some("<time>"),
    ),
    (r"\d{4}年\d{1,2}月\d{1,2}日 ?\d{1,2}[時:]\d{1,2}(?:分(?:\d{1,2}秒)?|:\d{2})?", Some("<time>")),
    (r"\beta [-\d:]+", Some("eta <time>")),
    (r"\b\d{2}:\d{2}:\d{2}(?:[.,]\d+)?\b", Some("<time>")),
    (r"^\[ *\d+\.\d{6}\]", Some("[<time>]")),
    (r"\b\d+(?:\.\d+)?(?: ?[kKMG]i?B/s)", Some("<rate>")),
    (r"\b\d+m ?\d+(?:\.\d+)?s\b", Some("<duration>")),
    (r"\b\d+(?:\.\d+)? ?(?:ms|µs|μs|us|ns)\b", Some("<duration>")),
    (r"\b\d+\.\d+ ?(?:s|secs?|seconds?)\b", Some("<duration>")),
    (r"\bin \d+ ?(?:s|secs?|seconds?|minutes?)\b", Some("in <duration>")),
    (r"\d+(?:\.\d+秒|ミリ秒)", Some("<duration>")),
    (r"\bat 0x[0-9a-fA-F]{6,16}\b", Some("at <address>")),
    (r"\b0x[0-9a-fA-F]{9,16}\b", Some("<address>")),
    (r"\b(?:pid|PID)[ =:]+\d+\b", Some("pid <pid>")),
    (r"==\d+==", Some("==<pid>==")),
    (r"' \(\d+\) panicked", Some("' (<thread>) panicked")),
    (r"\bpytest-\d+/", Some("pytest-<run>/")),
    (r"-[0-9a-f]{16}\b", Some("-<hash>")),
    (r"\s+\[ *\d{1,3}%\]$", Some("")),
    (r"\[[=#]{2,}[=#>\-. ]*\]|\[ *\d{1,3}%\]|[━╸╺█▓▒░▏▎▍▌▋▊▉■□]{4,}", Some("<progress>")),
    // These two are looked at again below.
    (TEMPORARY, None),
    (SYSLOG_PROCESS, None),
];

/// A file in a folder for temporary files.
const TEMPORARY: &str =
    r#"(?:/tmp|/var/tmp|/dev/shm|/var/folders/\w+/\w+/T|\\Temp)[/\\][^\s/\\'"`():,;]+"#;
/// The number of a process behind its name, in a system log: of a list, `[1]:` is an index.
const SYSLOG_PROCESS: &str = r"\[\d{2,7}\]:";

static ALL: LazyLock<Regex> = LazyLock::new(|| {
    let groups: Vec<String> = PATTERNS.iter().map(|(pattern, _)| format!("({pattern})")).collect();
    super::pattern(&groups.join("|"))
});

/// The line as another run would write it.
pub(super) fn stable(line: String) -> String {
    if !may_vary(&line) {
        return line;
    }
    let mut begins_with_time = false;
    let replaced = ALL.replace_all(&line, |found: &Captures<'_>| {
        let whole = &found[0];
        let number = (1..found.len()).find(|&group| found.get(group).is_some()).unwrap_or(1) - 1;
        let (pattern, replacement) = PATTERNS[number];
        let is_first = found.get(0).is_some_and(|all| all.start() == 0);
        begins_with_time |= replacement == Some("<time>") && is_first;
        match replacement {
            Some(text) => text.to_owned(),
            None if pattern == TEMPORARY => temporary(whole),
            None if pattern == SYSLOG_PROCESS && begins_with_time => "[<pid>]:".to_owned(),
            None => whole.to_owned(),
        }
    });
    match replaced {
        Cow::Borrowed(_) => line,
        Cow::Owned(replaced) => replaced,
    }
}

/// False for a line in which no pattern can be: all need a digit, a drawn bar or a temporary path.
fn may_vary(line: &str) -> bool {
    line.bytes().any(|byte| byte.is_ascii_digit() || byte >= 0x80)
        || ["[=", "[#", "/tmp/", "/T/", "\\Temp", "/dev/shm"].iter().any(|mark| line.contains(mark))
        || line.contains("eta ")
}

/// The path of a temporary file, its name replaced if a program made it up.
fn temporary(path: &str) -> String {
    match path.rfind(['/', '\\']) {
        Some(end) if is_made_up(&path[end + 1..]) => format!("{}<temporary>", &path[..=end]),
        _ => path.to_owned(),
    }
}

/// True for a name with a run of six or more letters and digits mixed, or of four digits, or that
/// begins as the usual functions' names do.
fn is_made_up(name: &str) -> bool {
    let is_mixed = |run: &str| {
        let digits = run.bytes().filter(u8::is_ascii_digit).count();
        digits >= 4 || run.len() >= 6 && digits > 0 && digits < run.len()
    };
    let beginnings = ["tmp.", ".tmp", "tmp_", "mktemp"];
    beginnings.iter().any(|&beginning| name.starts_with(beginning))
        || name.split(|letter: char| !letter.is_ascii_alphanumeric()).any(is_mixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_varies_is_named_and_what_does_not_is_kept() {
        let cases = [
            ("2026-04-10T12:34:56.789Z INFO up", "<time> INFO up"),
            ("[2026-04-10 12:34:56,789] up", "[<time>] up"),
            ("Apr 10 12:34:56 host sshd[4242]: up", "<time> host sshd[<pid>]: up"),
            ("Fri, 10 Apr 2026 12:34:56 GMT", "<time>"),
            ("2026年4月10日 12時34分56秒 開始", "<time> 開始"),
            ("finished in 0.26s", "finished in <duration>"),
            ("took 1m 20s, then 35ms", "took <duration>, then <duration>"),
            ("built in 12 seconds", "built in <duration>"),
            ("1.5秒で完了", "<duration>で完了"),
            ("timed out after 30.5s", "timed out after 30.5s"),
            ("fetch p-limit 27ms", "fetch p-limit <duration>"),
            ("Timeout of 2000ms exceeded", "Timeout of 2000ms exceeded"),
            ("<Foo object at 0x7f00aa>", "<Foo object at <address>>"),
            ("code 0x80070005", "code 0x80070005"),
            ("server started, pid 4242", "server started, pid <pid>"),
            ("==4242== Invalid read", "==<pid>== Invalid read"),
            (
                "thread 'a' (31) panicked at a.rs:1:2:",
                "thread 'a' (<thread>) panicked at a.rs:1:2:",
            ),
            ("/tmp/tmpab12cd/x.py:3", "/tmp/<temporary>/x.py:3"),
            ("/tmp/project/x.py:3", "/tmp/project/x.py:3"),
            (r"C:\Temp\ab12cd34\x", r"C:\Temp\<temporary>\x"),
            ("deps/cases-5e4d1c2b3a496877)", "deps/cases-<hash>)"),
            ("[=====>    ] 55%", "<progress> 55%"),
            ("━━━━━━━━ 73 kB 2.1 MB/s eta 0:00:01", "<progress> 73 kB <rate> eta <time>"),
            ("PASSED   [ 12%]", "PASSED"),
            ("[ 12%] Building", "<progress> Building"),
            ("src/a.rs:12:34: error", "src/a.rs:12:34: error"),
            ("a.rs:12:34:56", "a.rs:12:34:56"),
            ("values[12]: bad", "values[12]: bad"),
            ("version 1.2.3", "version 1.2.3"),
        ];
        for (line, expected) in cases {
            assert_eq!(stable(line.to_owned()), expected);
        }
    }
}
