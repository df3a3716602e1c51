//! The project that an agent works on, by its names alone: the folder, the repository, the files
//! changed last. Runs no program and reads nothing of the project but file names and the address in
//! its Git config.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use hiku::Hit;

use crate::plain_file::read_text;

/// Files whose names are asked for, the most recently changed.
const RECENT_FILES: usize = 5;
/// Entries of the project's folders that are looked at: a project has more than need be known.
const MAX_ENTRIES: usize = 400;
/// Longest Git config that is read, in bytes.
const MAX_GIT_CONFIG_BYTES: u64 = 64 << 10;
/// Shortest name that is one: shorter ones stand in any text.
const MIN_NAME_CHARACTERS: usize = 3;
/// Names that every second project has: a note that holds one need not mean this one.
const COMMON_NAMES: &str = "app code demo dev docs home main master project projects repo root site \
    source src test tests tmp user users web work workspace";
/// Folders without a person's recent work.
const NO_WORK: [&str; 6] = ["target", "node_modules", "dist", "build", "vendor", "__pycache__"];

/// What a project is called.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Project {
    /// Names that a note about the project holds, lower-case: of its folder and its repository.
    names: Vec<String>,
    /// Names of the files changed last, without their endings.
    files: Vec<String>,
}

impl Project {
    /// The project in a folder; an empty one for the home folder, and for one in the vault, whose
    /// notes are not about it but in it.
    pub(super) fn of(folder: &Path, vault: &Path, home: Option<&Path>) -> Self {
        let Ok(folder) = fs::canonicalize(folder) else { return Project::default() };
        if folder.starts_with(vault) || Some(folder.as_path()) == home {
            return Project::default();
        }
        let own = folder.file_name().map(|name| name.to_string_lossy().to_lowercase());
        let mut names: Vec<String> = [own, repository(&folder)].into_iter().flatten().collect();
        let is_common = |name: &str| COMMON_NAMES.split_whitespace().any(|common| common == name);
        names.retain(|name| name.chars().count() >= MIN_NAME_CHARACTERS && !is_common(name));
        names.dedup();
        let files = if names.is_empty() { Vec::new() } else { recent_files(&folder) };
        Project { names, files }
    }

    /// What to ask for; empty where nothing names the project.
    pub(super) fn question(&self) -> String {
        [self.names.as_slice(), &self.files].concat().join(" ")
    }

    /// True where a note names the project: in its path, its title or a passage.
    pub(super) fn is_named_in(&self, hit: &Hit) -> bool {
        let passages = hit.passages.iter().map(|passage| passage.text.as_str());
        let mut texts = [hit.path.as_str(), &hit.title].into_iter().chain(passages);
        texts.any(|text| {
            let text = text.to_lowercase();
            self.names.iter().any(|name| text.contains(name.as_str()))
        })
    }
}

/// The last part of the address in the Git config of the folder or of one above it.
fn repository(folder: &Path) -> Option<String> {
    let config = folder.ancestors().map(|folder| folder.join(".git/config"));
    let text = config.into_iter().find_map(|path| read_text(&path, MAX_GIT_CONFIG_BYTES).ok())?;
    let address = text.lines().find_map(|line| line.trim().strip_prefix("url = "))?;
    let name = address.trim_end_matches('/').rsplit(['/', ':']).next()?;
    Some(name.trim_end_matches(".git").to_lowercase())
}

/// Names of the files changed last in the folder and those in it, equal times by name.
fn recent_files(folder: &Path) -> Vec<String> {
    let mut found: Vec<(SystemTime, String)> = Vec::new();
    let (mut folders, mut left) = (vec![(folder.to_path_buf(), 0)], MAX_ENTRIES);
    while let Some((folder, depth)) = folders.pop() {
        for path in entries(&folder).into_iter().take(left) {
            left -= 1;
            let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
            if metadata.is_dir() && depth < 2 {
                folders.push((path, depth + 1));
            } else if metadata.is_file()
                && let (Ok(time), Some(stem)) = (metadata.modified(), path.file_stem())
            {
                found.push((time, stem.to_string_lossy().into_owned()));
            }
        }
    }
    found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    found.truncate(RECENT_FILES);
    found.into_iter().map(|(_, stem)| stem).collect()
}

/// Paths in a folder, sorted, without hidden ones and those that programs make.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(MAX_ENTRIES);
    let is_work = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        !name.starts_with('.') && !NO_WORK.contains(&&*name)
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_work).collect();
    paths.sort();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{hit, passage};

    #[test]
    fn a_project_is_known_by_its_names() {
        let outer = tempfile::tempdir().expect("a folder");
        let root = fs::canonicalize(outer.path()).expect("its path");
        let folder = root.join("Harbor-UI");
        for part in ["src", ".git", "target"] {
            fs::create_dir_all(folder.join(part)).expect("a folder");
        }
        fs::write(folder.join("src/list_view.ts"), "").expect("a file");
        fs::write(folder.join("target/made.o"), "").expect("a file");
        let config = "[remote \"origin\"]\n\turl = git@host.invalid:team/harbor.git\n";
        fs::write(folder.join(".git/config"), config).expect("a config");
        let project = Project::of(&folder, &root.join("vault"), None);
        assert_eq!(project.question(), "harbor-ui harbor list_view");
        assert!(project.is_named_in(&hit("projects/harbor/a.md", "A", vec![])));
        assert!(project.is_named_in(&hit("a.md", "A", vec![passage("The Harbor-UI team")])));
        assert!(!project.is_named_in(&hit("a.md", "A", vec![passage("a list_view")])));
        for nothing in [Project::of(&folder, &root, None), Project::of(&folder, &root, Some(&root))]
        {
            assert_eq!(nothing, Project::default());
        }
        assert_eq!(
            Project::of(&folder.join("src"), &root.join("v"), None).question(),
            "harbor list_view"
        );
        assert_eq!(Project::of(&root.join("none"), &root.join("v"), None), Project::default());
    }
}
