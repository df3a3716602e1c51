//! One table of a TOML file, set or removed in the text itself, so that everything else stays as
//! its author wrote it. Follows tables with a header of their own; another spelling is refused. Pure.

use std::fmt::Write;

use toml::{Table, Value};

/// The text with the table `[outer.inner]` holding `table`, or with `None` without it. `None` for
/// text that is no TOML, or that spells the table without a header of its own.
pub(super) fn with_table(text: &str, path: [&str; 2], table: Option<&Table>) -> Option<String> {
    let before: Table = text.parse().ok()?;
    let is = |parsed: &Table| value_at(parsed, path).and_then(Value::as_table).cloned();
    if is(&before).as_ref() == table {
        return Some(text.to_owned());
    }
    let mut changed = without_table(text, path);
    if let Some(table) = table {
        if !changed.is_empty() {
            changed.truncate(changed.trim_end().len());
            changed.push_str("\n\n");
        }
        let _ = write!(changed, "[{}.{}]\n{table}", path[0], path[1]);
    }
    let after: Table = changed.parse().ok()?;
    let same_else = others(before, path) == others(after.clone(), path);
    (is(&after).as_ref() == table && same_else).then_some(changed)
}

fn value_at<'t>(table: &'t Table, [outer, inner]: [&str; 2]) -> Option<&'t Value> {
    table.get(outer)?.get(inner)
}

/// Everything but the table.
fn others(mut table: Table, [outer, inner]: [&str; 2]) -> Table {
    if let Some(Value::Table(list)) = table.get_mut(outer) {
        list.remove(inner);
        if list.is_empty() {
            table.remove(outer);
        }
    }
    table
}

/// Leaves out the lines from the table's header, and those of tables inside it, to the next header.
fn without_table(text: &str, [outer, inner]: [&str; 2]) -> String {
    let (whole, inside) = (format!("{outer}.{inner}"), format!("{outer}.{inner}."));
    let mut is_ours = false;
    let mut kept = String::new();
    for line in text.split_inclusive('\n') {
        if let Some(header) = header(line) {
            is_ours = header == whole || header.starts_with(&inside);
        }
        if !is_ours {
            kept.push_str(line);
        }
    }
    kept
}

/// The name in a table's header, without blanks and quotes.
fn header(line: &str) -> Option<String> {
    let line = line.trim_start().strip_prefix('[')?;
    let name = line[..line.find(']')?].trim_start_matches('[');
    Some(name.chars().filter(|c| !c.is_whitespace() && !"\"'".contains(*c)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: [&str; 2] = ["servers", "own"];

    fn table() -> Table {
        "command = \"x\"\nargs = [\"a\"]\n".parse().expect("a table")
    }

    fn set(text: &str) -> Option<String> {
        with_table(text, PATH, Some(&table()))
    }

    #[test]
    fn a_table_is_added_replaced_and_taken_out() {
        let text = "# mine\nmodel = \"m\" # that one\n\n[servers.b]\ncommand = \"b\"\n";
        let with = set(text).expect("a table");
        assert_eq!(with, format!("{text}\n[servers.own]\nargs = [\"a\"]\ncommand = \"x\"\n"));
        assert_eq!(set(&with).as_deref(), Some(&*with));
        let without = with_table(&with, PATH, None).expect("no table");
        assert_eq!(without.trim_end(), text.trim_end());
        let old =
            "[servers.own]\ncommand = \"old\"\n[servers.own.env]\nA = \"1\"\n\n[last]\na = 1\n";
        let new = set(old).expect("a table");
        assert_eq!(new, "[last]\na = 1\n\n[servers.own]\nargs = [\"a\"]\ncommand = \"x\"\n");
        assert_eq!(set("").as_deref(), Some("[servers.own]\nargs = [\"a\"]\ncommand = \"x\"\n"));
    }

    #[test]
    fn what_cannot_be_followed_is_left_alone() {
        for text in
            ["[servers", "servers = { own = { command = \"old\" } }\n", "servers.own.command = 1\n"]
        {
            assert_eq!(set(text), None, "{text}");
        }
        let text = "a = \"\"\"\n[servers.own]\n\"\"\"\n[servers.own]\nb = 1\n";
        assert_eq!(with_table(text, PATH, None), None);
        assert_eq!(with_table("a = 1\n", PATH, None).as_deref(), Some("a = 1\n"));
    }
}
