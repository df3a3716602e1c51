//! Joins the parts of a tokenizer: whole-text steps, words, pieces, cache. Not responsible for how
//! each of them works.

use std::ops::Range;

use crate::bert;
use crate::charsmap::Charsmap;
use crate::classes::Classes;
use crate::options::{Kind, Options};
use crate::scratch::{Key, Node, Scratch, WordCache};
use crate::steps;
use crate::unigram::Unigram;
use crate::word_piece::WordPiece;
use crate::words::{Sink, Words};

/// A tokenizer, read from the file's bytes.
pub(crate) struct Tokenizer<'a> {
    pub(crate) options: &'a Options,
    pub(crate) charsmap: Option<Charsmap<'a>>,
    pub(crate) classes: Option<Classes<'a>>,
    pub(crate) unigram: Unigram<'a>,
}

impl Tokenizer<'_> {
    /// Appends the ids of a text.
    pub(crate) fn tokenize(&self, scratch: &mut Scratch, text: &str, ids: &mut Vec<u32>) {
        let Scratch { word, nodes, cache, text: whole, spare } = scratch;
        let text = steps::apply(&self.options.steps, self.charsmap, text, whole, spare);
        if let (Kind::Unigram, Some(classes)) = (self.options.kind, self.classes) {
            let sink = IdSink { unigram: self.unigram, mark: self.options.mark, nodes, cache, ids };
            Words::new(self.options, self.late_charsmap(), classes, word, sink).run(text);
        } else {
            let pieces = self.word_piece();
            bert::words(self.options, text, word, |word| cut_cached(&pieces, word, cache, ids));
        }
    }

    /// The pieces of a text.
    pub(crate) fn pieces(&self, scratch: &mut Scratch, text: &str) -> Vec<String> {
        let Scratch { word, nodes, text: whole, spare, .. } = scratch;
        let text = steps::apply(&self.options.steps, self.charsmap, text, whole, spare);
        let mut pieces = Vec::new();
        if let (Kind::Unigram, Some(classes)) = (self.options.kind, self.classes) {
            let sink = PieceSink {
                unigram: self.unigram,
                mark: self.options.mark,
                nodes,
                pieces: &mut pieces,
            };
            Words::new(self.options, self.late_charsmap(), classes, word, sink).run(text);
        } else {
            let cutter = self.word_piece();
            bert::words(self.options, text, word, |word| cutter.spell(word, &mut pieces));
        }
        pieces
    }

    fn word_piece(&self) -> WordPiece<'_> {
        WordPiece::new(self.unigram.trie, self.options.longest_word as usize)
    }

    /// The character map, unless it was a step on the whole text.
    fn late_charsmap(&self) -> Option<Charsmap<'_>> {
        if self.options.steps.is_empty() { self.charsmap } else { None }
    }
}

/// Appends the ids of a `WordPiece` word from the cache, or cuts it and keeps them.
fn cut_cached(pieces: &WordPiece<'_>, word: &[u8], cache: &mut WordCache, ids: &mut Vec<u32>) {
    let key = Key::new(word, word.len());
    if key.is_some_and(|key| cache.fetch(key, ids)) {
        return;
    }
    let first = ids.len();
    if !pieces.cut(word, |id, _| ids.push(id)) {
        ids.truncate(first);
    }
    if let Some(key) = key {
        cache.keep(key, &ids[first..]);
    }
}

/// Cuts words into ids.
struct IdSink<'a> {
    unigram: Unigram<'a>,
    mark: char,
    nodes: &'a mut Vec<Node>,
    cache: &'a mut WordCache,
    ids: &'a mut Vec<u32>,
}

impl IdSink<'_> {
    /// Appends the ids of a word from the cache, or cuts it and keeps them.
    fn cut(&mut self, key: Option<Key>, word: &[u8]) {
        let first = self.ids.len();
        self.unigram.cut(word, self.nodes, self.ids);
        if let Some(key) = key {
            self.cache.keep(key, &self.ids[first..]);
        }
    }
}

impl Sink for IdSink<'_> {
    fn word(&mut self, word: &[u8]) {
        let mark = self.mark.len_utf8();
        let mut buffer = [0; 4];
        let bare = word.strip_prefix(self.mark.encode_utf8(&mut buffer).as_bytes());
        let key = bare.and_then(|bare| Key::new(bare, word.len() - mark));
        if key.is_none_or(|key| !self.cache.fetch(key, self.ids)) {
            self.cut(key, word);
        }
    }

    #[inline]
    fn plain_word(&mut self, buffer: &mut Vec<u8>, text: &[u8], length: usize) {
        let key = Key::new(text, length);
        if key.is_none_or(|key| !self.cache.fetch(key, self.ids)) {
            put_word(self.mark, text, length, buffer);
            self.cut(key, buffer);
        }
    }
}

/// Cuts words into the texts of their pieces.
struct PieceSink<'a> {
    unigram: Unigram<'a>,
    mark: char,
    nodes: &'a mut Vec<Node>,
    pieces: &'a mut Vec<String>,
}

impl Sink for PieceSink<'_> {
    fn word(&mut self, word: &[u8]) {
        let spans: Vec<Range<usize>> = self.unigram.spans(word, self.nodes);
        self.pieces.extend(
            spans.into_iter().map(|span| String::from_utf8_lossy(&word[span]).into_owned()),
        );
    }

    fn plain_word(&mut self, buffer: &mut Vec<u8>, text: &[u8], length: usize) {
        put_word(self.mark, text, length, buffer);
        self.word(buffer);
    }
}

/// Puts a plain word together.
fn put_word(mark: char, text: &[u8], length: usize, buffer: &mut Vec<u8>) {
    buffer.extend_from_slice(mark.encode_utf8(&mut [0; 4]).as_bytes());
    buffer.extend_from_slice(&text[..length]);
}
