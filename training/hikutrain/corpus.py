"""Reads the training text and puts it into one shuffled list of items. Not responsible for vectors.

An item is a text that the teachers encode (the anchor) and the texts that are taught its vector: the
anchor itself and, in a pair, its translation. Held-out pairs and every line that equals one of their
sides are kept out of the list.
"""

import hashlib
import re
import subprocess
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

LANGUAGES = ("zh", "ko", "ru", "de", "fr", "es")
HELD_OUT_PAIRS = 2000
HELD_OUT_DESCRIPTIONS = 300
LONGEST = 400


@dataclass
class Item:
    """An anchor, its language (`en`, `ja` or `other`) and the texts that share its vector."""

    anchor: str
    language: str
    others: list[str] = field(default_factory=list)


@dataclass
class HeldOut:
    """Parallel texts that nothing is trained on: (language, English side, other side)."""

    pairs: list[tuple[str, str, str]]

    def texts(self) -> set[str]:
        """Returns the keys of all sides."""
        return {key(text) for pair in self.pairs for text in pair[1:]}


def key(text: str) -> str:
    """Returns a text's letters and digits, small: what two copies of it have in common."""
    return re.sub(r"\W+", "", text.casefold())


def digest(text: str) -> int:
    """Returns a number that depends on nothing but the text."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")


def read_lines(path: Path) -> list[str]:
    """Reads a text file, one text a line."""
    return path.read_text(encoding="utf-8").splitlines()


def read_pairs(path: Path) -> list[tuple[str, str]]:
    """Reads English TAB Japanese."""
    rows = (line.split("\t") for line in read_lines(path))
    return [(row[0], row[1]) for row in rows if len(row) == 2 and row[0] and row[1]]


def read_translations(path: Path) -> dict[str, tuple[str, str, list[str]]]:
    """Reads a `Translation-xx` list of Debian: checksum to (package, title, paragraphs)."""
    if path.suffix == ".lz4":
        data = subprocess.run(["lz4", "-dc", str(path)], check=True, capture_output=True).stdout
    else:
        data = path.read_bytes()
    found = {}
    for block in data.decode("utf-8", "replace").split("\n\n"):
        fields = re.match(r"Package: (\S+)\nDescription-md5: (\w+)\nDescription-\w+: (.*)\n?", block)
        if fields:
            body = block[fields.end() :]
            parts = [" ".join(part.split()) for part in re.split(r"\n \.\s*(?:\n|$)", "\n" + body)]
            found[fields[2]] = (fields[1], fields[3].strip(), [part for part in parts if part])
    return found


def description_pairs(folder: Path):
    """Yields (language, package, kind, English, other) of Debian's package descriptions."""
    lists = {}
    for path in sorted(folder.glob("*Translation-*")):
        language = re.search(r"Translation-(\w\w)", path.name)[1]
        lists.setdefault(language, {}).update(read_translations(path))
    english = lists.pop("en", {})
    for language in sorted(lists):
        for checksum, (package, title, parts) in sorted(lists[language].items()):
            source = english.get(checksum)
            if source is None or title == source[1]:
                continue
            yield language, package, "title", source[1], title
            if len(parts) == len(source[2]):
                for mine, theirs in zip(source[2], parts):
                    if mine != theirs and 30 <= len(mine) <= LONGEST and len(theirs) <= LONGEST:
                        yield language, package, "part", mine, theirs


def stem(package: str) -> str:
    """Returns what packages of one family have in common, so that they are held out together."""
    return re.split(r"[-.\d]", package.removeprefix("lib"))[0]


def load(text: Path, descriptions: Path) -> tuple[list[Item], HeldOut]:
    """Reads everything and returns the shuffled items and what is held out."""
    rng = np.random.default_rng(1)
    pairs = read_pairs(text / "pairs-en-ja.tsv")
    long = [pair for pair in pairs if 40 <= len(pair[0]) <= LONGEST and len(pair[1]) >= 15]
    long.sort(key=lambda pair: digest(pair[0] + pair[1]))
    held = HeldOut([("ja", *pair) for pair in long[:HELD_OUT_PAIRS]])
    described, counts = [], defaultdict(int)
    for language, package, kind, mine, theirs in description_pairs(descriptions):
        if digest(stem(package)) % 12 == 0:
            if kind == "part" and len(mine) >= 80 and counts[language] < HELD_OUT_DESCRIPTIONS:
                counts[language] += 1
                held.pairs.append((language, mine, theirs))
        else:
            described.append((language, mine, theirs))
    return _items(text, pairs, described, held.texts(), rng), held


def _items(text: Path, pairs, described, forbidden: set[str], rng) -> list[Item]:
    by_anchor: dict[str, Item] = {}
    for mine, theirs in pairs + [row[1:] for row in described]:
        if key(mine) in forbidden or key(theirs) in forbidden:
            continue
        item = by_anchor.setdefault(mine, Item(mine[:LONGEST], "en"))
        if len(item.others) < 8 and theirs not in item.others:
            item.others.append(theirs[:LONGEST])
    items = list(by_anchor.values())
    seen = {key(text) for item in items for text in [item.anchor, *item.others]} | forbidden
    for name, share in (("en", 0.5), ("ja", 0.45), ("other", 0.75)):
        for line in read_lines(text / f"{name}.txt"):
            if key(line) not in seen and rng.random() < share:
                items.append(Item(line, name))
    return [items[index] for index in rng.permutation(len(items))]
