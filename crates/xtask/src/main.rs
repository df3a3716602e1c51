//! `cargo xtask tidy` and `cargo xtask check`. Reads the arguments and sets the exit code; the
//! work is the library's.

use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask tidy   the rules that no compiler checks
       cargo xtask check  everything that must pass before a merge";

fn main() -> anyhow::Result<ExitCode> {
    let root = xtask::workspace_root();
    let task = std::env::args().nth(1);
    let passed = match task.as_deref() {
        Some("tidy") => tidy(&root)?,
        Some("check") => xtask::check::run(&root)?,
        _ => {
            eprintln!("{USAGE}");
            return Ok(ExitCode::from(2));
        }
    };
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn tidy(root: &std::path::Path) -> anyhow::Result<bool> {
    let findings = xtask::tidy::run(root)?;
    for finding in &findings {
        println!("{finding}");
    }
    eprintln!("tidy: {} finding(s)", findings.len());
    Ok(findings.is_empty())
}
