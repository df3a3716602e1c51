"""Turns the items' texts into runs of piece ids, and counts pieces. Not responsible for vectors."""

import numpy as np

LONGEST = 160


def tokenise(tokenizer, items):
    """Returns ids, offsets and the item of each text: the anchor first, then its translations."""
    unknown = tokenizer.token_to_id("<unk>")
    ids, lengths, owner = [], [], []
    for start in range(0, len(items), 10000):
        part = items[start : start + 10000]
        texts = [(start + k, text) for k, item in enumerate(part) for text in [item.anchor, *item.others]]
        rows = tokenizer.encode_batch_fast([text for _, text in texts], add_special_tokens=False)
        for (number, _), row in zip(texts, rows):
            known = [token for token in row.ids if token != unknown][:LONGEST]
            ids.append(np.array(known, np.int32))
            lengths.append(len(known))
            owner.append(number)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return np.concatenate(ids), offsets, np.array(owner)


def rarity(ids, offsets, size: int):
    """Returns sqrt(ln(1 + (N - n + .5) / (n + .5))) for each piece, n = texts that have it.

    The weighting that the product gives to pieces over a vault's notes.
    """
    text = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    pairs = np.unique(text.astype(np.int64) * size + ids)
    holders = np.bincount(pairs % size, minlength=size)
    total = len(offsets) - 1
    return np.sqrt(np.log1p((total - holders + 0.5) / (holders + 0.5))).astype(np.float32), holders
