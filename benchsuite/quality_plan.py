"""What the quality run asks: the sets, the project's aims for them, the ways of ranking, the ablations.

Responsible for names and constants; runs nothing and writes nothing.
"""
from dataclasses import dataclass

METRICS = ["nDCG@10", "recall@10", "recall@100", "MRR@10", "hit@1"]
MAIN = "nDCG@10"

# Hybrid may be at most so far below the better of its halves.
HALF_TOLERANCE = 0.01


@dataclass(frozen=True)
class JudgedSet:
    """One set of judged queries, with the project's own bars for hybrid nDCG@10."""

    name: str
    queries: str
    notes: str
    kind: str
    floor: float
    aim: float
    is_large: bool = False


SETS = [
    JudgedSet("cpprefjp-anchor", "Japanese link texts", "Japanese reference pages", "link text", 0.755, 0.775),
    JudgedSet("cppdocs-ja2en", "Japanese page titles", "English reference pages", "known item, across languages",
              0.875, 0.90),
    JudgedSet("scifact-train", "English claims", "English abstracts", "claims", 0.705, 0.72),
    JudgedSet("cranfield", "English questions", "English abstracts", "graded judgements", 0.425, 0.445),
    JudgedSet("cpprefjp-ident", "qualified C++ names", "Japanese reference pages", "known item", 0.82, 0.86),
    JudgedSet("cpprefjp-commits", "Japanese change subjects", "Japanese reference pages", "known item", 0.695, 0.715),
    JudgedSet("jsquad-valid", "Japanese questions", "Japanese encyclopaedia paragraphs", "question to paragraph",
              0.935, 0.946, is_large=True),
    JudgedSet("jaquad-train4k", "Japanese questions", "Japanese encyclopaedia paragraphs", "question to paragraph",
              0.88, 0.90, is_large=True),
]


@dataclass(frozen=True)
class Way:
    """One way of ranking: a name, the flags of `hiku eval`, and a plain description."""

    name: str
    flags: tuple
    about: str


def settings(*pairs):
    """The flags that override settings."""
    return tuple(part for pair in pairs for part in ("--set", pair))


# Deep runs: fusion_lab.py reads them.
DEEP = ("--limit", "300")
HALVES = [Way("lexical", ("--mode", "lexical", *DEEP), "by word alone"),
          Way("dense", ("--mode", "dense", *DEEP), "by meaning alone")]
HYBRID = Way("hybrid", ("--mode", "hybrid", *DEEP), "the default")
FUSIONS = [
    Way("rrf60", ("--fusion", "rrf", *settings("ranking.rrf_k=60")), "reciprocal rank fusion, k = 60"),
    Way("rrf10", ("--fusion", "rrf", *settings("ranking.rrf_k=10")), "reciprocal rank fusion, k = 10"),
    Way("founding", ("--fusion", "founding"), "the founding pipeline over chunks"),
]

# One step of the default taken out each.
ABLATIONS = [
    Way("no-title", settings("ranking.title_weight=0"), "words of the title count no more than the body's"),
    Way("no-weak", settings("ranking.weak_weight=0"), "no single kanji and no Japanese pairs"),
    Way("no-context", settings("ranking.context_weight=0"), "folders, tags and front matter not searched"),
    Way("no-title-vector", settings("ranking.title_vector_weight=0"), "vectors without the title"),
    Way("one-share-.72", settings("ranking.lexical_share=0.72", "ranking.lexical_share_unknown=0.72"),
        "one share for all queries: 0.72 by word"),
    Way("one-share-.65", settings("ranking.lexical_share=0.65", "ranking.lexical_share_unknown=0.65"),
        "one share for all queries: 0.65 by word"),
    Way("no-near-term", settings("ranking.near_term_weight=0"), "a misspelt word is not read as another"),
    Way("no-overlap", settings("chunk.overlap_characters=0"), "no lead-in sentence at the head of a chunk"),
    Way("no-length", settings("ranking.bm25_b=0"), "long notes not held back"),
    Way("no-repeat", settings("ranking.bm25_k1=0"), "a word counts once, however often it stands"),
]

# Another value for a constant of the default.
VARIANTS = [
    Way("b-.6", settings("ranking.bm25_b=0.6"), "`bm25_b` 0.6, default 0.75"),
    Way("k1-.7", settings("ranking.bm25_k1=0.7"), "`bm25_k1` 0.7, default 0.9"),
    Way("k1-1.2", settings("ranking.bm25_k1=1.2"), "`bm25_k1` 1.2, default 0.9"),
    Way("title-.4", settings("ranking.title_weight=0.4"), "`title_weight` 0.4, default 0.5"),
    Way("title-.65", settings("ranking.title_weight=0.65"), "`title_weight` 0.65, default 0.5"),
    Way("weak-.3", settings("ranking.weak_weight=0.3"), "`weak_weight` 0.3, default 0.2"),
    Way("heading-.2", settings("ranking.heading_weight=0.2"), "`heading_weight` 0.2, default 0"),
    Way("title-vector-.5", settings("ranking.title_vector_weight=0.5"), "`title_vector_weight` 0.5, default 1"),
    Way("piece-250", settings("chunk.piece_characters=250"), "`piece_characters` 250, default 500"),
    Way("share-.65", settings("ranking.lexical_share=0.65"), "`lexical_share` 0.65, default 0.72"),
    Way("share-.8", settings("ranking.lexical_share=0.8"), "`lexical_share` 0.8, default 0.72"),
    Way("unknown-.4", settings("ranking.lexical_share_unknown=0.4"), "`lexical_share_unknown` 0.4, default 0.5"),
    Way("max-1000", settings("chunk.max_characters=1000"), "`max_characters` 1000, default 2000"),
    Way("piece-1000", settings("chunk.piece_characters=1000"), "`piece_characters` 1000, default 500"),
]

# Ablations that are also measured on the large sets, whose runs are the longest.
LARGE_ABLATIONS = {"no-title", "no-weak", "no-title-vector", "one-share-.72", "one-share-.65", "no-overlap"}


def jobs():
    """All (set, way) pairs, most useful first, so that a run that is cut short is of use."""
    small, large = ([one for one in SETS if one.is_large == wanted] for wanted in (False, True))
    first = [(one, way) for one in small + large for way in [*HALVES, HYBRID]]
    ablations = [(one, way) for way in [*ABLATIONS, *FUSIONS] for one in small]
    weak = [(one, way) for way in ABLATIONS if way.name == "no-weak" for one in large]
    founding = [(one, way) for way in FUSIONS if way.name == "founding" for one in large]
    variants = [(one, way) for way in VARIANTS for one in small]
    reciprocal = [(one, way) for way in FUSIONS if way.name != "founding" for one in large]
    last = [(one, way) for one in large for way in ABLATIONS if way.name in LARGE_ABLATIONS - {"no-weak"}]
    return first + ablations + weak + founding + variants + reciprocal + last


def baselines(way):
    """The ways that `way` is compared with, by p value."""
    if way.name == HYBRID.name:
        return [half.name for half in HALVES]
    return [] if way in HALVES else [HYBRID.name]
