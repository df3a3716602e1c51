//! Measures the scrubber over real data (environment variable `HIKU_DATA`): recall and false share
//! on the labelled texts, redactions per 1,000 notes and MB/s over two vaults. With an argument it
//! also prints what was redacted: `all`, `missed`, `false`, or a vault's name.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

use hiku::scrub::{ScrubOptions, Scrubber};

fn main() -> Result<(), Box<dyn Error>> {
    let Ok(data) = std::env::var("HIKU_DATA") else {
        println!("HIKU_DATA is not set: nothing to measure");
        return Ok(());
    };
    let show = std::env::args().nth(1).unwrap_or_default();
    let start = Instant::now();
    let scrubber = Scrubber::new(&ScrubOptions::default());
    let made = start.elapsed();
    scrubber.scrub("a text without a credential");
    println!("new {made:?}, with the first text {:?}", start.elapsed());
    labelled(&scrubber, Path::new(&data), &show)?;
    for name in ["mdn-en", "cpprefjp", "kepano"] {
        vault(&scrubber, &Path::new(&data).join("vault").join(name), &show)?;
    }
    Ok(())
}

/// Recall on the credentials and false share on the other texts.
fn labelled(scrubber: &Scrubber, data: &Path, show: &str) -> Result<(), Box<dyn Error>> {
    let lines = std::fs::read_to_string(data.join("credentials/fixtures-noseyparker.jsonl"))?;
    let (mut found, mut all) = ([0usize; 2], [0usize; 2]);
    for line in lines.lines() {
        let row: serde_json::Value = serde_json::from_str(line)?;
        let label = usize::from(row["label"] == 1);
        let text = row["text"].as_str().unwrap_or_default();
        let scrubbed = scrubber.scrub(text);
        all[label] += 1;
        found[label] += usize::from(!scrubbed.redactions.is_empty());
        let missed = label == 1 && scrubbed.redactions.is_empty();
        let wrong = label == 0 && !scrubbed.redactions.is_empty();
        if (missed && show == "missed") || (wrong && show == "false") || show == "all" {
            println!("{} {} {:?}", row["id"], row["rule"], scrubbed.text);
        }
    }
    let share = |label: usize| 100.0 * found[label] as f64 / all[label].max(1) as f64;
    println!("recall {:.1} % of {}, false {:.1} % of {}", share(1), all[1], share(0), all[0]);
    Ok(())
}

/// Redactions per 1,000 notes and the speed of the second of two runs.
fn vault(scrubber: &Scrubber, folder: &Path, show: &str) -> Result<(), Box<dyn Error>> {
    let mut notes = Vec::new();
    read(folder, &mut notes)?;
    let bytes: usize = notes.iter().map(|(_, text)| text.len()).sum();
    let mut redactions = 0;
    let mut changed = 0;
    for (path, text) in &notes {
        let scrubbed = scrubber.scrub(text);
        redactions += scrubbed.redactions.len();
        changed += usize::from(!scrubbed.redactions.is_empty());
        let name = folder.file_name().unwrap_or_default();
        for redaction in scrubbed.redactions.iter().filter(|_| name == show) {
            let line = text[..redaction.span.start].rfind('\n').map_or(0, |at| at + 1);
            let end = text[redaction.span.end..]
                .find('\n')
                .map_or(text.len(), |at| redaction.span.end + at);
            let (before, behind) =
                (&text[line..redaction.span.start], &text[redaction.span.end..end]);
            let credential = &text[redaction.span.clone()];
            println!("{}\t{}\t{before}⟦{credential}⟧{behind}", path.display(), redaction.rule);
        }
    }
    let start = Instant::now();
    let again: usize = notes.iter().map(|(_, text)| scrubber.scrub(text).redactions.len()).sum();
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!(again, redactions, "the same text gives the same redactions");
    println!(
        "{}: {redactions} redactions in {changed} of {} notes, {:.2} notes per 1,000; {:.1} MB at {:.0} MB/s",
        folder.display(),
        notes.len(),
        1_000.0 * changed as f64 / notes.len().max(1) as f64,
        bytes as f64 / 1e6,
        bytes as f64 / 1e6 / seconds
    );
    Ok(())
}

fn read(folder: &Path, notes: &mut Vec<(PathBuf, String)>) -> Result<(), Box<dyn Error>> {
    let mut entries: Vec<_> = std::fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::path);
    for entry in entries {
        let path = entry.path();
        if path.is_dir() {
            read(&path, notes)?;
        } else if path.extension().is_some_and(|extension| extension == "md") {
            let text = String::from_utf8_lossy(&std::fs::read(&path)?).into_owned();
            notes.push((path, text));
        }
    }
    Ok(())
}
