//! The files on disk that make up an index: where one may stand, what stands beside it, setting an
//! unusable one aside and removing one. Opens no database.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::lock::WriterLock;
use crate::error::{Error, Result};

/// Name endings of the files that the database keeps beside an index.
const DATABASE_FILES: [&str; 2] = ["-wal", "-shm"];
/// What is between the name of an index and the number of a bad copy of it.
const BAD: &str = ".bad-";

/// Refuses a place where something stands that is no file: a folder, a device, a pipe. Nothing is
/// made or opened.
///
/// # Errors
/// `User`.
pub(crate) fn check_place(index: &Path) -> Result<()> {
    let problem = match fs::metadata(index) {
        Ok(found) if found.is_file() => return Ok(()),
        Ok(found) if found.is_dir() => "it is a folder, and an index is a file",
        Ok(_) => "it is a device, pipe or socket, and an index is a file",
        // What else is wrong is told when the file is opened.
        Err(_) => return Ok(()),
    };
    Err(Error::IndexPlace { path: index.to_path_buf(), problem })
}

/// `path` with `end` behind its name.
pub(super) fn with_ending(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

/// Makes the database's files beside an index writable where the index is. They are made with the
/// index's permissions; those of one that was read-only meanwhile would bar every later writer.
/// What cannot be changed is told when the file is opened.
pub(super) fn share_permissions(index: &Path) {
    let Ok(own) = fs::metadata(index).map(|metadata| metadata.permissions()) else { return };
    for file in DATABASE_FILES.map(|end| with_ending(index, end)) {
        let is_locked = fs::metadata(&file).is_ok_and(|found| found.permissions().readonly());
        if is_locked && !own.readonly() {
            let _ = fs::set_permissions(&file, own.clone());
        }
    }
}

/// Renames an index and what belongs to it to the first free `NAME.bad-<n>`, and gives that. The
/// caller holds the lock.
///
/// # Errors
/// `Io`.
pub(crate) fn set_aside(index: &Path, _lock: &WriterLock) -> Result<PathBuf> {
    let names = (1u32..).map(|number| with_ending(index, &format!("{BAD}{number}")));
    let free = |path: &PathBuf| fs::symlink_metadata(path).is_err();
    let kept = names.into_iter().find(free).unwrap_or_default();
    for end in [""].iter().chain(&DATABASE_FILES) {
        let file = with_ending(index, end);
        match fs::rename(&file, with_ending(&kept, end)) {
            Err(error) if error.kind() != ErrorKind::NotFound || end.is_empty() => {
                return Err(Error::io(&file, "rename the unusable index", error));
            }
            _ => {}
        }
    }
    Ok(kept)
}

/// Deletes an index with all that belongs to it, the copies that were set aside too. False where
/// there was none.
///
/// # Errors
/// `Busy` while another process writes it, `User` where no index can stand, `Io`.
pub(crate) fn remove(index: &Path) -> Result<bool> {
    check_place(index)?;
    if fs::symlink_metadata(index.parent().unwrap_or(index)).is_err() {
        return Ok(false);
    }
    let lock = WriterLock::acquire(index, Duration::ZERO)?;
    let existed = fs::symlink_metadata(index).is_ok();
    let own = [""].iter().chain(&DATABASE_FILES).map(|end| with_ending(index, end));
    for file in own.chain(bad_copies(index)) {
        match fs::remove_file(&file) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(Error::io(&file, "delete the index", error));
            }
            _ => {}
        }
    }
    lock.delete()?;
    Ok(existed)
}

/// Every copy of an index that was set aside, and what belongs to it.
fn bad_copies(index: &Path) -> Vec<PathBuf> {
    let folder = index.parent().filter(|folder| !folder.as_os_str().is_empty());
    let prefix = with_ending(Path::new(index.file_name().unwrap_or_default()), BAD);
    let prefix = prefix.as_os_str().as_encoded_bytes();
    let is_copy = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        let number = name.strip_prefix(prefix).and_then(|rest| rest.split(|b| *b == b'-').next());
        number.is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit))
    };
    let listed = fs::read_dir(folder.unwrap_or(Path::new("."))).into_iter().flatten().flatten();
    listed.map(|entry| entry.path()).filter(is_copy).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_of(names: &[&str]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        for name in names {
            fs::write(folder.path().join(name), name).expect("a file");
        }
        let index = folder.path().join("i.hiku");
        (folder, index)
    }

    fn names(folder: &Path) -> Vec<String> {
        let listed = fs::read_dir(folder).expect("a listing").flatten();
        let mut names: Vec<_> =
            listed.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn an_unusable_index_is_kept_under_a_free_name_with_its_companions() {
        let (folder, index) = folder_of(&["i.hiku", "i.hiku-wal", "i.hiku.bad-1"]);
        let lock = WriterLock::acquire(&index, Duration::ZERO).expect("the lock");
        let kept = set_aside(&index, &lock).expect("it is renamed");
        assert_eq!(
            names(folder.path()),
            ["i.hiku.bad-1", "i.hiku.bad-2", "i.hiku.bad-2-wal", "i.hiku.lock"]
        );
        assert_eq!(fs::read_to_string(kept).expect("the file"), "i.hiku");
    }

    #[test]
    fn removing_takes_all_that_belongs_to_the_index_and_nothing_else() {
        let own = ["i.hiku", "i.hiku-shm", "i.hiku-wal", "i.hiku.bad-1", "i.hiku.bad-12-wal"];
        let others = ["i.hiku.bad-", "i.hiku.bad-x", "i.hiku2", "j.hiku", "j.hiku.bad-1"];
        let (folder, index) = folder_of(&[&own[..], &others[..]].concat());
        assert!(remove(&index).expect("it is removed"));
        assert_eq!(names(folder.path()), others);
        assert!(!remove(&index).expect("nothing to remove"));
        assert_eq!(names(folder.path()), others);
        assert!(!remove(&folder.path().join("absent/i.hiku")).expect("nothing to remove"));
    }

    #[test]
    fn removing_waits_for_no_writer() {
        let (folder, index) = folder_of(&["i.hiku"]);
        let lock = WriterLock::acquire(&index, Duration::ZERO).expect("the lock");
        let error = remove(&index).expect_err("it is written");
        assert_eq!(error.kind(), crate::ErrorKind::Busy);
        assert!(error.to_string().contains(&std::process::id().to_string()), "{error}");
        assert_eq!(names(folder.path()), ["i.hiku", "i.hiku.lock"]);
        drop(lock);
        assert!(remove(&index).expect("it is removed"));
    }

    #[test]
    fn what_is_no_file_is_refused_before_anything_is_made() {
        let (folder, _) = folder_of(&[]);
        let mut places = vec![folder.path().to_path_buf()];
        places.extend(
            ["/dev/full", "/dev/null"].map(PathBuf::from).into_iter().filter(|d| d.exists()),
        );
        #[cfg(unix)]
        let _socket = {
            let socket = folder.path().join("socket");
            places.push(socket.clone());
            std::os::unix::net::UnixListener::bind(socket)
        };
        let before = names(folder.path());
        for place in places {
            let results = [
                WriterLock::acquire(&place, Duration::ZERO).map(drop),
                remove(&place).map(drop),
                super::super::Store::open(&place).map(drop),
            ];
            for result in results {
                let error = result.expect_err("no place for an index");
                assert!(matches!(error, Error::IndexPlace { .. }), "{}: {error}", place.display());
            }
            assert!(!with_ending(&place, ".lock").exists());
        }
        assert_eq!(names(folder.path()), before);
    }
}
