//! A canvas as Markdown: its groups become sections, its cards paragraphs, files and addresses
//! links. Reads the format JSON Canvas 1.0 (jsoncanvas.org/spec/1.0); what it does not know of it,
//! it passes over.

use std::fmt::Write;

use crate::markdown::json;
use crate::markdown::yaml::Value;

/// Longest name by which a card is called in the line of a connection, in characters.
const MAX_NAME_CHARACTERS: usize = 60;

/// The Markdown of a canvas.
///
/// Cards stand in the order in which they are read: those of no group first, then group after
/// group, each from top to bottom and left to right. Behind them stands one line for each connection
/// that has a label.
///
/// # Errors
/// The 1-based line at which it is no JSON object.
pub(super) fn markdown(source: &str) -> Result<String, usize> {
    if source.trim_start_matches('\u{feff}').trim().is_empty() {
        return Ok(String::new());
    }
    let Value::Map(canvas) = json::read(source).map_err(|refusal| refusal.line)? else {
        return Err(1);
    };
    let nodes: Vec<Node<'_>> = items(&canvas, "nodes").filter_map(Node::of).collect();
    let mut out = String::new();
    let (mut groups, mut cards): (Vec<_>, Vec<_>) =
        nodes.iter().partition(|node| node.kind == "group");
    groups.sort_by(|a, b| a.place.read_before(&b.place));
    cards.sort_by(|a, b| a.place.read_before(&b.place));
    let group_of = |card: &Node<'_>| {
        let around = groups.iter().enumerate().filter(|(_, group)| group.place.holds(&card.place));
        around.min_by(|(_, a), (_, b)| a.place.area().total_cmp(&b.place.area())).map(|(at, _)| at)
    };
    let placed: Vec<(Option<usize>, &Node<'_>)> =
        cards.into_iter().map(|card| (group_of(card), card)).collect();
    let written = |out: &mut String, group: Option<usize>| {
        placed.iter().filter(|(own, _)| *own == group).for_each(|(_, card)| card.write(out));
    };
    written(&mut out, None);
    for (at, group) in groups.iter().enumerate() {
        paragraph(&mut out, &format!("## {}", one_line(group.label)));
        written(&mut out, Some(at));
    }
    connections(&mut out, &canvas, &nodes);
    Ok(out)
}

/// A node of a canvas.
struct Node<'v> {
    id: &'v str,
    kind: &'v str,
    /// Text of a card, path of a file, address of a page.
    content: &'v str,
    /// Heading or block of a file, with its `#`.
    subpath: &'v str,
    /// Name of a group.
    label: &'v str,
    place: Place,
}

impl<'v> Node<'v> {
    fn of(value: &'v Value) -> Option<Self> {
        let Value::Map(fields) = value else { return None };
        let kind = text(fields, "type");
        let content = match kind {
            "text" => text(fields, "text"),
            "file" => text(fields, "file"),
            "link" => text(fields, "url"),
            "group" => "",
            _ => return None,
        };
        let number = |key| text(fields, key).parse().unwrap_or(0.0);
        let place = Place {
            x: number("x"),
            y: number("y"),
            width: number("width"),
            height: number("height"),
        };
        let (subpath, label) = (text(fields, "subpath"), text(fields, "label"));
        Some(Node { id: text(fields, "id"), kind, content, subpath, label, place })
    }

    /// Writes a card.
    fn write(&self, out: &mut String) {
        match self.kind {
            "file" => paragraph(out, &format!("[[{}{}]]", self.content, self.subpath)),
            "link" if self.content.contains(['<', '>', ' ']) => paragraph(out, self.content),
            "link" => paragraph(out, &format!("<{}>", one_line(self.content))),
            _ => paragraph(out, &closed(self.content)),
        }
    }

    /// What a connection calls it.
    fn name(&self) -> String {
        match self.kind {
            "file" => format!("[[{}{}]]", self.content, self.subpath),
            "group" => one_line(self.label),
            _ => {
                let line = self.content.lines().find(|line| !line.trim().is_empty());
                let line = line.unwrap_or_default().trim_start_matches('#').trim();
                line.chars().take(MAX_NAME_CHARACTERS).collect()
            }
        }
    }
}

/// Where a node lies, in pixels; `y` grows downwards.
struct Place {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

impl Place {
    fn read_before(&self, other: &Place) -> std::cmp::Ordering {
        self.y.total_cmp(&other.y).then(self.x.total_cmp(&other.x))
    }

    fn area(&self) -> f64 {
        self.width * self.height
    }

    /// Whether the middle of another node lies in this one.
    fn holds(&self, other: &Place) -> bool {
        let (x, y) = (other.x + other.width / 2.0, other.y + other.height / 2.0);
        (self.x..=self.x + self.width).contains(&x) && (self.y..=self.y + self.height).contains(&y)
    }
}

/// Writes the connections that say something.
fn connections(out: &mut String, canvas: &[(String, Value)], nodes: &[Node<'_>]) {
    let name = |id: &str| nodes.iter().find(|node| node.id == id).map(Node::name);
    let mut lines = String::new();
    for edge in items(canvas, "edges") {
        let Value::Map(fields) = edge else { continue };
        let label = one_line(text(fields, "label"));
        let ends = (name(text(fields, "fromNode")), name(text(fields, "toNode")));
        if let (false, (Some(from), Some(to))) = (label.is_empty(), ends) {
            let _ = writeln!(lines, "- {from} → {to}: {label}");
        }
    }
    paragraph(out, &lines);
}

/// Writes a paragraph; an empty one leaves no trace.
fn paragraph(out: &mut String, text: &str) {
    let text = text.trim_matches(['\n', '\r']);
    if text.trim().is_empty() || text == "## " {
        return;
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out.push_str(text);
    out.push('\n');
}

/// A card's text with its last fence closed: what follows is another card.
fn closed(text: &str) -> String {
    let fence = |line: &&str| line.trim_start().starts_with("```");
    let is_open = text.lines().filter(fence).count() % 2 == 1;
    format!("{text}{}", if is_open { "\n```" } else { "" })
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text of a field; empty where it is missing or no scalar.
fn text<'v>(fields: &'v [(String, Value)], key: &str) -> &'v str {
    match field(fields, key) {
        Some(Value::Scalar(text)) => text,
        _ => "",
    }
}

/// The items of a list; none where it is missing or no list.
fn items<'v>(fields: &'v [(String, Value)], key: &str) -> impl Iterator<Item = &'v Value> {
    match field(fields, key) {
        Some(Value::List(items)) => items.iter(),
        _ => [].iter(),
    }
}

fn field<'v>(fields: &'v [(String, Value)], key: &str) -> Option<&'v Value> {
    fields.iter().find(|(name, _)| name == key).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_are_written_in_the_order_of_reading_and_by_group() {
        let canvas = r##"{
            "nodes": [
                {"id": "g", "type": "group", "x": 500, "y": 0, "width": 400, "height": 300, "label": "鍵の 配置"},
                {"id": "d", "type": "link", "x": 0, "y": 300, "width": 10, "height": 10, "url": "https://example.com/a?b=1"},
                {"id": "a", "type": "text", "x": 0, "y": -20.5, "width": 100, "height": 50, "text": "# Gateway\n\nIssues \"keys\" \ud83d\udd11."},
                {"id": "b", "type": "file", "x": 200, "y": -20, "width": 100, "height": 50, "file": "notes/ローテーション.md", "subpath": "#Plan"},
                {"id": "c", "type": "text", "x": 510, "y": 100, "width": 100, "height": 50, "text": "Inside ```the group"},
                {"id": "x", "type": "text", "x": 510, "y": 10, "width": 100, "height": 50, "text": "```sh\nls"},
                {"id": "e", "type": "text", "x": 0, "y": 900, "text": ""},
                {"id": "f", "type": "from the future", "text": "unknown"}
            ],
            "edges": [
                {"id": "1", "fromNode": "a", "fromSide": "right", "toNode": "b", "label": "writes\nto"},
                {"id": "2", "fromNode": "a", "toNode": "c"},
                {"id": "3", "fromNode": "g", "toNode": "gone", "label": "lost"},
                {"id": "4", "fromNode": "g", "toNode": "d", "label": "see"}
            ]
        }"##;
        let expected = "# Gateway\n\nIssues \"keys\" 🔑.\n\n[[notes/ローテーション.md#Plan]]\n\n\
            <https://example.com/a?b=1>\n\n## 鍵の 配置\n\n```sh\nls\n```\n\nInside ```the group\n\n\
            - Gateway → [[notes/ローテーション.md#Plan]]: writes to\n\
            - 鍵の 配置 → https://example.com/a?b=1: see\n";
        assert_eq!(markdown(canvas).as_deref(), Ok(expected));
    }

    #[test]
    fn what_is_no_canvas_is_refused_with_its_line_and_an_empty_one_is_empty() {
        for text in ["", " \n", "\u{feff}", "{}", "{\"nodes\":[],\"edges\":[]}", "{\"nodes\": 1}"] {
            assert_eq!(markdown(text).as_deref(), Ok(""), "{text:?}");
        }
        for (text, line) in [
            ("{\n\t\"nodes\":[\n\t\t{\"id\":\"a\",\"te", 3),
            ("[]", 1),
            ("# A note", 1),
            ("{}\n{}", 2),
            ("{\"nodes\":[\n{\"id\":}]}", 2),
        ] {
            assert_eq!(markdown(text), Err(line), "{text:?}");
        }
        let deep = "[".repeat(100_000);
        assert_eq!(markdown(&format!("{{\"nodes\":{deep}")), Err(1));
    }
}
