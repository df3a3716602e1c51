//! All that the index holds of one note, for people.

use std::io::{self, Write};

use hiku::StoredNote;

use super::{BOLD, DIM, PLAIN};
use crate::messages::Messages;
use crate::safe::{block, line};

/// Writes the note's fields, its chunks with their context, and its terms by class.
///
/// # Errors
/// The writer's refusal.
pub(crate) fn stored_note(
    out: &mut dyn Write,
    note: &StoredNote,
    messages: Messages,
) -> io::Result<()> {
    writeln!(out, "{BOLD}{}{PLAIN}", line(&note.path))?;
    fields(out, note, messages)?;
    for (rule, count) in &note.redactions {
        writeln!(out, "{}", messages.redacted_rule(rule, count, 1))?;
    }
    for (at, message) in &note.warnings {
        writeln!(out, "{}: {at}: {}", messages.label_warning(), line(&messages.phrase(message)))?;
    }
    for (kind, target, at) in &note.links {
        writeln!(out, "{}: {at}: {kind} {}", messages.links(), line(target))?;
    }
    chunks(out, note, messages)?;
    terms(out, note, messages)
}

fn fields(out: &mut dyn Write, note: &StoredNote, messages: Messages) -> io::Result<()> {
    let joined = |texts: &[String]| line(&texts.join(", "));
    let lines = [
        (messages.title(), line(&note.title)),
        (messages.aliases(), joined(&note.aliases)),
        (messages.tags(), joined(&note.tags)),
        (messages.note_type(), line(note.note_type.as_deref().unwrap_or(""))),
        (messages.date(), line(&note.date)),
        (messages.hash(), note.hash.clone()),
        (messages.model(), line(&note.model)),
    ];
    lines
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .try_for_each(|(name, value)| writeln!(out, "{name}: {value}"))
}

fn chunks(out: &mut dyn Write, note: &StoredNote, messages: Messages) -> io::Result<()> {
    for (number, chunk) in note.chunks.iter().enumerate() {
        let (start, end) = (chunk.line_start, chunk.line_end);
        let place = messages.chunk_place(number + 1, start, end, chunk.pieces);
        writeln!(out, "\n{BOLD}{place}{PLAIN}")?;
        writeln!(out, "{DIM}{}{PLAIN}", line(&chunk.context))?;
        for text in block(&chunk.text).lines() {
            writeln!(out, "    {text}")?;
        }
    }
    Ok(())
}

fn terms(out: &mut dyn Write, note: &StoredNote, messages: Messages) -> io::Result<()> {
    for group in note.terms.chunk_by(|a, b| a.0 == b.0) {
        let words = group.iter().map(|(_, term, count)| match count {
            1 => line(term),
            _ => format!("{}×{count}", line(term)),
        });
        let class = group[0].0;
        writeln!(out, "\n{BOLD}{} ({class}){PLAIN}", messages.terms())?;
        writeln!(out, "{}", words.collect::<Vec<_>>().join(" "))?;
    }
    Ok(())
}
