//! Reads the pre-tokenizer of a tokenizer file. Not responsible for carrying it out.

use serde_json::Value;

use super::Context;
use crate::error::ModelError;
use crate::options::{Kind, Options, flag};

/// Reads a pre-tokenizer into the flags of the options.
pub(super) fn read(
    value: &Value,
    options: &mut Options,
    context: Context<'_>,
) -> Result<(), ModelError> {
    let parts = match value["type"].as_str() {
        Some("Sequence") => value["pretokenizers"].as_array().map_or(&[][..], Vec::as_slice),
        _ => std::slice::from_ref(value),
    };
    let names: Vec<&str> =
        parts.iter().map(|part| part["type"].as_str().unwrap_or("none")).collect();
    match (options.kind, names.as_slice()) {
        (Kind::Unigram, ["Metaspace"]) => metaspace(&parts[0], options, context),
        (Kind::Unigram, ["WhitespaceSplit", "Metaspace"]) => {
            options.flags |= flag::SPLIT_WHITESPACE;
            metaspace(&parts[1], options, context)
        }
        (Kind::WordPiece, ["BertPreTokenizer"]) => Ok(()),
        _ => Err(context.unsupported("pre-tokenizer", names.join(" and "))),
    }
}

fn metaspace(value: &Value, options: &mut Options, context: Context<'_>) -> Result<(), ModelError> {
    let text = value["replacement"].as_str().unwrap_or("▁");
    options.mark = text.chars().next().ok_or(context.field("pre_tokenizer.replacement"))?;
    let by_default =
        if value["add_prefix_space"].as_bool() == Some(false) { "never" } else { "always" };
    let scheme = value["prepend_scheme"].as_str().unwrap_or(by_default);
    let words = options.has(flag::SPLIT_WHITESPACE);
    match scheme {
        "always" => options.flags |= flag::PREPEND,
        "first" if !words => options.flags |= flag::PREPEND,
        "never" => {}
        other => return Err(context.unsupported("pre-tokenizer", format!("Metaspace {other}"))),
    }
    if value["split"].as_bool() != Some(false) {
        options.flags |= flag::SPLIT_AT_MARK;
    }
    Ok(())
}
