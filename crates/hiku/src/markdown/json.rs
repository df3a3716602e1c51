//! A tolerant JSON reader: comments, trailing commas, single quotes and bare words are taken, as
//! configuration files have them. Gives text, not types.

use super::yaml::{Refusal, Value};

/// Deepest nesting that is read. The reader is recursive; this bounds its stack.
const MAX_DEPTH: usize = 32;

/// Reads an object or array.
///
/// # Errors
/// Where the text is anything else, or goes on behind it.
pub(crate) fn read(text: &str) -> Result<Value, Refusal> {
    let mut reader = Reader { rest: text.trim_start_matches('\u{feff}'), depth: 0 };
    let value = reader.document();
    let read = &text[..text.len() - reader.rest.len()];
    value.ok_or_else(|| Refusal { line: 1 + read.matches('\n').count() })
}

struct Reader<'t> {
    rest: &'t str,
    depth: usize,
}

impl Reader<'_> {
    fn document(&mut self) -> Option<Value> {
        self.blanks();
        if !self.rest.starts_with(['{', '[']) {
            return None;
        }
        let value = self.value()?;
        self.blanks();
        self.rest.is_empty().then_some(value)
    }

    fn value(&mut self) -> Option<Value> {
        self.blanks();
        match self.rest.chars().next()? {
            '{' => self.nested(Self::object),
            '[' => self.nested(Self::array),
            quote @ ('"' | '\'') => self.string(quote).map(Value::Scalar),
            _ => self.word().map(|word| match word {
                "null" => Value::Null,
                word => Value::Scalar(word.to_owned()),
            }),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Option<Value>) -> Option<Value> {
        self.depth += 1;
        let value = if self.depth > MAX_DEPTH { None } else { read(self) };
        self.depth -= 1;
        value
    }

    fn object(&mut self) -> Option<Value> {
        self.skip('{')?;
        let mut entries = Vec::new();
        loop {
            self.blanks();
            if self.skip('}').is_some() {
                return Some(Value::Map(entries));
            }
            let key = match self.rest.chars().next()? {
                quote @ ('"' | '\'') => self.string(quote)?,
                _ => self.word()?.to_owned(),
            };
            self.blanks();
            self.skip(':')?;
            entries.push((key, self.value()?));
            self.separator('}')?;
        }
    }

    fn array(&mut self) -> Option<Value> {
        self.skip('[')?;
        let mut items = Vec::new();
        loop {
            self.blanks();
            if self.skip(']').is_some() {
                return Some(Value::List(items));
            }
            items.push(self.value()?);
            self.separator(']')?;
        }
    }

    /// A comma, or the closing bracket, which is left to be read.
    fn separator(&mut self, close: char) -> Option<()> {
        self.blanks();
        if self.rest.starts_with(close) { Some(()) } else { self.skip(',') }
    }

    fn skip(&mut self, character: char) -> Option<()> {
        self.rest = self.rest.strip_prefix(character)?;
        Some(())
    }

    fn blanks(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            if let Some(comment) = self.rest.strip_prefix("//") {
                self.rest = &comment[comment.find('\n').unwrap_or(comment.len())..];
            } else if let Some((_, behind)) =
                self.rest.strip_prefix("/*").and_then(|comment| comment.split_once("*/"))
            {
                self.rest = behind;
            } else {
                return;
            }
        }
    }

    fn word(&mut self) -> Option<&str> {
        let is_end = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '+' | '.' | '$'));
        let (word, rest) = self.rest.split_at(self.rest.find(is_end).unwrap_or(self.rest.len()));
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }

    fn string(&mut self, quote: char) -> Option<String> {
        self.skip(quote)?;
        let mut text = String::new();
        loop {
            let end = self.rest.find([quote, '\\', '\n'])?;
            text.push_str(&self.rest[..end]);
            self.rest = &self.rest[end..];
            if self.skip(quote).is_some() {
                return Some(text);
            }
            self.skip('\\')?;
            let escape = self.rest.chars().next()?;
            self.rest = &self.rest[escape.len_utf8()..];
            text.push(match escape {
                'n' => '\n',
                't' => '\t',
                'r' | 'b' | 'f' | '\n' => ' ',
                'u' => self.code_point()?,
                other => other,
            });
        }
    }

    /// The digits of `\uXXXX`, with a second surrogate behind the first.
    fn code_point(&mut self) -> Option<char> {
        let first = self.hex()?;
        if !(0xD800..0xDC00).contains(&first) {
            return Some(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        let Some(behind) = self.rest.strip_prefix("\\u") else {
            return Some(char::REPLACEMENT_CHARACTER);
        };
        self.rest = behind;
        let second = self.hex()?;
        let low = second.checked_sub(0xDC00).filter(|low| *low < 0x400);
        let code = low.map(|low| 0x10000 + ((first - 0xD800) << 10) + low);
        Some(code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn hex(&mut self) -> Option<u32> {
        let (digits, rest) = self.rest.split_at_checked(4)?;
        self.rest = rest;
        u32::from_str_radix(digits, 16).ok()
    }
}
