//! Reads the normalizer of a tokenizer file. Not responsible for carrying it out.

use serde_json::Value;

use super::{Context, TokenizerFile};
use crate::convert::base64;
use crate::error::ModelError;
use crate::options::{Kind, RunKind, Step, flag};

/// Reads a normalizer into the steps and flags of the options.
pub(super) fn read(
    value: &Value,
    file: &mut TokenizerFile,
    context: Context<'_>,
) -> Result<(), ModelError> {
    let kind = value["type"].as_str().unwrap_or_default();
    if value.is_null() {
        return Ok(());
    }
    if kind == "Sequence" {
        let list = value["normalizers"].as_array().ok_or(context.field("normalizer"))?;
        return list.iter().try_for_each(|part| read(part, file, context));
    }
    if kind == "BertNormalizer" && file.options.kind == Kind::WordPiece {
        file.options.flags |= bert_flags(value);
        return Ok(());
    }
    if file.options.kind == Kind::WordPiece {
        return Err(context.unsupported("normalizer", kind));
    }
    match kind {
        "Precompiled" => {
            let text = value["precompiled_charsmap"].as_str();
            file.charsmap = text.and_then(base64::decode).filter(|map| !map.is_empty());
            let map = file.charsmap.as_deref();
            if map.is_some_and(|map| crate::charsmap::Charsmap::split(map).is_none()) {
                return Err(context.field("normalizer.precompiled_charsmap"));
            }
            file.options.steps.push(Step::Charsmap);
        }
        "Replace" => file.options.steps.push(replace(value, context)?),
        "Strip" => {
            let side = |name: &str| value[name].as_bool().unwrap_or(true);
            file.options.steps.extend(side("strip_left").then_some(Step::StripLeft));
            file.options.steps.extend(side("strip_right").then_some(Step::StripRight));
        }
        "Lowercase" => file.options.steps.push(Step::Lowercase),
        "Prepend" => {
            let text = value["prepend"].as_str().ok_or(context.field("normalizer.prepend"))?;
            file.options.steps.push(Step::Prepend(text.to_owned()));
        }
        other => return Err(context.unsupported("normalizer", other)),
    }
    Ok(())
}

/// Reads a `Replace`: a plain string, or one of the expressions that multilingual models use.
fn replace(value: &Value, context: Context<'_>) -> Result<Step, ModelError> {
    let content = value["content"].as_str().ok_or(context.field("normalizer.content"))?.to_owned();
    if let Some(text) = value["pattern"]["String"].as_str().filter(|text| !text.is_empty()) {
        return Ok(Step::Replace(text.to_owned(), content));
    }
    match value["pattern"]["Regex"].as_str().unwrap_or_default() {
        " {2,}" => Ok(Step::ReplaceRuns(RunKind::TwoSpaces, content)),
        r"\s+" => Ok(Step::ReplaceRuns(RunKind::WhiteSpace, content)),
        other => {
            Err(context.unsupported("normalizer", format!("Replace of the expression {other}")))
        }
    }
}

/// The flags of a `BertNormalizer`; accents are stripped when the file does not say and letters are
/// made small.
fn bert_flags(value: &Value) -> u32 {
    let is = |name: &str, default: bool| value[name].as_bool().unwrap_or(default);
    let lowercase = is("lowercase", true);
    let choices = [
        (is("clean_text", true), flag::CLEAN),
        (is("handle_chinese_chars", true), flag::SPLIT_CHINESE),
        (is("strip_accents", lowercase), flag::STRIP_ACCENTS),
        (lowercase, flag::LOWERCASE),
    ];
    choices.iter().filter(|(set, _)| *set).fold(0, |flags, (_, flag)| flags | flag)
}

/// Whether steps are only a character map and the collapsing of spaces, each optional, and whether
/// spaces are collapsed.
pub(super) fn is_fast(steps: &[Step]) -> Option<bool> {
    let rest = steps.strip_prefix(&[Step::Charsmap]).unwrap_or(steps);
    match rest {
        [] => Some(false),
        [Step::ReplaceRuns(RunKind::TwoSpaces, to)] if to == " " => Some(true),
        _ => None,
    }
}
