//! Entries of a JSON object set or removed in the text itself, so that order, blanks, comments and
//! everything else stay as their author wrote them. Reads the JSON with comments and trailing commas
//! that agents take. Pure.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value;

/// The text with `value` at `path`, or with `None` without what stands there. An outer object that
/// becomes empty goes too. `None` for text that cannot be followed, or that holds anything but an
/// object where one is needed.
pub(super) fn with_entry(
    text: &str,
    [outer, inner]: [&str; 2],
    value: Option<&Value>,
) -> Option<String> {
    let edit = |root: &CstObject| {
        if let Some(value) = value {
            let list = root.object_value_or_create(outer)?;
            match list.get(inner) {
                Some(own) if own.to_serde_value().as_ref() == Some(value) => {}
                Some(own) => own.set_value(input(value)),
                None => drop(list.append(inner, input(value))),
            }
        } else if let Some(member) = root.get(outer) {
            let list = member.object_value()?;
            list.get(inner)?.remove();
            if list.properties().is_empty() {
                member.remove();
            }
        }
        Some(())
    };
    let own = |root: &Value| root.get(outer).and_then(|list| list.get(inner)).cloned();
    let others = |root: &mut Value| {
        let list = root.get_mut(outer).and_then(Value::as_object_mut);
        list.map(|list| list.remove(inner));
        forget_empty(root, outer);
    };
    let is_done = |root: &Value| own(root).as_ref() == value;
    changed(text, is_done, edit, others)
}

/// The text with each of `elements` at the end of the array `outer.NAME` of its name, or with `None`
/// without all elements in such arrays that are `ours`. Empty arrays and an empty outer object go
/// too. `None` as for [`with_entry`].
pub(super) fn with_elements(
    text: &str,
    outer: &str,
    elements: Option<&[(&str, Value)]>,
    ours: impl Fn(&Value) -> bool,
) -> Option<String> {
    let edit = |root: &CstObject| {
        remove_elements(root, outer, &ours)?;
        for (name, element) in elements.unwrap_or_default() {
            let arrays = root.object_value_or_create(outer)?;
            arrays.array_value_or_create(name)?.append(input(element));
        }
        Some(())
    };
    let is_done = |root: &Value| {
        let wanted = elements.unwrap_or_default();
        let arrays = root.get(outer).and_then(Value::as_object).into_iter().flatten();
        let found = arrays.flat_map(|(name, array)| {
            let array = array.as_array().into_iter().flatten();
            array.filter(|element| ours(element)).map(move |element| (name.as_str(), element))
        });
        let (mut found, mut wanted): (Vec<_>, Vec<_>) =
            (found.collect(), wanted.iter().map(|(name, element)| (*name, element)).collect());
        found.sort_by_key(|(name, _)| *name);
        wanted.sort_by_key(|(name, _)| *name);
        found == wanted
    };
    let others = |root: &mut Value| {
        if let Some(arrays) = root.get_mut(outer).and_then(Value::as_object_mut) {
            for array in arrays.values_mut().filter_map(Value::as_array_mut) {
                array.retain(|element| !ours(element));
            }
            arrays.retain(|_, array| array.as_array().is_none_or(|array| !array.is_empty()));
        }
        forget_empty(root, outer);
    };
    changed(text, is_done, edit, others)
}

fn remove_elements(root: &CstObject, outer: &str, ours: &impl Fn(&Value) -> bool) -> Option<()> {
    let Some(member) = root.get(outer) else { return Some(()) };
    let arrays = member.object_value()?;
    for array in arrays.properties() {
        let Some(elements) = array.array_value() else { continue };
        let ours = |element: &jsonc_parser::cst::CstNode| {
            element.to_serde_value().is_some_and(|e| ours(&e))
        };
        let (own, rest): (Vec<_>, Vec<_>) = elements.elements().into_iter().partition(ours);
        let is_empty = rest.is_empty() && !own.is_empty();
        own.into_iter().for_each(jsonc_parser::cst::CstNode::remove);
        if is_empty {
            array.remove();
        }
    }
    if arrays.properties().is_empty() {
        member.remove();
    }
    Some(())
}

/// The text after `edit`; as it is where `is_done` already. `None` where it cannot be parsed, where
/// the edit cannot be made, and where the result is not as it was meant or differs in what `others`
/// leaves of it: a configuration is worth the second look.
fn changed(
    text: &str,
    is_done: impl Fn(&Value) -> bool,
    edit: impl FnOnce(&CstObject) -> Option<()>,
    others: impl Fn(&mut Value),
) -> Option<String> {
    let (tree, mut before) = parsed(text)?;
    if is_done(&before) {
        return Some(text.to_owned());
    }
    edit(&tree.object_value()?)?;
    let mut changed = tree.to_string();
    if !changed.ends_with('\n') {
        changed.push('\n');
    }
    let (_, mut after) = parsed(&changed)?;
    let is_as_meant = is_done(&after);
    others(&mut before);
    others(&mut after);
    (is_as_meant && before == after).then_some(changed)
}

/// The text's object, as a tree that keeps every byte and as a value; an empty text is an empty one.
fn parsed(text: &str) -> Option<(CstRootNode, Value)> {
    let tree = CstRootNode::parse(text, &syntax()).ok()?;
    tree.object_value_or_create()?;
    let value = tree.to_serde_value()?;
    Some((tree, value))
}

/// JSON with comments and trailing commas, and nothing that an agent may refuse.
fn syntax() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn forget_empty(root: &mut Value, name: &str) {
    let Some(root) = root.as_object_mut() else { return };
    if root.get(name).and_then(Value::as_object).is_some_and(serde_json::Map::is_empty) {
        root.remove(name);
    }
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| (name.clone(), input(value)));
            CstInputValue::Object(members.collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const PATH: [&str; 2] = ["servers", "own"];

    fn set(text: &str) -> Option<String> {
        with_entry(text, PATH, Some(&json!({ "command": "x" })))
    }

    fn unset(text: &str) -> Option<String> {
        with_entry(text, PATH, None)
    }

    fn hooked(text: &str, command: Option<&str>) -> Option<String> {
        let elements = command.map(|command| {
            [("Start", json!({ "run": command })), ("End", json!({ "run": command }))]
        });
        let elements = elements.as_ref().map(<[_; 2]>::as_slice);
        with_elements(text, "hooks", elements, |element| element["run"] != "theirs")
    }

    #[test]
    fn an_entry_is_added_and_nothing_else_changes() {
        insta::assert_snapshot!(set("").expect("an entry"), @r#"
        {
          "servers": {
            "own": {
              "command": "x"
            }
          }
        }
        "#);
        let text = "// mine\n{\n    \"z\": 1, // first\n    \"servers\": {\n        \"b\": {\"command\": \"b\"} /* b */\n    },\n    \"a\": [1, {\"x\": \"}\\\"\"},],\n}\n";
        insta::assert_snapshot!(set(text).expect("an entry"), @r#"
        // mine
        {
            "z": 1, // first
            "servers": {
                "b": {"command": "b"}, /* b */
                "own": {
                    "command": "x"
                }
            },
            "a": [1, {"x": "}\""},],
        }
        "#);
        insta::assert_snapshot!(set("{\"a\": 1}").expect("an entry"), @r#"
        {
          "a": 1,
          "servers": {
            "own": {
              "command": "x"
            }
          }
        }
        "#);
    }

    #[test]
    fn what_is_there_is_replaced_once() {
        let once = set("{\n  \"servers\": {\"own\": {\"command\": \"old\"}, \"b\": 1}\n}\n");
        let once = once.expect("an entry");
        assert!(once.contains("\"b\": 1") && !once.contains("old"), "{once}");
        assert_eq!(set(&once), Some(once.clone()));
    }

    #[test]
    fn an_entry_that_was_added_can_be_taken_out() {
        for text in [
            "{}\n",
            "{\n  \"a\": 1\n}\n",
            "{\n  \"a\": 1 // one\n}\n",
            "{\n  \"servers\": {\n    \"b\": 1\n  }\n}\n",
            "{\n\t\"servers\": {\n\t\t\"b\": 1,\n\t\t\"c\": 2\n\t},\n\t\"d\": 1\n}\n",
        ] {
            let with = set(text).expect("an entry");
            let without = unset(&with).expect("no entry");
            assert_eq!(without, text, "{with:?}");
            assert_eq!(unset(text).as_deref(), Some(text));
        }
        let only = "{\"servers\": {\"own\": {}}}\n";
        assert_eq!(unset(only).as_deref(), Some("{}\n"));
    }

    #[test]
    fn elements_come_behind_others_and_go_without_them() {
        let text = "{\n  \"hooks\": {\n    \"Start\": [\n      { \"run\": \"theirs\" } // theirs\n    ]\n  }\n}\n";
        let with = hooked(text, Some("old")).expect("elements");
        insta::assert_snapshot!(with, @r#"
        {
          "hooks": {
            "Start": [
              { "run": "theirs" }, // theirs
              {
                "run": "old"
              }
            ],
            "End": [
              {
                "run": "old"
              }
            ]
          }
        }
        "#);
        let replaced = hooked(&with, Some("new")).expect("elements");
        assert_eq!(replaced, with.replace("old", "new"));
        assert_eq!(hooked(&replaced, Some("new")).as_ref(), Some(&replaced));
        assert_eq!(hooked(&replaced, None).as_deref(), Some(text));
        let first = hooked("", Some("new")).expect("elements");
        assert_eq!(hooked(&first, None).as_deref(), Some("{}\n"));
    }

    #[test]
    fn what_cannot_be_followed_is_left_alone() {
        for text in [
            "[]",
            "{",
            "{\"a\" 1}",
            "{\"a\": 1 \"b\": 2}",
            "{\"servers\": 3, \"hooks\": 3}",
            "{\"servers\": {\"own\": 1}, \"servers\": {\"own\": 2}, \"hooks\": 3}",
            "{} {}",
            "/* open",
            "{\"a\": tru}",
            "{'a': 1}",
            "\"text\"",
            "{\"a\": \"open}",
        ] {
            assert_eq!((set(text), hooked(text, Some("new"))), (None, None), "{text}");
        }
    }
}
