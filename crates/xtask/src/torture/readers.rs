//! Many readers beside two would-be writers: no error, no wrong answer, and what a finished run has
//! published is what a later search shows.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};

use super::Trial;
use super::program::{Program, first_path};
use super::random::Random;
use super::vault::{Vault, number_of, word};

/// Processes that search at the same time.
const READERS: usize = 20;
/// Processes that change notes and index at the same time.
const WRITERS: usize = 2;
/// How the word begins that names a writer.
const WRITER: &str = "zw";
/// How the words begin that tell the versions of each writer's note.
const VERSIONS: [&str; WRITERS] = ["vp", "vt"];
/// Exit code where another writer holds the index.
const BUSY: i32 = 4;
/// Paragraphs of a note, at most.
const PARAGRAPHS: usize = 3;

/// What all threads share.
struct Scene {
    program: Program,
    /// Path and marker of notes that nobody changes.
    settled: Vec<(String, String)>,
    seed: u64,
    done: AtomicBool,
    /// The version of each writer's note that a run has published.
    published: [AtomicUsize; WRITERS],
    searches: AtomicUsize,
    updates: AtomicUsize,
    refusals: AtomicUsize,
    /// Longest write-ahead log seen, in bytes.
    longest_log: AtomicUsize,
}

/// Makes the trial.
pub(super) fn run(trial: &Trial) -> Result<String> {
    let (notes, seconds) = if trial.short { (60, 5) } else { (1_000, 60) };
    let program = trial.program();
    let vault = Vault::filled(&program.vault, trial.seed, notes, PARAGRAPHS)?;
    let versions = [0; WRITERS].map(AtomicUsize::new);
    for number in 0..WRITERS {
        write(&program.vault, number, 0)?;
    }
    program.update()?;
    let settled = vault.notes().iter().map(|(path, marker)| (path.clone(), marker.clone()));
    let scene = Scene {
        program,
        settled: settled.collect(),
        seed: trial.seed,
        done: AtomicBool::new(false),
        published: versions,
        searches: AtomicUsize::new(0),
        updates: AtomicUsize::new(0),
        refusals: AtomicUsize::new(0),
        longest_log: AtomicUsize::new(0),
    };
    let faults = act(&scene, Duration::from_secs(seconds));
    if let Some(fault) = faults.into_iter().next() {
        return Err(fault);
    }
    finish(&scene, &vault, seconds)
}

/// Runs all threads for a while; what went wrong.
fn act(scene: &Scene, time: Duration) -> Vec<anyhow::Error> {
    thread::scope(|scope| {
        let readers = (0..READERS)
            .map(|number| scope.spawn(move || until_done(scene, || read(scene, number))));
        let writers = (0..WRITERS).map(|number| scope.spawn(move || write_on(scene, number)));
        let threads: Vec<_> = readers.chain(writers).collect::<Vec<_>>();
        let end = Instant::now() + time;
        while Instant::now() < end && !scene.done.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(20));
            let log = scene.program.sizes().1 as usize;
            scene.longest_log.fetch_max(log, Ordering::Relaxed);
        }
        scene.done.store(true, Ordering::Relaxed);
        let joined = threads.into_iter().map(thread::ScopedJoinHandle::join);
        joined
            .filter_map(|result| result.unwrap_or_else(|_| Err(anyhow!("a thread panicked"))).err())
            .collect()
    })
}

/// Acts until the time is over; the first fault ends everybody.
fn until_done(scene: &Scene, mut act: impl FnMut() -> Result<()>) -> Result<()> {
    while !scene.done.load(Ordering::Relaxed) {
        if let Err(fault) = act() {
            scene.done.store(true, Ordering::Relaxed);
            return Err(fault);
        }
    }
    Ok(())
}

/// One reader's next searches: a settled note, then a note that a writer keeps changing. Every
/// other reader refreshes the index first, as a plain search does.
fn read(scene: &Scene, number: usize) -> Result<()> {
    let turn = scene.searches.fetch_add(2, Ordering::Relaxed);
    let mut random = Random::new(scene.seed + turn as u64);
    let (path, marker) = &scene.settled[random.below(scene.settled.len())];
    let search = |query: &str| {
        let mut arguments = vec!["search", "--json", "--limit", "3", query];
        if number.is_multiple_of(2) {
            arguments.push("--no-refresh");
        }
        scene.program.run(&arguments)?.expect("search", &[0])
    };
    let found = search(marker)?;
    ensure!(first_path(&found.stdout) == Some(path), "{marker} of {path}: {}", found.stdout);
    let writer = random.below(WRITERS);
    let before = scene.published[writer].load(Ordering::SeqCst);
    let found = search(&word(WRITER, writer))?;
    let name = name_of(writer);
    ensure!(first_path(&found.stdout) == Some(&name), "{name}: {}", found.stdout);
    let versions = versions_in(&found.stdout, writer);
    let whole = versions.windows(2).all(|two| two[0] == two[1]);
    ensure!(whole, "parts of two versions in one answer: {versions:?}: {}", found.stdout);
    let shown = versions.first().copied().context("no version in an answer")?;
    ensure!(shown >= before, "version {shown} is shown after {before} was published");
    Ok(())
}

/// One would-be writer's life: change the own note, index, and go on where the other one indexes.
fn write_on(scene: &Scene, number: usize) -> Result<()> {
    let mut version = 0;
    until_done(scene, || {
        version += 1;
        write(&scene.program.vault, number, version)?;
        let ended = scene.program.run(&["index"])?.expect("index", &[0, BUSY])?;
        if ended.code == Some(BUSY) {
            scene.refusals.fetch_add(1, Ordering::Relaxed);
        } else {
            scene.updates.fetch_add(1, Ordering::Relaxed);
            scene.published[number].fetch_max(version, Ordering::SeqCst);
        }
        Ok(())
    })
}

fn name_of(writer: usize) -> String {
    format!("writer-{writer}.md")
}

/// Writes a writer's note, which says its version in each of its sections, in one step.
fn write(vault: &Path, writer: usize, version: usize) -> Result<()> {
    let (own, version) = (word(WRITER, writer), word(VERSIONS[writer], version));
    let section =
        |name: &str| format!("## {name}\n\n{own} says {version} here. 版は {version} である。\n\n");
    let text = format!("# {own}\n\n{}{}", section("First"), section("Second"));
    let (name, unfinished) = (name_of(writer), format!("writer-{writer}.tmp"));
    fs::write(vault.join(&unfinished), text).with_context(|| format!("write {unfinished}"))?;
    fs::rename(vault.join(unfinished), vault.join(&name)).with_context(|| format!("write {name}"))
}

/// All versions of a writer's note that an answer shows.
fn versions_in(answer: &str, writer: usize) -> Vec<usize> {
    let start = VERSIONS[writer];
    let found = answer.match_indices(start);
    found.filter_map(|(at, _)| number_of(&answer[at..], start)).collect()
}

fn finish(scene: &Scene, vault: &Vault, seconds: u64) -> Result<String> {
    scene.program.update()?;
    scene.program.assert_sound()?;
    scene.program.assert_as_new()?;
    let load = |count: &AtomicUsize| count.load(Ordering::Relaxed);
    Ok(format!(
        "{READERS} readers and {WRITERS} would-be writers of {} notes for {seconds} s: {} searches, \
         {} updates, {} times busy, no error and no wrong answer; the log had {} KiB at most",
        vault.notes().len(),
        load(&scene.searches),
        load(&scene.updates),
        load(&scene.refusals),
        load(&scene.longest_log) / 1024
    ))
}
