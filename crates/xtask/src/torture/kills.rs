//! Kills index runs at random moments, by SIGKILL, and looks at what is left: it can be asked at
//! once, has no fault, and after one more run every note is found and answers are a new index's.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::Trial;
use super::program::Program;
use super::vault::Vault;

/// What is killed.
struct Plan {
    /// Notes of the vault whose updates are killed.
    notes: usize,
    /// Kills of updates and rebuilds.
    kills: usize,
    /// Notes of the vault whose first builds are killed: more than one batch, so that kills also
    /// fall between two publications.
    first_notes: usize,
    /// Kills of first builds.
    first_kills: usize,
    /// After how many kills answers are compared with a new index's.
    compared: usize,
}

const FULL: Plan =
    Plan { notes: 1_500, kills: 150, first_notes: 18_000, first_kills: 50, compared: 10 };
const SHORT: Plan = Plan { notes: 60, kills: 12, first_notes: 60, first_kills: 4, compared: 4 };
/// Edits between two kills.
const EDITS: usize = 12;
/// Paragraphs of a note, at most.
const PARAGRAPHS: usize = 5;

/// What happened.
#[derive(Default)]
struct Tally {
    /// Runs that were still running when they were killed.
    killed: usize,
    /// Runs that had ended before.
    late: usize,
    compared: usize,
}

/// Makes the trial.
pub(super) fn run(trial: &Trial) -> Result<String> {
    let plan = if trial.short { SHORT } else { FULL };
    let mut tally = Tally::default();
    updates(trial, &plan, &mut tally).context("updates")?;
    let Tally { killed: updates, .. } = tally;
    first_builds(trial, &plan, &mut tally).context("first builds")?;
    Ok(format!(
        "{} of {} kills met a running program ({updates} in updates and rebuilds of {} notes, {} in \
         first builds of {}); {} comparisons with a new index, no fault",
        tally.killed,
        tally.killed + tally.late,
        plan.notes,
        tally.killed - updates,
        plan.first_notes,
        tally.compared
    ))
}

/// Kills updates of an index, and now and then a rebuild.
fn updates(trial: &Trial, plan: &Plan, tally: &mut Tally) -> Result<()> {
    let program = trial.program();
    let mut vault = Vault::filled(&program.vault, trial.seed, plan.notes, PARAGRAPHS)?;
    program.update()?;
    let mut rebuild = time_of(&program)?;
    let mut update = rebuild / 2;
    for number in 1..=plan.kills {
        for _ in 0..EDITS {
            vault.edit(PARAGRAPHS)?;
        }
        let full = vault.random().below(4) == 0;
        let (arguments, usual): (&[&str], _) =
            if full { (&["index", "--full"], &mut rebuild) } else { (&["index"], &mut update) };
        kill(&program, arguments, usual, &mut vault, tally)?;
        program.assert_sound().with_context(|| format!("after kill {number}"))?;
        finish(&program, &vault, number % plan.compared == 0, tally)
            .with_context(|| format!("after kill {number}"))?;
    }
    Ok(())
}

/// How long the program takes to make an index anew.
fn time_of(program: &Program) -> Result<Duration> {
    let start = Instant::now();
    program.run(&["index", "--full"])?.expect("index", &[0])?;
    Ok(start.elapsed())
}

/// Kills the making of a new index, again and again until it is there.
fn first_builds(trial: &Trial, plan: &Plan, tally: &mut Tally) -> Result<()> {
    let mut program = trial.program().with_index("first.hiku");
    program.vault = trial.folder.join("first-vault");
    let mut vault = Vault::filled(&program.vault, trial.seed + 1, plan.first_notes, 1)?;
    let mut usual = time_of(&program.with_index("measured.hiku"))?;
    for number in 1..=plan.first_kills {
        kill(&program, &["index"], &mut usual, &mut vault, tally)?;
        program.run(&["doctor"])?.expect("doctor after a kill", &[0, 1, 10])?;
        program.run(&["search", "--no-refresh", "雨"])?.expect("search after a kill", &[0, 10])?;
        if number % 5 == 0 {
            finish(&program, &vault, number % (5 * plan.compared) == 0, tally)
                .with_context(|| format!("after first kill {number}"))?;
            program.remove_index()?;
        }
    }
    finish(&program, &vault, true, tally)
}

/// Starts a run and kills it at a random moment of its usual time. That is learnt: it grows with each
/// kill and shrinks with each run that ends before, so that one in five does, and kills fall on all
/// of a run.
fn kill(
    program: &Program,
    arguments: &[&str],
    usual: &mut Duration,
    vault: &mut Vault,
    tally: &mut Tally,
) -> Result<()> {
    let mut child = program.start(arguments)?;
    std::thread::sleep(usual.mul_f64(vault.random().share()));
    let ended = child.try_wait().context("look at a run")?;
    if let Some(status) = ended {
        ensure!(status.success(), "a run that was not killed ended by {status}");
        *usual = usual.mul_f64(0.7);
        tally.late += 1;
        return Ok(());
    }
    child.kill().context("kill a run")?;
    child.wait().context("wait for a killed run")?;
    *usual = usual.mul_f64(1.1);
    tally.killed += 1;
    Ok(())
}

/// One more run brings everything back.
fn finish(program: &Program, vault: &Vault, compare: bool, tally: &mut Tally) -> Result<()> {
    program.update()?;
    program.assert_sound()?;
    program.assert_complete(vault)?;
    if compare {
        program.assert_as_new()?;
        tally.compared += 1;
    }
    Ok(())
}
