//! Walks the Markdown parser's events over a note's body and records blocks, headings, links and
//! tags. The grammar of blocks and inline code is the parser's; everything that Obsidian adds is
//! found by `inline` in the runs of text that are left.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd};

use super::heading::cleaned;
use super::inline::{self, Findings, Run};
use super::tags::TagSet;
use super::{Block, BlockKind, Heading, Link, Note, links};

/// Parses `text[note.body_start..]` into `note`.
pub(super) fn parse(text: &str, note: &mut Note, tags: &mut TagSet) {
    let start = note.body_start;
    let mut walk = Walk::new(text, note, tags);
    for (event, range) in Parser::new_ext(&text[start..], Options::ENABLE_TABLES).into_offset_iter()
    {
        walk.event(event, range.start + start..range.end + start);
    }
    walk.finish_run();
    note.links.sort_by_key(|link| link.span.start);
    note.blocks = covering(text, start, std::mem::take(&mut note.blocks));
}

struct Walk<'t, 'n> {
    text: &'t str,
    note: &'n mut Note,
    tags: &'n mut TagSet,
    /// How many block elements are open.
    depth: usize,
    /// Inside a code block, whose text is no running text.
    in_code: bool,
    /// The text of the heading that is open.
    heading: Option<String>,
    /// The run of running text being collected; empty between runs.
    run: Run,
    /// Markdown links that are complete, kept until the run's comments are known.
    run_links: Vec<Link>,
    /// Markdown links that are open, outermost first.
    open: Vec<OpenLink>,
    /// End of the last inline event, from which on a closing link is only destination.
    inline_end: usize,
    /// Up to here a comment over several blocks hides everything.
    comment_end: usize,
}

/// A Markdown link between its start and its end.
struct OpenLink {
    destination: String,
    image: bool,
    /// `<https://…>`: the text is the destination.
    automatic: bool,
    text: String,
    span: Range<usize>,
}

impl<'t, 'n> Walk<'t, 'n> {
    fn new(text: &'t str, note: &'n mut Note, tags: &'n mut TagSet) -> Self {
        Walk {
            text,
            note,
            tags,
            depth: 0,
            in_code: false,
            heading: None,
            run: Run::default(),
            run_links: Vec::new(),
            open: Vec::new(),
            inline_end: 0,
            comment_end: 0,
        }
    }

    fn event(&mut self, event: Event<'t>, range: Range<usize>) {
        match event {
            Event::Text(shown) if !self.in_code => self.inline(&range, Some(&shown), false),
            Event::Code(shown) => self.inline(&range, Some(&shown), true),
            Event::InlineHtml(_) => self.inline(&range, None, true),
            Event::SoftBreak | Event::HardBreak => self.inline(&range, Some(" "), false),
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, range),
            Event::Rule => self.block(BlockKind::Other, range),
            _ => {}
        }
    }

    /// Adds an inline element to the run and its text to whatever collects text.
    fn inline(&mut self, range: &Range<usize>, shown: Option<&str>, hole: bool) {
        self.extend_run(range);
        if hole {
            self.run.holes.push(range.clone());
        }
        self.inline_end = range.end;
        if let Some(shown) = shown {
            if let Some(heading) = &mut self.heading {
                heading.push_str(shown);
            }
            self.open.iter_mut().for_each(|link| link.text.push_str(shown));
        }
    }

    fn extend_run(&mut self, range: &Range<usize>) {
        if self.run.span.is_empty() {
            self.run.span = range.clone();
        } else {
            self.run.span.end = self.run.span.end.max(range.end);
        }
    }

    fn start(&mut self, tag: Tag<'t>, range: Range<usize>) {
        match tag {
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough => self.inline_end = range.start,
            Tag::Link { link_type, dest_url, .. } => {
                self.open_link(false, link_type, &dest_url, range);
            }
            Tag::Image { link_type, dest_url, .. } => {
                self.open_link(true, link_type, &dest_url, range);
            }
            tag => self.start_block(&tag, range),
        }
    }

    fn open_link(&mut self, image: bool, kind: LinkType, url: &str, range: Range<usize>) {
        self.extend_run(&range);
        self.inline_end = range.start;
        self.run.links.push(range.clone());
        self.open.push(OpenLink {
            destination: if kind == LinkType::Email {
                format!("mailto:{url}")
            } else {
                url.to_owned()
            },
            image,
            automatic: matches!(kind, LinkType::Autolink | LinkType::Email),
            text: String::new(),
            span: range,
        });
    }

    fn start_block(&mut self, tag: &Tag<'t>, range: Range<usize>) {
        self.finish_run();
        match tag {
            Tag::CodeBlock(_) => self.in_code = true,
            Tag::Heading { .. } => self.heading = Some(String::new()),
            _ => {}
        }
        self.block(kind_of(tag), range);
        self.depth += 1;
    }

    fn block(&mut self, kind: BlockKind, range: Range<usize>) {
        if self.depth == 0 {
            self.finish_run();
            self.note.blocks.push(Block { kind, span: range });
        }
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        match tag {
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.inline_end = range.end;
            }
            TagEnd::Link | TagEnd::Image => self.close_link(&range),
            _ => {
                self.finish_run();
                self.depth -= 1;
                self.in_code = false;
                if let TagEnd::Heading(level) = tag {
                    self.close_heading(level, range);
                }
            }
        }
    }

    fn close_link(&mut self, range: &Range<usize>) {
        let Some(link) = self.open.pop() else {
            return;
        };
        let hole = if link.automatic { link.span.start } else { self.inline_end };
        while self.run.holes.last().is_some_and(|other| other.start >= hole) {
            self.run.holes.pop();
        }
        self.run.holes.push(hole..range.end);
        self.extend_run(range);
        self.inline_end = range.end;
        let text = Some(link.text).filter(|text| !link.automatic && !text.trim().is_empty());
        self.run_links.extend(links::markdown(&link.destination, link.image, text, link.span));
    }

    fn close_heading(&mut self, level: HeadingLevel, range: Range<usize>) {
        let text = self.heading.take().unwrap_or_default();
        let span = lines_of(self.text, &range);
        self.note.headings.push(Heading { level: level as u8, text: cleaned(&text), span });
    }

    /// Scans the run that ends here.
    fn finish_run(&mut self) {
        if self.run.span.is_empty() {
            return;
        }
        let mut run = std::mem::take(&mut self.run);
        run.span.start = run.span.start.max(self.comment_end);
        let mut found = Findings::default();
        if !run.span.is_empty() {
            inline::scan(self.text, &run, &mut found);
        }
        let (links, visible_from) = (std::mem::take(&mut self.run_links), self.comment_end);
        self.note.links.extend(links.into_iter().filter(|link| {
            let start = link.span.start;
            let behind = found.hidden.partition_point(|hidden| hidden.start <= start);
            let hidden = found.hidden[..behind].last().is_some_and(|hidden| start < hidden.end);
            start >= visible_from && !hidden
        }));
        self.note.links.append(&mut found.links);
        for tag in found.tags {
            self.tags.add(tag, &mut self.note.tags);
        }
        self.comment_end = found.open_comment_end.unwrap_or(self.comment_end);
    }
}

fn kind_of(tag: &Tag<'_>) -> BlockKind {
    match tag {
        Tag::Paragraph => BlockKind::Paragraph,
        Tag::Heading { .. } => BlockKind::Heading,
        Tag::BlockQuote(_) => BlockKind::Quote,
        Tag::CodeBlock(CodeBlockKind::Indented) => BlockKind::Code { language: None },
        Tag::CodeBlock(CodeBlockKind::Fenced(info)) => BlockKind::Code { language: language(info) },
        Tag::List(_) => BlockKind::List,
        Tag::Table(_) => BlockKind::Table,
        _ => BlockKind::Other,
    }
}

/// The first word of an info string, lower case. `{.python}` and `{python}` are taken too.
fn language(info: &str) -> Option<String> {
    let word = info.split([' ', '\t', ',', ':', '{', '}']).find(|word| !word.is_empty())?;
    let word = word.trim_start_matches('.').to_lowercase();
    (!word.is_empty()).then_some(word)
}

/// The whole lines of a range, without blank space at either end.
fn lines_of(text: &str, range: &Range<usize>) -> Range<usize> {
    let inside = &text[range.clone()];
    let end = range.start + inside.trim_end().len();
    let before = &text[..range.start];
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    let start = if before[line..].trim().is_empty() { line } else { range.start };
    start..end.max(start)
}

/// The blocks with whole lines, in order, and whatever the parser swallowed silently (link
/// definitions) as blocks of their own.
fn covering(text: &str, start: usize, blocks: Vec<Block>) -> Vec<Block> {
    let mut all = Vec::with_capacity(blocks.len());
    let mut end = start;
    for Block { kind, span } in blocks {
        let span = lines_of(text, &span);
        let span = span.start.max(end)..span.end;
        if span.is_empty() || text[span.clone()].trim().is_empty() {
            continue;
        }
        push_gap(text, end..span.start, &mut all);
        end = span.end;
        let kind = if kind == BlockKind::Paragraph && is_maths(&text[span.clone()]) {
            BlockKind::Other
        } else {
            kind
        };
        all.push(Block { kind, span });
    }
    push_gap(text, end..text.len(), &mut all);
    all
}

fn push_gap(text: &str, gap: Range<usize>, blocks: &mut Vec<Block>) {
    let inside = &text[gap.clone()];
    if inside.trim().is_empty() {
        return;
    }
    let start = gap.start + (inside.len() - inside.trim_start().len());
    let span = lines_of(text, &(start..gap.end));
    blocks.push(Block { kind: BlockKind::Other, span: span.start.max(gap.start)..span.end });
}

fn is_maths(text: &str) -> bool {
    let text = text.trim();
    text.len() > 4 && text.starts_with("$$") && text.ends_with("$$")
}
