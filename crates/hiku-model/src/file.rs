//! Reading a model's files. What is no regular file is refused before it is opened: opening a pipe
//! may wait for ever, and a device may never end.

use std::fs;
use std::io;
use std::path::Path;

use crate::ModelError;

/// Reads a file as a whole.
///
/// # Errors
/// [`ModelError::Read`].
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, ModelError> {
    let read = || {
        if fs::metadata(path)?.is_file() {
            return fs::read(path);
        }
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"))
    };
    read().map_err(|source| ModelError::Read { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_and_a_device_are_no_files() {
        for path in ["/", "/dev/zero"] {
            assert!(read_file(Path::new(path)).is_err(), "{path}");
        }
    }
}
