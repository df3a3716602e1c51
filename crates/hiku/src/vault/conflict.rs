//! Copies that sync programs leave beside a note when two devices changed it: which note a name
//! says that it is a copy of. Compares names only; whether the texts agree is for the caller to see.

/// A note that another one may be a copy of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Original {
    /// Its path.
    pub(crate) path: String,
    /// True where the copy's name leaves no doubt; else a name like it is given to notes of their
    /// own too, and only the texts can tell.
    pub(crate) is_certain: bool,
}

/// Longest name of a device behind a hyphen, in characters: a host's name has at most 63 (RFC 1035,
/// section 2.3.4).
const MAX_HOST_CHARACTERS: usize = 63;

/// The notes that the one at `path` may be a copy of, the likeliest first; none for most names.
pub(crate) fn originals(path: &str) -> Vec<Original> {
    let (folder, name) = path.split_at(path.rfind('/').map_or(0, |at| at + 1));
    let Some((stem, extension)) = name.rsplit_once('.') else { return Vec::new() };
    let original = |stem: &str, is_certain| Original {
        path: format!("{folder}{stem}.{extension}"),
        is_certain,
    };
    if let Some(stem) = before_mark(stem).or_else(|| before_brackets(stem)) {
        return vec![original(stem, true)];
    }
    if let Some(stem) = before_number(stem) {
        return vec![original(stem, false)];
    }
    hosts(stem).map(|stem| original(stem, false)).collect()
}

/// What stands before Syncthing's `.sync-conflict-20240102-030405-ABCDEFG`
/// (docs.syncthing.net/users/syncing.html); older programs name no device.
fn before_mark(stem: &str) -> Option<&str> {
    let (before, mark) = stem.rsplit_once(".sync-conflict-")?;
    let mut parts = mark.split('-');
    let mut digits = |count: usize| {
        parts.next().is_some_and(|part| {
            part.len() == count && part.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    let is_time = digits(8) && digits(6);
    let is_device =
        parts.all(|part| part.len() == 7 && part.bytes().all(|b| b.is_ascii_alphanumeric()));
    (is_time && is_device && !before.is_empty()).then_some(before)
}

/// What stands before brackets that say so: Obsidian Sync has
/// `(Conflicted copy DEVICE 202401020304)`, Dropbox and Nextcloud
/// `(NAME's conflicted copy 2024-01-02)`, Dropbox in Japanese `(NAME の競合コピー 2024-01-02)`. A
/// number may stand behind the day or the brackets. Brackets without a day are a title.
fn before_brackets(stem: &str) -> Option<&str> {
    let (before, inside) = last_brackets(stem)?;
    if inside.bytes().all(|byte| byte.is_ascii_digit()) {
        return before_brackets(before);
    }
    let says_so = inside.to_lowercase().contains("conflicted copy")
        || ["競合コピー", "競合するコピー"].iter().any(|words| inside.contains(words));
    let has_day = inside.bytes().filter(u8::is_ascii_digit).count() >= "20240102".len();
    (says_so && has_day).then_some(before)
}

/// The brackets that a name ends in, and what stands before them.
fn last_brackets(stem: &str) -> Option<(&str, &str)> {
    if !stem.ends_with([')', '）']) {
        return None;
    }
    let mut depth = 0usize;
    for (at, character) in stem.char_indices().rev() {
        match character {
            ')' | '）' => depth += 1,
            '(' | '（' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            let inside = stem[at..].trim_matches(['(', ')', '（', '）']);
            let before = stem[..at].trim_end();
            return (!before.is_empty()).then_some((before, inside));
        }
    }
    None
}

/// What stands before the number that iCloud (`NAME 2`) and Google Drive (`NAME (1)`) append.
fn before_number(stem: &str) -> Option<&str> {
    let is_small = |number: &str, least: usize| {
        !number.starts_with('0')
            && number.parse::<usize>().is_ok_and(|number| (least..100).contains(&number))
    };
    if let Some((before, number)) = last_brackets(stem) {
        return is_small(number, 1).then_some(before);
    }
    let (before, number) = stem.rsplit_once(' ')?;
    (is_small(number, 2) && !before.trim().is_empty()).then_some(before)
}

/// What stands before each hyphen behind which the rest could be a device's name, as
/// `OneDrive` appends it. Such names begin with a capital or have no small letter.
fn hosts(stem: &str) -> impl Iterator<Item = &str> {
    stem.match_indices('-').filter_map(|(at, _)| {
        let host = &stem[at + 1..];
        let is_host = host.starts_with(|c: char| c.is_ascii_uppercase())
            && host.len() <= MAX_HOST_CHARACTERS
            && host.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        (is_host && at > 0).then(|| &stem[..at])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str) -> Vec<(String, bool)> {
        originals(path).into_iter().map(|one| (one.path, one.is_certain)).collect()
    }

    #[test]
    fn names_that_leave_no_doubt() {
        for (copy, original) in [
            ("a/Plan.sync-conflict-20240102-030405-ABCDEFG.md", "a/Plan.md"),
            ("Plan.v2.sync-conflict-20240102-030405.md", "Plan.v2.md"),
            ("Plan (Conflicted copy iPhone 202401020304).md", "Plan.md"),
            ("a (b)/計画 (Conflicted copy Taro's Mac 202401020304).canvas", "a (b)/計画.canvas"),
            ("Plan (Anna's conflicted copy 2024-01-02).md", "Plan.md"),
            ("Plan (Anna-PC's conflicted copy 2024-01-02 (1)).md", "Plan.md"),
            ("Plan (draft) (conflicted copy 2024-01-02 123456).md", "Plan (draft).md"),
            ("計画 (太郎 の競合コピー 2024-01-02).md", "計画.md"),
            ("計画（太郎の競合コピー 2024-01-02）.md", "計画.md"),
            ("計画 (競合コピー 2024-01-02).md", "計画.md"),
        ] {
            assert_eq!(found(copy), [(original.to_owned(), true)], "{copy}");
        }
    }

    #[test]
    fn names_that_may_be_copies() {
        for (copy, originals) in [
            ("Plan 2.md", &["Plan.md"][..]),
            ("a/Plan 13.md", &["a/Plan.md"]),
            ("Plan (1).md", &["Plan.md"]),
            ("Plan(2).md", &["Plan.md"]),
            ("Plan-DESKTOP-AB12CD3.md", &["Plan.md", "Plan-DESKTOP.md"]),
            (
                "my-plan-Annas-MacBook-Pro.md",
                &["my-plan.md", "my-plan-Annas.md", "my-plan-Annas-MacBook.md"],
            ),
        ] {
            let expected: Vec<_> =
                originals.iter().map(|path| ((*path).to_owned(), false)).collect();
            assert_eq!(found(copy), expected, "{copy}");
        }
    }

    #[test]
    fn names_that_are_no_copies() {
        for path in [
            "Plan.md",
            "2024-01-02.md",
            "Chapter 1.md",
            "Year 2024.md",
            "release-1.2.md",
            "well-known.md",
            "On conflicted copy handling.md",
            "競合コピー.md",
            "Resolving (sync conflicts).md",
            ".sync-conflict-20240102-030405.md",
            " 2.md",
            "no extension 2",
        ] {
            assert_eq!(found(path), [], "{path}");
        }
    }
}
