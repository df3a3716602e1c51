//! Questions and answers as plain data. Their JSON form is the binary's.
//! JSON form is the binary's.

pub use crate::query::{Condition, Filters};
use crate::ranking::Score;

/// Longest query in characters, before and after NFKC.
pub const MAX_QUERY_CHARACTERS: usize = 8_000;
/// Largest number of hits that may be asked for.
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
    #[default]
    Convex,
    /// Reciprocal rank fusion over notes.
    Rrf,
    /// The founding documents' pipeline over chunks: column weights 1.0/0.5/0.3, pools 30+30, k=60.
    Founding,
}

/// What one hit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Grouping {
    /// A note, its best passages inside.
    #[default]
    Note,
    /// A chunk; one note may give several.
    Chunk,
}

/// A question.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchRequest {
    /// What the user typed, operators included.
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
    pub filters: Filters,
    /// Upper bound for the estimated tokens of all hits' texts together.
    pub max_tokens: Option<usize>,
    /// A missing signal is an error.
    pub strict: bool,
    /// Takes the query as it is: nothing in it is an operator.
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
#[derive(Debug, Clone, PartialEq)]
pub struct Contribution {
    /// The signal's name.
    pub signal: &'static str,
    /// 1-based rank of the note (or chunk) in that signal's own list; `None` if it is not in it.
    pub rank: Option<u32>,
    /// The signal's own score.
    pub score: Score,
    /// What it adds to the fused score; the contributions of a hit add up to its score.
    pub share: Score,
}

/// A stretch of a note.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    /// Chunk identity: note id and the chunk's number inside it.
    pub chunk_id: String,
    /// Heading texts above it, outermost first.
    pub headings: Vec<String>,
    /// First line in the file, 1-based.
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
    pub note_id: i64,
    /// Path relative to the vault, as on disk, `/` between folders.
    pub path: String,
    /// The note's title.
    pub title: String,
    /// Fused score; higher is better.
    pub score: Score,
    /// What each signal gave.
    pub contributions: Vec<Contribution>,
    /// The passages to show, best first; the first is the hit's own line and text.
    pub passages: Vec<Passage>,
    /// The note's tags.
    pub tags: Vec<String>,
    /// The note's `type`, if it has one.
    pub note_type: Option<String>,
    /// The note's date, `YYYY-MM-DD`: front matter, else its name, else its modification (UTC).
    pub date: String,
    /// Time of modification in nanoseconds since 1970.
    pub modified_ns: i64,
}

/// What was found and is not in the list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Omitted {
    /// Number of further notes that matched by word.
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
    pub model: String,
    /// How the query was read: terms with weights and document frequencies, for explanation.
    pub terms: Vec<TermReport>,
    /// Best lexical score over its ideal, 0 to about 1: how much of the query the index covers.
    pub coverage: f64,
}

/// One query term, for explanation.
#[derive(Debug, Clone, PartialEq)]
pub struct TermReport {
    /// The term as it is indexed.
    pub term: String,
    /// `strong`, `kanji` or `bigram`.
    pub class: &'static str,
    /// Notes whose body holds it.
    pub document_frequency: usize,
    /// Its inverse document frequency.
    pub idf: f64,
}
