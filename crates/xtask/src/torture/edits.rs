//! Thousands of random edits, the index following a few at a time: after every hundred it has no
//! fault, every note is found, and its answers are a new index's.

use anyhow::{Context, Result};

use super::Trial;
use super::vault::Vault;

/// Edits between two comparisons.
const HUNDRED: usize = 100;
/// Edits between two runs of the program.
const STEP: usize = 10;
/// Paragraphs of a note, at most.
const PARAGRAPHS: usize = 4;

/// Makes the trial.
pub(super) fn run(trial: &Trial) -> Result<String> {
    let (notes, edits) = if trial.short { (60, 300) } else { (300, 10_000) };
    let program = trial.program();
    let mut vault = Vault::filled(&program.vault, trial.seed, notes, PARAGRAPHS)?;
    program.update()?;
    for done in (STEP..=edits).step_by(STEP) {
        for _ in 0..STEP {
            vault.edit(PARAGRAPHS)?;
        }
        program.update()?;
        if done % HUNDRED == 0 {
            let after = || format!("after {done} edits");
            program.assert_sound().with_context(after)?;
            program.assert_complete(&vault).with_context(after)?;
            program.assert_as_new().with_context(after)?;
        }
    }
    let (bytes, log) = program.sizes();
    Ok(format!(
        "{edits} edits of {notes} notes at first and {} at last, {} updates, {} comparisons with a \
         new index; the index has {} KiB and a log of {} KiB",
        vault.notes().len(),
        edits / STEP,
        edits / HUNDRED,
        bytes / 1024,
        log / 1024
    ))
}
