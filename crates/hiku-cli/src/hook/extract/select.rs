//! Which lines an extract shows: every error, then in turn what helps to read it, until the budget
//! is spent. Writes nothing.
//!
//! The turns: where errors are, how it went in all, the last and first lines, what matches the
//! task, the surroundings of errors, warnings, headings, stacks near errors, one line of each form
//! (rare forms first), more of the end and the beginning.

use std::collections::{HashMap, HashSet};

use super::kind::Kind;
use super::notable::{Class, is_foreign_frame, is_own_frame};
use super::template::Form;
use super::{Line, task};

/// Part of an output's tokens that its extract may take, errors aside: a promise of 70 % cut, less
/// what gaps and the closing line take.
const SHARE: f64 = 0.2;
/// Part of an output's tokens up to which the places of errors are shown.
const SHARE_WITH_LOCATIONS: f64 = 0.25;
/// Tokens that an extract is filled up to, whatever the output's size; only errors take more.
const MAX_TOKENS: usize = 3_000;
/// Tokens that errors take at most: 20,000 characters, of 30,000 that an agent takes from a command,
/// so that their numbers and the closing line find room. Only an output with hundreds of different
/// errors has more.
const MAX_ERROR_TOKENS: usize = 5_000;
/// Tokens that a gap's line costs, about.
const GAP_TOKENS: usize = 7;
/// Lines of the end that are shown early, and of the beginning.
const EDGES: (usize, usize) = (6, 3);
/// Lines of the end that are shown late, and of the beginning.
const WIDE_EDGES: (usize, usize) = (30, 20);
/// Tokens that the first turns may take, however much errors took: an output's sum and its end say
/// what the errors came to.
const RESERVED_TOKENS: usize = 250;
/// The turns for which they are reserved.
const RESERVED_TURNS: usize = 2;
/// Lines behind an error in which its place is looked for.
const LOCATION_REACH: usize = 3;
/// Lines before and behind an error that explain it: compilers draw below, test runners above.
const SURROUNDINGS: (usize, usize) = (3, 5);
/// Lines behind the name of a commit in which its subject stands: author, date, a merge, a blank.
const SUBJECT_REACH: usize = 8;
/// Lines behind an error in which frames of a stack belong to it.
const STACK_REACH: usize = 15;

/// What an extract shows.
#[derive(Debug)]
pub(super) struct Chosen {
    /// For each line whether it is shown.
    pub(super) is_shown: Vec<bool>,
    /// Of a shown error that occurs again in the same words: how often in all, and the last line's
    /// number, from 1.
    pub(super) repeats: HashMap<usize, (usize, usize)>,
    /// Different errors that are not shown; 0 unless there are hundreds.
    pub(super) errors_left_out: usize,
}

/// Chooses lines; `tokens_before` are the output's.
pub(super) fn select(kind: Kind, lines: &[Line], tokens_before: usize) -> Chosen {
    let mut filling = Filling::new(lines);
    let errors = of_class(lines, Class::Error);
    let repeats = distinct(lines, &errors);
    let firsts: Vec<usize> = repeats.iter().map(|&(first, _)| first).collect();
    filling.show_errors(&firsts, tokens_before);
    let errors_left_out = firsts.iter().filter(|&&first| !filling.is_shown[first]).count();
    let shown = firsts.iter().filter(|&&first| filling.is_shown[first]);
    let locations: Vec<usize> = shown.filter_map(|&first| location(lines, first)).collect();
    filling.fill(&locations, share(tokens_before, SHARE_WITH_LOCATIONS).min(MAX_ERROR_TOKENS));
    let budget = share(tokens_before, SHARE).min(MAX_TOKENS);
    let turns = turns(kind, lines, &errors);
    let reserved = budget.max(filling.tokens + RESERVED_TOKENS);
    for turn in &turns[..RESERVED_TURNS] {
        filling.fill(turn, reserved);
    }
    for turn in &turns[RESERVED_TURNS..] {
        filling.fill(turn, budget);
    }
    let repeats = repeats.into_iter().filter(|(_, (count, _))| *count > 1).collect();
    Chosen { is_shown: filling.is_shown, repeats, errors_left_out }
}

fn share(tokens: usize, share: f64) -> usize {
    (tokens as f64 * share) as usize
}

fn of_class(lines: &[Line], class: Class) -> Vec<usize> {
    (0..lines.len()).filter(|&line| lines[line].class == class).collect()
}

/// The first of each group of errors that say the same at the same place, in order, with the
/// group's size and last line.
fn distinct(lines: &[Line], errors: &[usize]) -> Vec<(usize, (usize, usize))> {
    let mut groups: HashMap<(&str, &str), usize> = HashMap::new();
    let mut firsts: Vec<(usize, (usize, usize))> = Vec::new();
    for &error in errors {
        let place = location(lines, error).map_or("", |line| &lines[line].text);
        let group = *groups.entry((&lines[error].text, place)).or_insert(firsts.len());
        match firsts.get_mut(group) {
            Some((_, (count, last))) => (*count, *last) = (*count + 1, error + 1),
            None => firsts.push((error, (1, error + 1))),
        }
    }
    firsts
}

/// The line that says where an error is: one of the next, or the frame before it.
fn location(lines: &[Line], error: usize) -> Option<usize> {
    let end = (error + 1 + LOCATION_REACH).min(lines.len());
    let behind = (error + 1..end)
        .take_while(|&line| lines[line].class != Class::Error)
        .find(|&line| lines[line].class == Class::Location && !is_foreign_frame(&lines[line].text));
    let before = (error.saturating_sub(LOCATION_REACH)..error).rev();
    behind.or_else(|| {
        before
            .take_while(|&line| lines[line].class != Class::Error)
            .find(|&line| lines[line].text.trim_start().starts_with("File \""))
    })
}

/// The lines of each turn, best first.
fn turns(kind: Kind, lines: &[Line], errors: &[usize]) -> [Vec<usize>; 9] {
    let words: Vec<u64> = lines.iter().map(|line| line.words).collect();
    let mut summaries = of_class(lines, Class::Summary);
    summaries.reverse();
    [
        summaries,
        edges(lines.len(), EDGES),
        task::matches(&words),
        surroundings(lines, errors),
        first_of_each_text(lines, &of_class(lines, Class::Warning)),
        if kind.is_log() { Vec::new() } else { headings(lines) },
        stacks(lines, errors),
        first_of_each_form(lines),
        edges(lines.len(), WIDE_EDGES),
    ]
}

/// The last lines, then the first.
fn edges(lines: usize, (last, first): (usize, usize)) -> Vec<usize> {
    (lines.saturating_sub(last)..lines).rev().chain(0..first.min(lines)).collect()
}

/// The lines around each error, the nearest of all errors first.
fn surroundings(lines: &[Line], errors: &[usize]) -> Vec<usize> {
    let (before, behind) = SURROUNDINGS;
    let mut around = Vec::new();
    for distance in 1..=before.max(behind) {
        for &error in errors {
            let after = (distance <= behind).then_some(error + distance);
            let earlier = (distance <= before).then(|| error.checked_sub(distance)).flatten();
            let tells = |line: &Line| line.class != Class::Success && !is_foreign_frame(&line.text);
            let tells = |line: &usize| lines.get(*line).is_some_and(tells);
            around.extend(after.into_iter().chain(earlier).filter(tells));
        }
    }
    around
}

/// The headings, those of commits with their subjects.
fn headings(lines: &[Line]) -> Vec<usize> {
    let subject = |line: usize| {
        let end = (line + SUBJECT_REACH).min(lines.len());
        let is_commit = lines[line].text.starts_with("commit ");
        (line..end).find(|&near| is_commit && lines[near].text.starts_with("    "))
    };
    let headings = of_class(lines, Class::Heading);
    headings.into_iter().flat_map(|line| [Some(line), subject(line)]).flatten().collect()
}

fn stacks(lines: &[Line], errors: &[usize]) -> Vec<usize> {
    let end = |error: usize| (error + STACK_REACH).min(lines.len());
    let frames = errors.iter().flat_map(|&error| error + 1..end(error));
    frames.filter(|&line| is_own_frame(&lines[line].text)).collect()
}

fn first_of_each_text(lines: &[Line], chosen: &[usize]) -> Vec<usize> {
    let mut seen = HashSet::new();
    chosen.iter().copied().filter(|&line| seen.insert(lines[line].text.as_str())).collect()
}

/// One line of each form: of rare forms first, as what is unusual tells most.
fn first_of_each_form(lines: &[Line]) -> Vec<usize> {
    let mut forms: HashMap<Form, (usize, usize)> = HashMap::new();
    for (number, line) in lines.iter().enumerate().filter(|(_, line)| line.class != Class::Blank) {
        forms.entry(line.form).or_insert((0, number)).0 += 1;
    }
    let mut firsts: Vec<(usize, usize)> = forms.into_values().collect();
    firsts.sort_unstable();
    firsts.into_iter().map(|(_, first)| first).collect()
}

/// The lines shown so far and what they cost.
struct Filling<'l> {
    lines: &'l [Line],
    is_shown: Vec<bool>,
    tokens: usize,
}

impl<'l> Filling<'l> {
    fn new(lines: &'l [Line]) -> Self {
        Filling { lines, is_shown: vec![false; lines.len()], tokens: GAP_TOKENS }
    }

    /// Shows all errors; of too many the last, one of each form, and then the first of them, unless
    /// the output itself is hardly longer.
    fn show_errors(&mut self, errors: &[usize], tokens_before: usize) {
        let mut forms = HashSet::new();
        let (new, alike): (Vec<usize>, Vec<usize>) =
            errors.iter().partition(|&&line| forms.insert(self.lines[line].form));
        let cost: usize = errors.iter().map(|&line| self.lines[line].tokens + GAP_TOKENS).sum();
        if cost <= MAX_ERROR_TOKENS || tokens_before < 2 * MAX_ERROR_TOKENS {
            return errors.iter().for_each(|&line| self.show(line));
        }
        let last = errors.iter().rev().take(EDGES.0).copied();
        let turn: Vec<usize> = last.chain(new).chain(alike).collect();
        self.fill(&turn, MAX_ERROR_TOKENS);
    }

    /// Shows the lines that the budget still takes.
    fn fill(&mut self, turn: &[usize], budget: usize) {
        for &line in turn {
            if self.tokens >= budget {
                return;
            }
            if self.is_open(line) && self.tokens + self.lines[line].tokens <= budget {
                self.show(line);
            }
        }
    }

    /// False for what is shown, and for what says nothing, or nothing that the line before did not.
    fn is_open(&self, line: usize) -> bool {
        let text = |line: usize| self.lines[line].text.as_str();
        let is_said = line > 0 && text(line - 1) == text(line);
        !self.is_shown[line] && self.lines[line].class != Class::Blank && !is_said
    }

    /// A line between two shown ones closes their gap, one by itself makes another.
    fn show(&mut self, line: usize) {
        let is_shown =
            |line: Option<usize>| line.and_then(|line| self.is_shown.get(line)) == Some(&true);
        let neighbours = [line.checked_sub(1), Some(line + 1)];
        let gaps = match neighbours.into_iter().filter(|&line| is_shown(line)).count() {
            0 => GAP_TOKENS,
            _ => 0,
        };
        self.tokens += self.lines[line].tokens + gaps;
        self.is_shown[line] = true;
    }
}
