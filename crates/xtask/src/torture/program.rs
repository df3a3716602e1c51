//! Runs the built `hiku` on one vault and one index, in a home of its own, and looks at what it said.
//! A run that ends by a panic or an unforeseen signal is a failure, whatever was asked.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::LazyLock;

use anyhow::{Context, Result, bail, ensure};
use regex::Regex;

use super::vault::{QUESTIONS, Vault};

/// Exit code of a Rust program that panicked.
const PANIC: i32 = 101;

/// The binary with a vault, an index and a home.
#[derive(Debug, Clone)]
pub(super) struct Program {
    pub(super) binary: PathBuf,
    pub(super) vault: PathBuf,
    pub(super) index: PathBuf,
    /// Holds what belongs to no test: the home folder and settings.
    pub(super) home: PathBuf,
    /// The user to run as; ours where there is none.
    pub(super) user: Option<u32>,
}

/// How a run ended.
#[derive(Debug)]
pub(super) struct Ended {
    /// The exit code; `None` for a signal.
    pub(super) code: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl Ended {
    fn of(output: &Output) -> Self {
        Ended {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Fails where the run ended otherwise than by one of `codes`.
    pub(super) fn expect(self, what: &str, codes: &[i32]) -> Result<Self> {
        let Ended { code, stdout, stderr } = &self;
        let foreseen = code.is_some_and(|code| codes.contains(&code) && code != PANIC);
        ensure!(foreseen, "{what} ended by {code:?}, not {codes:?}: {stderr}{stdout}");
        ensure!(!stderr.contains("panicked"), "{what} panicked: {stderr}");
        Ok(self)
    }
}

impl Program {
    /// The same with another index.
    pub(super) fn with_index(&self, name: &str) -> Self {
        Program { index: self.home.join(name), ..self.clone() }
    }

    /// The command line, ready to be started.
    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command.env_clear().env("HOME", &self.home).current_dir(&self.home);
        command.args(arguments).arg("--vault").arg(&self.vault).arg("--index").arg(&self.index);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        if let Some(user) = self.user {
            std::os::unix::process::CommandExt::uid(&mut command, user);
        }
        command
    }

    /// Starts a run and does not wait for it.
    pub(super) fn start(&self, arguments: &[&str]) -> Result<Child> {
        self.command(arguments).spawn().with_context(|| format!("start {}", self.binary.display()))
    }

    /// Runs to the end.
    pub(super) fn run(&self, arguments: &[&str]) -> Result<Ended> {
        let output = self.command(arguments).output();
        let output = output.with_context(|| format!("start {}", self.binary.display()))?;
        Ok(Ended::of(&output))
    }

    /// Brings the index up to date, which must succeed and have nothing to mend.
    pub(super) fn update(&self) -> Result<Ended> {
        let ended = self.run(&["index"])?.expect("index", &[0])?;
        ensure!(!ended.stderr.contains(".bad-"), "an index was set aside: {}", ended.stderr);
        Ok(ended)
    }

    /// The check of the index must find nothing: terms, vectors, chunks and links are those of the
    /// texts, row by row.
    pub(super) fn assert_sound(&self) -> Result<()> {
        self.run(&["doctor", "--deep", "--json"])?.expect("doctor", &[0]).map(drop)
    }

    /// The answers to many questions, a line each, from the index as it is.
    pub(super) fn answers(&self, questions: &str, mode: &str, limit: &str) -> Result<Vec<String>> {
        let arguments =
            ["search", "--no-refresh", "--batch", "-", "--mode", mode, "--limit", limit];
        let mut command = self.command(&arguments);
        let mut child = command.stdin(Stdio::piped()).spawn().context("start a search")?;
        let mut stdin = child.stdin.take().context("its stdin")?;
        let questions = questions.to_owned();
        let writing = std::thread::spawn(move || stdin.write_all(questions.as_bytes()));
        let output = child.wait_with_output().context("wait for a search")?;
        writing.join().ok();
        let ended = Ended::of(&output).expect("search", &[0])?;
        Ok(ended.stdout.lines().map(str::to_owned).collect())
    }

    /// Every note of the vault is found by its marker, first of all, and there are no more notes.
    pub(super) fn assert_complete(&self, vault: &Vault) -> Result<()> {
        let questions: String =
            vault.notes().values().flat_map(|marker| [marker.as_str(), "\n"]).collect();
        let answers = self.answers(&questions, "lexical", "1")?;
        ensure!(answers.len() == vault.notes().len(), "{} answers", answers.len());
        for ((path, marker), answer) in vault.notes().iter().zip(&answers) {
            let found = first_path(answer);
            ensure!(
                found == Some(path.as_str()),
                "{marker} of {path} is found in {found:?}: {answer}"
            );
        }
        let held = number_in(&self.run(&["status", "--json"])?.expect("status", &[0])?.stdout);
        ensure!(held == Some(vault.notes().len()), "{held:?} notes in the index");
        Ok(())
    }

    /// The index answers as one that is made anew does: at once by word, and by meaning once the
    /// vectors of both were made of the same notes. The index itself stays as it is.
    pub(super) fn assert_as_new(&self) -> Result<()> {
        let (copy, anew) = (self.with_index("copy.hiku"), self.with_index("anew.hiku"));
        for other in [&copy, &anew] {
            other.remove_index()?;
        }
        for end in ["", "-wal"] {
            let (from, to) = (with_end(&self.index, end), with_end(&copy.index, end));
            if from.exists() {
                fs::copy(&from, &to).with_context(|| format!("copy {}", from.display()))?;
                #[cfg(unix)]
                std::os::unix::fs::chown(&to, self.user, None).context("hand over a copy")?;
            }
        }
        anew.update()?;
        compare(&copy, &anew, "lexical")?;
        // A new index of many notes weighs tokens by a sample of them: both are to weigh by all.
        copy.renew_vectors()?;
        anew.renew_vectors()?;
        compare(&copy, &anew, "hybrid")
    }

    /// Makes all vectors anew, by another weight of titles and back.
    fn renew_vectors(&self) -> Result<()> {
        let config = self.home.join("other-weight.toml");
        fs::write(&config, "[ranking]\ntitle_vector_weight = 0.5\n").context("write a config")?;
        let output = self.command(&["index"]).env("HIKU_CONFIG", &config).output();
        Ended::of(&output.context("start an index run")?).expect("another weight", &[0])?;
        self.update().map(drop)
    }

    /// Deletes the index with all that belongs to it.
    pub(super) fn remove_index(&self) -> Result<()> {
        for end in ["", "-wal", "-shm", ".lock"] {
            let file = with_end(&self.index, end);
            if file.exists() {
                fs::remove_file(&file).with_context(|| format!("delete {}", file.display()))?;
            }
        }
        Ok(())
    }

    /// Bytes of the index file and of its write-ahead log.
    pub(super) fn sizes(&self) -> (u64, u64) {
        let size = |end| fs::metadata(with_end(&self.index, end)).map_or(0, |found| found.len());
        (size(""), size("-wal"))
    }
}

/// Waits for a run that was started.
pub(super) fn ended(child: Child) -> Result<Ended> {
    Ok(Ended::of(&child.wait_with_output().context("wait for a run")?))
}

fn compare(one: &Program, other: &Program, mode: &str) -> Result<()> {
    let questions = QUESTIONS.join("\n");
    let (own, new) = (one.answers(&questions, mode, "50")?, other.answers(&questions, mode, "50")?);
    for ((own, new), question) in own.iter().zip(&new).zip(QUESTIONS) {
        let (own, new) = (comparable(own), comparable(new));
        if own != new {
            let at = own.bytes().zip(new.bytes()).take_while(|(own, new)| own == new).count();
            let [own, new] = [&own, &new].map(|text| excerpt(text, at));
            bail!("{mode} answers to {question:?} differ from a new index's:\n{own}\n{new}");
        }
    }
    ensure!(own.len() == new.len() && own.len() == QUESTIONS.len(), "answers are missing");
    Ok(())
}

/// Some bytes of a text around the place where it differs.
fn excerpt(text: &str, at: usize) -> String {
    let bytes = text.as_bytes();
    String::from_utf8_lossy(&bytes[at.saturating_sub(300)..bytes.len().min(at + 100)]).into_owned()
}

/// An answer without what may differ between two indexes of one vault.
fn comparable(answer: &str) -> String {
    static IDENTITIES: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = r#""generation":\d+|"note_id":\d+|"chunk_id":"\d+|"index":"[^"]*""#;
        Regex::new(pattern).expect("a valid pattern")
    });
    IDENTITIES.replace_all(answer, "").into_owned()
}

/// The path of an answer's first hit.
pub(super) fn first_path(answer: &str) -> Option<&str> {
    static PATH: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r#""path":"([^"]*)""#).expect("a valid pattern"));
    Some(PATH.captures(answer)?.get(1)?.as_str())
}

fn number_in(status: &str) -> Option<usize> {
    static NOTES: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r#""notes":(\d+)"#).expect("a valid pattern"));
    NOTES.captures(status)?.get(1)?.as_str().parse().ok()
}

/// `path` with `end` behind its name.
fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}
