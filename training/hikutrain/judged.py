"""Measures a finished model in the product on judged sets. For measuring only: nothing of a judged set
reaches the training.

Runs `hiku eval` on folders of `corpus.jsonl`, `queries.jsonl` and `qrels.tsv` and computes nDCG@10;
documents that a query calls neutral are taken out of its ranking.
"""

import json
import math
import random
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

GROUPS = {
    "cpprefjp": ["cpprefjp-anchor", "cpprefjp-ident", "cpprefjp-commits"],
    "cppdocs": ["cppdocs-ja2en"],
    "jsquad": ["jsquad-valid"],
    "jaquad": ["jaquad-train4k"],
    "scifact": ["scifact-train"],
    "cranfield": ["cranfield"],
}
SETS = [name for names in GROUPS.values() for name in names]


def gather(eval_folder: Path, out: Path, most: int) -> None:
    """Joins the sets of one corpus to one folder, each with at most `most` queries."""
    for group, names in GROUPS.items():
        folder = out / group
        if folder.exists():
            continue
        folder.mkdir(parents=True)
        (folder / "corpus.jsonl").symlink_to(eval_folder / names[-1] / "corpus.jsonl")
        judged = ["query-id\tcorpus-id\tscore\n"]
        with open(folder / "queries.jsonl", "w") as queries:
            for name in names:
                rows = open(eval_folder / name / "queries.jsonl").readlines()
                if len(rows) > most:
                    rows = random.Random(1).sample(rows, most)
                for row in rows:
                    query = json.loads(row)
                    query["_id"] = f"{name}|{query['_id']}"
                    queries.write(json.dumps(query, ensure_ascii=False) + "\n")
                lines = open(eval_folder / name / "qrels.tsv").readlines()[1:]
                judged += [f"{name}|{line}" for line in lines]
        (folder / "qrels.tsv").write_text("".join(judged))


def ndcg(ranking: list[str], gains: dict[str, float]) -> float:
    """nDCG at 10 with gain = the judged score."""
    got = sum(gains.get(note, 0) / math.log2(rank + 2) for rank, note in enumerate(ranking[:10]))
    best = sorted(gains.values(), reverse=True)[:10]
    return got / sum(gain / math.log2(rank + 2) for rank, gain in enumerate(best))


def score(folder: Path, run: Path) -> dict[str, float]:
    """Returns the mean nDCG@10 of each set in a joined folder."""
    gains, rankings, neutral = defaultdict(dict), defaultdict(list), {}
    for line in open(folder / "queries.jsonl"):
        query = json.loads(line)
        neutral[query["_id"]] = set(query.get("metadata", {}).get("neutral", []))
    for line in open(folder / "qrels.tsv").readlines()[1:]:
        query, note, gain = line.rstrip("\n").split("\t")
        if float(gain) > 0:
            gains[query][note] = float(gain)
    for line in open(run):
        query, _, note, *_ = line.rstrip("\n").split("\t")
        if note not in neutral[query]:
            rankings[query].append(note)
    values = defaultdict(list)
    for query in neutral:
        if query in gains:
            values[query.split("|")[0]].append(ndcg(rankings[query], gains[query]))
    return {name: sum(row) / len(row) for name, row in values.items()}


def measure(hiku: Path, sets: Path, model: Path, modes=("dense", "hybrid"), options=()) -> dict:
    """Runs every set in the product and returns mode -> set -> nDCG@10."""
    result = {mode: {} for mode in modes}
    for group in GROUPS:
        for mode in modes:
            run = model / f"{group}-{mode}.run"
            command = [hiku, "eval", sets / group, "--run", run, "--mode", mode, "--limit", "40"]
            subprocess.run([*command, "--model", model, *options], check=True, capture_output=True)
            result[mode].update(score(sets / group, run))
            run.unlink()
    return result


def table(result: dict) -> str:
    """Formats the figures as two lines and a mean."""
    lines = ["        " + " ".join(f"{name[-10:]:>10}" for name in SETS) + "       mean"]
    for mode, row in result.items():
        mean = sum(row[name] for name in SETS) / len(SETS)
        lines.append(f"{mode:8}" + " ".join(f"{row[name]:10.3f}" for name in SETS) + f" {mean:10.4f}")
    return "\n".join(lines)
