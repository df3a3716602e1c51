"""Writes a Model2Vec folder with signed bytes. Not responsible for how the vectors were made."""

import json
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file


def quantise(table: np.ndarray) -> np.ndarray:
    """Returns signed bytes with one common scale, which normalising removes.

    The largest 0.01 % of the numbers are clipped.
    """
    scale = np.quantile(np.abs(table), 0.9999) / 127
    return np.clip(np.rint(table / scale), -127, 127).astype(np.int8)


def write_folder(folder: Path, table: np.ndarray, tokenizer: dict) -> None:
    """Writes `config.json`, `model.safetensors` and `tokenizer.json`."""
    folder.mkdir(parents=True, exist_ok=True)
    save_file({"embeddings": np.ascontiguousarray(quantise(table))}, folder / "model.safetensors")
    text = json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":"))
    (folder / "tokenizer.json").write_text(text, encoding="utf-8")
    config = {
        "model_type": "model2vec",
        "architectures": ["StaticModel"],
        "tokenizer_name": "intfloat/multilingual-e5-small (part of the vocabulary)",
        "hidden_dim": int(table.shape[1]),
        "seq_length": 1000000,
        "normalize": True,
        "embedding_dtype": "int8",
    }
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")
