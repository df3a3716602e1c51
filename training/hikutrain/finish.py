"""What is done to fitted vectors before they are written: old vectors mixed in, directions evened out,
pieces that training never saw placed. Not responsible for the fit or the file.
"""

import numpy as np

from .targets import ridge


def mix_previous(table: np.ndarray, previous: np.ndarray, share: float) -> np.ndarray:
    """Mixes the vectors of an earlier model in, turned onto the new ones.

    `previous` holds the vectors of the first pieces of `table`. The turn is the orthogonal map with the
    least squared difference (Schoenemann 1966), so the earlier model's own similarities are kept; both
    have the same mean length before they are added.
    """
    count = len(previous)
    left, _, right = np.linalg.svd(previous[4:].T @ table[4:count])
    turned = previous[4:] @ (left @ right)
    mean = np.linalg.norm(table[4:], axis=1).mean()
    turned *= mean / np.linalg.norm(turned, axis=1).mean()
    mixed = table.copy()
    mixed[4:count] = (1 - share) * table[4:count] + share * turned
    return mixed


def even_out(table: np.ndarray, power: float) -> np.ndarray:
    """Divides each dimension by its deviation to a power from 0 (nothing) to 1 (all alike).

    The first principal components say what kind of text it is, and drown what sets two texts of a kind
    apart.
    """
    deviation = table[4:].std(axis=0)
    return table * (deviation / deviation.max()) ** -power


def place_unseen(table: np.ndarray, start: np.ndarray, holders: np.ndarray) -> np.ndarray:
    """Places pieces that no training text has: their start vectors, mapped as those of seen pieces moved.

    Their length is that of rare pieces.
    """
    seen, unseen = holders >= 5, holders == 0
    unseen[:4] = False
    moved = table.copy()
    moved[unseen] = start[unseen] @ ridge(start[seen], table[seen], 5.0)
    rare = np.linalg.norm(table[(holders > 0) & (holders < 10)], axis=1).mean()
    moved[unseen] *= rare / np.maximum(np.linalg.norm(moved[unseen], axis=1, keepdims=True), 1e-6)
    return moved
