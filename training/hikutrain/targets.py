"""Turns the teachers' vectors into the targets of the fit.

The target of a text is `concat(universal, mini_lm)`, each centred, made unit and weighted, cut to its
first principal components. MiniLM reads English only: for other anchors its part is predicted from the
universal one by a ridge map that was fitted on the English anchors.
"""

import numpy as np

SAMPLE = 40000
"""Anchors that the maps are fitted on: enough for matrices of a thousand rows."""


def unit(rows):
    """Scales rows to length 1."""
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def ridge(inputs, outputs, strength):
    """Returns the matrix W with the least |inputs W - outputs|^2 + strength |W|^2."""
    inputs = inputs.astype(np.float32)
    gram = inputs.T @ inputs + strength * np.eye(inputs.shape[1], dtype=np.float32)
    return np.linalg.solve(gram.astype(np.float64), (inputs.T @ outputs).astype(np.float64)).astype(np.float32)


class Space:
    """The maps from the teachers' vectors to targets, fitted once on the training anchors."""

    def __init__(self, use, minilm, rows, weights, dimensions):
        self.weights = weights
        self.use_mean = use.mean(axis=0, dtype=np.float64).astype(np.float32)
        self.minilm_mean = minilm.mean(axis=0, dtype=np.float64).astype(np.float32)
        mine = unit(use[rows[:SAMPLE]].astype(np.float32) - self.use_mean)
        theirs = unit(minilm[:SAMPLE].astype(np.float32) - self.minilm_mean)
        self.map = ridge(mine, theirs, 10.0)
        rows = rows[rows < SAMPLE]
        joined = self.join(use[:SAMPLE], minilm[: len(rows)], rows)
        self.mean = joined.mean(axis=0)
        values, vectors = np.linalg.eigh(np.cov((joined - self.mean).T.astype(np.float64)))
        self.kept = float(values[::-1][:dimensions].sum() / values.sum())
        self.axes = vectors[:, ::-1][:, :dimensions].astype(np.float32)

    def join(self, use, minilm, rows):
        """Returns the weighted, joined vectors of anchors; `rows` are those that MiniLM read."""
        mine = unit(use.astype(np.float32) - self.use_mean)
        theirs = unit(mine @ self.map)
        theirs[rows] = unit(minilm.astype(np.float32) - self.minilm_mean)
        return np.concatenate([mine * self.weights[0], theirs * self.weights[1]], axis=1)

    def project(self, use, minilm, rows):
        """Returns unit targets, half precision."""
        out = np.empty((len(use), self.axes.shape[1]), np.float16)
        for start in range(0, len(use), 50000):
            end = min(start + 50000, len(use))
            low, high = np.searchsorted(rows, [start, end])
            joined = self.join(use[start:end], minilm[low:high], rows[low:high] - start)
            out[start:end] = unit((joined - self.mean) @ self.axes)
        return out
