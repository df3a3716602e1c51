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
    /// `text` and is `length` bytes long; `word` holds the mark alone and may be used to put it
    /// together.
    fn plain_word(&mut self, mark: &mut Vec<u8>, text: &[u8], length: usize);
}

/// Finds the words of a text.
pub(crate) struct Words<'a, S> {
    options: &'a Options,
    charsmap: Option<Charsmap<'a>>,
    classes: Classes<'a>,
    mark: ([u8; 4], usize),
    /// The word so far, with its mark.
    word: &'a mut Vec<u8>,
    /// Whether the next character begins the text or, when white space splits, a word.
    at_start: bool,
    /// Whether the last normalised character was a space.
    after_space: bool,
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
            at_start: true,
            after_space: false,
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
    fn plain_end(&self, text: &str, place: usize) -> usize {
        let mut end = place;
        for character in text[place..].chars() {
            if self.class(character) != Class::Plain {
                break;
            }
            end += character.len_utf8();
        }
        end
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
            self.at_start = true;
        } else if character == ' ' {
            self.push_space();
        } else if bytes == self.mark() {
            self.push_mark();
            self.after_space = false;
        } else {
            self.begin();
            self.word.extend_from_slice(bytes);
            self.after_space = false;
        }
    }

    /// Pushes plain characters; a whole word goes to the sink at once.
    fn push_plain(&mut self, text: &str, from: usize, to: usize) {
        if from == to {
            return;
        }
        self.begin();
        self.after_space = false;
        let bytes = text.as_bytes();
        let whole = self.word.as_slice() == self.mark() && self.ends_word(text, to);
        if whole && self.options.has(flag::SPLIT_AT_MARK) {
            self.sink.plain_word(self.word, &bytes[from..], to - from);
            self.word.clear();
        } else {
            self.word.extend_from_slice(&bytes[from..to]);
        }
    }

    /// Whether a word that reaches up to a place certainly ends there.
    fn ends_word(&self, text: &str, place: usize) -> bool {
        match text.as_bytes().get(place) {
            None => true,
            Some(byte) => {
                self.class(char::from(*byte)) == Class::Space
                    && byte.is_ascii()
                    && !self.joins_at(text, place + 1)
            }
        }
    }

    /// Whether the character at a place may join the one before it.
    fn joins_at(&self, text: &str, place: usize) -> bool {
        next_character(text, place).is_some_and(|next| self.class(next) == Class::Joining)
    }

    fn push_space(&mut self) {
        if self.options.has(flag::SPLIT_WHITESPACE) {
            self.finish_word();
            self.at_start = true;
        } else if !(self.options.has(flag::COLLAPSE_SPACES) && self.after_space) {
            self.push_mark();
            self.after_space = true;
        }
    }

    /// Begins a word with the mark.
    fn push_mark(&mut self) {
        if self.options.has(flag::SPLIT_AT_MARK) {
            self.finish_word();
        }
        self.at_start = false;
        self.word.extend_from_slice(&self.mark.0[..self.mark.1]);
    }

    /// Puts the mark before the first character, where that is wanted.
    fn begin(&mut self) {
        if self.at_start && self.options.has(flag::PREPEND) {
            self.word.extend_from_slice(&self.mark.0[..self.mark.1]);
        }
        self.at_start = false;
    }

    fn finish_word(&mut self) {
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
