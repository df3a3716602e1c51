#!/usr/bin/env python3
"""The fusion lab: forms of fusion compared offline, from stored runs of the two signals. Needs numpy.

Responsible for the comparison alone; the runs are quality.py's (its --runs folder), 300 notes deep.

  fusion_lab.py --runs RUNS --data DIR --out RUN_FOLDER/fusion.json

The share of known words is not computed again: it is read off the product's own hybrid run, whose
score is `s * lexical + (1 - s) * dense` with `s = unknown + known * (all - unknown)`. A note that one
list does not hold has a little less than that list's last score, or 0 where the list holds all that
match. z-scores are over the notes of both lists, not over the vault.
"""
import argparse
import json
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import passages
import quality_plan as plan

DEPTH, TOP = 300, 10
DISCOUNT = 1 / np.log2(np.arange(2, TOP + 2))
GRID = np.linspace(0, 1, 21)
FEATURES = 8
STEPS, RATE, RIDGE, START = 400, 0.5, 0.002, 0.7


@dataclass
class Query:
    """One query over the notes of both lists, in the order that breaks ties."""

    lexical: np.ndarray
    dense: np.ndarray
    lexical_rank: np.ndarray
    dense_rank: np.ndarray
    gains: np.ndarray
    ideal: float
    known: float
    features: np.ndarray


# Reading.


def read_run(path):
    """Query id to scores by document, best first."""
    run = {}
    with path.open(encoding="utf-8") as file:
        for line in file:
            query, _, document, _, score, _ = line.rstrip("\n").split("\t")
            run.setdefault(query, {})[document] = float(score)
    return run


def read_grades(path):
    """Query id to grades by document; grades below 0 gain nothing."""
    grades = {}
    for line in path.read_text(encoding="utf-8").strip().split("\n")[1:]:
        query, document, grade = line.split("\t")
        grades.setdefault(query, {})[document] = max(0, int(grade))
    return grades


def column(scores, documents, beyond):
    """Scores of `documents` by one list, and ranks; `beyond` times the last score for absent ones."""
    least = min(scores.values()) * beyond if len(scores) >= DEPTH else 0.0
    ranks = {document: rank for rank, document in enumerate(scores, 1)}
    return (np.array([scores.get(document, least) for document in documents]),
            np.array([ranks.get(document, np.inf) for document in documents]))


def share_of(lexical, dense, hybrid):
    """The product's lexical share for a query, read off its fused scores."""
    shares = [(hybrid[document] - dense[document]) / (lexical[document] - dense[document])
              for document in hybrid if document in lexical and document in dense
              and abs(lexical[document] - dense[document]) > 0.02]
    return float(np.median(shares)) if shares else None


def gap(scores):
    """How far the best score stands above the tenth."""
    best = np.sort(scores)[::-1]
    return float(best[0] - best[min(9, len(best) - 1)]) if len(best) else 0.0


def features(text, known, lexical, dense):
    """What a learned share may look at: `FEATURES` numbers, known words and coverage first."""
    letters = [letter for letter in text if letter.isalnum()]
    japanese = sum(letter >= "\u3040" for letter in letters) / max(1, len(letters))
    sign = bool(re.search(r"::|_|\w\.\w|[a-z][A-Z]|\(\)", text))
    return np.array([known, lexical.max(initial=0), dense.max(initial=0), gap(lexical), gap(dense),
                     np.log1p(len(text)), japanese, float(sign)])


def query_of(text, grades, lists, shares):
    """A query's arrays; `lists` are its lexical, dense and hybrid scores."""
    lexical, dense, hybrid = lists
    documents = sorted(set(lexical) | set(dense), reverse=True)
    share = share_of(lexical, dense, hybrid)
    known = 1.0 if share is None else min(1.0, max(0.0, (share - shares[1]) / (shares[0] - shares[1])))
    (words, word_ranks), (meaning, meaning_ranks) = column(lexical, documents, 0.7), column(dense, documents, 0.9)
    best = sorted(grades.values(), reverse=True)[:TOP]
    return Query(words, meaning, word_ranks, meaning_ranks,
                 np.array([grades.get(document, 0) for document in documents]),
                 float((np.array(best) * DISCOUNT[: len(best)]).sum()), known,
                 features(text, known, words, meaning))


def load(name, options):
    """All judged queries of a set."""
    folder = options.data / "eval" / name
    runs = [read_run(options.runs / f"{name}.{mode}.run") for mode in ("lexical", "dense", "hybrid")]
    queries = {query["_id"]: query for query in passages.lines_of(folder / "queries.jsonl")}
    found = []
    for key, grades in read_grades(folder / "qrels.tsv").items():
        if not any(grades.values()):
            continue
        neutral = set((queries[key].get("metadata") or {}).get("neutral", []))
        lists = [{document: score for document, score in run.get(key, {}).items() if document not in neutral}
                 for run in runs]
        found.append(query_of(queries[key]["text"], grades, lists, options.shares))
    return found


# Measuring.


def ndcg(query, scores):
    """nDCG@10 of the notes in the order of `scores`."""
    if not len(scores):
        return 0.0
    order = np.argsort(-scores.astype(np.float32), kind="stable")[:TOP]
    return float((query.gains[order] * DISCOUNT[: len(order)]).sum() / query.ideal)


def mix(query, share):
    """The convex form."""
    return share * query.lexical + (1 - share) * np.maximum(query.dense, 0)


def standard(scores):
    """z-scores."""
    return (scores - scores.mean()) / (scores.std() + 1e-9) if len(scores) else scores


def z_mix(query, least, slope):
    """z-scores, the lexical share growing with coverage: the best note's share of the ideal score."""
    share = min(0.95, least + slope * query.lexical.max(initial=0))
    return share * standard(query.lexical) + (1 - share) * standard(query.dense)


def reciprocal(query, k, pool=100):
    """Reciprocal rank fusion."""
    return sum(np.where(ranks <= pool, 1 / (k + ranks), 0.0) for ranks in (query.lexical_rank, query.dense_rank))


def by_known(query, unknown, known):
    """The convex form whose share grows with the share of known words: the product's."""
    return mix(query, unknown + query.known * (known - unknown))


def forms(shares):
    """The forms without learning."""
    known, unknown = shares
    yield "words alone", lambda query: query.lexical
    yield "meaning alone", lambda query: query.dense
    for share in (0.5, 0.65, 0.72, 0.8, 0.9):
        yield f"convex, {share:g} by word", lambda query, share=share: mix(query, share)
    default = f"**convex, {unknown:g} to {known:g} by known words (the default)**"
    yield default, lambda query: by_known(query, unknown, known)
    for pair in ((0.4, 0.8), (0.5, 0.8), (0.6, 0.72)):
        yield f"the same, {pair[0]:g} to {pair[1]:g}", lambda query, pair=pair: by_known(query, *pair)
    for least, slope in ((0.2, 0.6), (0.3, 0.6)):
        yield (f"z-scores, {least:g} + {slope:g} × coverage",
               lambda query, least=least, slope=slope: z_mix(query, least, slope))
    for k in (10, 20, 60):
        yield f"reciprocal ranks, k = {k}", lambda query, k=k: reciprocal(query, k)


# Learning.


def curves(queries):
    """nDCG@10 by share, a row a query."""
    return np.array([[ndcg(query, mix(query, share)) for share in GRID] for query in queries])


def slopes(rows, shares):
    """How nDCG changes with the share, smoothed over a tenth to either side."""
    above, below = (interpolate(rows, np.clip(shares + step, 0, 1)) for step in (0.1, -0.1))
    return (above - below) / 0.2


def interpolate(rows, shares):
    """nDCG at any share, between the points of the grid."""
    place = shares * (len(GRID) - 1)
    low = np.minimum(place.astype(int), len(GRID) - 2)
    part, at = place - low, np.arange(len(rows))
    return rows[at, low] * (1 - part) + rows[at, low + 1] * part


def logistic(values):
    """Any number to a share."""
    return 1 / (1 + np.exp(-values))


def learn(sets, table, use):
    """Logistic regression of the share, by gradient ascent of mean nDCG, each set with the same weight.

    `use` is how many of the features it may look at.
    """
    x = np.vstack([np.array([query.features[:use] for query in sets[name]]) for name in sets])
    rows = np.vstack([table[name] for name in sets])
    weight = np.concatenate([np.full(len(sets[name]), 1 / len(sets[name]) / len(sets)) for name in sets])
    centre, spread = x.mean(axis=0), x.std(axis=0) + 1e-9
    x = np.hstack([np.ones((len(x), 1)), (x - centre) / spread])
    beta = np.zeros(x.shape[1])
    beta[0] = np.log(START / (1 - START))
    for _ in range(STEPS):
        share = logistic(x @ beta)
        step = x.T @ (weight * slopes(rows, share) * share * (1 - share))
        beta += RATE * 10 * (step - RIDGE * np.concatenate([[0], beta[1:]]))
    return beta, centre, spread


def learned_share(query, model):
    """The share that a learned model gives a query."""
    beta, centre, spread = model
    return float(logistic(beta[0] + ((query.features[: len(centre)] - centre) / spread) @ beta[1:]))


def leave_one_out(sets, table, use):
    """nDCG of each set with a share learned on the others."""
    values = []
    for name in sets:
        model = learn({other: sets[other] for other in sets if other != name}, table, use)
        values.append(mean_over(sets[name], lambda query, model=model: mix(query, learned_share(query, model))))
    return values


def within(sets, table, use):
    """The same, each set with the share learned on all of them: an upper bound, not a result."""
    model = learn(sets, table, use)
    return [mean_over(sets[name], lambda query: mix(query, learned_share(query, model))) for name in sets]


def mean_over(queries, form):
    """Mean nDCG@10 of a form."""
    return float(np.mean([ndcg(query, form(query)) for query in queries]))


def row(name, values, halves):
    """A row of the table; `worst` is the least difference to a set's better half."""
    worst = min((value - half for value, half in zip(values, halves)), default=0)
    return {"name": name, "values": [round(value, 4) for value in values], "mean": round(float(np.mean(values)), 4),
            "worst": round(worst, 4)}


def compare(sets, shares):
    """All rows."""
    plain = {name: [mean_over(queries, form) for queries in sets.values()] for name, form in forms(shares)}
    halves = [max(pair) for pair in zip(plain["words alone"], plain["meaning alone"])]
    table = {name: curves(queries) for name, queries in sets.items()}
    plain["learned share, leave one set out"] = leave_one_out(sets, table, FEATURES)
    plain["the same, known words and coverage alone"] = leave_one_out(sets, table, 2)
    plain["learned share, all sets seen (an upper bound)"] = within(sets, table, FEATURES)
    best = [float(rows.max(axis=1).mean()) for rows in table.values()]
    plain["best share of each query, known afterwards (out of reach)"] = best
    return [row(name, values, halves) for name, values in plain.items()]


def check(rows, sets, options):
    """How far the lab's copy of the default is from the product's own figures."""
    ours = next(one for one in rows if "default" in one["name"])["values"]
    raw = json.loads((options.out.parent / "raw.json").read_text(encoding="utf-8"))["results"]
    theirs = [raw[f"{name}/hybrid"]["metrics"][plan.MAIN]["mean"] for name in sets]
    most = max(abs(mine - other) for mine, other in zip(ours, theirs))
    return f"The lab's row of the default is at most {most:.4f} from the binary's own figures, over all sets."


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=Path, required=True, help="SET.lexical.run, SET.dense.run, SET.hybrid.run")
    parser.add_argument("--data", type=Path, required=True, help="holds eval/SET")
    parser.add_argument("--out", type=Path, required=True, help="fusion.json beside the run's raw.json")
    parser.add_argument("--shares", type=float, nargs=2, default=(0.72, 0.5), metavar=("KNOWN", "UNKNOWN"),
                        help="lexical_share and lexical_share_unknown of the runs")
    options = parser.parse_args()
    names = [one.name for one in plan.SETS if (options.runs / f"{one.name}.hybrid.run").exists()]
    sets = {name: load(name, options) for name in names}
    rows = compare(sets, options.shares)
    lab = {"sets": names, "rows": rows, "check": check(rows, names, options)}
    options.out.write_text(json.dumps(lab, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
