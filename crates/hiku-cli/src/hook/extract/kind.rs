//! What sort of output a tool call gives: whether its words are messages or data. Reads the call,
//! never the output.

use super::Call;
use super::command::pipelines;

/// The sort of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Messages of programs: `error` means that something failed.
    Log,
    /// Lines of files that matched: `error` is what was looked for.
    Search,
    /// Names of files.
    Listing,
    /// Commits and changes.
    History,
    /// Answers of servers and databases.
    Data,
}

/// Tools that run command lines.
const SHELLS: &[&str] = &["Bash", "BashOutput", "PowerShell", "Shell"];
/// Parts of names of a server's tools that run something or show a log. What the others give may be
/// a document, a page or a file, of which no line is idle.
const RUNNERS: &[&str] = &[
    "bash", "shell", "run", "exec", "execute", "terminal", "command", "build", "test", "log",
    "logs",
];
/// Programs that look for text.
const SEARCHES: &[&str] = &["grep", "egrep", "fgrep", "rg", "ag", "ack", "zgrep"];
/// Programs that name files.
const LISTINGS: &[&str] = &["ls", "find", "fd", "tree", "du", "locate", "exa", "eza"];
/// Programs that show a file as it is.
const READERS: &[&str] = &[
    "cat",
    "bat",
    "sed",
    "head",
    "tail",
    "nl",
    "less",
    "more",
    "awk",
    "tac",
    "jq",
    "yq",
    "xxd",
    "hexdump",
    "strings",
    "zcat",
    "pdftotext",
    "Get-Content",
    "type",
];
/// Programs that say nothing by themselves, or only pass on.
const SILENT: &[&str] = &[
    "cd", "export", "set", "sort", "uniq", "wc", "cut", "tr", "tee", "true", "false", "echo",
    "printf", "pushd", "popd", "source", ".", "for", "done", "fi", "sleep", "mkdir", "column",
];
/// Programs that fetch what others hold.
const FETCHERS: &[&str] = &[
    "curl", "wget", "http", "gh", "glab", "sqlite3", "psql", "mysql", "kubectl", "aws", "gcloud",
    "az",
];
/// Words by which a fetcher shows a log.
const LOG_WORDS: &[&str] = &["log", "logs", "--log", "--log-failed", "tail", "events"];
/// Endings of files that are logs, and are looked through, not edited.
const LOG_ENDINGS: &[&str] = &[".log", ".out", ".err"];

impl Kind {
    /// The sort of a call's output; `None` where it must be left as it is: of tools that read files
    /// or are not known, and of command lines that show a file.
    pub(super) fn of(call: &Call<'_>) -> Option<Self> {
        match call.tool {
            "Grep" => Some(Kind::Search),
            "Glob" | "LS" => Some(Kind::Listing),
            tool if SHELLS.contains(&tool) => Kind::of_command(call.command),
            tool => is_runner(tool).then_some(Kind::Log),
        }
    }

    /// True for messages of programs.
    pub(super) fn is_log(self) -> bool {
        self == Kind::Log
    }

    /// The sort of a command line: a log if one of its pipelines shows one; `None` if one shows a
    /// file, by which an agent edits, or what was left out of an extract.
    fn of_command(command: &str) -> Option<Self> {
        let shown: Vec<Part> =
            pipelines(command).iter().map(|programs| of_pipeline(programs)).collect();
        if shown.contains(&Part::Reads) {
            return None;
        }
        let kinds = || shown.iter().copied().filter_map(Part::kind);
        if kinds().any(Kind::is_log) {
            return Some(Kind::Log);
        }
        Some(kinds().next().unwrap_or(Kind::Log))
    }
}

/// `mcp__ci__run_tests`: of a server's tool the last part is its name.
fn is_runner(tool: &str) -> bool {
    let name = tool.rsplit("__").next().unwrap_or(tool).to_ascii_lowercase();
    tool.starts_with("mcp__")
        && name.split(|letter: char| !letter.is_ascii_alphabetic()).any(|word| {
            RUNNERS.contains(&word) || RUNNERS.contains(&word.strip_suffix('s').unwrap_or(word))
        })
}

/// What one program, or one pipeline, does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Silent,
    Reads,
    Shows(Kind),
}

impl Part {
    fn kind(self) -> Option<Kind> {
        match self {
            Part::Shows(kind) => Some(kind),
            _ => None,
        }
    }

    fn of(words: &[String]) -> Self {
        let path = words.first().map_or("", String::as_str);
        let program = path.rsplit('/').next().unwrap_or(path);
        let rest = words.get(1..).unwrap_or_default();
        match program {
            "" => Part::Silent,
            "hiku" => Part::Reads,
            "git" => git(rest),
            "diff" => Part::Shows(Kind::History),
            "find" | "fd" if executed(rest).is_some() => {
                Part::of(executed(rest).unwrap_or_default())
            }
            _ if SILENT.contains(&program) => Part::Silent,
            _ if READERS.contains(&program) => Part::Reads,
            _ if SEARCHES.contains(&program) => Part::Shows(Kind::Search),
            _ if LISTINGS.contains(&program) => Part::Shows(Kind::Listing),
            _ if FETCHERS.contains(&program) && !shows_a_log(rest) => Part::Shows(Kind::Data),
            _ => Part::Shows(Kind::Log),
        }
    }
}

/// What the first telling program of a pipeline shows, unless a search behind it chooses of that.
fn of_pipeline(programs: &[Vec<String>]) -> Part {
    let parts: Vec<Part> = programs.iter().map(|words| Part::of(words)).collect();
    match parts.iter().find(|part| **part != Part::Silent) {
        // A reader behind another program reads its output; one of a log is as the log.
        Some(Part::Reads) => match parts.iter().copied().find_map(Part::kind) {
            Some(kind) => Part::Shows(kind),
            None if programs.iter().any(|words| is_of_a_log(words)) => Part::Shows(Kind::Log),
            None => Part::Reads,
        },
        found => found.copied().unwrap_or(Part::Silent),
    }
}

/// The program that `find` starts for each file.
fn executed(words: &[String]) -> Option<&[String]> {
    let flag =
        words.iter().position(|word| matches!(word.as_str(), "-exec" | "-execdir" | "-x"))?;
    words.get(flag + 1..)
}

fn shows_a_log(words: &[String]) -> bool {
    words.iter().any(|word| LOG_WORDS.contains(&word.as_str()))
}

/// What a git command shows, by its first word that is no flag.
fn git(words: &[String]) -> Part {
    let mut rest = words.iter().map(String::as_str);
    while let Some(word) = rest.next() {
        return match word {
            "-C" | "-c" => {
                rest.next();
                continue;
            }
            _ if word.starts_with('-') => continue,
            // `git show HEAD:path` is a file.
            "show" if rest.any(|word| word.contains(':') && !word.starts_with('-')) => Part::Reads,
            "cat-file" => Part::Reads,
            "log" | "diff" | "show" | "blame" | "reflog" | "shortlog" => Part::Shows(Kind::History),
            "grep" => Part::Shows(Kind::Search),
            "status" | "ls-files" | "ls-tree" | "branch" | "tag" => Part::Shows(Kind::Listing),
            _ => Part::Shows(Kind::Log),
        };
    }
    Part::Shows(Kind::Log)
}

fn is_of_a_log(words: &[String]) -> bool {
    words.iter().any(|word| LOG_ENDINGS.iter().any(|ending| word.ends_with(ending)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_says_what_its_output_is() {
        let cases = [
            ("cargo test 2>&1 | tail -500", Some(Kind::Log)),
            ("cd a && CARGO_BUILD_JOBS=1 cargo build", Some(Kind::Log)),
            ("cargo test | grep -v ok", Some(Kind::Log)),
            ("timeout 60 make -k", Some(Kind::Log)),
            ("", Some(Kind::Log)),
            ("grep -rnE 'error|panic' src", Some(Kind::Search)),
            ("grep -rn error src | sort | head -50", Some(Kind::Search)),
            ("cat a.rs | grep -n fn", Some(Kind::Search)),
            ("git grep error", Some(Kind::Search)),
            ("find . -name '*.rs' -exec grep -n x {} +", Some(Kind::Search)),
            ("ls -lR", Some(Kind::Listing)),
            ("find . -name '*.rs' 2>/dev/null", Some(Kind::Listing)),
            ("git status", Some(Kind::Listing)),
            ("git -C a --no-pager log --stat", Some(Kind::History)),
            ("git show HEAD~2", Some(Kind::History)),
            ("git push", Some(Kind::Log)),
            ("cat build.log", Some(Kind::Log)),
            ("kubectl get pods -o yaml", Some(Kind::Data)),
            ("kubectl logs web", Some(Kind::Log)),
            ("cat src/main.rs", None),
            ("cat CMakeLists.txt", None),
            ("sed -n 1,900p src/main.rs", None),
            ("cd a && cat b.rs", None),
            ("cat a.rs; cargo test", None),
            ("find . -name '*.rs' -exec cat {} +", None),
            ("git show HEAD:src/main.rs", None),
            ("hiku output 0123456789abcdef | head -400", None),
        ];
        for (command, expected) in cases {
            let call = Call { tool: "Bash", command, task: "" };
            assert_eq!(Kind::of(&call), expected, "{command}");
        }
    }

    #[test]
    fn tools_that_read_or_are_unknown_are_left_alone() {
        let kind = |tool| Kind::of(&Call { tool, command: "", task: "" });
        for tool in [
            "Read",
            "Edit",
            "Write",
            "NotebookRead",
            "WebFetch",
            "Task",
            "Run",
            "",
            "mcp__files__read_file",
            "mcp__hiku__search",
            "mcp__docs__latest",
        ] {
            assert_eq!(kind(tool), None, "{tool}");
        }
        assert_eq!(kind("mcp__ci__run_tests"), Some(Kind::Log));
        assert_eq!(kind("Grep"), Some(Kind::Search));
    }
}
