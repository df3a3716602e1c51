//! Rewrites every note again and again: the index file must not grow for ever, nor its write-ahead
//! log, even while a reader keeps its view.

use std::fs;

use anyhow::{Context, Result, ensure};

use super::Trial;
use super::vault::Vault;

/// How much larger than a new index one may be that has seen all rewrites.
const MOST_GROWTH: f64 = 1.5;
/// Paragraphs of a note, at most.
const PARAGRAPHS: usize = 4;

/// Makes the trial.
pub(super) fn run(trial: &Trial) -> Result<String> {
    let (notes, rewrites) = if trial.short { (150, 6) } else { (1_000, 20) };
    let program = trial.program();
    let mut vault = Vault::filled(&program.vault, trial.seed, notes, PARAGRAPHS)?;
    program.update()?;
    let mut longest_log = 0;
    for _ in 0..rewrites {
        vault.rewrite_all(PARAGRAPHS)?;
        program.update()?;
        longest_log = longest_log.max(program.sizes().1);
    }
    program.assert_sound()?;
    program.assert_complete(&vault)?;
    let (grown, _) = program.sizes();
    let anew = program.with_index("anew.hiku");
    anew.update()?;
    let (new, _) = anew.sizes();
    let ratio = grown as f64 / new as f64;
    let log_ratio = longest_log as f64 / new as f64;
    ensure!(ratio < MOST_GROWTH, "{grown} bytes after {rewrites} rewrites, {new} when made anew");
    ensure!(log_ratio < MOST_GROWTH, "the log had {longest_log} bytes");
    fs::metadata(&program.index).context("the index")?;
    Ok(format!(
        "{rewrites} rewrites of {notes} notes end at {ratio:.2} times a new index ({} KiB); the log \
         after a run had {} KiB at most",
        new / 1024,
        longest_log / 1024
    ))
}
