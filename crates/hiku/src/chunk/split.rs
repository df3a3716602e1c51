//! Cuts a section that is too long and has no more headings to cut at: at block breaks, then at
//! sentence or line ends, then anywhere. Each part but the first repeats the end of the one before.

use std::ops::{Range, RangeInclusive};

use super::ChunkOptions;
use super::outline::{Blocks, Outline};
use super::sentences::{characters, hard_parts, is_longer, sentences};
use crate::markdown::BlockKind;

/// A stretch that is not cut any further.
#[derive(Debug, Clone)]
struct Unit {
    span: Range<usize>,
    /// The block whose headings hold for it.
    block: usize,
    characters: usize,
}

/// One part of a cut section.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// Its own text and, before it, the overlap.
    pub(super) span: Range<usize>,
    /// Bytes of overlap.
    pub(super) overlap: usize,
    /// The block that its own text begins in.
    pub(super) block: usize,
}

/// Cuts a section into parts whose own text is at most `max_characters` long.
pub(super) fn parts(outline: &Outline<'_>, section: &Blocks, options: &ChunkOptions) -> Vec<Part> {
    let max = options.max_characters.max(1);
    let units = units(outline, section, max);
    let packed = packed(outline.text, &units, max, options.min_characters);
    let mut parts: Vec<Part> = Vec::with_capacity(packed.len());
    let mut own_start = 0;
    for range in packed {
        let (first, last) = (&units[range.start], &units[range.end - 1]);
        let own = first.span.start..last.span.end;
        let previous = parts.last().map(|part| part.span.end);
        let overlap = previous.and_then(|end| {
            let gap = &outline.text[end..own.start];
            // The blanks between count as the part's own text.
            let fits = !is_longer(&outline.text[end..own.end], max) && gap.len() <= MAX_GAP_BYTES;
            let tail = tail(&outline.text[own_start..end], options.overlap_characters);
            (fits && tail > 0).then(|| end - tail..end)
        });
        own_start = own.start;
        parts.push(match overlap {
            Some(tail) => {
                Part { span: tail.start..own.end, overlap: tail.len(), block: first.block }
            }
            None => Part { span: own, overlap: 0, block: first.block },
        });
    }
    parts
}

/// No overlap is carried over more blank bytes than this. Behind so wide a gap, what stands before
/// has little to do with what follows.
const MAX_GAP_BYTES: usize = 64;

/// Groups units greedily into ranges of at most `max` characters, the blanks between them counted.
fn packed(text: &str, units: &[Unit], max: usize, min: usize) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut count = 0;
    let mut end = 0;
    for (index, unit) in units.iter().enumerate() {
        let gap = &text[end.min(unit.span.start)..unit.span.start];
        let gap_characters = characters(gap);
        let needed = gap_characters + unit.characters;
        match ranges.last_mut() {
            Some(last) if count + needed <= max => {
                last.end = index + 1;
                count += needed;
            }
            _ => {
                ranges.push(index..index + 1);
                let carries = gap.len() <= MAX_GAP_BYTES && needed <= max && index > 0;
                count = if carries { needed } else { unit.characters };
            }
        }
        end = unit.span.end;
    }
    lengthen_last(text, units, &mut ranges, min..=max);
    ranges
}

/// Gives a last part shorter than `min` the last unit of the part before, if both stay in bounds.
fn lengthen_last(
    text: &str,
    units: &[Unit],
    ranges: &mut [Range<usize>],
    bounds: RangeInclusive<usize>,
) {
    let [.., before, last] = ranges else {
        return;
    };
    let length = |range: Range<usize>| {
        characters(&text[units[range.start].span.start..units[range.end - 1].span.end])
    };
    let is_short = before.len() > 1 && length(last.clone()) < *bounds.start();
    if is_short
        && bounds.contains(&length(before.start..before.end - 1))
        && bounds.contains(&length(last.start - 1..last.end))
    {
        before.end -= 1;
        last.start -= 1;
    }
}

/// A section's stretches: blocks that fit, whole; others cut. A heading stays with what follows it.
fn units(outline: &Outline<'_>, section: &Blocks, max: usize) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut heading_start = None;
    for block in section.clone() {
        let span = outline.note.blocks[block].span.clone();
        if outline.level(block).is_some() && block + 1 < section.end {
            heading_start = heading_start.or(Some(span.start));
            continue;
        }
        let start = heading_start.take().unwrap_or(span.start);
        let whole = start..span.end;
        if is_longer(&outline.text[whole.clone()], max) {
            push_cut(outline, start, block, max, &mut units);
        } else {
            push(outline.text, whole, block, &mut units);
        }
    }
    units
}

/// Cuts a block that is too long, together with the headings from `start` on.
fn push_cut(outline: &Outline<'_>, start: usize, block: usize, max: usize, units: &mut Vec<Unit>) {
    let Range { start: block_start, end } = outline.note.blocks[block].span.clone();
    let text = outline.text;
    let mut spans = Vec::new();
    if start < block_start {
        spans.extend(atoms(text, start..block_start, false, max));
    }
    let headings = spans.len();
    let by_line = matches!(
        outline.note.blocks[block].kind,
        BlockKind::Code { .. } | BlockKind::Table | BlockKind::List
    );
    spans.extend(atoms(text, block_start..end, by_line, max));
    // The headings and the first stretch below them stay together if they fit.
    if headings > 0 && headings < spans.len() {
        let joined = spans[0].start..spans[headings].end;
        if !is_longer(&text[joined.clone()], max) {
            spans.splice(..=headings, [joined]);
        }
    }
    for span in spans {
        push(text, span, block, units);
    }
}

/// Adds a unit without the blanks at its end, unless it is blank.
fn push(text: &str, span: Range<usize>, block: usize, units: &mut Vec<Unit>) {
    let source = text[span.clone()].trim_end();
    if !source.trim().is_empty() {
        let span = span.start..span.start + source.len();
        units.push(Unit { span, block, characters: characters(source) });
    }
}

/// Sentences or lines of a stretch, cut where one alone is over `max`.
fn atoms(text: &str, span: Range<usize>, by_line: bool, max: usize) -> Vec<Range<usize>> {
    let source = &text[span.clone()];
    let mut parts: Vec<&str> = Vec::new();
    if by_line {
        for line in source.split_inclusive('\n') {
            if is_longer(line, max) {
                parts.extend(sentences(line).flat_map(|sentence| hard_parts(sentence, max)));
            } else {
                parts.push(line);
            }
        }
    } else {
        parts.extend(sentences(source).flat_map(|sentence| hard_parts(sentence, max)));
    }
    let mut at = span.start;
    let place = |part: &str| {
        at += part.len();
        at - part.len()..at
    };
    parts.into_iter().map(place).collect()
}

/// Length in bytes of the end of a text that the next part repeats: as many whole sentences as
/// `limit` characters hold, or the end of the last one if it alone is longer.
fn tail(text: &str, limit: usize) -> usize {
    if limit == 0 {
        return 0;
    }
    let all: Vec<&str> = sentences(text).collect();
    let (mut length, mut count) = (0, 0);
    for sentence in all.iter().rev() {
        count += characters(sentence);
        if count > limit {
            break;
        }
        length += sentence.len();
    }
    if length == 0 { all.last().map_or(0, |last| end_of(last, limit)) } else { length }
}

/// Length in bytes of the last `limit` characters of a text, begun behind a blank if there is one.
fn end_of(text: &str, limit: usize) -> usize {
    let (start, _) = text.char_indices().nth_back(limit - 1).unwrap_or((0, ' '));
    let end = &text[start..];
    let is_break = |c: char| c.is_whitespace() || matches!(c, '、' | '，');
    let behind = end.split_once(is_break).map_or(end, |(_, behind)| behind).trim_start();
    if behind.len() * 4 >= end.len() { behind.len() } else { end.len() }
}
