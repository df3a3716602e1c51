//! What only some systems can tell or do. With `private`, the only module with calls that are not
//! portable; elsewhere its functions know nothing and refuse.

use std::fs::Metadata;
use std::path::Path;

/// Which file or folder an entry is, whatever it is called.
///
/// Two that were there at the same time and differ are not the same; `None` where the system does
/// not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileId(Option<(u64, u64)>);

impl FileId {
    /// Which file or folder lies at `path`; `None` where none does.
    pub(crate) fn at(path: &Path) -> Option<Self> {
        std::fs::metadata(path).ok().map(|metadata| FileId::of(&metadata))
    }

    #[cfg(unix)]
    fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        FileId(Some((metadata.dev(), metadata.ino())))
    }

    #[cfg(not(unix))]
    fn of(_: &Metadata) -> Self {
        FileId(None)
    }
}
