//! Reading files that are files: a pipe, socket or device is refused before it is opened, since
//! opening one may wait for ever and reading one may never end. Knows nothing of what is read.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::Path;

use super::SkipReason;

/// Longest settings file of a vault that is read, in bytes: people write a few hundred.
const MAX_SETTINGS_BYTES: u64 = 1 << 20;

/// Reads a regular file of at most `most` bytes as a whole. Links are followed.
///
/// # Errors
/// The operating system's refusal; `InvalidInput` for what is no regular file, `FileTooLarge`.
pub fn read_regular(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    // Looked at before it is opened, and again what was opened: it may be another by then.
    check(&fs::metadata(path)?)?;
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    check(&metadata)?;
    if metadata.len() > most {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads one of a vault's own settings files by its path below the root. `None` where there is none.
/// No link is followed out of the vault, and none from the file itself: a vault can come from
/// anywhere, and what it links to is not its own.
///
/// # Errors
/// Why it is not read.
pub fn read_settings(root: &Path, file: &str) -> Result<Option<Vec<u8>>, SkipReason> {
    let path = root.join(file);
    let unreadable = |error: io::Error| SkipReason::Unreadable(error.to_string());
    let metadata = match fs::symlink_metadata(&path) {
        Ok(metadata) => metadata,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    let folder = path.parent().unwrap_or(root).canonicalize().map_err(unreadable)?;
    if metadata.is_symlink() || !folder.starts_with(root.canonicalize().map_err(unreadable)?) {
        return Err(SkipReason::SymbolicLink);
    }
    if !metadata.is_file() {
        return Err(SkipReason::NotAFile);
    }
    match read_regular(&path, MAX_SETTINGS_BYTES) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
            Err(SkipReason::TooLarge(metadata.len()))
        }
        Err(error) => Err(unreadable(error)),
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn check(metadata: &Metadata) -> io::Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use testkit::TestVault;

    #[test]
    fn what_is_no_file_is_refused_without_being_opened() {
        let vault = TestVault::new("//- a.md\ntext\n");
        vault.pipe("pipe");
        for path in [vault.root().join("pipe"), vault.root(), "/dev/zero".into()] {
            let error = read_regular(&path, 99).expect_err("no file");
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{}", path.display());
        }
        let file = vault.root().join("a.md");
        assert_eq!(read_regular(&file, 5).expect("a file"), b"text\n");
        let error = read_regular(&file, 4).expect_err("it is longer");
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    }

    #[test]
    fn settings_are_read_inside_the_vault_only() {
        use std::os::unix::fs::symlink;
        let vault = TestVault::new("//- own/a.json\n{}\n//- big\n");
        vault.write("big", vec![b' '; (1 << 20) + 1]);
        vault.pipe("pipe");
        std::fs::create_dir(vault.outer().join("out")).expect("a folder");
        std::fs::write(vault.outer().join("out/a.json"), "{}").expect("a file");
        symlink(vault.outer().join("out"), vault.root().join("out")).expect("a link");
        symlink("own", vault.root().join("in")).expect("a link");
        symlink("own/a.json", vault.root().join("link")).expect("a link");
        let read = |file: &str| read_settings(&vault.root(), file);
        assert_eq!(read("own/a.json"), Ok(Some(b"{}\n".to_vec())));
        assert_eq!(read("in/a.json"), Ok(Some(b"{}\n".to_vec())));
        assert_eq!((read("absent"), read("big/absent")), (Ok(None), Ok(None)));
        assert_eq!(read("out/a.json"), Err(SkipReason::SymbolicLink));
        assert_eq!(read("link"), Err(SkipReason::SymbolicLink));
        assert_eq!(
            (read("pipe"), read("own")),
            (Err(SkipReason::NotAFile), Err(SkipReason::NotAFile))
        );
        assert_eq!(read("big"), Err(SkipReason::TooLarge((1 << 20) + 1)));
    }
}
