//! The notes around a note, for people, each with the reason why it is there.
//!
//! ```text
//! path  title
//!
//! It links to:
//!     path:1  title
//!         [[as it is written]], line in the note
//! ```

use std::io::{self, Write};

use hiku::{Hit, NoteLink};

use super::{BOLD, DIM, PLAIN};
use crate::messages::Messages;
use crate::related::Around;
use crate::safe::line;

/// Writes the note, then up to `limit` of its links, its backlinks and the notes like it.
///
/// # Errors
/// The writer's refusal.
pub(crate) fn related(
    out: &mut dyn Write,
    around: &Around,
    limit: usize,
    messages: Messages,
) -> io::Result<()> {
    let note = &around.links;
    writeln!(out, "{BOLD}{}{PLAIN}  {}", line(&note.path), line(&note.title))?;
    list(out, &messages.links_from(), &note.links, (limit, 0), messages)?;
    list(out, &messages.links_to(), &note.backlinks, (limit, note.unread), messages)?;
    if !around.similar.is_empty() {
        writeln!(out, "\n{}", messages.similar_notes())?;
    }
    around.similar.iter().try_for_each(|hit| similar(out, hit, &around.shared_tags(hit), messages))
}

fn list(
    out: &mut dyn Write,
    name: &str,
    links: &[NoteLink],
    (limit, unread): (usize, usize),
    messages: Messages,
) -> io::Result<()> {
    if links.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{name}")?;
    links.iter().take(limit).try_for_each(|link| one_link(out, link, messages))?;
    let left_out = links.len().saturating_sub(limit) + unread;
    if left_out > 0 {
        writeln!(out, "    {DIM}{}{PLAIN}", messages.further(left_out))
    } else {
        Ok(())
    }
}

fn one_link(out: &mut dyn Write, link: &NoteLink, messages: Messages) -> io::Result<()> {
    let written = line(&link.written);
    let Some(path) = &link.path else {
        return writeln!(out, "    {}", messages.link_to_nothing(written, link.line));
    };
    let place = messages.on_line(link.line);
    writeln!(out, "    {BOLD}{}{PLAIN}  {}", line(path), line(&link.title))?;
    writeln!(out, "        {DIM}[[{written}]], {place}{PLAIN}")
}

fn similar(out: &mut dyn Write, hit: &Hit, shared: &[&str], messages: Messages) -> io::Result<()> {
    writeln!(out, "    {BOLD}{}{PLAIN}  {}", line(&hit.path), line(&hit.title))?;
    let score = format!("{:.3}", hit.score);
    if shared.is_empty() {
        return writeln!(out, "        {DIM}{score}{PLAIN}");
    }
    let tags = messages.shared_tags(line(&shared.join(", ")));
    writeln!(out, "        {DIM}{score}  {tags}{PLAIN}")
}
