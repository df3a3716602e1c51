//! The writer's lock: a file beside the index, held by the operating system for the life of the
//! process and naming its holder, so that nothing stale is left after a crash.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};

/// How often a waiting writer looks again.
const POLL: Duration = Duration::from_millis(20);

/// Held while the index is written.
///
/// The lock is the system's and goes with the process, however it ends; the file stays and means
/// nothing by itself. Readers never take it.
#[derive(Debug)]
pub(crate) struct WriterLock {
    file: File,
}

impl WriterLock {
    /// Takes the lock of an index, waiting at most `wait` for another holder.
    ///
    /// # Errors
    /// `Busy` when another process holds it, `Io` when the lock file cannot be made.
    pub(crate) fn acquire(index: &Path, wait: Duration) -> Result<Self> {
        let path = lock_path(index);
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)
                .map_err(|error| Error::io(folder, "make the folder", error))?;
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        let mut file =
            options.open(&path).map_err(|error| Error::io(&path, "open the lock", error))?;
        let end = Instant::now() + wait;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if Instant::now() < end => std::thread::sleep(POLL),
                Err(TryLockError::WouldBlock) => return Err(busy(index, &mut file)),
                Err(TryLockError::Error(error)) => {
                    return Err(Error::io(&path, "take the lock", error));
                }
            }
        }
        name_holder(&mut file).map_err(|error| Error::io(&path, "write the lock", error))?;
        Ok(WriterLock { file })
    }
}

impl Drop for WriterLock {
    fn drop(&mut self) {
        // The system frees the lock with the file; emptying it only spares a reader an old name.
        let _ = self.file.set_len(0);
    }
}

fn lock_path(index: &Path) -> PathBuf {
    let mut name = index.as_os_str().to_owned();
    name.push(".lock");
    PathBuf::from(name)
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
