//! Recall for a prompt or a tool call: what is asked, whether what was found fits, what of it may
//! still be shown, and the block that shows it.

use hiku::scrub::Scrubber;
use hiku::{Error, Hit, Mend, SearchRequest, SearchResponse};

use super::block::Block;
use super::confidence::Evidence;
use super::{Work, claude_code, prompts};
use crate::exit::CommandError;
use crate::messages::Messages;
use crate::refresh;

/// Notes that are looked at for each that may be shown: some were shown already.
pub(super) const NOTES_A_PASSAGE: usize = 2;

/// Least score of a hit beside the best one's. On the sample prompts it leaves out a quarter of the
/// further hits that do not help and one in fifteen of those that do.
const LEAST_SHARE: f64 = 0.3;

/// Hits that are shown in the order of both signals. With 2, 80.3 % of the sample prompts that
/// deserve a note get one; with all five, 78.8 %.
const FUSED_HITS: usize = 2;

/// What is told before a prompt is answered.
///
/// # Errors
/// What vault or index refuse.
pub(super) fn for_prompt(work: &mut Work) -> Result<Option<String>, CommandError> {
    let prompt = work.input.prompt.clone().unwrap_or_default();
    let scrubbed = work.scrubbed(&prompt);
    work.conversation.begin_prompt(&scrubbed);
    recall(work, &prompt, &prompt)
}

/// What is told before a tool runs: with the last prompt and what the tool works on.
///
/// # Errors
/// As [`for_prompt`].
pub(super) fn for_tool(work: &mut Work) -> Result<Option<String>, CommandError> {
    let tool = work.input.tool_name.as_deref().unwrap_or_default();
    if !work.settings.tools.iter().any(|name| name == tool) {
        return Ok(None);
    }
    let Some(subject) = claude_code::subject(&work.input) else { return Ok(None) };
    if !work.conversation.begin_tool() {
        return Ok(None);
    }
    let question = format!("{subject}\n{}", work.conversation.prompt());
    // What the prompt refers to was asked for with the prompt: the tool's subject must fit by itself.
    let told = recall(work, &question, &subject)?;
    if told.is_some() {
        work.conversation.told_at_tool();
    }
    Ok(told)
}

impl Work {
    /// A text without its credentials, as it may be kept.
    pub(super) fn scrubbed(&self, text: &str) -> String {
        Scrubber::new(&self.place.settings.scrub).scrub(text).text.into_owned()
    }
}

/// Asks for `text` and shows what was found if it fits; `referring` is the part of the text that may
/// refer to something past.
fn recall(work: &mut Work, text: &str, referring: &str) -> Result<Option<String>, CommandError> {
    let subject = prompts::question(text);
    if subject.is_empty() {
        return Ok(None);
    }
    let limit = work.settings.passages * NOTES_A_PASSAGE;
    let Some(response) = ask(work, &[question(&subject, limit)])?.pop() else { return Ok(None) };
    let evidence = Evidence::of(&response, &work.place.settings.ranking, referring);
    if evidence.confidence() < work.settings.confidence {
        return Ok(None);
    }
    let most = work.settings.max_tokens;
    Ok(show_first(work, &fitting(&response), most))
}

/// A question in which nothing is an operator.
pub(super) fn question(text: &str, limit: usize) -> SearchRequest {
    SearchRequest { plain: true, limit, ..SearchRequest::new(text) }
}

/// The hits that may be shown of an answer that fits, in the order in which they are: the best by
/// both signals, then those that are nearest by meaning.
///
/// A prompt is longer than a query, and some of its words stand in many notes by chance; a note in
/// the other language than the prompt's comes after all of those.
pub(super) fn fitting(response: &SearchResponse) -> Vec<&Hit> {
    let best = response.hits.first().map_or(0.0, |hit| hit.score);
    let enough = response.hits.iter().filter(|hit| hit.score >= best * LEAST_SHARE);
    let mut hits: Vec<&Hit> = enough.collect();
    let further = hits.len().min(FUSED_HITS);
    // Stable, so that equal ones stay in the answer's order.
    hits[further..].sort_by(|a, b| similarity(b).total_cmp(&similarity(a)));
    hits
}

fn similarity(hit: &Hit) -> f64 {
    let dense = hit.contributions.iter().find(|one| one.signal == "dense");
    dense.map_or(0.0, |dense| dense.score)
}

/// The only place that asks an index: brings it up to date and answers in order.
///
/// # Errors
/// A vault or index that cannot be used; an index that is missing is not built, which takes longer
/// than a hook has.
pub(super) fn ask(
    work: &Work,
    requests: &[SearchRequest],
) -> Result<Vec<SearchResponse>, CommandError> {
    let place = &work.place;
    if !place.index.exists() {
        return Err(place.failed(Error::IndexMissing { path: place.index.clone() }));
    }
    refresh::quietly(place, Mend::Damaged, &work.session)?;
    let index = place.open_index()?;
    let folder = place.folder().ok();
    let ask = |request| refresh::ask(&index, request, folder.as_ref(), true);
    let answers = requests.iter().map(ask);
    answers.collect::<Result<_, _>>().map_err(|error| place.failed(error))
}

/// A block of the best passages that the conversation has not had, one a note, in at most so many
/// tokens; the conversation remembers them.
pub(super) fn show_first(work: &mut Work, hits: &[&Hit], max_tokens: usize) -> Option<String> {
    let conversation = &mut work.conversation;
    let is_fresh = |hit: &&&Hit| {
        let best = hit.passages.first();
        best.is_some_and(|best| conversation.may_show(&hit.path, &best.text))
    };
    let hits: Vec<&Hit> = hits.iter().filter(is_fresh).copied().collect();
    let limits = (max_tokens, work.settings.passages);
    let (block, shown) = block_of(&hits, limits, work.session.messages());
    for hit in &hits[..shown] {
        conversation.show(&hit.path, &hit.passages[0].text);
    }
    block
}

/// A block of the first hits that fit into so many tokens and passages, and the number of them.
pub(super) fn block_of(
    hits: &[&Hit],
    (max_tokens, passages): (usize, usize),
    messages: Messages,
) -> (Option<String>, usize) {
    let most = hits.len().min(passages);
    let mut block = Block::new(max_tokens, messages);
    let fits = |(number, hit): &(usize, &&Hit)| block.add(hit, &hit.passages[0], most - number - 1);
    let shown = hits[..most].iter().enumerate().take_while(fits).count();
    (block.finish(), shown)
}
