//! `cargo xtask check`: the commands that must pass before a merge, in the order in which a fault
//! is cheapest to find. Runs them and reports; what they check is theirs.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::Context;

/// One command of the check.
#[derive(Debug, Clone, Copy)]
struct Step {
    /// What the report calls it.
    name: &'static str,
    /// Cargo's arguments.
    arguments: &'static [&'static str],
    /// `RUSTDOCFLAGS` for this step, empty for none.
    rustdoc_flags: &'static str,
}

/// The steps. Tests come with the tidy rules (a test of this crate) and the doc tests.
const STEPS: &[Step] = &[
    Step { name: "format", arguments: &["fmt", "--all", "--check"], rustdoc_flags: "" },
    Step {
        name: "tidy",
        arguments: &["run", "-q", "-p", "xtask", "--", "tidy"],
        rustdoc_flags: "",
    },
    Step {
        name: "clippy",
        arguments: &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"],
        rustdoc_flags: "",
    },
    Step {
        name: "minimal features",
        arguments: &["clippy", "-p", "hiku", "--no-default-features", "--", "-D", "warnings"],
        rustdoc_flags: "",
    },
    Step { name: "tests and doc tests", arguments: &["test", "--workspace"], rustdoc_flags: "" },
    Step {
        name: "tokenizer oracle",
        arguments: &[
            "test",
            "--manifest-path",
            "crates/hiku-model/oracle/Cargo.toml",
            "--target-dir",
            "target",
        ],
        rustdoc_flags: "",
    },
    Step {
        name: "torture, short",
        arguments: &["run", "-q", "-p", "xtask", "--", "torture", "--short"],
        rustdoc_flags: "",
    },
    Step {
        name: "documentation",
        arguments: &["doc", "--workspace", "--no-deps", "--lib"],
        rustdoc_flags: "-D warnings",
    },
];

/// Runs every step in `root`, goes on after one that fails, and says at the end which failed.
/// `true` when all passed.
///
/// # Errors
/// When cargo cannot be started.
pub fn run(root: &Path) -> anyhow::Result<bool> {
    let mut failed = Vec::new();
    for step in STEPS {
        let start = Instant::now();
        let passed = run_step(root, step)?;
        let verdict = if passed { "passed" } else { "FAILED" };
        eprintln!("== {}: {verdict} in {} s", step.name, start.elapsed().as_secs());
        if !passed {
            failed.push(step.name);
        }
    }
    if !failed.is_empty() {
        eprintln!("failed: {}", failed.join(", "));
    }
    Ok(failed.is_empty())
}

fn run_step(root: &Path, step: &Step) -> anyhow::Result<bool> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root).args(step.arguments);
    if !step.rustdoc_flags.is_empty() {
        command.env("RUSTDOCFLAGS", step.rustdoc_flags);
    }
    let status =
        command.status().with_context(|| format!("cannot start cargo for {}", step.name))?;
    Ok(status.success())
}
