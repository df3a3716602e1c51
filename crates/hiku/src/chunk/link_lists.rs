//! Sections that are nothing but a list of links ("See also", 関連項目). They are left out of the
//! chunks, because their words belong to the notes they link to; the links themselves stay in the
//! note. A section that has such a name and is prose stays, and so does prose below the links.

use std::ops::Range;

use super::outline::{Blocks, Outline};
use super::sentences::characters;
use crate::markdown::{BlockKind, Link};

/// Names of link-list sections, lower case. The first four are founding rules; the rest are their
/// usual companions and Japanese forms.
const NAMES: [&str; 16] = [
    "related",
    "see also",
    "links",
    "references",
    "related links",
    "related notes",
    "external links",
    "関連",
    "関連リンク",
    "関連項目",
    "関連ノート",
    "参考",
    "参考文献",
    "参考リンク",
    "リンク",
    "外部リンク",
];

/// The longest text beside its links that a list line may have and still be a link with a remark,
/// in characters. A sentence; more is a note's own words.
const MAX_REMARK_CHARACTERS: usize = 120;

/// The block ranges that remain when link-list sections are taken out, in order. If they are all
/// the note has, everything remains.
pub(super) fn remaining(outline: &Outline<'_>) -> Vec<Blocks> {
    let count = outline.note.blocks.len();
    let (mut kept, mut start, mut block) = (Vec::new(), 0, 0);
    while block < count {
        match link_list_end(outline, block, count) {
            Some(end) => {
                kept.push(start..block);
                kept.extend(
                    (block..end).filter(|own| is_prose(outline, *own)).map(|own| own..own + 1),
                );
                (start, block) = (end, end);
            }
            None => block += 1,
        }
    }
    kept.push(start..count);
    kept.retain(|range| !range.is_empty());
    let mut blocks = kept.iter().cloned().flatten();
    if blocks.any(|block| outline.level(block).is_none()) || count == 0 {
        kept
    } else {
        std::iter::once(0..count).collect()
    }
}

/// Whether a block of a link-list section is text of the note's own: nothing that is written may be
/// lost to search because it stands below the links.
fn is_prose(outline: &Outline<'_>, block: usize) -> bool {
    let own = &outline.note.blocks[block];
    let kinds = [BlockKind::Paragraph, BlockKind::Quote, BlockKind::Table];
    let is_text = kinds.contains(&own.kind) || matches!(own.kind, BlockKind::Code { .. });
    let links = outline.note.links.partition_point(|link| link.span.start < own.span.start);
    let has_link = outline.note.links.get(links).is_some_and(|l| l.span.start < own.span.end);
    is_text && !has_link && !outline.text[own.span.clone()].lines().any(is_definition)
}

/// Where the link-list section that begins with a block ends; `None` if none begins there.
fn link_list_end(outline: &Outline<'_>, block: usize, count: usize) -> Option<usize> {
    let level = outline.level(block)?;
    if !is_link_list_name(outline.heading_text(block)?) {
        return None;
    }
    let end = (block + 1..count)
        .find(|other| outline.level(*other).is_some_and(|own| own <= level))
        .unwrap_or(count);
    is_mostly_links(outline, block + 1..end).then_some(end)
}

/// Compares a heading with [`NAMES`] without numbering, signs around it and case.
fn is_link_list_name(heading: &str) -> bool {
    // Longer headings need no comparison; the longest name has 16 bytes, numbering has its own.
    if heading.len() > 64 {
        return false;
    }
    let unnumbered = heading.trim_start_matches(|c: char| c.is_numeric() || matches!(c, '.' | ')'));
    let bare = unnumbered.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    NAMES.contains(&bare.as_str())
}

/// Whether most of the text below the headings is links and the lines of lists that hold them.
fn is_mostly_links(outline: &Outline<'_>, blocks: Blocks) -> bool {
    let (mut all, mut linked) = (0, 0);
    for block in blocks.filter(|block| outline.level(*block).is_none()) {
        let block = &outline.note.blocks[block];
        let mut at = block.span.start;
        for line in outline.text[block.span.clone()].split_inclusive('\n') {
            let total = characters(line.trim());
            let inside = linked_characters(outline, at..at + line.len());
            let remark = total.saturating_sub(inside) <= MAX_REMARK_CHARACTERS;
            let is_item = inside > 0 && block.kind == BlockKind::List && remark;
            all += total;
            linked += if is_item || is_definition(line) { total } else { inside.min(total) };
            at += line.len();
        }
    }
    linked * 2 > all || all == 0
}

/// How many characters of a line are inside links.
fn linked_characters(outline: &Outline<'_>, line: Range<usize>) -> usize {
    let links = &outline.note.links;
    let first = links.partition_point(|link| link.span.start < line.start);
    let inside = links[first..].iter().take_while(|link| link.span.start < line.end);
    let length =
        |link: &Link| characters(&outline.text[link.span.start..link.span.end.min(line.end)]);
    inside.map(length).sum()
}

/// `[name]: target`
fn is_definition(line: &str) -> bool {
    line.trim_start().strip_prefix('[').is_some_and(|rest| rest.contains("]:"))
}
