//! Converts a `Model2Vec` folder to a compact model file:
//! `cargo run --release -p hiku-model --example convert -- FOLDER FILE`.

use std::path::Path;

use hiku_model::{StaticModel, convert};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, file] = arguments.as_slice() else {
        return Err("usage: convert FOLDER FILE".into());
    };
    std::fs::write(file, convert(Path::new(folder))?)?;
    let model = StaticModel::open(Path::new(file))?;
    println!(
        "{}: {} pieces, {} dimensions",
        model.id(),
        model.vocabulary_size(),
        model.dimensions()
    );
    Ok(())
}
