//! Full disks and changed permissions in the middle of a run: the run says so and fails, the index
//! that was there still answers, and once there is room or permission the next run completes it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::Trial;
use super::program::Program;
use super::vault::Vault;

/// Paragraphs of a note, at most.
const PARAGRAPHS: usize = 4;
/// Exit codes of a run that the disk refused: failed, or done because there was room after all.
const FAILED_OR_DONE: [i32; 2] = [0, 1];

/// Makes the trial.
pub(super) fn run(trial: &Trial) -> Result<String> {
    let full = match SmallDisk::mount(&trial.folder.join("disk")) {
        Ok(disk) => full_disks(trial, &disk)?,
        Err(reason) => format!("full disks NOT tried, this machine cannot make one ({reason:#})"),
    };
    let permissions = permissions::run(trial)?;
    Ok(format!("{full}; {permissions}"))
}

/// A memory disk of a size that can be changed; unmounted when dropped.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(place: &Path) -> Result<Self> {
        std::fs::create_dir_all(place).context("make a folder")?;
        mount(&["-t", "tmpfs", "-o", "size=64k", "tmpfs"], place)?;
        Ok(SmallDisk(place.to_path_buf()))
    }

    fn resize(&self, kibibytes: u64) -> Result<()> {
        mount(&["-o", &format!("remount,size={kibibytes}k")], &self.0)
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // What cannot be unmounted shows when the folder is removed.
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

fn mount(arguments: &[&str], place: &Path) -> Result<()> {
    let output = Command::new("mount").args(arguments).arg(place).output();
    let output = output.context("there is no `mount`")?;
    let text = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{}", text.trim());
    Ok(())
}

/// Runs on disks of many sizes, from nothing to enough: first builds, updates, rebuilds.
fn full_disks(trial: &Trial, disk: &SmallDisk) -> Result<String> {
    let (notes, rounds) = if trial.short { (60, 4) } else { (800, 40) };
    let mut program = trial.program();
    program.index = disk.0.join("index.hiku");
    let mut vault = Vault::filled(&program.vault, trial.seed, notes, PARAGRAPHS)?;
    let (new_bytes, _) = {
        let measured = program.with_index("measured.hiku");
        measured.update()?;
        measured.sizes()
    };
    let enough = new_bytes / 1024 * 8 + 4_096;
    let (mut refused, mut survived) = (0, 0);
    for number in 0..rounds {
        // First builds on ever larger disks.
        program.remove_index()?;
        disk.resize(64 + new_bytes / 1024 * 3 * number / rounds)?;
        refused += usize::from(meets_a_full_disk(&program, &["index"])?);
        disk.resize(enough)?;
        program.update()?;
        // Then changes with a random rest of room.
        for _ in 0..notes / 4 {
            vault.edit(PARAGRAPHS)?;
        }
        let before = program.answers("雨\ntoken\n", "lexical", "20")?;
        let (used, log) = program.sizes();
        let room = vault.random().below(new_bytes as usize) as u64;
        disk.resize((used + log + room) / 1024 + 8)?;
        let arguments: &[&str] = if number % 2 == 0 { &["index"] } else { &["index", "--full"] };
        if meets_a_full_disk(&program, arguments)? {
            refused += 1;
            let after = program.answers("雨\ntoken\n", "lexical", "20")?;
            ensure!(before == after, "another answer after a refused run");
            survived += 1;
        }
        program.run(&["search", "雨"])?.expect("search on a full disk", &[0])?;
        disk.resize(enough)?;
        program.update()?;
        program.assert_sound()?;
        program.assert_complete(&vault)?;
    }
    program.assert_as_new()?;
    Ok(format!(
        "{refused} of {} runs met a full disk; after each of {survived} the index before answered",
        rounds * 2
    ))
}

/// Runs where there may be too little room; whether there was.
fn meets_a_full_disk(program: &Program, arguments: &[&str]) -> Result<bool> {
    let ended = program.run(arguments)?.expect("a run on a full disk", &FAILED_OR_DONE)?;
    let full = ended.code == Some(1);
    ensure!(!full || ended.stderr.contains("full"), "it does not say why: {}", ended.stderr);
    Ok(full)
}

#[cfg(not(unix))]
mod permissions {
    //! Nothing here: permissions are Unix's.

    use anyhow::Result;

    use super::super::Trial;

    pub(super) fn run(_: &Trial) -> Result<String> {
        Ok("permissions NOT tried, this system has none of that kind".to_owned())
    }
}

#[cfg(unix)]
mod permissions {
    //! Permissions that change while a run is under way. The superuser is refused nothing: for it
    //! the runs are another user's.

    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    use std::path::{Path, PathBuf};
    use std::time::Duration;

    use anyhow::{Context, Result};

    use super::super::Trial;
    use super::super::program::Program;
    use super::super::vault::Vault;
    use super::PARAGRAPHS;

    /// The user `nobody` of most systems.
    const NOBODY: u32 = 65_534;

    /// Makes the trial.
    pub(super) fn run(trial: &Trial) -> Result<String> {
        let (notes, rounds) = if trial.short { (60, 8) } else { (800, 60) };
        let mut program = trial.program();
        program.home = trial.folder.join("other-home");
        program.vault = trial.folder.join("locked-vault");
        fs::create_dir_all(&program.home).context("make a home")?;
        program = program.with_index("index.hiku");
        let mut vault = Vault::filled(&program.vault, trial.seed, notes, PARAGRAPHS)?;
        become_another(trial, &mut program)?;
        hand_over(&program, &trial.folder)?;
        program.update()?;
        let mut refused = 0;
        for number in 0..rounds {
            for _ in 0..notes / 10 {
                vault.edit(PARAGRAPHS)?;
            }
            hand_over(&program, &trial.folder)?;
            refused += usize::from(lock_midway(&program, &mut vault, number)?);
            program.update()?;
            program.assert_sound()?;
            program.assert_complete(&vault)?;
        }
        program.assert_as_new()?;
        Ok(format!("{rounds} runs with permissions taken away midway, {refused} of them refused"))
    }

    /// Lets the program run as a user who can be refused, with a copy that this user can read.
    fn become_another(trial: &Trial, program: &mut Program) -> Result<()> {
        if fs::metadata(&trial.folder).context("the folder")?.uid() == 0 {
            let copy = trial.folder.join("hiku");
            fs::copy(&program.binary, &copy).context("copy the program")?;
            (program.binary, program.user) = (copy, Some(NOBODY));
        }
        Ok(())
    }

    /// Gives everything to the user whom the program runs as.
    fn hand_over(program: &Program, folder: &Path) -> Result<()> {
        let Some(user) = program.user else { return Ok(()) };
        for place in [&program.vault, &program.home] {
            for path in everything_in(place)? {
                chown(&path, Some(user), None)
                    .with_context(|| format!("hand over {}", path.display()))?;
            }
        }
        allow(folder, 0o755)
    }

    fn everything_in(folder: &Path) -> Result<Vec<PathBuf>> {
        let mut found = vec![folder.to_path_buf()];
        let listed = fs::read_dir(folder).with_context(|| format!("list {}", folder.display()))?;
        for entry in listed {
            let path = entry.context("read an entry")?.path();
            if path.is_dir() {
                found.extend(everything_in(&path)?);
            } else {
                found.push(path);
            }
        }
        Ok(found)
    }

    fn allow(path: &Path, mode: u32) -> Result<()> {
        fs::set_permissions(path, fs::Permissions::from_mode(mode))
            .with_context(|| format!("set permissions of {}", path.display()))
    }

    /// Takes a permission away at a random moment of a run and gives it back behind it; whether the
    /// run failed. A note or a folder that cannot be read is no failure, the index's own files are.
    fn lock_midway(program: &Program, vault: &mut Vault, number: usize) -> Result<bool> {
        let (place, locked, usual) = match number % 4 {
            0 => (program.index.clone(), 0o400, 0o600),
            1 => (program.home.clone(), 0o500, 0o700),
            2 => (program.vault.join("資料"), 0o000, 0o755),
            _ => {
                let count = vault.notes().len();
                let at = vault.random().below(count);
                let note = vault.notes().keys().nth(at).cloned().unwrap_or_default();
                (program.vault.join(note), 0o000, 0o644)
            }
        };
        let child = program.start(&["index"])?;
        std::thread::sleep(Duration::from_millis(80).mul_f64(vault.random().share()));
        if place.exists() {
            allow(&place, locked)?;
        }
        let ended = super::super::program::ended(child)?.expect("a locked run", &[0, 1])?;
        program.run(&["search", "--no-refresh", "雨"])?.expect("search", &[0, 1])?;
        if place.exists() {
            allow(&place, usual)?;
        }
        Ok(ended.code == Some(1))
    }
}
