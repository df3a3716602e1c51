//! The library's fixed phrases in Japanese: problems, reasons, findings, remedies, warnings. Knows
//! no errors; what it does not know stays English.
//!
//! The library has no wording for people but English, and must not depend on who reads it. So the
//! English phrase is the key. A test reads the library's sources and fails for a phrase that nobody
//! says any more; a new phrase stays English until it is added here.

use super::{Language, Messages};

/// What the library says, and its Japanese.
const PHRASES: &[(&str, &str)] = &[
    // Problems of vaults and notes.
    ("does not exist", "は存在しません"),
    ("is not a folder", "はフォルダではありません"),
    ("it is a folder, and an index is a file", "フォルダです。索引はファイルです"),
    (
        "it is a device, pipe or socket, and an index is a file",
        "デバイス、パイプまたはソケットです。索引はファイルです",
    ),
    ("is no path inside the vault", "は保管庫の中のパスではありません"),
    ("is a symbolic link, and those are not followed", "はシンボリックリンクなのでたどりません"),
    ("is a symbolic link out of the vault", "は保管庫の外へのシンボリックリンクです"),
    (
        "is a cloud placeholder that is not downloaded",
        "はクラウド上にだけあり、まだダウンロードされていません",
    ),
    ("is larger than a note may be", "はノートとして大きすぎます"),
    ("cannot be read", "は読めません"),
    ("is not a readable JSON Canvas", "は JSON Canvas として読めません"),
    ("is not a readable base (YAML)", "はベース (YAML) として読めません"),
    ("is not a note of this vault", "はこの保管庫のノートではありません"),
    // Why files are skipped.
    ("a symbolic link, not followed", "シンボリックリンクはたどりません"),
    (
        "a symbolic link out of the vault, not followed",
        "保管庫の外へのシンボリックリンクはたどりません",
    ),
    (
        "a symbolic link to a folder above it, not followed",
        "上のフォルダへのシンボリックリンクはたどりません",
    ),
    ("a cloud placeholder, not downloaded", "クラウド上にだけあり、まだダウンロードされていません"),
    ("not a regular file", "通常のファイルではありません"),
    ("its name is not valid UTF-8", "名前が UTF-8 ではありません"),
    ("not a readable JSON Canvas", "JSON Canvas として読めません"),
    ("not a readable base (YAML)", "ベース (YAML) として読めません"),
    // What was misread.
    (
        "front matter is not valid YAML and was read line by line",
        "フロントマターが YAML として正しくないため、一行ずつ読みました",
    ),
    (
        "`---` opens a front matter that no `---` closes; it was read as text",
        "`---` で始まるフロントマターに閉じる `---` がないため、本文として読みました",
    ),
    (
        "what stands between the first two `---` is no front matter; it was read as text",
        "最初の二つの `---` の間はフロントマターではないため、本文として読みました",
    ),
    ("not UTF-8, read as", "UTF-8 ではないため、次の文字コードで読みました"),
    ("some bytes are not valid text", "文字として読めないバイトがあります"),
    // Why everything was redone.
    ("a full rebuild was asked for", "作り直しが指定されました"),
    ("the index is new", "索引が新しいため"),
    ("this version cuts text into other terms", "この版では語の切り方が違うため"),
    ("this version has other credential rules", "この版では認証情報の規則が違うため"),
    ("this version reads notes otherwise", "この版ではノートの読み取り方が違うため"),
    (
        "the settings for cutting or redacting notes changed",
        "ノートの切り方か伏せ方の設定が変わったため",
    ),
    ("the embedding model changed", "埋め込みモデルが変わったため"),
    ("the weight of titles in vectors changed", "ベクトルでの題名の重みが変わったため"),
    // Why a signal did not run, and why hits are left out.
    ("no embedding model is in use", "埋め込みモデルがありません"),
    (
        "the index holds vectors of another model: run `hiku index`",
        "索引のベクトルは別のモデルのものです。`hiku index` を実行してください",
    ),
    (
        "the index holds no vectors yet: run `hiku index`",
        "索引にまだベクトルがありません。`hiku index` を実行してください",
    ),
    ("the model knows no word of the query", "検索語がモデルの語彙にありません"),
    ("limit", "件数の上限"),
    ("max_tokens", "トークン数の上限"),
    ("length of the query in characters", "検索語の文字数"),
    // What is wrong with an index, and what to do.
    ("it is shorter than a header", "ヘッダより短いファイルです"),
    ("it is cut short", "途中で切れています"),
    ("its making was cut off", "作成が途中で終わっています"),
    (
        "a note's words in the term index are not those of its text",
        "語の索引にあるノートの語が本文と違います",
    ),
    (
        "a note's links in the term index are not those of its text",
        "語の索引にあるノートのリンクが本文と違います",
    ),
    (
        "a note's tags or type in the term index are not those of its text",
        "語の索引にあるノートのタグか種類が本文と違います",
    ),
    (
        "a note's title, tags, aliases or type are not those of its text",
        "ノートの題名、タグ、別名、種類のどれかが本文と違います",
    ),
    ("a note's chunks are not those of its text", "ノートのチャンクが本文と違います"),
    ("a note's vectors are not those of its text", "ノートのベクトルが本文と違います"),
    ("a note's title vector is not that of its title", "ノートの題名のベクトルが題名と違います"),
    (
        "a note's norms or sketches are not those of its vectors",
        "ノートのノルムかスケッチがベクトルと違います",
    ),
    (
        "texts cannot be compared with what another version or other settings made",
        "別の版や設定で作られた索引なので本文と比べられません",
    ),
    ("the file is damaged", "ファイルが壊れています"),
    ("a part of the index cannot be read", "索引に読めない部分があります"),
    ("a fact about the index is missing", "索引の情報が欠けています"),
    ("nothing was published in the index yet", "索引にまだ何も書かれていません"),
    ("make the index anew: hiku index --full", "作り直してください: hiku index --full"),
    (
        "delete the index file, then: hiku index",
        "索引ファイルを削除して、作ってください: hiku index",
    ),
    ("run the update again: hiku index", "もう一度更新してください: hiku index"),
];

/// Phrases of the command line's own value parsers, and of those of numbers.
const VALUES: &[(&str, &str)] = &[
    ("not an address of the form 127.0.0.1:4458", "127.0.0.1:4458 の形のアドレスではありません"),
    ("not a day of the form YYYY-MM-DD", "YYYY-MM-DD の形の日付ではありません"),
    (
        "not a range of lines such as 12-20, counted from 1",
        "12-20 のような、1 から数えた行の範囲ではありません",
    ),
    ("invalid digit found in string", "数ではありません"),
];

impl Messages {
    /// A phrase of the library in the user's language.
    pub(crate) fn phrase(self, english: &str) -> String {
        match self.0 {
            Language::English => english.to_owned(),
            Language::Japanese => japanese(english),
        }
    }

    /// A phrase that may name the command `hiku index`, completed by the flags that name the place.
    pub(crate) fn phrase_in(self, english: &str, flags: &str) -> String {
        let text = self.phrase(english);
        if text.ends_with("hiku index") || text.ends_with("hiku index --full") {
            return format!("{text} {flags}");
        }
        text.replace("`hiku index`", &format!("`hiku index {flags}`"))
    }
}

/// The Japanese of a phrase, alone or followed by a colon and a detail; else the phrase.
pub(super) fn japanese(english: &str) -> String {
    let known = |text: &str| {
        let mut all = PHRASES.iter().chain(VALUES);
        all.find(|(english, _)| *english == text).map(|(_, japanese)| *japanese)
    };
    if let Some(japanese) = known(english) {
        return japanese.to_owned();
    }
    if let Some((value, range)) = english.split_once(" is not in ")
        && let Some((minimum, maximum)) = range.split_once("..=")
    {
        return format!("{value} は {minimum} から {maximum} の範囲にありません");
    }
    match english.split_once(": ") {
        Some(("cannot be read", cause)) => format!("読めません: {cause}"),
        Some(("too large", size)) => format!("大きすぎます: {size}"),
        Some((phrase, detail)) => match known(phrase) {
            Some(japanese) => format!("{japanese}: {detail}"),
            None => english.to_owned(),
        },
        None => english.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::{Path, PathBuf};

    #[test]
    fn phrases_alone_and_with_details() {
        let check = |english: &str, expected: &str| assert_eq!(japanese(english), expected);
        check("max_tokens", "トークン数の上限");
        check("cannot be read: denied", "読めません: denied");
        check("too large: 9 bytes", "大きすぎます: 9 bytes");
        check(
            "the file is damaged: page 3 and 2 more",
            "ファイルが壊れています: page 3 and 2 more",
        );
        check("0 is not in 1..=1000", "0 は 1 から 1000 の範囲にありません");
        check("something: new", "something: new");
    }

    #[test]
    fn commands_in_phrases_name_the_place() {
        let check = |english: &str, expected: &str| {
            assert_eq!(Messages::default().phrase_in(english, "--vault /v"), expected);
        };
        check("make it: hiku index --full", "make it: hiku index --full --vault /v");
        check("run `hiku index` now", "run `hiku index --vault /v` now");
        check("nothing to run", "nothing to run");
    }

    fn sources(folder: &Path, text: &mut String) {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path: PathBuf = entry.path();
            if path.is_dir() {
                sources(&path, text);
            } else {
                text.push_str(&fs::read_to_string(&path).expect("a source"));
            }
        }
    }

    /// A phrase that the library no longer says would be translated for nobody.
    #[test]
    fn each_phrase_is_said_by_the_library() {
        let mut text = String::new();
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../hiku/src"), &mut text);
        let text = text.split("\\\n").map(str::trim_start).collect::<String>();
        for (english, _) in PHRASES {
            assert!(text.contains(&format!("\"{english}\"")), "nobody says {english:?}");
        }
    }
}
