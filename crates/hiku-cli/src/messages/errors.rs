//! The library's errors in the user's language, and the next step for each.
//!
//! The library says English by itself (`Display`); what is translated here is whole sentences with
//! the fields of each error. Fixed phrases inside of the fields go through `phrases`, and the
//! system's own words stay as they are.

use std::path::Path;

use hiku::Error;

use super::phrases::japanese as phrase;
use super::{Language, Messages};
use crate::safe::shell_quoted;

impl Messages {
    /// What went wrong.
    pub(crate) fn error(self, error: &Error) -> String {
        match self.0 {
            Language::English => error.to_string(),
            Language::Japanese => japanese(error).unwrap_or_else(|| error.to_string()),
        }
    }

    /// What to do about it; `flags` name the vault and index of the command that failed, so that
    /// each command in a hint can be pasted as it stands.
    ///
    /// One sentence that ends in a command where a command helps; names of notes are quoted for a
    /// POSIX shell and stand behind `--`, so that one beginning with a hyphen is no flag.
    pub(crate) fn next_step(self, error: &Error, flags: &str) -> String {
        let command = |words: &str| format!("hiku {words} {flags}").trim_end().to_owned();
        let with_name = |words: &str, name: &str| {
            format!("{} -- {}", command(words), shell_quoted(Path::new(name)))
        };
        match error {
            Error::Vault { .. } => self.hint_choose_vault(),
            Error::IndexMissing { .. } => self.hint_build(command("index")),
            Error::IndexForeign { .. } => self.hint_foreign(command("index")),
            Error::IndexFormat { found, supported, .. } if found > supported => {
                self.hint_newer(command("index"))
            }
            Error::IndexDamaged { .. } | Error::IndexFormat { .. } | Error::ModelChanged { .. } => {
                self.hint_rebuild(command("index --full"))
            }
            Error::IndexPlace { .. } => self.hint_index_elsewhere(),
            Error::OtherVault { .. } => self.hint_other_index(command("index --full")),
            Error::Busy { .. } => self.hint_busy(command("search --no-refresh") + " WORDS"),
            Error::Io { path, .. } | Error::Sqlite { path, .. } => {
                self.hint_disk(shell_quoted(path.parent().unwrap_or(path)))
            }
            Error::OutOfRange { minimum, maximum, .. } => self.hint_range(minimum, maximum),
            Error::Pattern { .. } => self.hint_pattern(),
            Error::Note { path, .. } => self.hint_note(with_name("search --paths", path)),
            Error::NoteAmbiguous { name, paths } => {
                self.hint_ambiguous(with_name("read", paths.first().unwrap_or(name)))
            }
            Error::NoHeading { path, .. } | Error::NoLines { path, .. } => {
                self.hint_part(with_name("read", path))
            }
            Error::Model { .. } => self.hint_model(),
            Error::SignalMissing { .. } => self.hint_strict(),
            Error::Cancelled => self.hint_again(),
            _ => self.hint_report(command("index --full")),
        }
    }
}

/// `None` for errors that later versions of the library may add.
fn japanese(error: &Error) -> Option<String> {
    Some(match error {
        Error::Vault { path, problem } => {
            format!("保管庫 {} {}", path.display(), phrase(problem))
        }
        Error::Io { path, source, .. } => {
            format!("{} の読み書きに失敗しました: {source}", path.display())
        }
        Error::IndexMissing { path } => format!("{} に索引がありません", path.display()),
        Error::IndexDamaged { path, detail } => {
            format!("索引 {} が壊れています: {}", path.display(), phrase(detail))
        }
        Error::IndexForeign { path } => {
            format!("{} は hiku が作った索引ではありません", path.display())
        }
        Error::IndexPlace { path, problem } => {
            format!("{} に索引は置けません: {}", path.display(), phrase(problem))
        }
        Error::OtherVault { path, vault } => {
            format!("索引 {} は保管庫 {} のものではありません", path.display(), vault.display())
        }
        Error::IndexFormat { path, found, supported } => format!(
            "索引 {} の形式は {found} ですが、このプログラムが読めるのは {supported} です",
            path.display()
        ),
        Error::ModelChanged { path, found, wanted } => format!(
            "索引 {} はモデル {found} で作られていますが、使用中のモデルは {wanted} です",
            path.display()
        ),
        Error::Busy { path, .. } => {
            format!("他のプロセスが索引 {} に書き込み中です", path.display())
        }
        Error::OutOfRange { name, value, minimum, maximum } => {
            let name = phrase(name);
            format!("{name}は {value} ですが、{minimum} から {maximum} でなければなりません")
        }
        Error::Pattern { pattern, detail } => {
            format!("パスのパターン {pattern:?} を読み取れません: {}", phrase(detail))
        }
        Error::Note { path, problem } => format!("{path:?} {}", phrase(problem)),
        Error::NoteAmbiguous { name, paths } => {
            format!("{name:?} という名前のノートは複数あります: {}", paths.join("、"))
        }
        Error::NoHeading { path, heading } => {
            format!("{path:?} に見出し {heading:?} はありません")
        }
        Error::NoLines { path, start, end, lines } => {
            format!("{path:?} は {lines} 行です。{start} 行から {end} 行はありません")
        }
        Error::Model { path, detail } => {
            format!("モデル {} を使えません: {detail}", path.display())
        }
        Error::SignalMissing { signal, reason } => {
            format!("手がかり {signal} がありません: {}", phrase(reason))
        }
        Error::Cancelled => "何もしないうちに中断しました".to_owned(),
        Error::Sqlite { path, source, .. } => {
            format!("索引 {} の操作に失敗しました: {source}", path.display())
        }
        Error::Internal { detail } => format!("内部の不具合: {detail}"),
        _ => return None,
    })
}
