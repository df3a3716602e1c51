"""Chooses the pieces of the model out of XLM-RoBERTa's and writes their tokenizer. Not responsible for
vectors.

First come the English and Japanese pieces by a fixed rule (what MiniLM's vocabulary segments into,
Japanese pieces, short signs), in order of their score; then those that the training text of the other
languages uses most. Pieces keep their scores.
"""

import copy
import re
from collections import Counter

from tokenizers import Tokenizer
import json

JAPANESE = re.compile(
    "^[▁\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]*"
    "[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef][▁\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]*$"
)
SHORT = re.compile("^▁?[\u0020-\u007e\u2000-\u206f\u2190-\u27bf]{1,3}$")
SPECIAL = ["<s>", "<pad>", "</s>", "<unk>"]


def tokenizer_of(file: dict) -> Tokenizer:
    """Returns the tokenizer of a file, without padding and cutting."""
    tokenizer = Tokenizer.from_str(json.dumps(file))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def first_pieces(full: dict, words: list[str]) -> list[int]:
    """Returns the numbers of the English and Japanese pieces, best score first."""
    pieces = full["model"]["vocab"]
    texts = {form for word in words for form in (word, word.capitalize())}
    used = set()
    for row in tokenizer_of(full).encode_batch_fast(sorted(texts), add_special_tokens=False):
        used.update(row.ids)
    for number, (piece, _) in enumerate(pieces):
        if number > 3 and (JAPANESE.match(piece) or SHORT.match(piece)):
            used.add(number)
    chosen = sorted(number for number in used if 3 < number < len(pieces))
    return sorted(chosen, key=lambda number: -pieces[number][1])


def words_of(word_piece: dict) -> list[str]:
    """Returns the ASCII words and word parts of a WordPiece tokenizer file."""
    names = word_piece["model"]["vocab"]
    return [name.replace("##", "") for name in names if name.isascii() and not name.startswith("[")]


def more_pieces(full: dict, chosen: list[int], texts: list[str], most: int, least: int = 2) -> list[int]:
    """Returns up to `most` pieces that the texts use at least `least` times, most used first."""
    tokenizer, counts, known = tokenizer_of(full), Counter(), set(chosen)
    for start in range(0, len(texts), 20000):
        for row in tokenizer.encode_batch_fast(texts[start : start + 20000], add_special_tokens=False):
            counts.update(row.ids)
    limit = len(full["model"]["vocab"])
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    added = [number for number, count in ranked if count >= least and number not in known]
    return [number for number in added if 3 < number < limit][:most]


def cut(full: dict, chosen: list[int]) -> dict:
    """Returns the tokenizer file with the special and the chosen pieces only, renumbered."""
    file, pieces = copy.deepcopy(full), full["model"]["vocab"]
    named = {piece: score for piece, score in pieces[:8] + pieces[-8:]}
    vocabulary = [[name, named.get(name, 0.0)] for name in SPECIAL]
    file["model"]["vocab"] = vocabulary + [pieces[number] for number in chosen]
    file["model"]["unk_id"] = SPECIAL.index("<unk>")
    added = {token["content"]: token for token in full["added_tokens"]}
    file["added_tokens"] = [dict(added[name], id=SPECIAL.index(name)) for name in SPECIAL if name in added]
    file["post_processor"] = file["truncation"] = file["padding"] = None
    return file
