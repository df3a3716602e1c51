//! The writer's lock: a file beside the index, held by the operating system for the life of the
//! process and naming its holder, so that nothing stale is left after a crash.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::files::{check_place, with_ending};
use crate::error::{Error, Result};
use crate::platform::file_id;

/// How often a waiting writer looks again.
const POLL: Duration = Duration::from_millis(20);

/// Held while the index is written.
///
/// The lock is the system's and goes with the process, however it ends; the file stays and means
/// nothing by itself. Readers never take it.
#[derive(Debug)]
pub(crate) struct WriterLock {
    file: File,
    path: PathBuf,
}

impl WriterLock {
    /// Takes the lock of an index, waiting at most `wait` for another holder.
    ///
    /// # Errors
    /// `User` where no index can stand, `Busy` when another process holds it, `Io` when the lock
    /// file cannot be made.
    pub(crate) fn acquire(index: &Path, wait: Duration) -> Result<Self> {
        check_place(index)?;
        let path = with_ending(index, ".lock");
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)
                .map_err(|error| Error::io(folder, "make the folder", error))?;
        }
        check_place(&path)?;
        let end = Instant::now() + wait;
        loop {
            let mut file = open(&path).map_err(|error| Error::io(&path, "open the lock", error))?;
            match file.try_lock() {
                // The holder before may have deleted the file that was opened here: another writer
                // then locks a new one of that name, and a lock on the old one is worth nothing.
                Ok(()) if !is_at(&file, &path) => {}
                Ok(()) => {
                    name_holder(&mut file)
                        .map_err(|error| Error::io(&path, "write the lock", error))?;
                    return Ok(WriterLock { file, path });
                }
                Err(TryLockError::WouldBlock) if Instant::now() < end => std::thread::sleep(POLL),
                Err(TryLockError::WouldBlock) => return Err(busy(index, &mut file)),
                Err(TryLockError::Error(error)) => {
                    return Err(Error::io(&path, "take the lock", error));
                }
            }
        }
    }

    /// Deletes the lock file, as its holder's last act. It stays where the system could not tell a
    /// waiting writer that it is gone.
    ///
    /// # Errors
    /// `Io`.
    pub(super) fn delete(self) -> Result<()> {
        let known = self.file.metadata().ok().and_then(|metadata| file_id(&metadata));
        if known.is_none() {
            return Ok(());
        }
        std::fs::remove_file(&self.path)
            .map_err(|error| Error::io(&self.path, "delete the lock", error))
    }
}

impl Drop for WriterLock {
    fn drop(&mut self) {
        // The system frees the lock with the file; emptying it only spares a reader an old name.
        let _ = self.file.set_len(0);
    }
}

fn open(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

/// Whether an open file is the one that its path names now; true where the system does not say.
fn is_at(file: &File, path: &Path) -> bool {
    let opened = file.metadata().ok().and_then(|metadata| file_id(&metadata));
    let named = std::fs::metadata(path).ok().and_then(|metadata| file_id(&metadata));
    opened.is_none() || opened == named
}

fn name_holder(file: &mut File) -> std::io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    write!(file, "process {}", std::process::id())?;
    file.flush()
}

fn busy(index: &Path, file: &mut File) -> Error {
    let mut holder = String::new();
    let named = file.rewind().is_ok() && file.read_to_string(&mut holder).is_ok();
    let holder = Some(holder).filter(|holder| named && !holder.is_empty());
    Error::Busy { path: index.to_path_buf(), holder }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_lock_on_a_deleted_file_is_no_lock() {
        let folder = tempfile::tempdir().expect("a folder");
        let index = folder.path().join("i.hiku");
        let path = with_ending(&index, ".lock");
        let first = WriterLock::acquire(&index, Duration::ZERO).expect("the lock");
        let late = open(&path).expect("the file that the first writer holds");
        assert!(is_at(&late, &path));
        first.delete().expect("it is deleted");
        assert!(late.try_lock().is_ok() && !is_at(&late, &path), "held, and worth nothing");
        let second = WriterLock::acquire(&index, Duration::ZERO).expect("the new lock");
        let third = WriterLock::acquire(&index, Duration::ZERO).expect_err("it is held");
        assert_eq!(third.kind(), crate::ErrorKind::Busy);
        drop(second);
    }

    #[test]
    fn of_many_writers_and_removers_one_holds_the_lock_at_a_time() {
        use std::sync::atomic::{AtomicUsize, Ordering};
        let folder = tempfile::tempdir().expect("a folder");
        let index = folder.path().join("i.hiku");
        let (holders, turns) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = |removes: bool| {
            for _ in 0..200 {
                let Ok(lock) = WriterLock::acquire(&index, Duration::ZERO) else { continue };
                assert_eq!(holders.fetch_add(1, Ordering::SeqCst), 0, "two writers");
                std::thread::yield_now();
                turns.fetch_add(1, Ordering::SeqCst);
                holders.fetch_sub(1, Ordering::SeqCst);
                if removes {
                    lock.delete().expect("it is deleted");
                }
            }
        };
        std::thread::scope(|scope| {
            for number in 0..4 {
                scope.spawn(move || work(number % 2 == 0));
            }
        });
        assert!(turns.into_inner() > 0);
    }
}
