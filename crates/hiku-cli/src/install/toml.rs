//! One table of a TOML file, set or removed in the text itself, so that everything else stays as
//! its author wrote it. Pure.

use toml_edit::{Array, DocumentMut, Item, Table, TableLike, value};

/// Strings and lists of strings by name: all that a server's table holds.
pub(super) type Entry<'e> = [(&'e str, TomlValue<'e>)];

/// A value of an [`Entry`].
#[derive(Debug, Clone, Copy)]
pub(super) enum TomlValue<'e> {
    /// A string.
    Text(&'e str),
    /// A list of strings.
    List(&'e [String]),
}

/// The text with the table `[outer.inner]` holding `entry`, or with `None` without it. `None` for
/// text that is no TOML, or that holds anything but tables on the way.
pub(super) fn with_table(
    text: &str,
    [outer, inner]: [&str; 2],
    entry: Option<&Entry>,
) -> Option<String> {
    let mut document: DocumentMut = text.parse().ok()?;
    let list = document.get(outer);
    if list.is_some_and(|list| !list.is_table_like()) {
        return None;
    }
    let own = list.and_then(|list| list.get(inner));
    let Some(entry) = entry else {
        if own.is_some() {
            let list = document.get_mut(outer)?.as_table_like_mut()?;
            list.remove(inner);
            if list.is_empty() {
                document.remove(outer);
            }
        }
        return Some(document.to_string());
    };
    let wanted = table(entry);
    if own.and_then(Item::as_table_like).is_some_and(|own| holds_the_same(own, &wanted)) {
        return Some(text.to_owned());
    }
    let list = document.entry(outer).or_insert_with(|| {
        let mut list = Table::new();
        list.set_implicit(true);
        Item::Table(list)
    });
    list.as_table_like_mut()?.insert(inner, Item::Table(wanted));
    Some(document.to_string())
}

fn table(entry: &Entry) -> Table {
    let mut table = Table::new();
    for (name, found) in entry {
        let item = match found {
            TomlValue::Text(text) => value(*text),
            TomlValue::List(texts) => value(texts.iter().map(String::as_str).collect::<Array>()),
        };
        table.insert(name, item);
    }
    table
}

/// Whether two tables hold the same strings and lists, however they are written.
fn holds_the_same(one: &dyn TableLike, other: &Table) -> bool {
    one.len() == other.len()
        && one.iter().all(|(name, item)| {
            other
                .get(name)
                .is_some_and(|other| plain(item).is_some() && plain(item) == plain(other))
        })
}

fn plain(item: &Item) -> Option<Vec<&str>> {
    match item.as_array() {
        Some(array) => array.iter().map(toml_edit::Value::as_str).collect(),
        None => item.as_str().map(|text| vec![text]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: [&str; 2] = ["servers", "own"];

    fn set(text: &str) -> Option<String> {
        let arguments = ["a".to_owned()];
        let entry = [("command", TomlValue::Text("x")), ("args", TomlValue::List(&arguments))];
        with_table(text, PATH, Some(&entry))
    }

    fn unset(text: &str) -> Option<String> {
        with_table(text, PATH, None)
    }

    #[test]
    fn a_table_is_added_replaced_and_taken_out() {
        let text = "# mine\nmodel = \"m\" # that one\n\n[servers.b]\ncommand = \"b\"\n";
        let with = set(text).expect("a table");
        assert_eq!(with, format!("{text}\n[servers.own]\ncommand = \"x\"\nargs = [\"a\"]\n"));
        assert_eq!(set(&with).as_deref(), Some(&*with));
        assert_eq!(unset(&with).as_deref(), Some(text));
        let old =
            "[servers.own]\ncommand = \"old\"\n[servers.own.env]\nA = \"1\"\n\n[last]\na = 1\n";
        let new = set(old).expect("a table");
        assert_eq!(new, "[servers.own]\ncommand = \"x\"\nargs = [\"a\"]\n\n[last]\na = 1\n");
        assert_eq!(set("").as_deref(), Some("[servers.own]\ncommand = \"x\"\nargs = [\"a\"]\n"));
        let inline = "servers = { own = { command = \"x\", args = [ 'a' ] } }\n";
        assert_eq!(set(inline).as_deref(), Some(inline));
        assert_eq!(unset(inline).as_deref(), Some(""));
    }

    #[test]
    fn what_cannot_be_followed_is_left_alone() {
        for text in ["[servers", "servers = 3\n", "[[servers]]\na = 1\n"] {
            assert_eq!(set(text), None, "{text}");
        }
        let text = "a = \"\"\"\n[servers.own]\n\"\"\"\n[servers.own]\nb = 1\n";
        assert_eq!(unset(text).as_deref(), Some("a = \"\"\"\n[servers.own]\n\"\"\"\n"));
        assert_eq!(unset("a = 1\n").as_deref(), Some("a = 1\n"));
    }
}
