//! Rewrites every note again and again: the index file must not grow for ever, nor its write-ahead
//! log, even while a reader keeps its view.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Result, anyhow, ensure};

use super::Trial;
use super::program::Program;
use super::vault::Vault;

/// How much larger than a new index one may be that has seen all rewrites.
const MOST_GROWTH: f64 = 1.5;
/// How many times a new index the log may have at any moment: a publication that rewrites all, and
/// the copy that gives free pages back.
const MOST_LOG: u64 = 4;
/// Paragraphs of a note, at most.
const PARAGRAPHS: usize = 4;

/// Makes the trial.
pub(super) fn run(trial: &Trial) -> Result<String> {
    let (notes, rewrites) = if trial.short { (150, 6) } else { (1_000, 20) };
    let program = trial.program();
    let mut vault = Vault::filled(&program.vault, trial.seed, notes, PARAGRAPHS)?;
    program.update()?;
    let longest_log = with_reader(&program, || {
        for _ in 0..rewrites {
            vault.rewrite_all(PARAGRAPHS)?;
            program.update()?;
        }
        Ok(())
    })?;
    let left_log = program.sizes().1;
    program.assert_sound()?;
    program.assert_complete(&vault)?;
    let (grown, _) = program.sizes();
    let anew = program.with_index("anew.hiku");
    anew.update()?;
    let (new, _) = anew.sizes();
    let ratio = grown as f64 / new as f64;
    ensure!(ratio < MOST_GROWTH, "{grown} bytes after {rewrites} rewrites, {new} when made anew");
    ensure!(longest_log < new * MOST_LOG, "the log had {longest_log} bytes, the index {new}");
    ensure!(left_log < new, "{left_log} bytes of log are left, the index has {new}");
    Ok(format!(
        "{rewrites} rewrites of {notes} notes beside a reader end at {ratio:.2} times a new index \
         ({} KiB); the log had {} KiB at most and {} KiB behind the last run",
        new / 1024,
        longest_log / 1024,
        left_log / 1024
    ))
}

/// Acts while one process after another searches; the most bytes that the log had meanwhile.
fn with_reader(program: &Program, act: impl FnOnce() -> Result<()>) -> Result<u64> {
    let (done, longest) = (AtomicBool::new(false), AtomicU64::new(0));
    thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let questions = "雨\ntoken\n".repeat(200);
            while !done.load(Ordering::Relaxed) {
                program.answers(&questions, "lexical", "5")?;
            }
            Ok(())
        });
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                longest.fetch_max(program.sizes().1, Ordering::Relaxed);
                thread::sleep(Duration::from_millis(5));
            }
        });
        let acted = act();
        done.store(true, Ordering::Relaxed);
        acted.and(reader.join().unwrap_or_else(|_| Err(anyhow!("the reader panicked"))))
    })?;
    Ok(longest.into_inner())
}
