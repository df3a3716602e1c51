"""Measures a model on held-out parallel texts: how often the translation is the nearest of all.

Vectors are plain means of token vectors. Not responsible for retrieval in the product (see judged.py).
"""

from collections import defaultdict
from pathlib import Path

import numpy as np
import safetensors.numpy
from tokenizers import Tokenizer


class Static:
    """A Model2Vec folder."""

    def __init__(self, folder: Path):
        tensors = safetensors.numpy.load_file(folder / "model.safetensors")
        self.table = tensors["embeddings"].astype(np.float32)
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.unknown = self.tokenizer.token_to_id("<unk>")

    def encode(self, texts) -> np.ndarray:
        """Returns unit vectors."""
        out = np.zeros((len(texts), self.table.shape[1]), np.float32)
        rows = self.tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        for index, row in enumerate(rows):
            ids = [token for token in row.ids if token != self.unknown]
            if ids:
                out[index] = self.table[ids].mean(axis=0)
        return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9)


def accuracy(static: Static, pairs) -> dict[str, tuple[float, float]]:
    """Returns language -> (English to it, it to English): share of texts whose translation is nearest."""
    sides = defaultdict(list)
    for language, mine, theirs in pairs:
        sides[language].append((mine, theirs))
    result = {}
    for language, rows in sides.items():
        mine, theirs = (static.encode(side) for side in zip(*rows))
        scores = mine @ theirs.T
        own = np.arange(len(rows))
        result[language] = (
            float((scores.argmax(axis=1) == own).mean()),
            float((scores.argmax(axis=0) == own).mean()),
        )
    return result
