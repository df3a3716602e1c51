//! One note's text to a [`Note`]: front matter, headings, links, tags and blocks, with byte spans.
//! Never fails: what cannot be read becomes a [`Diagnostic`] and plain text. Does not read files,
//! redact, or cut chunks.

mod body;
mod front_matter;
mod heading;
mod inline;
pub(crate) mod json;
mod lines;
mod links;
mod tags;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod yaml;

use std::ops::Range;

use front_matter::Start;
use tags::TagSet;

/// A parsed note. All spans are byte ranges of the text that was parsed, on character boundaries.
///
/// ```
/// let text = "---\ntags: [work]\n---\n# Friday\n\nSee [[soup#Onions|the recipe]] and #food/soup.\n";
/// let note = hiku::markdown::parse(text);
/// assert_eq!(note.tags, ["work", "food/soup"]);
/// assert_eq!(note.headings[0].text, "Friday");
/// assert_eq!(note.links[0].target, "soup");
/// assert_eq!(note.links[0].fragment.as_deref(), Some("Onions"));
/// assert_eq!(&text[note.links[0].span.clone()], "[[soup#Onions|the recipe]]");
/// assert_eq!(&text[note.blocks[0].span.clone()], "# Friday");
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Note {
    /// `title` of the front matter, if it is there and not empty.
    pub title: Option<String>,
    /// `aliases` and `alias` of the front matter.
    pub aliases: Vec<String>,
    /// Tags of the front matter and of the text, without `#`, in order of appearance, each once
    /// (compared without regard to case).
    pub tags: Vec<String>,
    /// `type` of the front matter.
    pub note_type: Option<String>,
    /// Every scalar of the front matter as (`key.path`, value), in order. Values are text as
    /// written: no type is guessed.
    pub fields: Vec<(String, String)>,
    /// Where the front matter stands, its two fences included; `None` if there is none.
    pub front_matter: Option<Range<usize>>,
    /// Where the body begins: behind the BOM and the front matter.
    pub body_start: usize,
    /// All headings, ATX and setext, outside code, in order.
    pub headings: Vec<Heading>,
    /// All links and embeds outside code, in order, those of the front matter first.
    pub links: Vec<Link>,
    /// The body's top-level blocks in order; they do not overlap. Gaps between them are blank.
    pub blocks: Vec<Block>,
    /// What could not be read as meant.
    pub diagnostics: Vec<Diagnostic>,
}

/// A heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// Its text without markup or trailing `^block-id`.
    pub text: String,
    /// The heading's lines, the line break at the end left out.
    pub span: Range<usize>,
}

/// What sort of block a [`Block`] is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockKind {
    /// A heading; the same span stands in [`Note::headings`].
    Heading,
    /// Running text.
    Paragraph,
    /// A fenced or indented code block with the first word of its info string, lower case.
    Code {
        /// `None` for indented code and for a fence without a word.
        language: Option<String>,
    },
    /// A table.
    Table,
    /// A list, whole.
    List,
    /// A block quote or callout, whole.
    Quote,
    /// HTML, a comment, a rule, maths, a footnote: anything else.
    Other,
}

/// A top-level block of a note's body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Its sort.
    pub kind: BlockKind,
    /// Its lines, the line break at the end left out.
    pub span: Range<usize>,
}

/// What sort of link a [`Link`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LinkKind {
    /// `[[target]]`
    Wiki,
    /// `![[target]]` or `![](target)`
    Embed,
    /// `[text](target)` whose target is not a URL with a scheme.
    Markdown,
    /// A link to a URL with a scheme.
    External,
}

/// A link as it stands in the note; nothing is resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Its sort.
    pub kind: LinkKind,
    /// The target's file or URL part, percent-decoded for Markdown links; empty for `[[#heading]]`.
    pub target: String,
    /// `heading` of `[[target#heading]]`, or `^block` with its caret.
    pub fragment: Option<String>,
    /// The text shown, where the link gives one.
    pub text: Option<String>,
    /// Where it stands. Brackets, and the `!` of an embed, included.
    pub span: Range<usize>,
}

/// Something in the note that could not be read as its author meant it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// 1-based line of the parsed text.
    pub line: usize,
    /// What is wrong, one sentence without a full stop.
    pub message: String,
}

/// The byte order mark that some editors put before a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Parses a note's text, front matter and all.
///
/// Any text is a note. CRLF and LF may be mixed. Obsidian's additions to `CommonMark` are read
/// (wikilinks, embeds, tags, block ids, callouts).
pub fn parse(text: &str) -> Note {
    let mut note = Note { body_start: mark_length(text), ..Note::default() };
    let mut tags = TagSet::default();
    match front_matter::find(text, note.body_start) {
        Start::Body => {}
        Start::Unclosed => note.diagnostics.push(Diagnostic {
            line: 1,
            message: "`---` opens a front matter that no `---` closes; it was read as text"
                .to_owned(),
        }),
        Start::Cut(cut) => {
            if front_matter::read(text, &cut, &mut note, &mut tags) {
                let mut found = inline::Findings::default();
                inline::scan_links(text, cut.inner, &mut found);
                note.links = found.links;
                note.front_matter = Some(cut.span);
                note.body_start = cut.body_start;
            } else {
                note.diagnostics.push(Diagnostic {
                    line: 1,
                    message: "what stands between the first two `---` is no front matter; it was \
                              read as text"
                        .to_owned(),
                });
            }
        }
    }
    body::parse(text, &mut note, &mut tags);
    note
}

/// Parses text that has no front matter: `---` at the start is a rule.
pub fn parse_body(text: &str) -> Note {
    let mut note = Note { body_start: mark_length(text), ..Note::default() };
    body::parse(text, &mut note, &mut TagSet::default());
    note
}

/// What stands in a text's front matter, and where the body begins; `None` without one.
pub(crate) fn front_matter_of(text: &str) -> Option<(&str, usize)> {
    match front_matter::find(text, mark_length(text)) {
        Start::Cut(cut) => Some((&text[cut.inner], cut.body_start)),
        Start::Body | Start::Unclosed => None,
    }
}

fn mark_length(text: &str) -> usize {
    if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 }
}
