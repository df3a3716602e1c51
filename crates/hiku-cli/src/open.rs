//! Opens a note in the user's editor or in Obsidian. Runs only what the user's environment or the
//! system names, never what a vault names.

use std::path::Path;
use std::process::Command;

use crate::exit::{CommandError, Exit};
use crate::settings::{Environment, OBSIDIAN_FOLDER};

/// Opens `path` of `vault` at a line: in `EDITOR` where it is set, else in Obsidian where the vault
/// is one of its own, else in what the system opens such files with. Waits for an editor to end.
///
/// `path` is relative to the vault and came from the index, `line` is 1-based. Nothing is passed
/// through a shell.
///
/// # Errors
/// Exit code 1 when the program cannot be run.
pub(crate) fn note(
    environment: &Environment,
    vault: &Path,
    path: &str,
    line: usize,
) -> Result<(), CommandError> {
    let file = vault.join(path);
    let mut command = match &environment.editor {
        Some(editor) => editor_command(editor, &file, line),
        None if vault.join(OBSIDIAN_FOLDER).is_dir() => {
            let mut command = system_opener();
            command.arg(format!("obsidian://open?path={}", percent_encoded(&file)));
            command
        }
        None => {
            let mut command = system_opener();
            command.arg(&file);
            command
        }
    };
    let program = command.get_program().to_string_lossy().into_owned();
    let messages = environment.messages;
    let failed = |cause: String| {
        CommandError::new(Exit::Failed, messages.cannot_open(&program, cause))
            .hint(messages.hint_editor())
    };
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(failed(status.to_string())),
        Err(error) => Err(failed(error.to_string())),
    }
}

/// `EDITOR` may hold arguments. Editors disagree on how a line is named: most follow vi.
fn editor_command(editor: &str, file: &Path, line: usize) -> Command {
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or("vi");
    let name = Path::new(program).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut command = Command::new(program);
    command.args(words);
    let with_line = || {
        let mut target = file.as_os_str().to_owned();
        target.push(format!(":{line}"));
        target
    };
    match name.as_str() {
        "code" | "code-insiders" | "codium" | "cursor" => command.arg("-g").arg(with_line()),
        "hx" | "helix" | "zed" | "subl" => command.arg(with_line()),
        "vi" | "vim" | "nvim" | "nano" | "emacs" | "emacsclient" | "micro" | "kak" => {
            command.arg(format!("+{line}")).arg(file)
        }
        _ => command.arg(file),
    };
    command
}

/// The program that opens files and links by the user's choice.
fn system_opener() -> Command {
    if cfg!(target_os = "macos") {
        Command::new("open")
    } else if cfg!(windows) {
        Command::new("explorer")
    } else {
        Command::new("xdg-open")
    }
}

/// A path as part of a URL (RFC 3986: everything but unreserved characters is encoded).
fn percent_encoded(path: &Path) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    path.as_os_str()
        .as_encoded_bytes()
        .iter()
        .map(
            |&byte| {
                if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }
            },
        )
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_editor_is_told_the_line_its_way() {
        let check = |editor: &str, expected: &[&str]| {
            let command = editor_command(editor, Path::new("/v/a b.md"), 12);
            let words: Vec<_> =
                command.get_args().map(|word| word.to_string_lossy().into_owned()).collect();
            assert_eq!(words, expected, "{editor}");
        };
        check("vim", &["+12", "/v/a b.md"]);
        check("/usr/bin/nvim -n", &["-n", "+12", "/v/a b.md"]);
        check("code --wait", &["--wait", "-g", "/v/a b.md:12"]);
        check("hx", &["/v/a b.md:12"]);
        check("unknown", &["/v/a b.md"]);
    }

    #[test]
    fn paths_are_encoded_for_a_url() {
        assert_eq!(percent_encoded(Path::new("/v/あ b.md")), "%2Fv%2F%E3%81%82%20b.md");
    }
}
