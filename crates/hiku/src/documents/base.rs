//! A base of Obsidian (a table over notes, in YAML) as Markdown: its views, formulas, properties and
//! filters by name. What the table shows stands in the notes and is indexed there.

use std::fmt::Write;

use crate::markdown::yaml::{self, Value};

/// The Markdown of a base: a section for each view, then one for whatever else has a name.
///
/// # Errors
/// The 1-based line at which it is no YAML mapping.
pub(super) fn markdown(source: &str) -> Result<String, usize> {
    let base = match yaml::read(source.trim_start_matches('\u{feff}')) {
        Ok(Value::Map(base)) => base,
        Ok(Value::Null) => return Ok(String::new()),
        Ok(_) => return Err(1),
        Err(_) if source.trim().is_empty() => return Ok(String::new()),
        Err(refusal) => return Err(refusal.line),
    };
    let (views, others): (Vec<_>, Vec<_>) = base.iter().partition(|(key, _)| key == "views");
    let mut out = String::new();
    for (_, value) in views {
        let Value::List(views) = value else { continue };
        for view in views {
            write_view(&mut out, view);
        }
    }
    for (key, value) in others {
        write_section(&mut out, key, value);
    }
    Ok(out)
}

fn write_view(out: &mut String, view: &Value) {
    let Value::Map(fields) = view else { return };
    let scalar = |key: &str| match fields.iter().find(|(name, _)| name == key) {
        Some((_, Value::Scalar(text))) => text.as_str(),
        _ => "",
    };
    let name = if scalar("name").is_empty() { scalar("type") } else { scalar("name") };
    heading(out, name);
    for (key, value) in fields.iter().filter(|(key, _)| key != "name") {
        write_lines(out, key, value);
    }
}

fn write_section(out: &mut String, key: &str, value: &Value) {
    heading(out, key);
    match value {
        Value::Map(entries) => entries.iter().for_each(|(key, value)| write_lines(out, key, value)),
        other => write_lines(out, "", other),
    }
}

/// Writes what stands under a key, a line for each path. Values are code: what looks like a link or
/// tag in them is none.
fn write_lines(out: &mut String, key: &str, value: &Value) {
    yaml::scalars(value, &mut key.to_owned(), &mut |path, text| {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mark = if text.contains('`') { "``" } else { "`" };
        let separator = if path.is_empty() { "" } else { ": " };
        let _ = writeln!(out, "- {path}{separator}{mark}{text}{mark}");
    });
}

fn heading(out: &mut String, text: &str) {
    if !out.is_empty() {
        out.push('\n');
    }
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let _ = writeln!(out, "## {text}\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_formulas_and_properties_are_named() {
        let base = "filters:\n  and:\n    - file.hasTag(\"book\")\nformulas:\n  ppu: (price / age).toFixed(2)\n\
            properties:\n  status:\n    displayName: 状態\n  formula.ppu:\n    displayName: \"Price per unit\"\n\
            views:\n  - type: table\n    name: \"Unread  books\"\n    order:\n      - file.name\n      - note.age\n\
            \x20   filters: 'status != \"done\"'\n  - type: cards\n";
        let expected = "## Unread books\n\n- type: `table`\n- order: `file.name`\n- order: `note.age`\n\
            - filters: `status != \"done\"`\n\n## cards\n\n- type: `cards`\n\n\
            ## filters\n\n- and: `file.hasTag(\"book\")`\n\n## formulas\n\n- ppu: `(price / age).toFixed(2)`\n\n\
            ## properties\n\n- status.displayName: `状態`\n- formula.ppu.displayName: `Price per unit`\n";
        assert_eq!(markdown(base).as_deref(), Ok(expected));
    }

    #[test]
    fn what_is_no_base_is_refused_with_its_line_and_an_empty_one_is_empty() {
        for text in ["", "\n", "{}", "# a remark\n"] {
            assert_eq!(markdown(text).as_deref(), Ok(""), "{text:?}");
        }
        for (text, line) in [("- a\n- b\n", 1), ("views:\n  - name: [\n", 2), ("prose", 1)] {
            assert_eq!(markdown(text), Err(line), "{text:?}");
        }
    }
}
