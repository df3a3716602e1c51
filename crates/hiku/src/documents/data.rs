//! What stands in a note's text and is no text: images and other files written out as data URLs,
//! and the drawing of an Excalidraw note. Takes them out and keeps every line break, so that line
//! numbers stay those of the file.

use std::borrow::Cow;
use std::ops::Range;

use crate::markdown;
use crate::text::Cuts;

/// Longest beginning of a data URL, from the media type to the comma, in bytes: types and
/// parameters are short, and prose behind the word `data:` has no comma for long.
const MAX_TYPE_BYTES: usize = 120;
/// Shortest base64 that is taken out, in bytes. Less is an example in prose and says something.
const MIN_DATA_BYTES: usize = 16;
/// Shortest data of a text type that is taken out, in bytes: notes about data URLs have short ones
/// to be read (`data:text/plain;base64,SGVsbG8=`).
const MIN_TEXT_BYTES: usize = 128;
/// Shortest line of base64 that may go on in the next line. Encoders break lines at 64 or 76.
const MIN_WRAPPED_BYTES: usize = 60;

/// Takes the data out of a text; borrowed where there is none.
pub(super) fn without_data(text: &str) -> (Cow<'_, str>, Cuts) {
    let mut ranges = data_urls(text);
    ranges.extend(drawings(text));
    if ranges.is_empty() {
        return (Cow::Borrowed(text), Cuts::default());
    }
    ranges.sort_by_key(|range| range.start);
    let (cut, cuts) = cut_out(text, &ranges);
    (Cow::Owned(cut), cuts)
}

/// The text without `ranges`, which are sorted and may overlap; their line breaks stay.
fn cut_out(text: &str, ranges: &[Range<usize>]) -> (String, Cuts) {
    let mut out = String::with_capacity(text.len());
    let (mut cuts, mut read) = (Cuts::default(), 0);
    for range in ranges {
        let start = range.start.max(read);
        out.push_str(&text[read.min(start)..start]);
        read = read.max(range.end);
        for (at, _) in text[start..read].match_indices('\n') {
            let at = start + at;
            let line_break = if text[start..at].ends_with('\r') { "\r\n" } else { "\n" };
            out.push_str(line_break);
            cuts.record(out.len() - line_break.len(), at + 1 - out.len());
        }
        cuts.record(out.len(), read - out.len());
    }
    out.push_str(&text[read..]);
    (out, cuts)
}

/// The data URLs of a text that are no text themselves.
fn data_urls(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    // A quicker look than the search for places.
    if !text.contains("data:") {
        return found;
    }
    let mut from = 0;
    while let Some(at) = text[from..].find("data:") {
        let start = from + at;
        from = start + "data:".len();
        if let Some(end) = data_end(text, from).filter(|_| begins_a_word(&text[..start])) {
            // Something must stay behind the colon of a link definition.
            let is_quoted = text[..start].ends_with(['(', '"', '\'', '<', '=']);
            found.push(if is_quoted { start..end } else { from..end });
            from = end;
        }
    }
    found
}

fn begins_a_word(before: &str) -> bool {
    !before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':'))
}

/// Where the data ends whose media type begins at `start`; `None` where there is none, or such as
/// is to be read.
fn data_end(text: &str, start: usize) -> Option<usize> {
    let head = &text.as_bytes()[start..text.len().min(start + MAX_TYPE_BYTES)];
    let comma = head.iter().position(|byte| *byte == b',')?;
    let kind = text.get(start..start + comma)?;
    let is_token = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '+' | '-' | '.' | '_');
    let mut parts = kind.split(';');
    let media = parts.next().filter(|media| media.chars().all(is_token) && media.contains('/'))?;
    let is_text = media.starts_with("text/");
    let data = start + comma + 1;
    let (end, shortest) = if parts.any(|part| part.eq_ignore_ascii_case("base64")) {
        (base64_end(text, data), if is_text { MIN_TEXT_BYTES } else { MIN_DATA_BYTES })
    } else if is_text {
        return None;
    } else {
        (url_end(text, data), MIN_TEXT_BYTES)
    };
    (end - data >= shortest).then_some(end)
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_' | b'%')
}

/// The end of base64 from `start`, over lines that an encoder broke.
fn base64_end(text: &str, start: usize) -> usize {
    let run = |from: usize| text.as_bytes()[from..].iter().take_while(|b| is_base64(**b)).count();
    let mut length = run(start);
    let mut end = start + length;
    while length >= MIN_WRAPPED_BYTES {
        let rest = &text[end..];
        let Some(next) = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n')) else {
            break;
        };
        let next = text.len() - next.trim_start_matches([' ', '\t']).len();
        length = run(next);
        let ends_well = text[next + length..].starts_with(['\r', '\n', '"', '\'', ')', '>']);
        if length == 0 || !ends_well {
            break;
        }
        end = next + length;
    }
    end
}

/// The end of a URL from `start`.
fn url_end(text: &str, start: usize) -> usize {
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | ')' | '<' | '>' | '`');
    text[start..].find(ends).map_or(text.len(), |length| start + length)
}

/// The drawings of a note that the Excalidraw plugin keeps: from the heading `Drawing` to the end of
/// its fence, or that of the object where there is no fence. The text elements stand before it.
fn drawings(text: &str) -> Vec<Range<usize>> {
    let Some((front, body)) = markdown::front_matter_of(text) else { return Vec::new() };
    if !front.lines().any(|line| line.trim_start().starts_with("excalidraw-plugin")) {
        return Vec::new();
    }
    let lines = lines_of(text, body);
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let Some((first, last)) = drawing_at(&lines, at) else {
            at += 1;
            continue;
        };
        let start = lines[first].0;
        found.push(start..lines.get(last + 1).map_or(text.len(), |(start, _)| *start));
        at = last + 1;
    }
    found
}

/// The lines of a text from `start`, each with its place.
fn lines_of(text: &str, start: usize) -> Vec<(usize, &str)> {
    let mut at = start;
    let place = |line: &'_ str| {
        at += line.len();
        at - line.len()
    };
    let places: Vec<usize> = text[start..].split_inclusive('\n').map(place).collect();
    places.into_iter().zip(text[start..].split_inclusive('\n').map(str::trim)).collect()
}

/// First and last line of the drawing that begins in line `at`, a comment's marks around it
/// included.
fn drawing_at(lines: &[(usize, &str)], at: usize) -> Option<(usize, usize)> {
    let is_heading =
        |text: &str| text.starts_with('#') && text.trim_start_matches('#') == " Drawing";
    let begins = |number: usize| lines.get(number).map_or("", |(_, text)| *text);
    let fence = if is_heading(begins(at)) { at + 1 } else { at };
    let last = match begins(fence) {
        "```compressed-json" => fence_end(lines, fence),
        "```json" if fence > at => fence_end(lines, fence),
        object if fence > at && object.starts_with('{') => fence,
        _ => return None,
    };
    let is_mark = |number: usize| begins(number) == "%%";
    let is_comment = at > 0 && is_mark(at - 1) && is_mark(last + 1);
    Some(if is_comment { (at - 1, last + 1) } else { (at, last) })
}

/// The line that closes the fence opened in line `open`, else the last one.
fn fence_end(lines: &[(usize, &str)], open: usize) -> usize {
    let closing = lines[open + 1..].iter().position(|(_, text)| *text == "```");
    closing.map_or(lines.len() - 1, |count| open + 1 + count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Base64 as an image has it.
    fn image(bytes: usize) -> String {
        "iVBORw0KGgoAAAANSUhEUgAA+/8".chars().cycle().take(bytes).collect()
    }

    #[test]
    fn images_written_out_are_left_out_in_every_form() {
        let data = image(400);
        let png = format!("data:image/png;base64,{data}==");
        let svg = format!("data:image/svg+xml,%3Csvg{}%3E", "%20".repeat(60));
        for (text, expected) in [
            (format!("a ![alt]({png}) b"), "a ![alt]() b"),
            (format!("![alt]({png} \"title\")\nnext"), "![alt]( \"title\")\nnext"),
            (format!("![alt](<{png}>)"), "![alt](<>)"),
            (format!("x <img alt='c' src=\"{png}\"> y"), "x <img alt='c' src=\"\"> y"),
            (format!("<img src='{png}' alt=\"d\">"), "<img src='' alt=\"d\">"),
            (format!("<img src={png}>"), "<img src=>"),
            (format!("[image1]: {png}\nnext"), "[image1]: data:\nnext"),
            (format!("[image1]: <{png}>"), "[image1]: <>"),
            (format!("```css\na {{ b: url(\"{png}\") }}\n```"), "```css\na { b: url(\"\") }\n```"),
            (format!("url({svg}) and text"), "url() and text"),
            (format!("![](data:font/woff2;charset=utf-8;base64,{data})"), "![]()"),
            (format!("![]({png})![]({png})\n![]({png})"), "![]()![]()\n![]()"),
        ] {
            assert_eq!(without_data(&text).0, expected);
        }
    }

    #[test]
    fn lines_of_wrapped_data_stay_lines() {
        let line = image(76);
        let wrapped =
            format!("<img src=\"data:image/png;base64,{line}\n{line}\r\n  {line}\nAAA=\">\nb");
        assert_eq!(without_data(&wrapped).0, "<img src=\"\n\r\n\n\">\nb");
        let prose = format!("![](data:image/png;base64,{line}\nprose that follows\n");
        assert_eq!(without_data(&prose).0, "![](\nprose that follows\n");
    }

    #[test]
    fn what_is_to_be_read_stays() {
        for text in [
            "The scheme is data:[<mediatype>][;base64],<data>.",
            "`data:text/plain;base64,SGVsbG8sIFdvcmxkIQ==` is a greeting.",
            "data:text/html,%3Ch1%3EHello%2C%20World%21%3C%2Fh1%3E",
            "data:image/png;base64,... and so on",
            "metadata:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA",
            "data: one, two and image/png;base64,iVBORw0KGgoAAAANSUhEUgAA",
            "Data: 日本語、データ",
        ] {
            assert!(matches!(without_data(text).0, Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    #[test]
    fn a_drawing_is_left_out_and_its_text_elements_stay() {
        let front = "---\nexcalidraw-plugin: parsed\ntags: [excalidraw]\n---\n";
        let elements = "# Text Elements\nServer ^a1\nデータ ^b2\n\n";
        let data = image(256);
        for (drawing, left) in [
            (
                format!("%%\n## Drawing\n```compressed-json\n{data}\n\n{data}\n```\n%%"),
                "\n\n\n\n\n\n\n",
            ),
            ("%%\n# Drawing\n```json\n{\"a\": [\n1]}\n```\n%%\n".to_owned(), "\n\n\n\n\n\n\n"),
            (
                format!("# Drawing\n{{\"type\":\"excalidraw\",\"x\":\"{data}\"}}\nafter\n"),
                "\n\nafter\n",
            ),
            (format!("```compressed-json\n{data}\n```\n## After\n"), "\n\n\n## After\n"),
            (format!("## Drawing\n```json\n{data}"), "\n\n"),
            ("## Drawing\nA plan of it.\n".to_owned(), "## Drawing\nA plan of it.\n"),
            ("```json\n{\"kept\": 1}\n```\n".to_owned(), "```json\n{\"kept\": 1}\n```\n"),
        ] {
            let text = format!("{front}{elements}{drawing}");
            assert_eq!(without_data(&text).0, format!("{front}{elements}{left}"), "{drawing}");
            let other = text.replace("excalidraw-plugin", "plugin");
            assert_eq!(without_data(&other).0, other);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: testkit::cases(),
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        /// Any bytes are a note of any kind, or one that is said to be none.
        #[test]
        fn any_bytes_are_a_document(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            for name in ["note.md", "board.canvas", "table.base"] {
                let path = crate::vault::VaultPath::verbatim(name);
                let Ok(document) = super::super::Document::read(&path, &bytes) else { continue };
                let end = document.original_offset(document.text().len());
                prop_assert!(end <= document.original().len());
                let note = document.parse(document.text());
                let options = crate::chunk::ChunkOptions::default();
                for chunk in crate::chunk::chunk(&note, document.text(), &options) {
                    prop_assert!(document.text().get(chunk.span).is_some());
                }
            }
        }

        #[test]
        fn any_text_keeps_its_lines_and_leads_back(
            text in "(data:|image/png|text/plain|;base64|,|[A-Za-z0-9+/]{0,70}|\n|\r\n|[(\")日]| ){0,40}"
        ) {
            let (cut, cuts) = without_data(&text);
            prop_assert_eq!(cut.matches('\n').count(), text.matches('\n').count());
            let mut last = 0;
            for (offset, character) in cut.char_indices() {
                let back = cuts.original_offset(offset);
                prop_assert!(back >= last && text.is_char_boundary(back));
                prop_assert!(text[back..].contains(character));
                let line = |text: &str, at: usize| text[..at].matches('\n').count();
                prop_assert!(line(&text, back) == line(&cut, offset));
                last = back;
            }
            prop_assert_eq!(cuts.original_offset(cut.len() + 1), text.len() + 1);
        }
    }
}
