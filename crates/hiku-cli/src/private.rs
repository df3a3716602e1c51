//! Files and folders that only their owner may read. With `system`, the only module with Unix-only
//! calls; elsewhere the user's profile folder protects them.

use std::fs;
use std::io;
use std::path::Path;

/// Makes a folder and its parents; a new one is readable by its owner only.
///
/// # Errors
/// The operating system's refusal.
pub(crate) fn make_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Takes a file away from everyone but its owner. A file that is not there is no error.
///
/// # Errors
/// The operating system's refusal.
pub(crate) fn restrict_file(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        match fs::metadata(path) {
            Ok(found) if found.permissions().mode() & 0o077 != 0 => {
                fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
            }
            _ => {}
        }
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// True where nobody but its owner may read the file. On systems that have no such bits it is taken
/// to be so.
///
/// # Errors
/// The operating system's refusal.
pub(crate) fn is_restricted(path: &Path) -> io::Result<bool> {
    let found = fs::metadata(path)?;
    #[cfg(unix)]
    let others = std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o077;
    #[cfg(not(unix))]
    let others = u32::from(!found.is_file());
    Ok(others == 0)
}

/// Writes a file as a whole, readable by its owner only: a reader sees the old or the new one.
///
/// # Errors
/// The operating system's refusal.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let new = path.with_file_name(name);
    fs::write(&new, [])?;
    restrict_file(&new)?;
    fs::write(&new, bytes)?;
    fs::rename(&new, path)
}
