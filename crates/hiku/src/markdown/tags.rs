//! Which characters make a tag, and the set of a note's tags. Knows nothing of where a tag may
//! stand.

use std::collections::HashSet;

/// The tags seen so far, compared without regard to case.
#[derive(Debug, Default)]
pub(super) struct TagSet {
    seen: HashSet<String>,
}

impl TagSet {
    /// Appends a tag without `#` to `tags` unless it is empty or already there.
    pub(super) fn add(&mut self, tag: &str, tags: &mut Vec<String>) {
        if !tag.is_empty() && self.seen.insert(tag.to_lowercase()) {
            tags.push(tag.to_owned());
        }
    }
}

/// The tag at the start of `text`, which begins behind the `#`.
pub(super) fn tag_at(text: &str) -> Option<&str> {
    let end = text.find(|character| !is_tag_character(character)).unwrap_or(text.len());
    let tag = text[..end].trim_end_matches('/');
    let is_number = tag.bytes().all(|byte| byte.is_ascii_digit());
    let is_punctuation = tag.bytes().all(|byte| matches!(byte, b'/' | b'-' | b'_'));
    (!is_number && !is_punctuation).then_some(tag)
}

fn is_tag_character(character: char) -> bool {
    match character {
        '_' | '-' | '/' => true,
        _ if character.is_ascii() => character.is_ascii_alphanumeric(),
        _ => character.is_alphanumeric() || is_mark_or_emoji(character),
    }
}

/// Combining marks, and pictographs with their joiners and selectors; Obsidian allows both.
fn is_mark_or_emoji(character: char) -> bool {
    matches!(
        u32::from(character),
        0x300..=0x36F | 0x3099..=0x309A | 0x200D | 0xFE0F | 0x2600..=0x27BF | 0x1F000..=0x1FAFF
    )
}
