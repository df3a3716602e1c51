"""Runs the teachers over the items, in shards that are kept on disk. Not responsible for the items.

A shard is `NNNN.npz` with `use` [shard, 512] and `minilm` [English anchors of the shard, 384].
"""

import time
from pathlib import Path

import numpy as np

SHARD = 8192


def encode_shards(items, use, minilm, folder: Path, log, worker: int = 0, workers: int = 1, last: int = 10**9) -> None:
    """Encodes every `workers`-th shard before `last` that is not on disk yet."""
    folder.mkdir(parents=True, exist_ok=True)
    shards = min(last, (len(items) + SHARD - 1) // SHARD)
    for number in range(worker, shards, workers):
        path = folder / f"{number:04}.npz"
        if path.exists():
            continue
        start = time.time()
        part = items[number * SHARD : (number + 1) * SHARD]
        rows = {"use": use.encode([item.anchor for item in part])}
        rows["minilm"] = minilm.encode([item.anchor for item in part if item.language == "en"])
        np.savez(folder / f"{number:04}.part.npz", **rows)
        (folder / f"{number:04}.part.npz").rename(path)
        log(f"shard {number}: {len(part) / (time.time() - start):.0f} texts/s")


def read_shards(items, folder: Path):
    """Returns the items that have been encoded, `use`, `minilm` and the rows `minilm` belongs to."""
    paths = sorted(path for path in folder.glob("*.npz") if ".part" not in path.name)
    shards = [np.load(path) for path in paths]
    starts = [int(path.stem) * SHARD for path in paths]
    items = [item for start in starts for item in items[start : start + SHARD]]
    rows = np.array([index for index, item in enumerate(items) if item.language == "en"])
    use, minilm = (np.concatenate([shard[name] for shard in shards]) for name in ("use", "minilm"))
    return items, use, minilm, rows
