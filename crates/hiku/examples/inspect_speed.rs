//! How long status, check and one note's record take on a large vault: `HIKU_DATA=folder cargo run
//! --release --example inspect_speed` indexes `folder/vault` and prints milliseconds.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use hiku::vault::Folder;
use hiku::{Index, Settings, SilentProgress, UpdateOptions};

fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    println!("{what}: {:.1} ms", start.elapsed().as_secs_f64() * 1_000.0);
    result
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Some(data) = std::env::var_os("HIKU_DATA") else {
        println!("HIKU_DATA names no folder: nothing measured");
        return Ok(());
    };
    let settings = Settings::default();
    let vault = Folder::open(&Path::new(&data).join("vault"), &settings.vault)?;
    let place = tempfile::tempdir()?;
    let file = place.path().join("index.hiku");
    let (options, stop) = (UpdateOptions::default(), AtomicBool::new(false));
    let report = timed("update", || {
        Index::update(&vault, &file, &settings, options, &SilentProgress, &stop)
    })?;
    let index = Index::open(&file, &settings)?;
    let note = &report.changes[report.changes.len() / 2].1;
    for _ in 0..3 {
        let status = timed("status", || index.status())?;
        println!("{} notes, {} warnings", status.notes, status.warnings.len());
    }
    let problems = timed("check", || index.check())?;
    println!("{problems:?}");
    timed("stored", || index.stored(note))?;
    let read = || {
        hiku::read_note(&vault, note, &hiku::Selection::Whole, &hiku::scrub::Scrubber::default())
    };
    timed("read by path", read)?;
    timed("read again", read)?;
    let absent = || {
        hiku::read_note(
            &vault,
            "absent",
            &hiku::Selection::Whole,
            &hiku::scrub::Scrubber::default(),
        )
    };
    timed("read of an absent name", absent).map(drop).or(Ok(()))
}
