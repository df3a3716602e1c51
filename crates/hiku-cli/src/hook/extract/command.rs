//! A command line cut into its pipelines and their programs, as a POSIX shell would: quotes,
//! here-documents, wrappers such as `timeout 60`. Reads no more of a shell's language than that.

/// Words before a program; flags and numbers behind one are its own.
const WRAPPERS: &[&str] = &[
    "sudo", "time", "nice", "nohup", "env", "command", "exec", "timeout", "xargs", "stdbuf", "do",
    "then", "else", "if", "while", "until", "!", "{", "(",
];

/// The pipelines of a command line, each with the words of its programs.
pub(super) fn pipelines(command: &str) -> Vec<Vec<Vec<String>>> {
    let mut cutting = Cutting::default();
    let mut rest = command.chars().peekable();
    while let Some(letter) = rest.next() {
        match letter {
            '\\' => cutting.word.extend(rest.next().filter(|&next| next != '\n')),
            '\'' | '"' => cutting.quoted(letter, &mut rest),
            '<' if rest.peek() == Some(&'<') => cutting.skip_document(&mut rest),
            '>' | '<' => cutting.skip_redirection(&mut rest),
            '|' if rest.next_if_eq(&'|').is_none() => cutting.end_program(),
            '|' | ';' | '\n' | '&' => cutting.end_pipeline(),
            _ if letter.is_whitespace() => cutting.end_word(),
            _ => cutting.word.push(letter),
        }
    }
    cutting.end_pipeline();
    cutting.pipelines
}

/// What has been read.
#[derive(Default)]
struct Cutting {
    word: String,
    words: Vec<String>,
    pipeline: Vec<Vec<String>>,
    pipelines: Vec<Vec<Vec<String>>>,
}

type Letters<'l> = std::iter::Peekable<std::str::Chars<'l>>;

impl Cutting {
    fn end_word(&mut self) {
        if !self.word.is_empty() {
            self.words.push(std::mem::take(&mut self.word));
        }
    }

    fn end_program(&mut self) {
        self.end_word();
        let words = unwrapped(std::mem::take(&mut self.words));
        if !words.is_empty() {
            self.pipeline.push(words);
        }
    }

    fn end_pipeline(&mut self) {
        self.end_program();
        if !self.pipeline.is_empty() {
            self.pipelines.push(std::mem::take(&mut self.pipeline));
        }
    }

    fn quoted(&mut self, quote: char, rest: &mut Letters<'_>) {
        while let Some(letter) = rest.next() {
            match letter {
                _ if letter == quote => return,
                '\\' if quote == '"' => self.word.extend(rest.next()),
                _ => self.word.push(letter),
            }
        }
    }

    /// `2>&1`, `>out.txt`: the number before it and the file behind it are no words of a program.
    fn skip_redirection(&mut self, rest: &mut Letters<'_>) {
        if self.word.bytes().all(|byte| byte.is_ascii_digit()) {
            self.word.clear();
        }
        self.end_word();
        while rest.next_if(|&letter| matches!(letter, '>' | '<' | '&' | ' ')).is_some() {}
        while rest.next_if(|&letter| !letter.is_whitespace() && !"|;&".contains(letter)).is_some() {
        }
    }

    /// `<<END` up to the line `END`; of `<<<` only the mark.
    fn skip_document(&mut self, rest: &mut Letters<'_>) {
        rest.next();
        if rest.next_if_eq(&'<').is_some() {
            return;
        }
        while rest.next_if(|&letter| matches!(letter, '-' | ' ' | '\'' | '"')).is_some() {}
        let mut end = String::new();
        while let Some(letter) = rest.next_if(|&letter| letter.is_alphanumeric() || letter == '_') {
            end.push(letter);
        }
        rest.next_if(|&letter| matches!(letter, '\'' | '"'));
        let all: String = rest.clone().collect();
        let Some((line, body)) = all.split_once('\n') else { return };
        let inside = body.split('\n').take_while(|line| line.trim_start() != end);
        let length: usize = inside.map(|line| line.chars().count() + 1).sum();
        // The words behind the mark on its own line, a pipe perhaps, are still to be read.
        let behind: Vec<Vec<Vec<String>>> = pipelines(line);
        for _ in 0..line.chars().count() + 1 + length + end.chars().count() {
            rest.next();
        }
        self.end_program();
        self.pipeline.extend(behind.into_iter().flatten());
    }
}

/// The words from the program on.
fn unwrapped(words: Vec<String>) -> Vec<String> {
    let mut is_wrapped = false;
    let mut is_before = |word: &String| {
        let is_wrapper = WRAPPERS.contains(&word.as_str());
        let is_its_own =
            is_wrapped && word.starts_with(|first: char| first == '-' || first.is_ascii_digit());
        is_wrapped |= is_wrapper;
        is_wrapper || is_its_own || is_assignment(word)
    };
    let start = words.iter().position(|word| !is_before(word)).unwrap_or(words.len());
    words.into_iter().skip(start).collect()
}

fn is_assignment(word: &str) -> bool {
    let is_of_a_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    word.split_once('=').is_some_and(|(name, _)| !name.is_empty() && name.chars().all(is_of_a_name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found() {
        let check = |command: &str, expected: &str| {
            let shown: Vec<String> = pipelines(command)
                .iter()
                .map(|programs| {
                    programs.iter().map(|words| words.join(" ")).collect::<Vec<_>>().join(" | ")
                })
                .collect();
            assert_eq!(shown.join(" ; "), expected, "{command}");
        };
        check("cd a && A=1 cargo test 2>&1 | tail -5", "cd a ; cargo test | tail -5");
        check(r#"grep -E "a|b;c" 'd & e' f\ g"#, "grep -E a|b;c d & e f g");
        check("timeout -k 5 60s sudo make -j4 &", "make -j4");
        check("find . -print0 | xargs -0 grep -n x", "find . -print0 | grep -n x");
        check("cat > a.py <<'END'\nimport os; x | y\nEND\npython a.py", "cat ; python a.py");
        check("python - <<END | tail -2\na\nEND\nls", "python - | tail -2 ; ls");
        check("for f in *; do grep x $f; done", "for f in * ; grep x $f ; done");
        check("a || b >out.txt 2>/dev/null", "a ; b");
        check("cat <<<x \"open", "cat x open");
        check("", "");
        check("<<", "");
    }
}
