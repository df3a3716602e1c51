//! Questions and answers as plain data. Their JSON form is the binary's.

use crate::indexer::Stale;
pub use crate::query::{Condition, Filters};
use crate::ranking::Score;

/// Longest query in characters, before and after NFKC.
/// The founding limit; a longer text is
/// a document and not a question, and each of its terms costs a look-up.
pub const MAX_QUERY_CHARACTERS: usize = 8_000;
/// Largest number of hits that may be asked for.
/// The founding limit: beyond it a caller wants
/// the vault and not an answer.
pub const MAX_LIMIT: usize = 1_000;

/// Which signals may rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// By word and by meaning.
    #[default]
    Hybrid,
    /// By word only.
    Lexical,
    /// By meaning only.
    Dense,
}

/// How the signals' rankings become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fusion {
    /// Share of BM25 over its ideal plus share of cosine.
    /// `s * bm25 / ideal + (1 - s) * max(0, cosine)`
    /// with `s` = [`SearchResponse::lexical_share`]; 0 to a little above 1.
    #[default]
    Convex,
    /// Reciprocal rank fusion over notes.
    /// The sum of `weight / (k + rank)` over the lists that hold the
    /// note; at most 2 / 61 with the default weights and k = 60.
    Rrf,
    /// The founding documents' pipeline over chunks: column weights 1.0/0.5/0.3, pools 30+30, k=60.
    Founding,
}

/// What one hit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Grouping {
    /// A note, its best passages inside.
    /// At most three: the best, and up to two more that score at
    /// least 85 % of it.
    #[default]
    Note,
    /// A chunk; one note may give several.
    /// Scored by the mean of its own and its note's shares, so
    /// that a good passage of a good note comes first.
    Chunk,
}

/// A question.
///
/// ```
/// use hiku::{Condition, Mode, SearchRequest};
///
/// // Operators in the text and fields of the request say the same; both hold together.
/// let mut request = SearchRequest::new("rotate tokens -draft tag:auth");
/// request.mode = Mode::Lexical;
/// request.limit = 3;
/// request.filters.paths.push(Condition { value: "archive".to_owned(), exclude: true });
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SearchRequest {
    /// What the user typed, operators included. `"phrase"` must stand in a note, `-word` must not;
    /// `tag:x`, `path:x`, `type:x` filter and, with `-` in front, exclude; `[[note]]` wants a link.
    /// Anything else is text to rank by. At most [`MAX_QUERY_CHARACTERS`].
    pub query: String,
    /// Number of hits, 1 to [`MAX_LIMIT`]. Default 10.
    pub limit: usize,
    /// Which signals may rank.
    pub mode: Mode,
    /// How they become one ranking.
    pub fusion: Fusion,
    /// What a hit is.
    pub by: Grouping,
    /// Filters beside those in the query text.
    /// A note must pass both. Default: none.
    pub filters: Filters,
    /// Upper bound for the estimated tokens of all hits' texts together.
    /// The best passage is cut to fit; what does
    /// not fit after it is left out and counted in [`Omitted`]. Default: none. The estimate is
    /// [`crate::text::estimate_tokens`].
    pub max_tokens: Option<usize>,
    /// A missing signal is an error.
    /// [`crate::Error::SignalMissing`] in place of an answer by the
    /// signals that are left. Default false.
    pub strict: bool,
    /// Takes the query as it is: nothing in it is an operator.
    /// Default false. For queries that nobody
    /// typed, as in evaluation.
    pub plain: bool,
    /// False skips passages: hits carry only path, title and scores. For evaluation runs.
    pub passages: bool,
}

impl SearchRequest {
    /// A request with every default.
    pub fn new(query: impl Into<String>) -> Self {
        SearchRequest {
            query: query.into(),
            limit: 10,
            mode: Mode::default(),
            fusion: Fusion::default(),
            by: Grouping::default(),
            filters: Filters::default(),
            max_tokens: None,
            strict: false,
            plain: false,
            passages: true,
        }
    }
}

/// Whether a signal took part in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignalState {
    /// It ranked.
    Used,
    /// It was not asked for.
    /// Or there is nothing it could have done: a query of no word that the
    /// model knows has no vector.
    Off,
    /// It was asked for and could not run.
    Unavailable,
}

/// A signal and whether it took part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signal {
    /// `lexical` or `dense`.
    pub name: &'static str,
    /// Whether it took part.
    pub state: SignalState,
    /// Why it did not; empty where it did.
    pub reason: String,
}

/// What one signal gave to one hit.
///
/// A note that is in neither list, as in an answer to filters alone, has ranks of `None` and shares
/// of 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Contribution {
    /// The signal's name.
    pub signal: &'static str,
    /// 1-based rank of the note (or chunk) in that signal's own list; `None` if it is not in it.
    /// Equal scores share a rank, and
    /// the next one counts them all: 1, 2, 2, 4.
    pub rank: Option<u32>,
    /// The signal's own score.
    /// BM25 (from 0, no upper bound) for `lexical`, cosine (-1 to 1) for
    /// `dense`. Scores of different queries cannot be compared.
    pub score: Score,
    /// What it adds to the fused score; the contributions of a hit add up to its score.
    pub share: Score,
}

/// A stretch of a note.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    /// Chunk identity: note id and the chunk's number inside it.
    /// `12:0` is the first chunk of note 12.
    /// Changes when the note is cut otherwise.
    pub chunk_id: String,
    /// Heading texts above it, outermost first.
    pub headings: Vec<String>,
    /// First line in the file, 1-based.
    /// Front matter counts: lines are those of an editor.
    pub line_start: usize,
    /// Last line in the file, 1-based.
    pub line_end: usize,
    /// The passage's text, redacted and sanitised.
    pub text: String,
    /// The part of the text that fits the query best, on one line, at most 160 characters.
    pub snippet: String,
}

/// One answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Note identity.
    /// The same as long as the note is in the index, through edits and moves; a rebuild
    /// gives new ones.
    pub note_id: i64,
    /// Path relative to the vault, as on disk, `/` between folders.
    pub path: String,
    /// The note's title.
    /// `title` of the front matter, else the first heading of level 1, else the
    /// file name without extension.
    pub title: String,
    /// Fused score; higher is better.
    /// The sum of the contributions' shares. What it ranges over
    /// depends on [`Fusion`].
    pub score: Score,
    /// What each signal gave.
    pub contributions: Vec<Contribution>,
    /// The passages to show, best first; the first is the hit's own line and text.
    pub passages: Vec<Passage>,
    /// The note's tags.
    /// Without `#`, as written, of front matter and text.
    pub tags: Vec<String>,
    /// The note's `type`, if it has one.
    pub note_type: Option<String>,
    /// The note's date, `YYYY-MM-DD`: front matter, else its name, else its modification (UTC).
    pub date: String,
    /// Time of modification in nanoseconds since 1970.
    pub modified_ns: i64,
    /// Path of the note that this one is a conflict copy of, as sync programs leave them: it was
    /// found for what that note does not say, or that note is not among those that were asked for.
    /// It may be gone.
    pub conflict_of: Option<String>,
    /// Paths of the conflict copies of this note that were found as well and are no hits of their
    /// own.
    pub conflict_copies: Vec<String>,
    /// True where the file has changed since and could not be read anew: text and lines are those of
    /// before. Never true from [`crate::Index::search`], which does not look at the vault.
    pub stale: bool,
}

/// What was found and is not in the list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Omitted {
    /// Number of further notes that matched by word.
    /// Notes that only the dense signal would have found are
    /// not counted: by meaning, everything matches a little.
    pub count: usize,
    /// Why they are left out: `limit`, `max_tokens` or empty.
    pub why: &'static str,
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchResponse {
    /// The query as it was given.
    pub query: String,
    /// Which signals took part.
    /// Always both, `lexical` first.
    pub signals: Vec<Signal>,
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// What is left out.
    pub omitted: Omitted,
    /// Generation of the index that answered; grows by one with each published change.
    pub generation: i64,
    /// Notes in the index.
    pub notes: usize,
    /// Chunks in the index.
    pub chunks: usize,
    /// Id of the embedding model, or empty.
    /// That of the index, which may not be the one in use: then the
    /// dense signal is unavailable.
    pub model: String,
    /// How the query was read: terms with weights and document frequencies, for explanation.
    pub terms: Vec<TermReport>,
    /// Best lexical score over its ideal, 0 to about 1: how much of the query the index covers.
    /// The ideal is what a note would score that held
    /// every term of the query without end; titles can lift a note above it.
    pub coverage: f64,
    /// Share of the lexical signal in convex fusion for this query, 0 to 1: between
    /// [`crate::RankingOptions::lexical_share_unknown`] and [`crate::RankingOptions::lexical_share`]
    /// by how much of the query the index knows; 1 or 0 where only one signal ran.
    pub lexical_share: f64,
    /// What of the vault this answer does not have as it is now. Set by who brought the index up to
    /// date before, from [`crate::UpdateReport::stale`]; a search does not know it.
    pub stale: Option<Stale>,
}

/// One query term, for explanation.
#[derive(Debug, Clone, PartialEq)]
pub struct TermReport {
    /// The term as it is indexed.
    /// A stem, a Japanese run or pair, or with a mark in front an
    /// identifier (`=`) or chain (`~`) kept whole.
    pub term: String,
    /// The term that the query has in its place, where no note holds that one and this is the nearest
    /// in spelling.
    pub instead_of: Option<String>,
    /// `strong`, `kanji` or `bigram`.
    pub class: &'static str,
    /// Notes whose body holds it.
    pub document_frequency: usize,
    /// Its inverse document frequency.
    /// `ln(1 + (N - n + 0.5) / (n + 0.5))` with n of N notes: near 0
    /// where every note holds it, 8.8 for one note in 10,000.
    pub idf: f64,
}
