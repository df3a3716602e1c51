//! A config file as text: reading it, and saying where in it something is wrong. Knows no key's
//! meaning.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use hiku::Error;
use serde::de::DeserializeOwned;
use toml::de::{DeTable, DeValue};

use super::files::MAX_CONFIG_BYTES;
use crate::exit::{CommandError, Exit};
use crate::messages::Messages;
use crate::plain_file::read_bytes;
use crate::safe::shell_quoted;

/// A config file's text with its name; empty where there is no file.
#[derive(Debug, Clone, Default)]
pub(super) struct Document {
    path: PathBuf,
    text: String,
}

impl Document {
    /// Reads a file; an empty document where there is none.
    ///
    /// # Errors
    /// Exit code 2 when it is not UTF-8, 1 when the system refuses to read it.
    pub(super) fn read(path: &Path, messages: Messages) -> Result<Self, CommandError> {
        match read_bytes(path, MAX_CONFIG_BYTES) {
            Ok(bytes) => Document::of_bytes(path, bytes, messages),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Ok(Document::new(path, String::new()))
            }
            Err(error) => Err(Error::io(path, "read the config", error).into()),
        }
    }

    /// What was read of a file.
    ///
    /// # Errors
    /// Exit code 2 when it is not UTF-8.
    pub(super) fn of_bytes(
        path: &Path,
        bytes: Vec<u8>,
        messages: Messages,
    ) -> Result<Self, CommandError> {
        String::from_utf8(bytes).map(|text| Document::new(path, text)).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            Document::new(path, text).fault(
                Some(valid..valid),
                None,
                &messages.not_utf8(),
                messages,
            )
        })
    }

    /// A document that is in memory already.
    pub(super) fn new(path: &Path, text: String) -> Self {
        Document { path: path.to_path_buf(), text }
    }

    /// The file's path, for messages.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The text as it stands.
    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// The table that the text spells.
    ///
    /// # Errors
    /// Exit code 2 when it is no TOML, with line, column and key.
    pub(super) fn table(&self, messages: Messages) -> Result<toml::Table, CommandError> {
        self.text.parse().map_err(|error: toml::de::Error| {
            let key = error.span().and_then(|span| self.key_on_line(span.start));
            self.fault(error.span(), key, error.message(), messages)
        })
    }

    /// A table of this document, perhaps without some of its keys, as a value.
    ///
    /// # Errors
    /// Exit code 2 when a value is of another kind, with line, column and key.
    pub(super) fn values<T: DeserializeOwned>(
        &self,
        table: toml::Table,
        messages: Messages,
    ) -> Result<T, CommandError> {
        table.try_into().map_err(|error: toml::de::Error| {
            let shown = error.to_string();
            let key = shown.lines().last().and_then(|line| line.strip_prefix("in `"));
            let key = key.map(|key| key.trim_end_matches('`'));
            let span = key.and_then(|key| self.span_of(key));
            self.fault(span, key, error.message(), messages)
        })
    }

    /// Where the value of a dotted key stands: `FILE:LINE:COLUMN`, or the file alone where it is
    /// not in it.
    pub(super) fn place_of(&self, key: &str) -> String {
        self.place(self.span_of(key))
    }

    /// A fault of this file, with the command that opens it.
    fn fault(
        &self,
        span: Option<Range<usize>>,
        key: Option<&str>,
        detail: &str,
        messages: Messages,
    ) -> CommandError {
        let detail = match key {
            Some(key) => format!("{key}: {detail}"),
            None => detail.to_owned(),
        };
        CommandError::new(Exit::Usage, messages.malformed_config(self.place(span), detail))
            .hint(messages.hint_edit(shell_quoted(&self.path)))
    }

    /// Lines and columns count from 1, columns in characters.
    fn place(&self, span: Option<Range<usize>>) -> String {
        let Some(span) = span else { return self.path.display().to_string() };
        let before = &self.text[..self.text.floor_char_boundary(span.start)];
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|found| *found != '\n').count() + 1;
        format!("{}:{line}:{column}", self.path.display())
    }

    fn span_of(&self, key: &str) -> Option<Range<usize>> {
        let table = DeTable::parse(&self.text).ok()?;
        let mut names = key.split('.');
        let mut value = find(table.get_ref(), names.next()?)?;
        for name in names {
            value = find(value.get_ref().as_table()?, name)?;
        }
        Some(value.span())
    }

    /// The key that is set on the line of this byte, if one is.
    fn key_on_line(&self, at: usize) -> Option<&str> {
        let at = self.text.floor_char_boundary(at.min(self.text.len().saturating_sub(1)));
        let start = self.text[..at].rfind('\n').map_or(0, |before| before + 1);
        let line = self.text[start..].lines().next()?;
        let (key, _) = line.split_once('=')?;
        Some(key.trim()).filter(|key| !key.is_empty())
    }
}

fn find<'t, 'i>(table: &'t DeTable<'i>, name: &str) -> Option<&'t toml::Spanned<DeValue<'i>>> {
    table.iter().find(|(key, _)| key.get_ref() == name).map(|(_, value)| value)
}
