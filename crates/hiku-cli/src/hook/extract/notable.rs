//! What one line says: an error, where it is, a warning, a sum, a frame of a stack, or nothing of
//! note. Looks at the line alone; English and Japanese.
//!
//! In a log a line with a word for failure is an error, unless the word is part of a name
//! (`error.rs`, `--no-fail-fast`), is denied (`0 errors`), or the line reports success. In data
//! only the searching program's own complaints are errors.

use std::sync::LazyLock;

use hiku::text::floor_boundary;
use regex::{Match, Regex};

use super::kind::Kind;

/// What a line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Something failed. Always kept.
    Error,
    /// Where something failed: a file and a line.
    Location,
    /// Something may be wrong.
    Warning,
    /// How it went in all.
    Summary,
    /// A heading of what follows.
    Heading,
    /// A part went well.
    Success,
    /// One call of a stack.
    Frame,
    /// Nothing: no letter and no digit.
    Blank,
    /// Anything else.
    Plain,
}

/// Words for failure, and the marks that test runners draw.
const FAILURES: &str = r"(?ix)
    \b(?: errors? | fail(?:ed|ure|ures|s|ing)? | fatal | panic(?:ked|s)? | exceptions?
        | traceback | critical | abort(?:ed|ing)? | unhandled | uncaught | conflict
        | segmentation\ fault | segfault | core\ dumped | killed | out\ of\ memory
        | (?:permission|access)\ denied | connection\ (?:refused|reset) | timed\ out
        | command\ not\ found | no\ such\ file | undefined\ reference | unresolved
        | could(?:\ not|n't) | unable\ to | not\ ok
        | cannot\ (?:find|open|access|stat|read|write|connect|resolve|create|execute|remove)
        | (?-i:[A-Z]\w*(?:Error|Exception)) )\b
    | \berr! | ^\s*[✖✗✘❌●⨯] | ^E\s{2,}\S | ^make:.*\*\*\*
    | エラー | 失敗 | 例外 | 致命的 | 異常終了 | パニック | できませんでした | 見つかりません";
/// Words for warnings.
const WARNINGS: &str = r"(?i)\b(?:warn(?:ing|ings)?|deprecated|\w+warning)\b|警告|注意|非推奨";
/// What denies a word before it.
const DENIED_BEFORE: &str = r"(?i)(?:^|[^\w.])(?:0|no|zero|without|any|ignore|ignoring)(?:\s+\w+)?\s+$|(?:^|\D)0 ?[件個]?の?$";
/// What denies a word behind it.
const DENIED_BEHIND: &str = r#"(?i)^["']?\s*[:=]?\s*(?:0\b|none\b|null\b|nil\b|false\b|\[\]|\(0\))|^(?:は|が)?(?:なし|ありません|0 ?件)"#;
/// Bytes around a word in which what denies it is looked for.
const DENIAL_REACH: usize = 64;
/// A line that reports success, whatever its name is.
const SUCCESSES: &str = r"(?:\.\.\. (?:ok|ignored)|\b(?:PASSED|SKIPPED|XFAIL|OK)(?:\s+<progress>)?)$|^\s*(?:✔|✓|√|ok \d+|PASS\b|--- PASS)";
/// How it went in all.
const SUMMARIES: &str = r"(?ix)
    ^\s* (?: test\ result: | =+\ .*\ =+$ | BUILD\ | (?:tests?|test\ suites|snapshots|ran|found|total
        |finished|done|successfully|added|removed|changed|audited|up\ to\ date)\b
        | (?:ℹ|\#)\ (?:tests|suites|pass|fail|cancelled|skipped|todo)\b )
    | \b\d+\ (?:passed|failed|passing|failing|skipped|errors?|warnings?|problems?|vulnerabilities
        |files?\ changed)\b
    | \bgenerated\ \d+\ warnings? | 合計 | 件の?(?:成功|失敗) | 完了しました | 成功しました";
/// Where something failed.
const LOCATIONS: &str = r#"^\s*(?:-->|::: )|^\s*File ".+", line \d+|^\s*at .*:\d+|^\s*[\w./\\@-]+\.\w+(?::\d+|\(\d+[,)])"#;
/// One call of a stack.
const FRAMES: &str = r#"^\s+at |^\s*File ".+", line \d+|^\s*\d+: (?:0x|<address>|[\w<])|^#\d+ |^\s+from .+:\d+|\.go:\d+ \+0x"#;
/// Parts of the paths of other people's code.
const LIBRARIES: &[&str] = &[
    "/rustc/",
    "/.cargo/",
    "node:",
    "node_modules",
    "site-packages",
    "/usr/lib/",
    "<frozen",
    "core::",
    "std::",
    "java.base/",
    "__rustc",
];
/// What begins a part of data: a commit, a changed file, a folder.
const HEADINGS: &str = r"^(?:commit [0-9a-f]{7,}|diff --git |@@ |\S.*:$)";
/// What begins a part of a log.
const RULES: &str = r"^[\[=\-_]{3,}\s*\S|:$";
/// What a program that shows data says when it fails.
const COMPLAINTS: &str = r"^(?:(?:e|f|z)?grep|rg|find|fd|ls|tree|du|git|fatal|error|warning|bash|sh|zsh)(?::| \(|.*: No such file)";

macro_rules! pattern {
    ($name:ident, $text:expr) => {
        static $name: LazyLock<Regex> = LazyLock::new(|| super::pattern($text));
    };
}
pattern!(FAILURE, FAILURES);
pattern!(WARNING, WARNINGS);
pattern!(BEFORE, DENIED_BEFORE);
pattern!(BEHIND, DENIED_BEHIND);
pattern!(SUCCESS, SUCCESSES);
pattern!(SUMMARY, SUMMARIES);
pattern!(LOCATION, LOCATIONS);
pattern!(FRAME, FRAMES);
pattern!(HEADING, HEADINGS);
pattern!(RULE, RULES);
pattern!(COMPLAINT, COMPLAINTS);

/// What a stable line says.
pub(super) fn class(kind: Kind, line: &str) -> Class {
    let is_drawn = |letter: char| !letter.is_alphanumeric();
    if line.chars().all(if kind.is_log() { is_drawn } else { char::is_whitespace }) {
        return Class::Blank;
    }
    if !kind.is_log() {
        return class_of_data(line);
    }
    let checks: [(Class, &dyn Fn() -> bool); 7] = [
        (Class::Success, &|| SUCCESS.is_match(line)),
        (Class::Error, &|| error_position(line).is_some()),
        (Class::Location, &|| LOCATION.is_match(line) && !WARNING.is_match(line)),
        (Class::Warning, &|| position(&WARNING, line).is_some()),
        (Class::Summary, &|| SUMMARY.is_match(line)),
        (Class::Frame, &|| FRAME.is_match(line)),
        (Class::Heading, &|| RULE.is_match(line)),
    ];
    checks.iter().find(|(_, holds)| holds()).map_or(Class::Plain, |(class, _)| *class)
}

fn class_of_data(line: &str) -> Class {
    if COMPLAINT.is_match(line) {
        Class::Error
    } else if HEADING.is_match(line) {
        Class::Heading
    } else {
        Class::Plain
    }
}

/// True for a call of a stack in the program's own code, as far as its path tells.
pub(super) fn is_own_frame(line: &str) -> bool {
    FRAME.is_match(line) && !is_of_a_library(line)
}

/// True for a call of a stack in other people's code.
pub(super) fn is_foreign_frame(line: &str) -> bool {
    FRAME.is_match(line) && is_of_a_library(line)
}

fn is_of_a_library(line: &str) -> bool {
    LIBRARIES.iter().any(|part| line.contains(part))
}

/// Where a line says that something failed.
pub(super) fn error_position(line: &str) -> Option<usize> {
    position(&FAILURE, line)
}

/// The first place where one of the words stands by itself and is not denied.
fn position(words: &Regex, line: &str) -> Option<usize> {
    let counts = |found: &Match<'_>| {
        let (before, behind) = around(line, found);
        // A type's name may stand behind its module's: `java.io.IOException`.
        let qualified = if is_type(found.as_str()) { before.trim_end_matches('.') } else { before };
        stands_alone(qualified, behind) && !BEFORE.is_match(before) && !BEHIND.is_match(behind)
    };
    words.find_iter(line).find(counts).map(|found| found.start())
}

/// The text just before and behind: a line may be a whole file, and have a million such words.
fn around<'l>(line: &'l str, found: &Match<'_>) -> (&'l str, &'l str) {
    let start = floor_boundary(line, found.start().saturating_sub(DENIAL_REACH));
    let end = floor_boundary(line, (found.end() + DENIAL_REACH).min(line.len()));
    (&line[start..found.start()], &line[found.end()..end.max(found.end())])
}

fn is_type(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_uppercase())
        && word.contains(|letter: char| letter.is_ascii_lowercase())
}

/// False for a part of a path, a flag or a name.
fn stands_alone(before: &str, behind: &str) -> bool {
    let joins_before = before.ends_with(['_', '/', '-', '$', '@', '\\'])
        || before.ends_with('.') && before.len() > 1 && !before.ends_with("..");
    let mut next = behind.chars();
    let joins_behind = match (next.next(), next.next()) {
        (Some('_' | '/' | '\\'), _) | (Some(':'), Some(':')) => true,
        (Some('.' | '-'), Some(second)) => second.is_alphanumeric(),
        _ => false,
    };
    !joins_before && !joins_behind
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: Kind, expected: Class, lines: &[&str]) {
        for line in lines {
            assert_eq!(class(kind, line), expected, "{line}");
        }
    }

    #[test]
    fn failures_of_many_programs_are_errors() {
        check(
            Kind::Log,
            Class::Error,
            &[
                "error[E0425]: cannot find value `x` in this scope",
                "error: could not compile `sample` (lib) due to 40 previous errors",
                "thread 'a' (<thread>) panicked at tests/a.rs:1:2:",
                "test query_277 ... FAILED",
                "test result: FAILED. 393 passed; 7 failed",
                "FAILED tests/test_a.py::test_b - KeyError: 'c'",
                "E       AssertionError: the sum is off",
                "Traceback (most recent call last):",
                "ValueError: invalid literal",
                "java.lang.NullPointerException: x",
                "src/m1.ts(2,14): error TS2322: Type 'string' is not assignable",
                "npm ERR! code ELIFECYCLE",
                "npm error code E404",
                "make: *** [Makefile:5: f17.o] Error 1",
                "f17.c:1:27: error: ‘missing_17’ undeclared",
                "ld: undefined reference to `foo'",
                "bash: foo: command not found",
                "curl: (6) Could not resolve host: example.org",
                "ERROR: failed to solve: process did not complete",
                "✖ case 13 (<duration>)",
                "not ok 3 - adds",
                "--- FAIL: TestX (0.00s)",
                "fatal: not a git repository",
                "level=error msg=\"x\"",
                "{\"level\":\"error\",\"msg\":\"x\"}",
                "Segmentation fault (core dumped)",
                "CONFLICT (content): Merge conflict in a.rs",
                "エラー: ファイルが見つかりません",
                "ビルドに失敗しました",
                "例外が発生しました",
                "3 errors generated.",
            ],
        );
    }

    #[test]
    fn names_denials_and_successes_are_no_errors() {
        for line in [
            "   Compiling thiserror v2.0.1",
            "   Compiling error-chain v0.12.4",
            "   Compiling proc-macro-error v1.0",
            "test errors::are_shown ... ok",
            "tests/test_error.py::test_failure PASSED <progress>",
            "✔ error is shown (<duration>)",
            "gcc -Werror -o error.o -c src/error.c",
            "0 errors, 0 warnings",
            "Found no errors",
            "fail 0",
            "ℹ fail 0",
            "errors: 0",
            "error=null",
            "エラーなし",
            "エラー: 0 件",
            "compiling a.b.error_handler",
        ] {
            assert_ne!(class(Kind::Log, line), Class::Error, "{line}");
        }
    }

    #[test]
    fn other_lines_have_their_class() {
        check(
            Kind::Log,
            Class::Location,
            &["  --> src/lib.rs:36:18", "  File \"a.py\", line 3, in f"],
        );
        check(Kind::Log, Class::Warning, &["warning: unused variable: `a`", "警告: 古い呼び出し"]);
        check(
            Kind::Log,
            Class::Summary,
            &["test result: ok. 3 passed; 0 failed", "added 12 packages"],
        );
        check(Kind::Log, Class::Frame, &["   3: core::ops::function::FnOnce::call_once"]);
        check(Kind::Search, Class::Plain, &["a.rs:3: return Err(error)", "notes.md:1:エラー"]);
        check(Kind::Search, Class::Error, &["grep: a: Permission denied"]);
        check(Kind::History, Class::Heading, &["commit 0123456789abc", "diff --git a/b b/b"]);
    }
}
