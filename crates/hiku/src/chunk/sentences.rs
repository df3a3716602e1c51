//! Sentence ends, character counts and cuts inside text that has neither sentence nor line ends.
//! Knows nothing of notes or sizes of chunks.

/// How far back from the limit a hard cut looks for a better place, in characters. A longer look
/// would make short parts, and a stretch of 80 characters without a blank is hardly prose.
const HARD_CUT_SEARCH_CHARACTERS: usize = 80;

/// The number of Unicode scalar values.
pub(super) fn characters(text: &str) -> usize {
    // Counting the bytes that begin a character is what the compiler turns into wide instructions.
    text.as_bytes().iter().filter(|byte| (**byte as i8) >= -0x40).count()
}

/// Whether the text has more characters than `limit`; cheap where its bytes already settle it.
pub(super) fn is_longer(text: &str, limit: usize) -> bool {
    text.len() > limit && characters(text) > limit
}

/// Cuts text into sentences; together they are the whole text. A sentence ends behind `。`, `！` or
/// `？` with closing brackets, behind `.`, `!` or `?` with closing quotes if a blank follows, and
/// behind a line break; blanks at its end belong to it.
pub(super) fn sentences(text: &str) -> Sentences<'_> {
    Sentences { rest: text }
}

/// Iterator of [`sentences`].
#[derive(Debug, Clone)]
pub(super) struct Sentences<'t> {
    rest: &'t str,
}

impl<'t> Iterator for Sentences<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        if self.rest.is_empty() {
            return None;
        }
        let (sentence, rest) = self.rest.split_at(first_end(self.rest));
        self.rest = rest;
        Some(sentence)
    }
}

/// Bytes that end a sentence or begin a character that does.
const STOPS: [bool; 256] = {
    let mut table = [false; 256];
    table[b'.' as usize] = true;
    table[b'!' as usize] = true;
    table[b'?' as usize] = true;
    table[b'\n' as usize] = true;
    table[0xE3] = true;
    table[0xEF] = true;
    table
};

/// Length of the first sentence of a text that is not empty.
fn first_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(offset) = bytes[at..].iter().position(|byte| STOPS[*byte as usize]) {
        at += offset;
        match bytes[at] {
            b'\n' => return with_blanks(text, at + 1),
            b'.' | b'!' | b'?' => {
                let closed = with_closers(text, at + 1);
                if bytes.get(closed).is_some_and(|byte| matches!(byte, b' ' | b'\t')) {
                    return with_blanks(text, closed);
                }
                at += 1;
            }
            _ if is_full_stop(&bytes[at..]) => {
                return with_blanks(text, with_closers(text, at + 3));
            }
            _ => at += 3,
        }
    }
    text.len()
}

/// `。`, `！` or `？`.
fn is_full_stop(bytes: &[u8]) -> bool {
    bytes.starts_with("。".as_bytes())
        || bytes.starts_with("！".as_bytes())
        || bytes.starts_with("？".as_bytes())
}

/// Past more stops and closing brackets and quotes.
fn with_closers(text: &str, at: usize) -> usize {
    let is_closer = |c: char| {
        matches!(c, '.' | '!' | '?' | '。' | '！' | '？' | ')' | ']' | '"' | '\'' | '*' | '_')
            || matches!(c, '」' | '』' | '）' | '】' | '〉' | '》' | '］' | '〕' | '”' | '’' | '»')
    };
    at + text[at..].find(|c| !is_closer(c)).unwrap_or(text.len() - at)
}

/// Past blanks and the line breaks among them, but not past the next line's indentation.
fn with_blanks(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    let blank = rest.len() - rest.trim_start().len();
    let before_text = if blank == rest.len() { blank } else { line_start(&rest[..blank]) };
    at + before_text
}

/// Where the last line of blanks begins if they hold a line break, else their end.
fn line_start(blanks: &str) -> usize {
    blanks.rfind('\n').map_or(blanks.len(), |at| at + 1)
}

/// Where to cut a text that is too long: at most `limit` characters (at least one) from its start,
/// behind a blank or Japanese comma if one is near, and never before a combining mark or joiner.
///
/// In bytes, on a character boundary, at least one character and at most the whole text.
pub(super) fn hard_cut(text: &str, limit: usize) -> usize {
    let limit = limit.max(1);
    let Some((end, _)) = text.char_indices().nth(limit) else {
        return text.len();
    };
    let near = text[..end].char_indices().rev().take(HARD_CUT_SEARCH_CHARACTERS.min(limit / 2));
    for (at, character) in near {
        if character.is_whitespace() || matches!(character, '、' | '，' | '・') {
            return at + character.len_utf8();
        }
    }
    whole_cluster(text, end)
}

/// Moves a cut back so that no combining mark, joiner or selector begins the rest.
fn whole_cluster(text: &str, end: usize) -> usize {
    let mut cut = end;
    for (at, character) in text[..end].char_indices().rev().take(8) {
        let next = text[cut..].chars().next();
        if !next.is_some_and(extends_cluster) && character != '\u{200d}' {
            return cut;
        }
        if at == 0 {
            break;
        }
        cut = at;
    }
    end
}

/// Combining marks, joiners, variation selectors, skin tones, voiced sound marks.
fn extends_cluster(character: char) -> bool {
    matches!(
        u32::from(character),
        0x300..=0x36F | 0x3099..=0x309A | 0xFF9E..=0xFF9F | 0x200D | 0xFE00..=0xFE0F
            | 0x1F3FB..=0x1F3FF | 0x20D0..=0x20FF | 0xE0100..=0xE01EF
    )
}

/// Cuts a text into parts of at most `limit` characters at the best places inside it.
pub(super) fn hard_parts(text: &str, limit: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let cut = if rest.len() > limit { hard_cut(rest, limit) } else { rest.len() };
        let (part, tail) = rest.split_at(cut);
        rest = tail;
        Some(part)
    })
}
