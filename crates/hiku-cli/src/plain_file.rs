//! Text files that the user names. Only regular files are read, so that no command waits for a pipe
//! that nobody writes to, or fills memory from a device.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Reads a text file of at most `most` bytes.
///
/// # Errors
/// As [`read_bytes`]; `InvalidData` for what is no UTF-8.
pub(crate) fn read_text(path: &Path, most: u64) -> io::Result<String> {
    let bytes = read_bytes(path, most)?;
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Reads a file of at most `most` bytes. The null device is an empty file, and a file that the
/// shell has opened for us (`/dev/fd/N`) is read like stdin.
///
/// # Errors
/// The operating system's refusal; `InvalidInput` for what is no regular file, `FileTooLarge`.
pub(crate) fn read_bytes(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    if path == Path::new("/dev/null") {
        return Ok(Vec::new());
    }
    if path.starts_with("/dev/fd") {
        let mut bytes = Vec::new();
        File::open(path)?.take(most).read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    hiku::vault::read_regular(path, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_files_are_read_and_nothing_else() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), "日本\n").expect("its text");
        assert_eq!(read_text(file.path(), 99).expect("a text"), "日本\n");
        let kind = |path: &Path, most| read_text(path, most).expect_err("no text").kind();
        assert_eq!(kind(file.path(), 3), io::ErrorKind::FileTooLarge);
        std::fs::write(file.path(), [0xFF, 0xFE]).expect("no text");
        assert_eq!(kind(file.path(), 99), io::ErrorKind::InvalidData);
        assert_eq!(kind(Path::new("/absent/file"), 99), io::ErrorKind::NotFound);
        if cfg!(unix) {
            assert_eq!(kind(Path::new("/dev/zero"), 99), io::ErrorKind::InvalidInput);
            assert_eq!(read_text(Path::new("/dev/null"), 99).expect("an empty file"), "");
        }
    }
}
