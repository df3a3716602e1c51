//! JSON text without a raw control or invisible character: the value stays exact, and nothing that
//! a terminal could obey leaves the process.

use std::io::{self, Write};

use serde_json::ser::Formatter;

use crate::safe::is_unsafe;

/// Compact JSON that escapes what [`is_unsafe`] names.
pub(crate) struct Invisible;

impl Formatter for Invisible {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut written = 0;
        for (at, found) in fragment.char_indices().filter(|(_, c)| is_unsafe(*c)) {
            writer.write_all(&fragment.as_bytes()[written..at])?;
            for unit in found.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            written = at + found.len_utf8();
        }
        writer.write_all(&fragment.as_bytes()[written..])
    }
}
