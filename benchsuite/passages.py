"""Passage choice in long notes: does the first hit name the right section of the right note?

Responsible for one measurement: it joins all paragraphs of an article of a question set (same title)
into one note, a section a paragraph, asks the set's questions with `hiku search --batch`, and looks at
the first hit. The headings are numbers, so that they help nobody.
"""
import json
import re
from dataclasses import dataclass
from pathlib import Path

import measure


@dataclass
class Section:
    """Where a paragraph stands: its note, its lines (1-based, heading included) and its text."""

    note: str
    first: int
    last: int
    text: str


def lines_of(path):
    """The objects of a file of JSON lines."""
    with Path(path).open(encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def read_labels(path):
    """Query id to the one relevant paragraph's id."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").strip().split("\n")[1:]]
    return {query: document for query, document, grade in rows if int(grade) > 0}


def write_vault(corpus, folder):
    """Writes a note an article and returns each paragraph's section by id."""
    articles, sections = {}, {}
    for paragraph in corpus:
        articles.setdefault(paragraph["title"], []).append(paragraph)
    for number, (title, paragraphs) in enumerate(articles.items()):
        name, lines = f"{number:05}.md", [f"# {title}"]
        for at, paragraph in enumerate(paragraphs, 1):
            first = len(lines) + 2
            lines += ["", f"## {at}", "", *paragraph["text"].split("\n")]
            sections[paragraph["_id"]] = Section(name, first, len(lines), paragraph["text"])
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return articles, sections


def squeezed(text):
    """Text without white space, ellipses and marks of Markdown, to compare a snippet with its source."""
    return re.sub(r"[\s…*_`\\>|#\[\]]+", "", text)


def overlaps(passage, section):
    """Whether a passage has lines of the section."""
    return passage["line_start"] <= section.last and section.first <= passage["line_end"]


def judge(answer, section):
    """What is right about the first hit of one answer."""
    hit = next(iter(answer["hits"]), None)
    if not hit or hit["path"] != section.note:
        return {"note": False, "passage": False, "any": False, "snippet": False}
    snippet = squeezed(hit["snippet"])
    return {"note": True, "passage": overlaps(hit, section),
            "any": any(overlaps(passage, section) for passage in [hit, *hit.get("more_passages", [])]),
            "snippet": bool(snippet) and snippet in squeezed(section.text)}


def rate(judged, key, among=None):
    """Share of the judged answers with `key`, all of them or only those with `among`."""
    chosen = [one for one in judged if not among or one[among]]
    return round(sum(one[key] for one in chosen) / max(1, len(chosen)), 4)


def summary(judged, articles, sections):
    """The figures of one set and mode. `chance` is what a blind choice of a section would reach."""
    return {"queries": len(judged), "notes": len(articles), "sections": len(sections),
            "chance": round(len(articles) / len(sections), 4), "note": rate(judged, "note"),
            "passage": rate(judged, "passage"), "passage_if_note": rate(judged, "passage", "note"),
            "any_if_note": rate(judged, "any", "note"), "snippet_if_note": rate(judged, "snippet", "note")}


def ask(hiku, work, environment, mode):
    """The answers to all queries of `work`."""
    done = measure.run([*hiku, "search", "--vault", work / "vault", "--index", work / "index.hiku", "--no-refresh",
                        "--mode", mode, "-n", "1", "--batch", work / "queries.txt", "--json"], environment)
    return [json.loads(line) for line in done.out.split("\n") if line]


def run_set(hiku, folder, work, environment):
    """All modes over the long notes of one set; `work` is an empty folder."""
    (work / "vault").mkdir(parents=True)
    articles, sections = write_vault(lines_of(folder / "corpus.jsonl"), work / "vault")
    labels = read_labels(folder / "qrels.tsv")
    queries = [query for query in lines_of(folder / "queries.jsonl") if query["_id"] in labels]
    texts = [" ".join(query["text"].split()) for query in queries]
    (work / "queries.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
    measure.run([*hiku, "index", "--vault", work / "vault", "--index", work / "index.hiku", "--quiet"], environment)
    result = {}
    for mode in ("lexical", "dense", "hybrid"):
        answers = ask(hiku, work, environment, mode)
        if len(answers) != len(queries):
            raise measure.CommandFailed(f"{len(queries)} queries, {len(answers)} answers")
        judged = [judge(answer, sections[labels[query["_id"]]]) for query, answer in zip(queries, answers)]
        result[mode] = summary(judged, articles, sections)
    return result
