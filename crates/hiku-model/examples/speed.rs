//! Measures tokenising and adding rows over real notes:
//! `HIKU_DATA=… cargo run --release -p hiku-model --example speed -- [MODEL]`.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use hiku_model::{Scratch, StaticModel};

fn main() {
    let path = std::env::args().nth(1);
    let other = path.map(|path| StaticModel::open(Path::new(&path)).expect("a model"));
    let start = Instant::now();
    let model = other.as_ref().unwrap_or_else(|| StaticModel::builtin());
    let opened = start.elapsed();
    let mut query = Vec::new();
    model.tokenize("authentication failure 権限を渡す", &mut query);
    println!("open {opened:?}, open and first query {:?}", start.elapsed());
    let Some(data) = std::env::var_os("HIKU_DATA") else {
        println!("skipped: HIKU_DATA is not set");
        return;
    };
    for vault in ["mdn-en", "cpprefjp", "kepano"] {
        let mut notes = Vec::new();
        collect(&Path::new(&data).join("vault").join(vault), &mut notes);
        measure(model, vault, &notes);
    }
}

fn measure(model: &StaticModel, vault: &str, notes: &[String]) {
    let bytes: usize = notes.iter().map(String::len).sum();
    let megabytes = bytes as f64 / 1e6;
    let mut best = [f64::MAX; 2];
    let mut count = 0;
    for _ in 0..5 {
        let mut scratch = Scratch::new();
        let mut ids = Vec::new();
        let mut lists = Vec::with_capacity(notes.len());
        let start = Instant::now();
        for note in notes {
            ids.clear();
            model.tokenize_with(&mut scratch, note, &mut ids);
            lists.push(ids.clone());
        }
        best[0] = best[0].min(start.elapsed().as_secs_f64());
        count = lists.iter().map(Vec::len).sum();
        best[1] = best[1].min(add(model, &lists));
    }
    println!(
        "{vault}: {} notes, {megabytes:.1} MB, {count} ids: tokenize {:.0} MB/s ({:.0} ns an id), add {:.1} M rows/s ({:.0} MB/s)",
        notes.len(),
        megabytes / best[0],
        best[0] * 1e9 / count as f64,
        count as f64 / best[1] / 1e6,
        megabytes / best[1],
    );
}

/// Seconds for adding all rows, in lists of 100 as chunks have them.
fn add(model: &StaticModel, lists: &[Vec<u32>]) -> f64 {
    let weights = vec![0.5; 100];
    let mut sum = vec![0.0; model.dimensions()];
    let start = Instant::now();
    for ids in lists.iter().flat_map(|list| list.chunks(100)) {
        sum.fill(0.0);
        model.accumulate_all(ids, &weights[..ids.len()], &mut sum);
        black_box(&mut sum);
    }
    start.elapsed().as_secs_f64()
}

fn collect(folder: &Path, notes: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, notes);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            notes.extend(std::fs::read_to_string(&path));
        }
    }
}
