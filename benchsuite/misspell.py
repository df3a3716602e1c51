#!/usr/bin/env python3
"""Copies a judged set with one word of each query misspelt, so that `hiku eval` tells what slips cost.

  misspell.py SET_DIR COPY_DIR

The word is one of five or more ASCII letters, chosen at random, and gets one edit behind its first
letter: a letter more, less or another, or two neighbours swapped. Queries without such a word are
left out; corpus and judgements stay as they are. The same bytes each time. Standard library only.
"""
import argparse
import json
import random
import re
import shutil
from pathlib import Path

WORD = re.compile(r"(?<![A-Za-z0-9_])[a-zA-Z][a-z]{4,}(?![A-Za-z0-9_])")
SEED = 7


def slip(word, random_source):
    """One edit of `word`, behind its first letter and before its last."""
    at = random_source.randrange(1, len(word) - 1)
    edit = random_source.choice(["insert", "delete", "replace", "swap"])
    letter = chr(random_source.randrange(ord("a"), ord("z") + 1))
    if edit == "insert":
        return word[:at] + letter + word[at:]
    if edit == "delete":
        return word[:at] + word[at + 1 :]
    if edit == "swap" and word[at] != word[at + 1]:
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return word[:at] + letter + word[at + 1 :]


def misspelt(text, random_source):
    """`text` with one word misspelt, or None where it has no word to misspell."""
    words = list(WORD.finditer(text))
    if not words:
        return None
    word = random_source.choice(words)
    return text[: word.start()] + slip(word.group().lower(), random_source) + text[word.end() :]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("set_dir", type=Path)
    parser.add_argument("copy_dir", type=Path)
    arguments = parser.parse_args()
    arguments.copy_dir.mkdir(parents=True, exist_ok=True)
    for name in ["corpus.jsonl", "qrels.tsv"]:
        shutil.copy(arguments.set_dir / name, arguments.copy_dir / name)
    random_source = random.Random(SEED)
    with (
        open(arguments.set_dir / "queries.jsonl", encoding="utf-8") as queries,
        open(arguments.copy_dir / "queries.jsonl", "w", encoding="utf-8") as copy,
    ):
        for line in queries:
            query = json.loads(line)
            query["text"] = misspelt(query["text"], random_source)
            if query["text"] is not None:
                copy.write(json.dumps(query, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
