//! The system's file events for one vault: which of them can concern its notes, and where. Counts,
//! pairs and orders nothing.

use std::path::{Component, Path, PathBuf};
use std::sync::mpsc::Sender;

use notify::event::{CreateKind, EventKindMask, RemoveKind};
use notify::{Config, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use crate::settings::VAULT_CONFIG;
use crate::system::FileId;

/// Folders whose insides are never notes. The scan leaves them out; an editor or version control
/// writes in them all the time.
const NEVER_NOTES: [&str; 3] = [".obsidian", ".git", ".trash"];
/// Files that decide which notes there are: the one of Obsidian's, and those of any name here.
const OBSIDIAN_SETTINGS: &str = ".obsidian/app.json";
/// Names of files that decide which notes there are.
const RULES: [&str; 2] = [".hikuignore", VAULT_CONFIG];

/// Where something changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sign {
    /// Nobody knows, or it concerns more than one place.
    Anywhere,
    /// At this path, relative to the vault.
    At(PathBuf),
}

/// A watch on a folder; closed when dropped.
#[derive(Debug)]
pub(super) struct Eyes {
    folder: FileId,
    watcher: Result<RecommendedWatcher, String>,
}

impl Eyes {
    /// Watches the folder `root`, which is `folder` now, and sends for each event that may concern
    /// a note.
    pub(super) fn open(root: &Path, folder: FileId, sender: Sender<Sign>) -> Self {
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

fn open(root: &Path, sender: Sender<Sign>) -> notify::Result<RecommendedWatcher> {
    // Reading a note must be no event, else each update would cause the next one.
    let config =
        Config::default().with_follow_symlinks(false).with_event_kinds(EventKindMask::CORE);
    let own = PathBuf::from(root);
    let hear = move |event: notify::Result<Event>| {
        for sign in signs(&own, &event) {
            // The receiver goes away when the following ends.
            let _ = sender.send(sign);
        }
    };
    let mut watcher = RecommendedWatcher::new(hear, config)?;
    watcher.watch(root, RecursiveMode::Recursive)?;
    Ok(watcher)
}

/// What an event says of the vault's notes; nothing where it cannot concern them.
fn signs(root: &Path, event: &notify::Result<Event>) -> Vec<Sign> {
    // Faults and lost events count: something may have changed.
    let Ok(event) = event else { return vec![Sign::Anywhere] };
    if event.need_rescan() || event.paths.is_empty() {
        return vec![Sign::Anywhere];
    }
    if matches!(event.kind, EventKind::Access(_)) {
        return Vec::new();
    }
    let is_of_folder = matches!(
        event.kind,
        EventKind::Create(CreateKind::Folder) | EventKind::Remove(RemoveKind::Folder)
    );
    let inside = event.paths.iter().map(|path| path.strip_prefix(root).unwrap_or(path));
    let concerned = inside.filter(|path| may_be_note(path));
    concerned.map(|path| if is_of_folder { Sign::Anywhere } else { sign(path) }).collect()
}

fn sign(path: &Path) -> Sign {
    let is_rule = |name: &&str| path.file_name().is_some_and(|found| found == *name);
    if path == Path::new(OBSIDIAN_SETTINGS) || RULES.iter().any(is_rule) {
        return Sign::Anywhere;
    }
    Sign::At(path.to_path_buf())
}

fn may_be_note(path: &Path) -> bool {
    let is_inside =
        |part: Component<'_>| NEVER_NOTES.iter().any(|folder| part.as_os_str() == *folder);
    path == Path::new(OBSIDIAN_SETTINGS) || !path.components().any(is_inside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use notify::event::{AccessKind, Flag};

    #[test]
    fn what_concerns_notes() {
        let root = Path::new("/v");
        let check = |event: Event, expected: &[Sign]| {
            assert_eq!(signs(root, &Ok(event.clone())), expected, "{event:?}");
        };
        let created =
            |path: &str| Event::new(EventKind::Create(CreateKind::File)).add_path(path.into());
        let at = |path: &str| [Sign::At(path.into())];
        let anywhere = [Sign::Anywhere];
        check(created("/v/a.md"), &at("a.md"));
        check(created("/v/b/c"), &at("b/c"));
        check(Event::new(EventKind::Create(CreateKind::Folder)).add_path("/v/b".into()), &anywhere);
        check(created("/v/b/.hikuignore"), &anywhere);
        check(created("/v/hiku.toml"), &anywhere);
        check(created("/v/.obsidian/app.json"), &anywhere);
        check(created("/v/.obsidian/workspace.json"), &[]);
        check(created("/v/deep/.git/index.lock"), &[]);
        check(created("/v/.git/x").add_path("/v/a.md".into()), &at("a.md"));
        let read = Event::new(EventKind::Access(AccessKind::Any)).add_path("/v/a.md".into());
        check(read, &[]);
        check(Event::new(EventKind::Other).set_flag(Flag::Rescan), &anywhere);
        assert_eq!(signs(root, &Err(notify::Error::generic("lost"))), anywhere);
    }
}
