//! The parameters of tools: their JSON Schema, and the check of what a client sent against the same
//! table, so that the two cannot differ. Knows no tool.
//!
//! Schemas have no union types and allow no further properties. What is not known is refused with
//! the nearest name that is, since a filter that is ignored in silence gives an answer to another
//! question. `null` counts as left out: some clients send it for every optional parameter.

use serde_json::{Map, Value, json};

use crate::messages::Messages;

/// What a parameter may be.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// Text.
    Text,
    /// A day, `YYYY-MM-DD`.
    Day,
    /// One of these words; the first is the default.
    Choice(&'static [&'static str]),
    /// A whole number from the first to the second.
    Whole(u64, u64),
    /// A list of texts, at most [`MAX_LISTED`].
    Texts,
}

/// Most texts in a list: a filter that names more is a mistake.
const MAX_LISTED: usize = 50;
/// Most characters that differ between a name and the one that is suggested for it.
const MAX_DISTANCE: usize = 3;

/// One parameter of a tool.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parameter {
    /// Its name.
    pub(super) name: &'static str,
    /// What it may be.
    pub(super) kind: Kind,
    /// True where a call without it means nothing.
    pub(super) is_required: bool,
    /// What it does, for the model that fills it in.
    pub(super) description: &'static str,
}

/// An optional parameter.
pub(super) const fn optional(
    name: &'static str,
    kind: Kind,
    description: &'static str,
) -> Parameter {
    Parameter { name, kind, is_required: false, description }
}

/// A parameter that every call must have.
pub(super) const fn required(
    name: &'static str,
    kind: Kind,
    description: &'static str,
) -> Parameter {
    Parameter { name, kind, is_required: true, description }
}

/// The JSON Schema of a tool's parameters.
pub(super) fn input_schema(parameters: &[Parameter]) -> Value {
    let properties: Map<String, Value> =
        parameters.iter().map(|one| (one.name.to_owned(), property(one))).collect();
    let needed: Vec<_> = parameters.iter().filter(|one| one.is_required).map(|o| o.name).collect();
    let mut schema =
        json!({ "type": "object", "properties": properties, "additionalProperties": false });
    if !needed.is_empty() {
        schema["required"] = json!(needed);
    }
    schema
}

fn property(parameter: &Parameter) -> Value {
    let mut schema = match parameter.kind {
        Kind::Text => json!({ "type": "string" }),
        Kind::Day => json!({ "type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$" }),
        Kind::Choice(words) => json!({ "type": "string", "enum": words, "default": words[0] }),
        Kind::Whole(minimum, maximum) => {
            json!({ "type": "integer", "minimum": minimum, "maximum": maximum })
        }
        Kind::Texts => {
            json!({ "type": "array", "items": { "type": "string" }, "maxItems": MAX_LISTED })
        }
    };
    schema["description"] = parameter.description.into();
    schema
}

/// The parameters of one call, checked.
#[derive(Debug, Default)]
pub(super) struct Arguments(Map<String, Value>);

impl Arguments {
    /// Checks what a client sent.
    ///
    /// # Errors
    /// A sentence that names the parameter and what it may be.
    pub(super) fn check(
        given: Map<String, Value>,
        parameters: &[Parameter],
        messages: Messages,
    ) -> Result<Self, String> {
        let given: Map<_, _> = given.into_iter().filter(|(_, value)| !value.is_null()).collect();
        for (name, value) in &given {
            match parameters.iter().find(|one| one.name == name) {
                None => return Err(unknown(name, parameters, messages)),
                Some(one) if !fits(one.kind, value) => {
                    return Err(messages.parameter_wrong(name, wanted(one.kind, messages)));
                }
                Some(_) => {}
            }
        }
        match parameters.iter().find(|one| one.is_required && !given.contains_key(one.name)) {
            Some(missing) => {
                Err(messages.parameter_missing(missing.name, wanted(missing.kind, messages)))
            }
            None => Ok(Arguments(given)),
        }
    }

    /// A text, day or choice.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    /// A whole number.
    pub(super) fn whole(&self, name: &str) -> Option<usize> {
        self.0.get(name).and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok())
    }

    /// A list of texts; empty where it was left out.
    pub(super) fn texts(&self, name: &str) -> impl Iterator<Item = &str> {
        let list = self.0.get(name).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str)
    }
}

fn fits(kind: Kind, value: &Value) -> bool {
    match kind {
        Kind::Text => value.is_string(),
        Kind::Day => value.as_str().is_some_and(is_day),
        Kind::Choice(words) => value.as_str().is_some_and(|word| words.contains(&word)),
        Kind::Whole(minimum, maximum) => {
            value.as_u64().is_some_and(|number| (minimum..=maximum).contains(&number))
        }
        Kind::Texts => value
            .as_array()
            .is_some_and(|list| list.len() <= MAX_LISTED && list.iter().all(Value::is_string)),
    }
}

fn is_day(text: &str) -> bool {
    text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok()
}

fn wanted(kind: Kind, messages: Messages) -> String {
    match kind {
        Kind::Text => messages.wanted_text(),
        Kind::Day => messages.wanted_day(),
        Kind::Choice(words) => messages.wanted_choice(words.join(", ")),
        Kind::Whole(minimum, maximum) => messages.wanted_whole(minimum, maximum),
        Kind::Texts => messages.wanted_texts(MAX_LISTED),
    }
}

fn unknown(name: &str, parameters: &[Parameter], messages: Messages) -> String {
    let names: Vec<&str> = parameters.iter().map(|one| one.name).collect();
    let name = crate::safe::label(name);
    match nearest(&name, &names) {
        Some(near) => messages.parameter_unknown_near(name, near),
        None if names.is_empty() => messages.parameter_unknown_none(name),
        None => messages.parameter_unknown(name, names.join(", ")),
    }
}

/// The name that is nearest in spelling, if one is near enough to be meant.
pub(super) fn nearest<'n>(name: &str, names: &[&'n str]) -> Option<&'n str> {
    let name = name.to_lowercase();
    let related = |other: &str| {
        // `tag` for `tags`, `max_results` is no spelling of anything.
        distance(&name, other).min(if other.starts_with(&name) { 1 } else { usize::MAX })
    };
    let allowed = MAX_DISTANCE.min(name.chars().count().div_ceil(2));
    let near = names.iter().map(|other| (related(other), *other)).min();
    near.filter(|(far, _)| *far <= allowed).map(|(_, other)| other)
}

/// Characters to insert, remove or replace between two words (Levenshtein 1966).
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (above, left) in left.chars().take(64).enumerate() {
        let mut diagonal = row[0];
        row[0] = above + 1;
        for (at, other) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(left != *other);
            diagonal = row[at + 1];
            row[at + 1] = replaced.min(diagonal + 1).min(row[at] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMETERS: &[Parameter] = &[
        required("query", Kind::Text, "What to look for."),
        optional("limit", Kind::Whole(1, 50), "Most hits."),
        optional("mode", Kind::Choice(&["hybrid", "dense"]), "How."),
        optional("tags", Kind::Texts, "Only these."),
        optional("after", Kind::Day, "Only later."),
    ];

    fn checked(given: Value) -> Result<Arguments, String> {
        let Value::Object(given) = given else { panic!("{given}") };
        Arguments::check(given, PARAMETERS, Messages::default())
    }

    #[test]
    fn what_fits_is_taken() {
        let arguments = checked(json!({
            "query": "a", "limit": 50, "mode": "dense", "tags": ["x", "y"], "after": null
        }));
        let arguments = arguments.expect("all is right");
        assert_eq!((arguments.text("query"), arguments.whole("limit")), (Some("a"), Some(50)));
        assert_eq!(arguments.texts("tags").collect::<Vec<_>>(), ["x", "y"]);
        assert_eq!((arguments.text("after"), arguments.texts("paths").count()), (None, 0));
    }

    #[test]
    fn what_does_not_is_refused_by_name() {
        let check = |given: Value, expected: &str| {
            assert_eq!(checked(given.clone()).err().as_deref(), Some(expected), "{given}");
        };
        check(json!({}), "the parameter \"query\" is missing: give a text");
        check(json!({ "query": 3 }), "the parameter \"query\" is wrong: give a text");
        for limit in [json!(0), json!(51), json!("10"), json!(1.5), json!(-1)] {
            let expected = "the parameter \"limit\" is wrong: give a whole number from 1 to 50";
            check(json!({ "query": "a", "limit": limit }), expected);
        }
        check(
            json!({ "query": "a", "mode": "fast" }),
            "the parameter \"mode\" is wrong: give one of hybrid, dense",
        );
        check(
            json!({ "query": "a", "tags": "x" }),
            "the parameter \"tags\" is wrong: give a list of at most 50 texts",
        );
        check(
            json!({ "query": "a", "after": "2026-02-30" }),
            "the parameter \"after\" is wrong: give a day of the form YYYY-MM-DD",
        );
        check(
            json!({ "query": "a", "lmit": 3 }),
            "there is no parameter \"lmit\": did you mean \"limit\"?",
        );
        check(
            json!({ "query": "a", "collection": "x" }),
            "there is no parameter \"collection\"; there are: query, limit, mode, tags, after",
        );
    }

    #[test]
    fn near_names_are_suggested() {
        let check = |name: &str, expected: Option<&str>| {
            assert_eq!(
                nearest(name, &["query", "limit", "max_tokens", "tags"]),
                expected,
                "{name}"
            );
        };
        check("Query", Some("query"));
        check("tag", Some("tags"));
        check("max_token", Some("max_tokens"));
        check("maxTokens", Some("max_tokens"));
        check("q", Some("query"));
        check("x", None);
        check("folder", None);
    }

    #[test]
    fn schemas_have_no_unions_and_no_further_properties() {
        let schema = input_schema(PARAMETERS);
        assert_eq!(schema["additionalProperties"], false);
        assert_eq!(schema["required"], json!(["query"]));
        assert_eq!(schema["properties"]["limit"]["maximum"], 50);
        for property in schema["properties"].as_object().expect("an object").values() {
            assert!(property["type"].is_string(), "{property}");
        }
    }
}
