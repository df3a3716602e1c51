//! Symbolic links on a walk: which are followed, and why the others are not. Asks the file system
//! where a link leads and reads nothing.

use std::fs;
use std::path::{Path, PathBuf};

use super::SkipReason;

/// Where a link on the walk leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// Inside the vault; its real path, relative to the root.
    Inside(PathBuf),
    /// Not to be followed, and to be reported.
    Refused(SkipReason),
    /// Not to be followed here: the link is met at its own place too.
    Again,
}

/// Where the link at `path` leads, seen from the canonical folder `root`. A link inside of what
/// another link shows is not followed again, so that links across each other end and no folder is
/// shown more often than there are links.
pub(super) fn target(root: &Path, path: &Path) -> Target {
    let unreadable =
        |error: std::io::Error| Target::Refused(SkipReason::Unreadable(error.to_string()));
    match path.parent().unwrap_or(root).canonicalize() {
        Err(error) => return unreadable(error),
        Ok(folder) if Some(folder.as_path()) != path.parent() => return Target::Again,
        Ok(_) => {}
    }
    let real = match path.canonicalize() {
        Err(error) => return unreadable(error),
        Ok(real) => real,
    };
    match real.strip_prefix(root) {
        Err(_) => Target::Refused(SkipReason::LinkOutside),
        Ok(_) if path.starts_with(&real) => Target::Refused(SkipReason::LinkInCircle),
        Ok(inside) => Target::Inside(inside.to_path_buf()),
    }
}

/// True for a link to a folder.
pub(super) fn leads_to_folder(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// The path of a link that leads to a folder above it, where that is what an error says.
pub(super) fn circle(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::Loop { child, .. } => Some(child),
        ignore::Error::WithPath { err, .. }
        | ignore::Error::WithDepth { err, .. }
        | ignore::Error::WithLineNumber { err, .. } => circle(err),
        _ => None,
    }
}
