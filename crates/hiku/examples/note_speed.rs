//! Measures parsing, chunking and piece cutting over the Markdown files below the folders given as
//! arguments (or those of `vault/` below `HIKU_DATA`), on one core.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use hiku::chunk::{ChunkOptions, chunk, index_text, pieces};
use hiku::markdown::parse;

#[derive(Default)]
struct Totals {
    bytes: usize,
    chunks: usize,
    pieces: usize,
    parse: Duration,
    chunk: Duration,
    index: Duration,
    cut: Duration,
}

fn main() {
    let mut folders: Vec<String> = std::env::args().skip(1).collect();
    if folders.is_empty() {
        let Ok(data) = std::env::var("HIKU_DATA") else {
            println!("no folder given and HIKU_DATA is not set: nothing to do");
            return;
        };
        folders = ["mdn-en", "cpprefjp", "kepano"].map(|v| format!("{data}/vault/{v}")).to_vec();
    }
    for folder in folders {
        let mut texts = Vec::new();
        collect(Path::new(&folder), &mut texts);
        let totals = measure(&texts);
        report(&folder, texts.len(), &totals);
    }
}

fn collect(folder: &Path, texts: &mut Vec<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, texts);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            texts.extend(fs::read_to_string(&path));
        }
    }
}

fn measure(texts: &[String]) -> Totals {
    let options = ChunkOptions::default();
    let mut totals = Totals::default();
    for text in texts {
        totals.bytes += text.len();
        let start = Instant::now();
        let note = parse(text);
        totals.parse += start.elapsed();
        let start = Instant::now();
        let chunks = chunk(&note, text, &options);
        totals.chunk += start.elapsed();
        totals.chunks += chunks.len();
        for chunk in &chunks {
            let start = Instant::now();
            let indexed = index_text(&note, text, chunk.span.clone());
            totals.index += start.elapsed();
            let start = Instant::now();
            totals.pieces += pieces(&indexed, options.piece_characters).len();
            totals.cut += start.elapsed();
        }
    }
    totals
}

fn report(folder: &str, notes: usize, totals: &Totals) {
    let rate = |time: Duration| totals.bytes as f64 / 1e6 / time.as_secs_f64();
    println!(
        "{folder}: {notes} notes, {:.1} MB, {} chunks, {} pieces; MB/s: parse {:.0}, chunk {:.0}, \
         index_text {:.0}, pieces {:.0}",
        totals.bytes as f64 / 1e6,
        totals.chunks,
        totals.pieces,
        rate(totals.parse),
        rate(totals.chunk),
        rate(totals.index),
        rate(totals.cut),
    );
}
