"""Fits token vectors so that their weighted mean over a text has the direction of the text's target.

Loss of a text: 1 - cos(mean, target), and `contrast` times the cross entropy of finding its own target
among those of the batch (softmax over cosine / `temperature`). Only rows that a batch uses are updated
(lazy Adam). Gradients are summed per row in a fixed order, so equal seeds give equal bits on one
machine, whatever the number of threads.
"""

import time

import numba
import numpy as np

BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8


@numba.njit(parallel=True, fastmath=True, cache=True)
def _forward(table, weights, ids, starts, ends, out, mass):
    for text in numba.prange(len(starts)):
        row = out[text]
        row[:] = 0
        total = np.float32(0)
        for place in range(starts[text], ends[text]):
            weight = weights[ids[place]]
            total += weight
            source = table[ids[place]]
            for k in range(row.shape[0]):
                row[k] += weight * source[k]
        mass[text] = total
        scale = np.float32(1) / max(total, np.float32(1e-6))
        for k in range(row.shape[0]):
            row[k] *= scale


@numba.njit(parallel=True, fastmath=True, cache=True)
def _update(table, first, second, steps, weights, rows, bounds, owners, mass, gradient, rate):
    dimensions = table.shape[1]
    for index in numba.prange(len(rows)):
        row = rows[index]
        total = np.zeros(dimensions, np.float32)
        for place in range(bounds[index], bounds[index + 1]):
            text = owners[place]
            weight = weights[row] / max(mass[text], np.float32(1e-6))
            for k in range(dimensions):
                total[k] += weight * gradient[text, k]
        steps[row] += 1
        fix1 = np.float32(1 - BETA1 ** steps[row])
        fix2 = np.float32(1 - BETA2 ** steps[row])
        for k in range(dimensions):
            g = total[k]
            first[row, k] = np.float32(BETA1) * first[row, k] + np.float32(1 - BETA1) * g
            second[row, k] = np.float32(BETA2) * second[row, k] + np.float32(1 - BETA2) * g * g
            size = np.sqrt(second[row, k] / fix2) + np.float32(EPSILON)
            table[row, k] -= rate * (first[row, k] / fix1) / size


def gather_tokens(ids, offsets, texts):
    """Returns the tokens of some texts in a row, and where each begins and ends."""
    lengths = offsets[texts + 1] - offsets[texts]
    ends = np.cumsum(lengths)
    starts = ends - lengths
    places = np.arange(ends[-1]) + np.repeat(offsets[texts] - starts, lengths)
    return ids[places], starts, ends, lengths


def unit(rows):
    """Returns rows of length 1, and their lengths."""
    sizes = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-6))
    return rows / sizes, sizes


def direction_gradient(mean, target, own, contrast, temperature):
    """Returns the loss and its gradient with respect to the means of a batch."""
    direction, sizes = unit(mean)
    cosine = (direction * target).sum(axis=1)
    pull = -target.copy()
    loss = float((1 - cosine).mean())
    if contrast > 0:
        scores = direction @ target.T
        scores /= np.float32(temperature)
        same = own[:, None] == own[None, :]
        np.fill_diagonal(same, False)
        scores[same] = -1e4
        scores -= scores.max(axis=1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=1, keepdims=True)
        loss += contrast * float(-np.log(np.maximum(np.diag(scores), 1e-12)).mean())
        scores[np.arange(len(scores)), np.arange(len(scores))] -= 1
        pull += np.float32(contrast / temperature) * (scores @ target)
    pull -= direction * (pull * direction).sum(axis=1, keepdims=True)
    return loss, (pull / sizes).astype(np.float32)


def fit(table, weights, ids, offsets, owner, targets, *, epochs, rate, batch, contrast, temperature, seed, log):
    """Fits `table` in place. `owner` is the target's row of each text; returns the table."""
    rng = np.random.default_rng(seed)
    first, second = np.zeros_like(table), np.zeros_like(table)
    steps = np.zeros(len(table), np.int64)
    texts = np.flatnonzero(offsets[1:] > offsets[:-1])
    out, mass = np.empty((batch, table.shape[1]), np.float32), np.empty(batch, np.float32)
    total, done, start = epochs * (len(texts) // batch), 0, time.time()
    for epoch in range(epochs):
        order, sum_loss = rng.permutation(texts), 0.0
        for place in range(0, len(order) - batch + 1, batch):
            part = order[place : place + batch]
            tokens, starts, ends, lengths = gather_tokens(ids, offsets, part)
            _forward(table, weights, tokens, starts, ends, out, mass)
            own = owner[part]
            loss, gradient = direction_gradient(
                out, targets[own].astype(np.float32), own, contrast, temperature
            )
            by_token = np.argsort(tokens, kind="stable")
            rows, bounds = np.unique(tokens[by_token], return_index=True)
            owners = np.repeat(np.arange(batch), lengths)[by_token]
            step = np.float32(rate * max(0.02, 1 - done / total))
            bounds = np.append(bounds, len(tokens))
            _update(table, first, second, steps, weights, rows, bounds, owners, mass, gradient, step)
            sum_loss += loss
            done += 1
        log(f"epoch {epoch + 1}: loss {sum_loss * batch / len(order):.4f}, {time.time() - start:.0f} s")
    return table
