//! Bringing an index up to date for the commands that need it: building with progress, mending an
//! unusable file, and the quiet refresh before a search.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use hiku::vault::Folder;
use hiku::{Error, ErrorKind, Index, Progress, SilentProgress, UpdateOptions, UpdateReport};
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::exit::CommandError;
use crate::session::Session;
use crate::settings::Place;
use crate::{private, registry, render};

/// Updates or makes the index. An unusable file is kept under another name and the index is made
/// anew, except in a dry run.
///
/// # Errors
/// What the library says of vault, index and disk.
pub(crate) fn build(
    place: &Place,
    options: UpdateOptions,
    progress: &dyn Progress,
    session: &Session,
) -> Result<UpdateReport, CommandError> {
    let folder = Folder::open(&place.vault, &place.settings.vault).map_err(|e| place.failed(e))?;
    let stop = stop_on_signals()?;
    if !options.dry_run {
        make_private(place)?;
    }
    let update = || Index::update(&folder, &place.index, &place.settings, options, progress, &stop);
    let result = match update() {
        Err(error) if is_unusable(&error) && !options.dry_run => {
            let kept = set_aside(&place.index)?;
            session
                .warn(&session.messages().mended(session.messages().error(&error), kept.display()));
            update()
        }
        other => other,
    };
    progress.finish();
    let report = result.map_err(|error| place.failed(error))?;
    restrict(place)?;
    Ok(report)
}

/// Updates an index that is there, in silence. Where another process writes it or the disk
/// refuses, the index as it is must do, and that is said.
///
/// # Errors
/// What the library says of a vault or index that cannot be used at all.
pub(crate) fn quietly(place: &Place, session: &Session) -> Result<(), CommandError> {
    let folder = Folder::open(&place.vault, &place.settings.vault).map_err(|e| place.failed(e))?;
    let (options, stop) = (UpdateOptions::default(), AtomicBool::new(false));
    let messages = session.messages();
    match Index::update(&folder, &place.index, &place.settings, options, &SilentProgress, &stop) {
        Ok(report) => render::kept(&report, place, messages).iter().for_each(|r| session.warn(r)),
        Err(error) if error.kind() == ErrorKind::Busy => session.warn(&messages.refresh_busy()),
        Err(error) if error.kind() == ErrorKind::Io => {
            session.warn(&messages.refresh_failed(messages.error(&error)));
        }
        Err(error) => return Err(place.failed(error)),
    }
    Ok(())
}

/// True for a file that only a rebuild can mend.
fn is_unusable(error: &Error) -> bool {
    matches!(
        error,
        Error::IndexDamaged { .. } | Error::IndexForeign { .. } | Error::IndexFormat { .. }
    )
}

/// Renames an index and what belongs to it to the first free `NAME.bad-<n>`.
fn set_aside(index: &Path) -> Result<PathBuf, CommandError> {
    let taken = |path: &Path| fs::symlink_metadata(path).is_ok();
    let names = (1u32..).map(|number| registry::with_ending(index, &format!(".bad-{number}")));
    let kept = names.into_iter().find(|path| !taken(path)).unwrap_or_default();
    fs::rename(index, &kept).map_err(|e| Error::io(index, "rename the unusable index", e))?;
    for end in ["-wal", "-shm"] {
        let companion = registry::with_ending(index, end);
        if taken(&companion) {
            fs::rename(&companion, registry::with_ending(&kept, end))
                .map_err(|e| Error::io(&companion, "rename the unusable index", e))?;
        }
    }
    Ok(kept)
}

/// The index's folder, private where it is ours to make.
fn make_private(place: &Place) -> Result<(), CommandError> {
    let Some(folder) = place.index.parent() else { return Ok(()) };
    private::make_folder(folder)
        .map_err(|error| place.failed(Error::io(folder, "make the folder", error)))
}

fn restrict(place: &Place) -> Result<(), CommandError> {
    registry::files_of(&place.index).try_for_each(|file| {
        private::restrict_file(&file).map_err(|e| place.failed(Error::io(&file, "protect", e)))
    })
}

/// A flag that SIGINT and SIGTERM set. The second signal ends the process as if nobody listened.
fn stop_on_signals() -> Result<Arc<AtomicBool>, CommandError> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // The order matters: the first handler must not see what the second one sets.
        signal_hook::flag::register_conditional_default(signal, Arc::clone(&stop))?;
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unusable_index_is_kept_under_a_free_name_with_its_companions() {
        let folder = tempfile::tempdir().expect("a folder");
        let index = folder.path().join("i.hiku");
        for name in ["i.hiku", "i.hiku-wal", "i.hiku.bad-1"] {
            fs::write(folder.path().join(name), name).expect("a file");
        }
        let kept = set_aside(&index).expect("it is renamed");
        let mut names: Vec<_> = fs::read_dir(folder.path())
            .expect("a listing")
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        assert_eq!(names, ["i.hiku.bad-1", "i.hiku.bad-2", "i.hiku.bad-2-wal"]);
        assert_eq!(fs::read_to_string(kept).expect("the file"), "i.hiku");
    }
}
