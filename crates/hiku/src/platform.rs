//! What only some systems know of a file: when its entry last changed, which file it is whatever
//! its name, and how much of it is on the disk. The only module of the library with such calls, beside the modes of the files
//! that `store` makes; elsewhere the answer is "not known".

use std::fs::Metadata;

/// When the file's entry (content, name, owner or mode) last changed, nanoseconds since 1970; 0
/// where the system does not say. Unlike the time of modification it cannot be set.
pub(crate) fn changed_ns(metadata: &Metadata) -> i64 {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        metadata.ctime().saturating_mul(1_000_000_000).saturating_add(metadata.ctime_nsec())
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        0
    }
}

/// Bytes of the disk that the file takes, as the system counts them; `None` where it does not say.
#[cfg_attr(unix, expect(clippy::unnecessary_wraps, reason = "other systems do not say"))]
pub(crate) fn allocated_bytes(metadata: &Metadata) -> Option<u64> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        // Counted in 512 bytes whatever the file system's blocks are (POSIX, sys_stat.h).
        Some(metadata.blocks().saturating_mul(512))
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        None
    }
}

/// Device and number of the file, the same for all its names; `None` where the system does not say.
#[cfg_attr(unix, expect(clippy::unnecessary_wraps, reason = "other systems do not say"))]
pub(crate) fn file_id(metadata: &Metadata) -> Option<(u64, u64)> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Some((metadata.dev(), metadata.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        None
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_keeps_its_id_when_renamed_and_another_has_another() {
        let folder = tempfile::tempdir().expect("a folder");
        let [one, two] = ["one", "two"].map(|name| folder.path().join(name));
        fs::write(&one, "a").expect("a file");
        let id = |path| file_id(&fs::metadata(path).expect("its metadata")).expect("an id");
        let first = id(&one);
        fs::rename(&one, &two).expect("a rename");
        fs::write(&one, "b").expect("a file");
        assert!(id(&two) == first && id(&one) != first);
    }

    #[test]
    fn the_entrys_time_is_that_of_now() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        file.as_file().set_modified(std::time::UNIX_EPOCH).expect("its time");
        let metadata = fs::metadata(file.path()).expect("its metadata");
        assert!(changed_ns(&metadata) > 1_600_000_000_000_000_000);
    }
}
