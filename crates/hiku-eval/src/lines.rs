//! Text files that are read line by line, with every fault named by file and line. Knows no layout.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, ErrorKind};
use std::path::Path;

use serde::de::DeserializeOwned;

use crate::error::Error;

/// Reads every line that is not blank. `parse` takes it without its line end, and says what is
/// wrong with it; it may pass over a line with `None`.
///
/// # Errors
/// The first line at fault, or a file that cannot be read.
pub(crate) fn read<T>(
    path: &Path,
    mut parse: impl FnMut(usize, &str) -> Result<Option<T>, String>,
) -> Result<Vec<T>, Error> {
    let unreadable = |source| Error::Read { path: path.to_path_buf(), source };
    // Opening a pipe may wait for ever.
    if !fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(unreadable(ErrorKind::InvalidInput.into()));
    }
    let file = BufReader::new(File::open(path).map_err(unreadable)?);
    let mut values = Vec::new();
    for (before, bytes) in file.split(b'\n').enumerate() {
        let bytes = bytes.map_err(unreadable)?;
        let fault = |detail| Error::Line { path: path.to_path_buf(), line: before + 1, detail };
        let text = str::from_utf8(&bytes).map_err(|_| fault("it is not UTF-8".to_owned()))?;
        let text = text.strip_prefix('\u{feff}').filter(|_| before == 0).unwrap_or(text);
        let text = text.strip_suffix('\r').unwrap_or(text);
        if !text.trim().is_empty() {
            values.extend(parse(before + 1, text).map_err(fault)?);
        }
    }
    Ok(values)
}

/// Reads one JSON object a line.
///
/// # Errors
/// As [`read`].
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, Error> {
    read(path, |_, text| parse_json(text).map(Some))
}

/// Parses one line of JSON.
///
/// # Errors
/// What is wrong with it and in which column; the line is the caller's to name.
pub(crate) fn parse_json<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| {
        let detail = error.to_string();
        let end = detail.rfind(" at line ").unwrap_or(detail.len());
        format!("{}, column {}", &detail[..end], error.column())
    })
}

/// The fields of a line: by tabs where it has one, so that ids may hold blanks, else by blanks.
pub(crate) fn fields(text: &str) -> Vec<&str> {
    if text.contains('\t') { text.split('\t').collect() } else { text.split_whitespace().collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabs_come_before_blanks() {
        assert_eq!(fields("q 1\tQ0\ta b"), ["q 1", "Q0", "a b"]);
        assert_eq!(fields(" q1  Q0 a "), ["q1", "Q0", "a"]);
    }

    #[test]
    fn a_fault_of_json_names_its_column_once() {
        let fault = parse_json::<u32>("\"x\"").expect_err("a text is no number");
        assert_eq!(fault, "invalid type: string \"x\", expected u32, column 3");
    }

    #[test]
    fn lines_are_counted_from_one_with_blank_ones_and_read_without_their_ends() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("f");
        std::fs::write(&file, "\u{feff}a\r\n\n  \nb").expect("the file");
        let lines = read(&file, |number, text| Ok(Some((number, text.to_owned())))).expect("lines");
        assert_eq!(lines, [(1, "a".to_owned()), (4, "b".to_owned())]);
        std::fs::write(&file, b"a\n\xff\n").expect("the file");
        let fault = read(&file, |_, _| Ok(Some(()))).expect_err("no UTF-8").to_string();
        assert!(fault.ends_with("f:2: it is not UTF-8"), "{fault}");
    }
}
