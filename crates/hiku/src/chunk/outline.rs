//! A note's blocks with the headings above them, and the cutting of a range of blocks at headings.
//! Does not look at sizes other than for joining short sections.

use std::ops::Range;

use super::sentences::is_longer;
use crate::markdown::{BlockKind, Note};

/// A range of a note's blocks, as indices.
pub(super) type Blocks = Range<usize>;

/// A note seen as blocks under headings.
pub(super) struct Outline<'n> {
    pub(super) note: &'n Note,
    pub(super) text: &'n str,
    /// For each block, the index in [`Note::headings`] if it is a heading.
    heading: Vec<Option<usize>>,
    /// For each block, the heading it is under; a heading is under itself.
    owner: Vec<Option<usize>>,
    /// For each heading, the one above it.
    parent: Vec<Option<usize>>,
}

impl<'n> Outline<'n> {
    /// Orders a note's blocks under its headings.
    pub(super) fn new(note: &'n Note, text: &'n str) -> Self {
        let mut outline = Outline {
            note,
            text,
            heading: Vec::with_capacity(note.blocks.len()),
            owner: Vec::with_capacity(note.blocks.len()),
            parent: vec![None; note.headings.len()],
        };
        let mut open: Vec<usize> = Vec::new();
        let mut next = 0;
        for block in &note.blocks {
            let heading = (block.kind == BlockKind::Heading)
                .then(|| heading_at(note, &mut next, block.span.start))
                .flatten();
            if let Some(heading) = heading {
                let level = note.headings[heading].level;
                open.retain(|above| note.headings[*above].level < level);
                outline.parent[heading] = open.last().copied();
                open.push(heading);
            }
            outline.heading.push(heading);
            outline.owner.push(open.last().copied());
        }
        outline
    }

    /// Heading level of a block, `None` if it is no heading.
    pub(super) fn level(&self, block: usize) -> Option<u8> {
        self.heading[block].map(|heading| self.note.headings[heading].level)
    }

    /// Text of a heading block.
    pub(super) fn heading_text(&self, block: usize) -> Option<&'n str> {
        self.heading[block].map(|heading| self.note.headings[heading].text.as_str())
    }

    /// Bytes of a range of blocks that is not empty.
    pub(super) fn span(&self, blocks: &Blocks) -> Range<usize> {
        self.note.blocks[blocks.start].span.start..self.note.blocks[blocks.end - 1].span.end
    }

    /// The source of a range of blocks that is not empty.
    pub(super) fn source(&self, blocks: &Blocks) -> &'n str {
        &self.text[self.span(blocks)]
    }

    /// Texts of the headings that the first block with content is under, outermost first.
    pub(super) fn path(&self, blocks: &Blocks) -> Vec<String> {
        let content = blocks.clone().find(|block| self.heading[*block].is_none());
        let mut heading = self.owner[content.unwrap_or(blocks.end - 1)];
        let mut path = Vec::new();
        while let Some(index) = heading {
            let text = &self.note.headings[index].text;
            if !text.is_empty() {
                path.push(text.clone());
            }
            heading = self.parent[index];
        }
        path.reverse();
        path
    }

    /// The smallest heading level over `above` in a range of blocks.
    pub(super) fn next_level(&self, blocks: &Blocks, above: u8) -> Option<u8> {
        blocks.clone().filter_map(|block| self.level(block)).filter(|level| *level > above).min()
    }

    /// Cuts a range of blocks before each heading of at most `level`.
    pub(super) fn cut(&self, blocks: &Blocks, level: u8) -> Vec<Blocks> {
        let mut sections: Vec<Blocks> = Vec::new();
        for block in blocks.clone() {
            match sections.last_mut() {
                Some(last) if self.level(block).is_none_or(|own| own > level) => {
                    last.end = block + 1;
                }
                _ => sections.push(block..block + 1),
            }
        }
        sections
    }

    /// Joins sections of fewer than `min` characters to the next one under the same parent, else to
    /// the one before.
    pub(super) fn joined(&self, sections: Vec<Blocks>, min: usize) -> Vec<Blocks> {
        let mut joined: Vec<Blocks> = Vec::with_capacity(sections.len());
        let mut sections = sections.into_iter().peekable();
        while let Some(mut section) = sections.next() {
            while self.is_short(&section, min) {
                let level = self.level(section.start);
                let below = |next: &Blocks| self.level(next.start) >= level || joined.is_empty();
                let Some(next) = sections.next_if(below) else {
                    break;
                };
                section.end = next.end;
            }
            match joined.last_mut() {
                Some(last) if self.is_short(&section, min) => last.end = section.end,
                _ => joined.push(section),
            }
        }
        joined
    }

    fn is_short(&self, blocks: &Blocks, min: usize) -> bool {
        min > 0 && !is_longer(self.source(blocks), min - 1)
    }
}

/// The heading that begins at a byte; both lists are in order, so `next` only moves on.
fn heading_at(note: &Note, next: &mut usize, start: usize) -> Option<usize> {
    while note.headings.get(*next).is_some_and(|heading| heading.span.start < start) {
        *next += 1;
    }
    note.headings.get(*next).filter(|heading| heading.span.start == start).map(|_| *next)
}
