//! Pieces: the stretches of a chunk that get a vector each.

use super::sentences::{characters, hard_parts, sentences};

/// Cuts text into pieces of at most `max_characters`, packed greedily from sentences; a longer
/// sentence is cut. Blank pieces are left out, and blanks around a piece are not part of it.
///
/// A piece is what one vector stands for: the mean of a longer text says less of each of its
/// sentences. Together the pieces hold every character that is not blank, in order.
///
/// ```
/// use hiku::chunk::pieces;
///
/// assert_eq!(pieces("One. Two. Three.", 10), ["One. Two.", "Three."]);
/// assert_eq!(pieces("寒い。暑い。", 3), ["寒い。", "暑い。"]);
/// assert!(pieces(" \n", 9).is_empty());
/// ```
pub fn pieces(text: &str, max_characters: usize) -> Vec<&str> {
    let max = max_characters.max(1);
    let mut pieces = Vec::with_capacity(text.len() / max + 1);
    let (mut start, mut end, mut count) = (0, 0, 0);
    for part in sentences(text).flat_map(|sentence| hard_parts(sentence, max)) {
        let length = characters(part);
        if count + length > max {
            push(&mut pieces, &text[start..end]);
            (start, count) = (end, 0);
        }
        end += part.len();
        count += length;
    }
    push(&mut pieces, &text[start..end]);
    pieces
}

fn push<'t>(pieces: &mut Vec<&'t str>, piece: &'t str) {
    let piece = piece.trim();
    if !piece.is_empty() {
        pieces.push(piece);
    }
}
