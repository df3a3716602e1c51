//! Usage errors of the command line in Japanese: what is wrong and where help is. The help texts
//! themselves stay English, and so does what clap says of rarer faults, below a line in Japanese.
//!
//! Built from the parts that clap gives (kind, argument, value, suggestions), never by rewriting
//! its English sentences, which may change with any version.

use std::error::Error as _;
use std::fmt::Write;

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::{Language, Messages};

impl Messages {
    /// What is wrong with the command line; `None` where clap's own words must do, which is always
    /// so in English and for help and version.
    ///
    /// Ends with a line that says where help is, and with a line break.
    pub(crate) fn usage(self, error: &Error) -> Option<String> {
        if self.0 == Language::English || !error.use_stderr() {
            return None;
        }
        let mut text = format!("{}: ", self.label_error());
        if let Some(problem) = problem(error) {
            text.push_str(&problem);
            for (kind, label) in SUGGESTIONS {
                if let Some(values) = context(error, kind) {
                    let _ = write!(text, "\n{label}: {values}");
                }
            }
            if let Some(usage) = context(error, ContextKind::Usage) {
                let usage = usage.trim_start_matches("Usage:").trim();
                let _ = write!(text, "\n使い方: {usage}");
            }
        } else {
            text.push_str("コマンドの書き方が正しくありません\n\n");
            text.push_str(error.render().to_string().trim_end());
        }
        text.push_str("\n\n詳しくは --help を付けて実行してください。\n");
        Some(text)
    }
}

/// What clap proposes in place of what was typed.
const SUGGESTIONS: [(ContextKind, &str); 4] = [
    (ContextKind::SuggestedArg, "もしかして"),
    (ContextKind::SuggestedSubcommand, "もしかして"),
    (ContextKind::SuggestedValue, "もしかして"),
    (ContextKind::ValidValue, "選べる値"),
];

/// The common faults in one sentence.
fn problem(error: &Error) -> Option<String> {
    let argument = || context(error, ContextKind::InvalidArg).unwrap_or_default();
    let value = || context(error, ContextKind::InvalidValue).unwrap_or_default();
    Some(match error.kind() {
        ErrorKind::UnknownArgument => format!("{} という引数はありません", argument()),
        ErrorKind::InvalidSubcommand => {
            let name = context(error, ContextKind::InvalidSubcommand).unwrap_or_default();
            format!("{name} というコマンドはありません")
        }
        ErrorKind::InvalidValue if value().is_empty() => {
            format!("{} に値がありません", argument())
        }
        ErrorKind::InvalidValue => format!("{} の値 {} は正しくありません", argument(), value()),
        ErrorKind::ValueValidation => {
            let cause = error.source().map(|cause| super::phrases::japanese(&cause.to_string()));
            let cause = cause.map(|cause| format!(": {cause}")).unwrap_or_default();
            format!("{} の値 {} は正しくありません{cause}", argument(), value())
        }
        ErrorKind::MissingRequiredArgument => format!("{} が必要です", argument()),
        ErrorKind::ArgumentConflict => {
            let other = context(error, ContextKind::PriorArg).unwrap_or_default();
            format!("{} と {other} は同時に使えません", argument())
        }
        ErrorKind::MissingSubcommand => "コマンドが必要です".to_owned(),
        _ => return None,
    })
}

/// What clap knows of the fault, as text.
fn context(error: &Error, kind: ContextKind) -> Option<String> {
    let text = match error.get(kind)? {
        ContextValue::String(text) => text.clone(),
        ContextValue::Strings(texts) => texts.join(", "),
        ContextValue::StyledStr(text) => text.to_string(),
        ContextValue::StyledStrs(texts) => {
            texts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        }
        _ => return None,
    };
    Some(crate::safe::block(&text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Arguments;
    use clap::Parser;

    #[test]
    fn common_faults_are_said_in_japanese() {
        let check = |line: &[&str], expected: &str| {
            let error =
                Arguments::try_parse_from([&["hiku"][..], line].concat()).expect_err("wrong");
            assert_eq!(Messages::default().usage(&error), None);
            let text = Messages(Language::Japanese).usage(&error).expect("an error");
            let first = text.lines().next().expect("a line");
            assert_eq!(first, format!("エラー: {expected}"), "{text}");
            assert!(text.contains("--help"), "{text}");
        };
        check(&["search", "--limt", "3"], "--limt という引数はありません");
        check(&["sarch"], "sarch というコマンドはありません");
        check(&["search", "--mode"], "--mode <MODE> に値がありません");
        check(&["search", "--mode", "magic"], "--mode <MODE> の値 magic は正しくありません");
        check(
            &["search", "-n", "0"],
            "--limit <N> の値 0 は正しくありません: 0 は 1 から 1000 の範囲にありません",
        );
        check(
            &["search", "--after", "today"],
            "--after <DATE> の値 today は正しくありません: YYYY-MM-DD の形の日付ではありません",
        );
        check(&["read"], "<NOTE> が必要です");
        check(&["search", "--json", "--paths"], "--json と --paths は同時に使えません");
        check(&["model"], "コマンドの書き方が正しくありません");
        check(&[], "コマンドの書き方が正しくありません");
    }

    #[test]
    fn help_stays_help() {
        let error = Arguments::try_parse_from(["hiku", "--help"]).expect_err("help");
        assert_eq!(Messages(Language::Japanese).usage(&error), None);
    }
}
