//! The system's file events for one vault: which of them can concern its notes. Says only that
//! there was one; counts, pairs and orders nothing.

use std::path::{Component, Path, PathBuf};
use std::sync::mpsc::Sender;

use notify::event::EventKindMask;
use notify::{Config, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use crate::system::FileId;

/// Folders whose insides are never notes. The scan leaves them out; an editor or version control
/// writes in them all the time.
const NEVER_NOTES: [&str; 3] = [".obsidian", ".git", ".trash"];
/// The one file of those that decides which notes there are.
const OBSIDIAN_SETTINGS: &str = ".obsidian/app.json";

/// A watch on a folder; closed when dropped.
#[derive(Debug)]
pub(super) struct Eyes {
    folder: FileId,
    watcher: Result<RecommendedWatcher, String>,
}

impl Eyes {
    /// Watches the folder `root`, which is `folder` now, and sends for each event that may concern
    /// a note.
    pub(super) fn open(root: &Path, folder: FileId, sender: Sender<()>) -> Self {
        let watcher = open(root, sender).map_err(|error| error.to_string());
        Eyes { folder, watcher }
    }

    /// True while this is the folder that they look at.
    pub(super) fn see(&self, folder: FileId) -> bool {
        self.folder == folder
    }

    /// Why no events come.
    pub(super) fn blindness(&self) -> Option<&str> {
        self.watcher.as_ref().err().map(String::as_str)
    }
}

fn open(root: &Path, sender: Sender<()>) -> notify::Result<RecommendedWatcher> {
    // Reading a note must be no event, else each update would cause the next one.
    let config =
        Config::default().with_follow_symlinks(false).with_event_kinds(EventKindMask::CORE);
    let own = PathBuf::from(root);
    let hear = move |event: notify::Result<Event>| {
        if concerns_notes(&own, &event) {
            // The receiver goes away when the following ends.
            let _ = sender.send(());
        }
    };
    let mut watcher = RecommendedWatcher::new(hear, config)?;
    watcher.watch(root, RecursiveMode::Recursive)?;
    Ok(watcher)
}

/// Faults and lost events count: something may have changed.
fn concerns_notes(root: &Path, event: &notify::Result<Event>) -> bool {
    let Ok(event) = event else { return true };
    if event.need_rescan() || event.paths.is_empty() {
        return true;
    }
    if matches!(event.kind, EventKind::Access(_)) {
        return false;
    }
    event.paths.iter().any(|path| may_be_note(path.strip_prefix(root).unwrap_or(path)))
}

fn may_be_note(path: &Path) -> bool {
    let is_inside =
        |part: Component<'_>| NEVER_NOTES.iter().any(|folder| part.as_os_str() == *folder);
    path == Path::new(OBSIDIAN_SETTINGS) || !path.components().any(is_inside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use notify::event::{AccessKind, CreateKind, Flag};

    #[test]
    fn what_concerns_notes() {
        let root = Path::new("/v");
        let check = |event: Event, expected: bool| {
            assert_eq!(concerns_notes(root, &Ok(event.clone())), expected, "{event:?}");
        };
        let created =
            |path: &str| Event::new(EventKind::Create(CreateKind::Any)).add_path(path.into());
        check(created("/v/a.md"), true);
        check(created("/v/folder"), true);
        check(created("/v/.hikuignore"), true);
        check(created("/v/.obsidian/app.json"), true);
        check(created("/v/.obsidian/workspace.json"), false);
        check(created("/v/deep/.git/index.lock"), false);
        check(created("/v/.git/x").add_path("/v/a.md".into()), true);
        check(Event::new(EventKind::Access(AccessKind::Any)).add_path("/v/a.md".into()), false);
        check(Event::new(EventKind::Other).set_flag(Flag::Rescan), true);
        assert!(concerns_notes(root, &Err(notify::Error::generic("lost"))));
    }
}
