//! `cargo xtask tidy`, `check` and `torture`. Reads the arguments and sets the exit code; the
//! work is the library's.

use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask tidy   the rules that no compiler checks
       cargo xtask check  everything that must pass before a merge
       cargo xtask torture [--short] [--seed N] [--binary FILE] [kills|readers|disk|edits|growth]...
                          the built program under kills, full disks and thousands of edits";

fn main() -> anyhow::Result<ExitCode> {
    let root = xtask::workspace_root();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let passed = match arguments.first().map(String::as_str) {
        Some("tidy") => tidy(&root)?,
        Some("check") => xtask::check::run(&root)?,
        Some("torture") => xtask::torture::run(&root, &arguments[1..])?,
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
