//! Turns a text into normalised words for the Unigram tokenizer: character map, collapsed spaces,
//! space marks. Not responsible for cutting words into pieces.
//!
//! The rules are those of the `tokenizers` crate: the text is taken grapheme cluster by grapheme
//! cluster; a cluster under six bytes is looked up as a whole, else each of its characters alone;
//! then runs of spaces become one, each space becomes the mark, and each mark begins a word.
//! Clusters are only looked at where [`Class::Joining`] characters stand.

use unicode_segmentation::UnicodeSegmentation;

use crate::charsmap::Charsmap;
use crate::classes::{Class, Classes};
use crate::options::{Options, flag};

/// Clusters of at least this many bytes are looked up character by character.
pub(crate) const LONG_CLUSTER: usize = 6;

/// What receives the words.
pub(crate) trait Sink {
    /// Takes a whole normalised word, with its mark.
    fn word(&mut self, word: &[u8]);

    /// Takes a word that needed no normalising: it stands, without its mark, at the beginning of
    /// `text` and is `length` bytes long; `buffer` is empty and may be used to put it together.
    fn plain_word(&mut self, buffer: &mut Vec<u8>, text: &[u8], length: usize);
}

/// What stands before the next normalised character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    /// Nothing: it begins the text or, when white space splits, a word.
    Start,
    /// A space.
    Space,
    /// Anything else.
    Other,
}

/// Finds the words of a text.
pub(crate) struct Words<'a, S> {
    options: &'a Options,
    charsmap: Option<Charsmap<'a>>,
    classes: Classes<'a>,
    mark: ([u8; 4], usize),
    /// The word so far, with its mark.
    word: &'a mut Vec<u8>,
    /// Whether a mark stands behind what the word holds so far.
    pending_mark: bool,
    /// Whether all visible ASCII characters are plain.
    visible_is_plain: bool,
    before: Before,
    sink: S,
}

impl<'a, S: Sink> Words<'a, S> {
    /// Makes a finder with an emptied word buffer.
    pub(crate) fn new(
        options: &'a Options,
        charsmap: Option<Charsmap<'a>>,
        classes: Classes<'a>,
        word: &'a mut Vec<u8>,
        sink: S,
    ) -> Self {
        word.clear();
        let mut mark = [0; 4];
        let length = options.mark.encode_utf8(&mut mark).len();
        Words {
            options,
            charsmap,
            classes,
            mark: (mark, length),
            word,
            pending_mark: false,
            visible_is_plain: ('!'..='~').all(|character| classes.of(character) == Class::Plain),
            before: Before::Start,
            sink,
        }
    }

    /// Gives all words of a text to the sink.
    pub(crate) fn run(mut self, text: &str) {
        let mut place = 0;
        while place < text.len() {
            place = self.advance(text, place);
        }
        self.finish_word();
    }

    /// Handles what stands at a place and gives the place behind it.
    fn advance(&mut self, text: &str, place: usize) -> usize {
        let end = self.plain_end(text, place);
        if end == place {
            return self.advance_special(text, place);
        }
        if !self.joins_at(text, end) {
            self.push_plain(text, place, end);
            return end;
        }
        let last = last_character_start(text, end);
        self.push_plain(text, place, last);
        self.advance_clusters(text, last)
    }

    /// The end of the run of plain characters at a place.
    #[inline]
    fn plain_end(&self, text: &str, place: usize) -> usize {
        let mut end = place;
        loop {
            if self.visible_is_plain {
                end += visible_ascii(&text.as_bytes()[end..]);
            }
            match next_character(text, end) {
                Some(character) if self.class(character) == Class::Plain => {
                    end += character.len_utf8();
                }
                _ => return end,
            }
        }
    }

    /// Handles one character that is not plain, or a cluster that begins there.
    fn advance_special(&mut self, text: &str, place: usize) -> usize {
        let Some(character) = next_character(text, place) else { return text.len() };
        let end = place + character.len_utf8();
        let class = self.class(character);
        if class == Class::Joining || self.joins_at(text, end) {
            return self.advance_clusters(text, place);
        }
        if class == Class::Space {
            self.push_space();
        } else {
            self.push_mapped(&text[place..end]);
        }
        end
    }

    /// Handles whole clusters until one begins with a character that stands alone.
    fn advance_clusters(&mut self, text: &str, place: usize) -> usize {
        for (offset, cluster) in text[place..].grapheme_indices(true) {
            let class = cluster.chars().next().map_or(Class::Joining, |first| self.class(first));
            if offset > 0 && class != Class::Joining {
                return place + offset;
            }
            self.push_cluster(cluster);
        }
        text.len()
    }

    fn push_cluster(&mut self, cluster: &str) {
        if cluster.len() < LONG_CLUSTER && self.replace(cluster) {
            return;
        }
        let mut buffer = [0; 4];
        for character in cluster.chars() {
            self.push_mapped(character.encode_utf8(&mut buffer));
        }
    }

    /// Pushes one character's replacement, or itself when it has none.
    fn push_mapped(&mut self, character: &str) {
        if !self.replace(character) {
            character.chars().for_each(|character| self.push(character));
        }
    }

    /// Pushes the replacement of a stretch and tells whether there is one.
    fn replace(&mut self, stretch: &str) -> bool {
        let replacement = self.charsmap.and_then(|map| map.replacement(stretch.as_bytes()));
        replacement.into_iter().flat_map(str::chars).for_each(|character| self.push(character));
        replacement.is_some()
    }

    /// Pushes one normalised character.
    fn push(&mut self, character: char) {
        let mut buffer = [0; 4];
        let bytes = character.encode_utf8(&mut buffer).as_bytes();
        if self.options.has(flag::SPLIT_WHITESPACE) && character.is_whitespace() {
            self.finish_word();
            self.before = Before::Start;
        } else if character == ' ' {
            self.push_space();
        } else if bytes == self.mark() {
            self.push_mark(Before::Other);
        } else {
            self.begin();
            self.put_mark();
            self.word.extend_from_slice(bytes);
        }
    }

    /// Pushes plain characters; a whole word goes to the sink at once.
    #[inline]
    fn push_plain(&mut self, text: &str, from: usize, to: usize) {
        if from == to {
            return;
        }
        self.begin();
        let bytes = text.as_bytes();
        let whole = self.pending_mark && self.word.is_empty() && self.ends_word(text, to);
        if whole && self.options.has(flag::SPLIT_AT_MARK) {
            self.sink.plain_word(self.word, &bytes[from..], to - from);
            self.word.clear();
            self.pending_mark = false;
        } else {
            self.put_mark();
            self.word.extend_from_slice(&bytes[from..to]);
        }
    }

    /// Whether a word that reaches up to a place certainly ends there.
    #[inline]
    fn ends_word(&self, text: &str, place: usize) -> bool {
        let byte = text.as_bytes().get(place);
        byte.is_none_or(|byte| {
            let space = byte.is_ascii() && self.class(char::from(*byte)) == Class::Space;
            space && !self.joins_at(text, place + 1)
        })
    }

    /// Whether the character at a place may join the one before it. Of ASCII only the carriage
    /// return does.
    #[inline]
    fn joins_at(&self, text: &str, place: usize) -> bool {
        match text.as_bytes().get(place) {
            None => false,
            Some(byte) if byte.is_ascii() && *byte != b'\r' => false,
            Some(_) => {
                next_character(text, place).is_some_and(|next| self.class(next) == Class::Joining)
            }
        }
    }

    fn push_space(&mut self) {
        if self.options.has(flag::SPLIT_WHITESPACE) {
            self.finish_word();
            self.before = Before::Start;
        } else if self.before != Before::Space || !self.options.has(flag::COLLAPSE_SPACES) {
            self.push_mark(Before::Space);
        }
    }

    /// Begins a word with the mark, which was a space or not.
    fn push_mark(&mut self, before: Before) {
        if self.options.has(flag::SPLIT_AT_MARK) {
            self.finish_word();
        } else {
            self.put_mark();
        }
        self.before = before;
        self.pending_mark = true;
    }

    /// Asks for the mark before the first character, where that is wanted.
    #[inline]
    fn begin(&mut self) {
        self.pending_mark |= self.before == Before::Start && self.options.has(flag::PREPEND);
        self.before = Before::Other;
    }

    /// Writes the mark that is asked for.
    #[inline]
    fn put_mark(&mut self) {
        if self.pending_mark {
            self.word.extend_from_slice(&self.mark.0[..self.mark.1]);
            self.pending_mark = false;
        }
    }

    #[inline]
    fn finish_word(&mut self) {
        self.put_mark();
        if !self.word.is_empty() {
            self.sink.word(self.word);
            self.word.clear();
        }
    }

    fn mark(&self) -> &[u8] {
        &self.mark.0[..self.mark.1]
    }

    fn class(&self, character: char) -> Class {
        self.classes.of(character)
    }
}

/// The character at a place.
fn next_character(text: &str, place: usize) -> Option<char> {
    text[place..].chars().next()
}

/// Where the last character before a place begins.
fn last_character_start(text: &str, end: usize) -> usize {
    end - text[..end].chars().next_back().map_or(0, char::len_utf8)
}

/// How many visible ASCII characters (`!` to `~`) a text begins with, eight at a time: in each byte
/// of a word, the highest bit is set where the byte is below 0x21, is 0x7F, or is not ASCII.
/// Borrows only disturb bytes behind the first one that is set.
#[inline]
fn visible_ascii(text: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * ONES;
    let (chunks, rest) = text.as_chunks::<8>();
    for (index, chunk) in chunks.iter().enumerate() {
        let bytes = u64::from_le_bytes(*chunk);
        let low = bytes.wrapping_sub(0x21 * ONES);
        let delete = (bytes ^ (0x7F * ONES)).wrapping_sub(ONES);
        let other = (low | delete | bytes) & HIGH;
        if other != 0 {
            return 8 * index + other.trailing_zeros() as usize / 8;
        }
    }
    let tail = rest.iter().take_while(|byte| (0x21..0x7F).contains(*byte)).count();
    8 * chunks.len() + tail
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Collect(Vec<String>);

    impl Sink for &mut Collect {
        fn word(&mut self, word: &[u8]) {
            self.0.push(String::from_utf8(word.to_vec()).unwrap());
        }

        fn plain_word(&mut self, _: &mut Vec<u8>, text: &[u8], length: usize) {
            self.0.push(format!("_{}", String::from_utf8(text[..length].to_vec()).unwrap()));
        }
    }

    fn check(flags: u32, text: &str, expected: &[&str]) {
        let options = Options { flags, mark: '_', ..Options::default() };
        let special = |character: char| character == '_' || character.is_whitespace();
        let table = crate::classes::build(None, special);
        let classes = Classes(table.as_slice().try_into().unwrap());
        let mut found = Collect(Vec::new());
        Words::new(&options, None, classes, &mut Vec::new(), &mut found).run(text);
        assert_eq!(found.0, expected, "{text:?}");
    }

    #[test]
    fn marks_begin_words() {
        let flags = flag::PREPEND | flag::SPLIT_AT_MARK;
        check(flags, "", &[]);
        check(flags, "a", &["_a"]);
        check(flags, " a b", &["_a", "_b"]);
        check(flags, "a  b ", &["_a", "_", "_b", "_"]);
        check(flags, "a_b😀 c", &["_a", "_b😀", "_c"]);
        check(flags | flag::COLLAPSE_SPACES, "  a   b_ _", &["_a", "_b", "_", "_", "_"]);
        check(flag::SPLIT_AT_MARK, "a b", &["a", "_b"]);
    }

    #[test]
    fn without_splitting_the_text_is_one_word() {
        check(flag::PREPEND, "a b  c", &["_a_b__c"]);
        check(0, " a ", &["_a_"]);
    }

    #[test]
    fn white_space_that_splits_is_dropped() {
        let flags = flag::PREPEND | flag::SPLIT_AT_MARK | flag::SPLIT_WHITESPACE;
        check(flags, " a\n\u{3000}b c_d ", &["_a", "_b", "_c", "_d"]);
        check(flag::SPLIT_WHITESPACE, " a\tb ", &["a", "b"]);
    }

    #[test]
    fn visible_ascii_ends_at_every_other_byte() {
        for other in (0..=0x20).chain(0x7F..=0xFF) {
            for place in 0..20 {
                let mut text = *b"!~azAZ09_,.-+*#'(){}";
                text[place] = other;
                assert_eq!(visible_ascii(&text), place, "{other:#x} at {place}");
            }
        }
        assert_eq!(visible_ascii(b"!~azAZ09_,.-+*#'(){}"), 20);
        assert_eq!(visible_ascii(b""), 0);
    }
}
