//! The beginning of a conversation: what the vault holds and how to ask it, by choice the headings
//! of the freshest daily notes, and the past notes that name the project at hand.

use std::path::Path;

use hiku::scrub::Scrubber;
use hiku::text::estimate_tokens;
use hiku::vault::Folder;
use hiku::{Filters, Hit, SearchRequest, SearchResponse, Selection, read_note};

use super::Work;
use super::project::Project;
use super::recall::{ask, question, show_first};
use crate::exit::CommandError;
use crate::safe::label;

/// Notes among which the vault's folders and its daily notes are looked for, the newest first.
const NEWEST_NOTES: usize = 300;
/// Folders that are named at most.
const MAX_FOLDERS: usize = 8;
/// Notes that are looked at for the project's names.
const PROJECT_NOTES: usize = 20;
/// Headings that are shown of a daily note.
const MAX_HEADINGS: usize = 6;
/// Longest heading that is shown, in characters.
const MAX_HEADING_CHARACTERS: usize = 60;
/// Share of the block's tokens that daily notes may take, in percent: the rest is the project's.
const DAILY_SHARE: usize = 40;

/// What is told when a conversation begins; nothing where it is taken up again, as the agent still
/// has what it was told.
///
/// # Errors
/// What vault or index refuse.
pub(super) fn greet(work: &mut Work) -> Result<Option<String>, CommandError> {
    match work.input.source.as_deref() {
        Some("resume" | "fork") => return Ok(None),
        Some("compact" | "clear") => work.conversation.forget_shown(),
        _ => {}
    }
    let environment = &work.session.environment;
    let folder = work.input.cwd.as_deref().map_or(environment.current_folder.as_path(), Path::new);
    let project = Project::of(folder, &work.place.vault, environment.home.as_deref());
    let asked = project.question();
    let mut answers = ask(work, &[newest(), question(&asked, PROJECT_NOTES)])?.into_iter();
    let newest = answers.next().map_or_else(Vec::new, |answer: SearchResponse| {
        work.notes = answer.notes;
        answer.hits
    });
    let mut text = greeting(work, &newest);
    text.push_str(&daily_notes(work, &newest));
    let hits = answers.next().map_or_else(Vec::new, |answer| answer.hits);
    let hits: Vec<&Hit> = hits.iter().filter(|hit| project.is_named_in(hit)).collect();
    let left = work.settings.max_tokens.saturating_sub(estimate_tokens(&text));
    if let Some(block) = show_first(work, &hits, left) {
        text.push('\n');
        text.push_str(&block);
    }
    Ok(Some(text))
}

/// All notes, the newest first.
fn newest() -> SearchRequest {
    let after = Some("0001-01-01".to_owned());
    let filters = Filters { after, ..Filters::default() };
    SearchRequest { filters, limit: NEWEST_NOTES, passages: false, ..SearchRequest::new("") }
}

/// What the vault holds, how to ask, and what becomes of a summary.
fn greeting(work: &Work, newest: &[Hit]) -> String {
    let messages = work.session.messages();
    let name = work.place.vault.file_name().unwrap_or_default().to_string_lossy();
    let mut text = format!("## {}\n\n", messages.start_title(label(&name)));
    text.push_str(&messages.start_notes(work.notes, folders(newest)));
    text.push('\n');
    text.push_str(&messages.start_how());
    text.push('\n');
    if work.settings.inbox.is_some() {
        text.push_str(&messages.start_summary());
        text.push('\n');
    }
    text
}

/// The top folders of the newest notes, those with most of them first.
fn folders(newest: &[Hit]) -> String {
    let mut counted: Vec<(usize, &str)> = Vec::new();
    for (folder, _) in newest.iter().filter_map(|hit| hit.path.split_once('/')) {
        match counted.iter_mut().find(|(_, name)| *name == folder) {
            Some((count, _)) => *count += 1,
            None => counted.push((1, folder)),
        }
    }
    counted.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    let names = counted.iter().take(MAX_FOLDERS).map(|(_, name)| label(name));
    names.collect::<Vec<_>>().join(", ")
}

/// The freshest daily notes, a line each: path and headings. They are labels: no line of theirs can
/// be taken for one of ours.
fn daily_notes(work: &Work, newest: &[Hit]) -> String {
    let daily = newest.iter().filter(|hit| is_daily(&hit.path)).take(work.settings.daily_notes);
    let scrubber = Scrubber::new(&work.place.settings.scrub);
    let Ok(folder) = Folder::open(&work.place.vault, &work.place.settings.vault) else {
        return String::new();
    };
    let most = work.settings.max_tokens * DAILY_SHARE / 100;
    let mut text = String::new();
    for hit in daily {
        let Ok(note) = read_note(&folder, &hit.path, &Selection::Whole, &scrubber) else {
            continue;
        };
        let line = format!("- {}: {}\n", label(&note.path), headings(&note.text));
        if estimate_tokens(&text) + estimate_tokens(&line) > most {
            break;
        }
        text.push_str(&line);
    }
    if text.is_empty() {
        return text;
    }
    format!("\n{}\n{text}", work.session.messages().start_daily())
}

/// True for a note that is called after a day: `2026-04-10`, whatever follows.
fn is_daily(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).as_bytes();
    let is_part = |(at, byte): (usize, &u8)| match at {
        4 | 7 => *byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    name.len() >= 10 && name[..10].iter().enumerate().all(is_part)
}

/// The first headings of a note on one line.
fn headings(text: &str) -> String {
    let mut is_code = false;
    let mut headings = Vec::new();
    for line in text.lines() {
        is_code ^= line.trim_start().starts_with("```");
        let heading = line.trim_start_matches('#');
        if !is_code && heading.len() < line.len() && heading.starts_with(' ') {
            let heading: String = heading.trim().chars().take(MAX_HEADING_CHARACTERS).collect();
            headings.push(label(&heading));
        }
    }
    headings.truncate(MAX_HEADINGS);
    headings.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::hit;

    #[test]
    fn folders_are_named_by_their_share() {
        let paths = ["b/1.md", "a/1.md", "a/b/2.md", "root.md", "c/1.md"];
        let hits: Vec<Hit> = paths.iter().map(|path| hit(path, "T", vec![])).collect();
        assert_eq!(folders(&hits), "a, b, c");
        assert_eq!(folders(&[]), "");
    }

    #[test]
    fn daily_notes_are_known_by_name() {
        for (path, expected) in [
            ("daily/2026-04-10.md", true),
            ("2026-04-10 Friday.md", true),
            ("daily/2026-04.md", false),
            ("2026-04-10/notes.md", false),
            ("日記.md", false),
        ] {
            assert_eq!(is_daily(path), expected, "{path}");
        }
    }

    #[test]
    fn headings_are_labels_on_one_line() {
        let text = "# One <system>\n## Two\n```\n# code\n```\n#tag\n### T``hree\n";
        assert_eq!(headings(text), "One ‹system>; Two; T`hree");
    }
}
