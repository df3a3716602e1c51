//! `cargo xtask torture`: the built program under kills, many readers, full disks, changed
//! permissions, thousands of edits and rewrites. Every trial is made from a seed that is printed, so
//! that a failure can be repeated; figures are printed as lines. Knows the program by its command
//! line only.

mod disk;
mod edits;
mod growth;
mod kills;
mod program;
mod random;
mod readers;
mod vault;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use program::Program;

/// How the command is used.
pub const USAGE: &str = "usage: cargo xtask torture [--short] [--seed N] [--binary FILE] \
                         [kills|readers|disk|edits|growth]...";

/// One trial's circumstances.
struct Trial {
    /// Where everything of the trial stands; removed when it has passed.
    folder: PathBuf,
    binary: PathBuf,
    seed: u64,
    /// The form for every change of the program, of seconds; the full one takes minutes.
    short: bool,
}

impl Trial {
    /// The program with the trial's vault and index.
    fn program(&self) -> Program {
        Program {
            binary: self.binary.clone(),
            vault: self.folder.join("vault"),
            index: self.folder.join("home/index.hiku"),
            home: self.folder.join("home"),
            user: None,
        }
    }
}

/// What makes a trial; gives its figures as one line.
type Torture = fn(&Trial) -> Result<String>;

const TORTURES: [(&str, Torture); 5] = [
    ("kills", kills::run),
    ("readers", readers::run),
    ("disk", disk::run),
    ("edits", edits::run),
    ("growth", growth::run),
];

/// What was typed.
#[derive(Debug, Default)]
struct Options {
    short: bool,
    seed: u64,
    binary: Option<PathBuf>,
    names: Vec<String>,
}

/// Runs the trials that the arguments name, all of them where none is named. `true` when all passed.
///
/// # Errors
/// When the arguments are not understood or the program cannot be built.
pub fn run(root: &Path, arguments: &[String]) -> Result<bool> {
    let options = parse(arguments)?;
    let binary = match &options.binary {
        Some(binary) => binary.canonicalize().with_context(|| format!("{}", binary.display()))?,
        None => build(root, options.short)?,
    };
    let mut passed = true;
    for (name, torture) in TORTURES {
        if options.names.is_empty() || options.names.iter().any(|own| own == name) {
            passed &= try_one(name, torture, &binary, &options)?;
        }
    }
    Ok(passed)
}

fn parse(arguments: &[String]) -> Result<Options> {
    let mut options = Options { seed: 1, ..Options::default() };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().with_context(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--short" => options.short = true,
            "--seed" => options.seed = value()?.parse().context("--seed is no number")?,
            "--binary" => options.binary = Some(value()?.into()),
            name if TORTURES.iter().any(|(known, _)| *known == name) => {
                options.names.push(name.to_owned());
            }
            other => bail!("{other} is not understood\n{USAGE}"),
        }
    }
    Ok(options)
}

/// Builds the program: the short form takes what the tests have built, the full one a release.
fn build(root: &Path, short: bool) -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let profile = if short { "dev" } else { "release" };
    let arguments = ["build", "--quiet", "-p", "hiku-cli", "--profile", profile];
    let status = Command::new(cargo).current_dir(root).args(arguments).status();
    ensure!(status.context("cannot start cargo")?.success(), "the program cannot be built");
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), Into::into);
    let folder = if short { "debug" } else { "release" };
    Ok(target.join(folder).join(format!("hiku{}", std::env::consts::EXE_SUFFIX)))
}

/// Makes one trial in a folder of its own, which is kept where it fails.
fn try_one(name: &str, torture: Torture, binary: &Path, options: &Options) -> Result<bool> {
    let folder = std::env::temp_dir().join(format!("hiku-torture-{name}-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("home"))
        .with_context(|| format!("make {}", folder.display()))?;
    let Options { seed, short, .. } = *options;
    let trial = Trial { folder: folder.clone(), binary: binary.to_path_buf(), seed, short };
    let start = Instant::now();
    let result = torture(&trial);
    let seconds = start.elapsed().as_secs();
    match &result {
        Ok(figures) => {
            println!("{name}: passed in {seconds} s, seed {seed}: {figures}");
            std::fs::remove_dir_all(&folder)
                .with_context(|| format!("remove {}", folder.display()))?;
        }
        Err(error) => {
            println!("{name}: FAILED after {seconds} s, seed {seed}: {error:#}");
            println!("{name}: what it left is in {}", folder.display());
        }
    }
    Ok(result.is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_understood_or_refused() {
        let of =
            |text: &str| parse(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        let options = of("--short --seed 9 edits kills").expect("good arguments");
        assert_eq!((options.short, options.seed, options.names.len()), (true, 9, 2));
        for wrong in ["--seed", "--seed x", "fire", "--long"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }
}
