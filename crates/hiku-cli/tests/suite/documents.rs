//! docs/cli.md is the program's own help, docs/search.schema.json describes its real answers, and no
//! test file is forgotten.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::harness::{json, notes, run};

fn repository_file(path: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_reference_is_the_help() {
    let output = run(&notes(), &["reference"]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(text, repository_file("docs/cli.md"), "run: hiku reference > docs/cli.md");
}

#[test]
fn completions_exist_for_each_shell() {
    let vault = notes();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = run(&vault, &["completions", shell]).stdout;
        assert!(String::from_utf8_lossy(&script).contains("no-refresh"), "{shell}");
    }
}

#[test]
fn answers_follow_the_schema() {
    let schema: Value =
        serde_json::from_str(&repository_file("docs/search.schema.json")).expect("JSON");
    let vault = notes();
    for arguments in [
        &["search", "--vault", "vault", "--json", "soup", "gitleaks"][..],
        &["search", "--vault", "vault", "--json", "--explain", "--by", "chunk", "設計"],
        &["search", "--vault", "vault", "--json", "--mode", "lexical", "-n1", "the"],
        &["search", "--vault", "vault", "--json", ""],
    ] {
        follows(&json(&vault, arguments), &schema);
    }
    vault.write("recipes/soup.md", "# Soup\n\nOnions again.\n");
    let stale = [
        &["search", "--vault", "vault", "--json", "--no-refresh", "onion"][..],
        &["search", "--vault", "vault", "--json", "--refresh-budget", "0", "onion"],
    ];
    let [marked, named] = stale.map(|arguments| json(&vault, arguments));
    assert!(marked["hits"][0]["stale"] == true && named["stale"]["why"] == "unseen");
    follows(&marked, &schema);
    follows(&named, &schema);
}

fn follows(answer: &Value, schema: &Value) {
    let mut faults = Vec::new();
    validate(answer, schema, "answer", &mut faults);
    assert!(faults.is_empty(), "{faults:#?}\n{answer:#}");
}

/// Checks the parts of JSON Schema that the file uses: type, enum, required, properties,
/// additionalProperties and items.
fn validate(value: &Value, schema: &Value, at: &str, faults: &mut Vec<String>) {
    let types = match &schema["type"] {
        Value::String(name) => vec![name.as_str()],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !types.iter().any(|name| is_of_type(value, name)) {
        faults.push(format!("{at} is not of type {types:?}"));
    }
    if schema["enum"].as_array().is_some_and(|allowed| !allowed.contains(value)) {
        faults.push(format!("{at} is {value}"));
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if value.get(name).is_none() {
            faults.push(format!("{at}.{name} is missing"));
        }
    }
    for (name, inner) in value.as_object().into_iter().flatten() {
        let at = format!("{at}.{name}");
        match schema["properties"].get(name).unwrap_or(&schema["additionalProperties"]) {
            Value::Bool(false) | Value::Null => faults.push(format!("{at} is not described")),
            schema => validate(inner, schema, &at, faults),
        }
    }
    for (place, inner) in value.as_array().into_iter().flatten().enumerate() {
        validate(inner, &schema["items"], &format!("{at}[{place}]"), faults);
    }
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        _ => false,
    }
}

#[test]
fn every_file_of_this_folder_is_a_module() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/suite");
    let main = fs::read_to_string(folder.join("main.rs")).expect("this program");
    for entry in fs::read_dir(folder).expect("the folder").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(module) = name.strip_suffix(".rs") else { continue };
        assert!(
            module == "main" || main.contains(&format!("mod {module};")),
            "{name} is forgotten"
        );
    }
}
