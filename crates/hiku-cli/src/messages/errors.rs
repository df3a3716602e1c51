//! The library's errors in the user's language, and the next step for each.

use hiku::Error;

use super::{Language, Messages};

impl Messages {
    /// What went wrong.
    pub(crate) fn error(self, error: &Error) -> String {
        match self.0 {
            Language::English => error.to_string(),
            Language::Japanese => japanese(error).unwrap_or_else(|| error.to_string()),
        }
    }

    /// What to do about it; `flags` name the vault and index of the command that failed.
    pub(crate) fn next_step(self, error: &Error, flags: &str) -> String {
        match error {
            Error::Vault { .. } => self.hint_choose_vault(),
            Error::IndexMissing { .. } => self.hint_build(flags),
            Error::IndexForeign { .. } => self.hint_foreign(flags),
            Error::IndexFormat { found, supported, .. } if found > supported => {
                self.hint_newer(flags)
            }
            Error::IndexDamaged { .. } | Error::IndexFormat { .. } | Error::ModelChanged { .. } => {
                self.hint_rebuild(flags)
            }
            Error::IndexPlace { .. } => self.hint_index_elsewhere(),
            Error::OtherVault { .. } => self.hint_other_index(flags),
            Error::Busy { .. } => self.hint_busy(),
            Error::Io { path, .. } | Error::Sqlite { path, .. } => {
                self.hint_disk(crate::safe::shell_quoted(path.parent().unwrap_or(path)))
            }
            Error::OutOfRange { minimum, maximum, .. } => self.hint_range(minimum, maximum),
            Error::Pattern { .. } => self.hint_pattern(),
            Error::Note { .. } | Error::NoteAmbiguous { .. } => self.hint_note(),
            Error::NoHeading { .. } | Error::NoLines { .. } => self.hint_part(),
            Error::Model { .. } => self.hint_model(),
            Error::SignalMissing { .. } => self.hint_strict(),
            Error::Cancelled => self.hint_again(),
            _ => self.hint_report(),
        }
    }
}

/// `None` for errors that later versions of the library may add.
fn japanese(error: &Error) -> Option<String> {
    Some(match error {
        Error::Vault { path, problem } => {
            format!("保管庫 {} {}", path.display(), japanese_problem(problem))
        }
        Error::Io { path, source, .. } => {
            format!("{} の読み書きに失敗しました: {source}", path.display())
        }
        Error::IndexMissing { path } => format!("{} に索引がありません", path.display()),
        Error::IndexDamaged { path, detail } => {
            format!("索引 {} が壊れています: {detail}", path.display())
        }
        Error::IndexForeign { path } => {
            format!("{} は hiku が作った索引ではありません", path.display())
        }
        Error::IndexPlace { path, problem } => {
            format!("{} に索引は置けません: {}", path.display(), japanese_problem(problem))
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
            format!("{name} は {value} ですが、{minimum} から {maximum} でなければなりません")
        }
        Error::Pattern { pattern, detail } => {
            format!("パスのパターン {pattern:?} を読み取れません: {detail}")
        }
        Error::Note { path, problem } => format!("{path:?} {}", japanese_problem(problem)),
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
            format!("手がかり {signal} がありません: {reason}")
        }
        Error::Cancelled => "何もしないうちに中断しました".to_owned(),
        Error::Sqlite { path, source, .. } => {
            format!("索引 {} の操作に失敗しました: {source}", path.display())
        }
        Error::Internal { detail } => format!("内部の不具合: {detail}"),
        _ => return None,
    })
}

/// The library's predicates; an unknown one stays English.
fn japanese_problem(problem: &str) -> &str {
    match problem {
        "does not exist" => "は存在しません",
        "is not a folder" => "はフォルダではありません",
        "it is a folder, and an index is a file" => "フォルダです。索引はファイルです",
        "it is a device, pipe or socket, and an index is a file" => {
            "デバイス、パイプまたはソケットです。索引はファイルです"
        }
        "is no path inside the vault" => "は保管庫の中のパスではありません",
        "is a symbolic link, and those are not followed" => {
            "はシンボリックリンクなのでたどりません"
        }
        "is larger than a note may be" => "はノートとして大きすぎます",
        "cannot be read" => "は読めません",
        "is not a note of this vault" => "はこの保管庫のノートではありません",
        other => other,
    }
}
