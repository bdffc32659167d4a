"""Write the encoder and the reader, both of BERT's kind, as int8 ONNX models, without torch.

Weights go by these names, each Linear as (out, in), as torch keeps it: ``positions.weight``, ``norm``, and for each
layer N ``layers.N.`` with ``qkv``, ``out``, ``norm1``, ``wide``, ``narrow``, ``norm2``. The encoder has
``segments.weight``, the reader ``segments`` and the heads ``pool``, ``whole`` and ``tokens``. Word vectors come in from
outside.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

from training.smoothing import Factors, smoothed

Weights = Mapping[str, NDArray[Any]]
Shape = list[str | int]

_OPSET: Final = 18
_IR_VERSION: Final = 10
_EPSILON: Final = 1e-12
#: Added to the attention scores of padding: far below any score, far above the smallest float16.
_MASKED: Final = -10000.0
NO_FACTORS: Final[Factors] = {}
#: what the reader says of each token
HEADS_OF_TOKENS: Final = ("start", "end", "evidence")


def embedder_model(weights: Weights, heads: int) -> onnx.ModelProto:
    """Build (words, mask) to sentence_embedding (batch, hidden) and hidden (batch, tokens, hidden).

    hidden holds the tokens' states after the last layer, sentence_embedding their mean at unit length.
    """
    graph = _Graph(weights, heads)
    mask = graph.node("Cast", ["mask"], to=TensorProto.FLOAT)
    _mean_pool(graph, _encoder(graph, mask), mask)
    states: Shape = ["batch", "tokens", graph.hidden]
    return graph.model(
        inputs={"words": (TensorProto.FLOAT, states), "mask": (TensorProto.INT64, states[:2])},
        outputs={"sentence_embedding": ["batch", graph.hidden], "hidden": states},
    )


def reader_model(weights: Weights, heads: int) -> onnx.ModelProto:
    """Build (question, passage), the word vectors of each, to answers (batch) and a logit of each kind a token.

    start, end, evidence: (batch, tokens of the passage). There is no mask: a passage is read alone, without padding.
    """
    graph = _Graph(weights, heads)
    sides = [
        graph.node("Add", [side, graph.constant(f"segment_{number}", weights["segments"][number])])
        for number, side in enumerate(("question", "passage"))
    ]
    hidden = _embedded(graph, graph.node("Concat", sides, axis=1))
    for number in range(graph.layers):
        hidden = _layer(graph, f"layers.{number}.", hidden)
    first = graph.node("Gather", [hidden, graph.constant("first", 0, np.int64)], axis=1)
    whole = graph.linear(graph.node("Tanh", [graph.linear(first, "pool")]), "whole")
    graph.node("Squeeze", [whole, graph.integers(1)], "answers")
    asked = graph.node("Gather", [graph.node("Shape", ["question"]), graph.integers(1)])
    beyond = graph.integers(2**31)
    of_passage = graph.node("Slice", [hidden, asked, beyond, graph.integers(1)])
    logits = graph.linear(of_passage, "tokens")
    for number, name in enumerate(HEADS_OF_TOKENS):
        graph.node("Gather", [logits, graph.constant(f"part_{number}", number, np.int64)], name, axis=2)
    outputs: dict[str, Shape] = {"answers": ["batch"]}
    for name in HEADS_OF_TOKENS:
        outputs[name] = ["batch", "tokens_passage"]
    return graph.model(
        inputs={
            name: (TensorProto.FLOAT, ["batch", f"tokens_{name}", graph.hidden]) for name in ("question", "passage")
        },
        outputs=outputs,
    )


def quantise(model: onnx.ModelProto, out: Path, factors: Factors = NO_FACTORS) -> None:
    """Write ``model`` to ``out`` with eight-bit matrices, whose inputs are evened out by ``factors``."""
    with tempfile.TemporaryDirectory() as scratch:
        exact = Path(scratch) / "exact.onnx"
        onnx.save(smoothed(model, factors), exact)
        # One scale a channel: cosine to the exact model .993, against .948 with one scale a matrix. Seven of the
        # eight bits: processors without VNNI add products in 16 bits and overflow with eight.
        quantize_dynamic(
            exact,
            out,
            op_types_to_quantize=["MatMul"],
            weight_type=QuantType.QInt8,
            per_channel=True,
            reduce_range=True,
        )


class _Graph:
    """Collects nodes and constants; every method returns the name of the tensor it adds."""

    def __init__(self, weights: Weights, heads: int) -> None:
        self.weights = weights
        self.heads = heads
        self.hidden: int = weights["layers.0.out.weight"].shape[0]
        self.layers = sum(name.startswith("layers.") and name.endswith(".qkv.weight") for name in weights)
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}

    def node(self, op: str, inputs: Sequence[str], output: str = "", name: str = "", **attributes: Any) -> str:
        output = output or f"{op}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [output], name=name or output, **attributes))
        return output

    def constant(self, name: str, value: Any, dtype: type[np.generic] = np.float32) -> str:
        if name not in self.constants:
            array = np.ascontiguousarray(value, dtype=dtype) if np.ndim(value) else np.array(value, dtype=dtype)
            self.constants[name] = numpy_helper.from_array(array, name)
        return name

    def number(self, value: float) -> str:
        return self.constant(f"float_{value}", value)

    def integers(self, *values: int) -> str:
        return self.constant("ints_" + "_".join(map(str, values)), values, np.int64)

    def weight(self, name: str) -> str:
        return self.constant(name, self.weights[name])

    def linear(self, hidden: str, name: str) -> str:
        transposed = self.constant(f"{name}.weight.T", self.weights[f"{name}.weight"].T)
        product = self.node("MatMul", [hidden, transposed], name=f"{name}.product")
        return self.node("Add", [product, self.weight(f"{name}.bias")])

    def layer_norm(self, hidden: str, name: str) -> str:
        inputs = [hidden, self.weight(f"{name}.weight"), self.weight(f"{name}.bias")]
        return self.node("LayerNormalization", inputs, axis=-1, epsilon=_EPSILON)

    def model(self, *, inputs: Mapping[str, tuple[int, Shape]], outputs: Mapping[str, Shape]) -> onnx.ModelProto:
        graph = helper.make_graph(
            self.nodes,
            "encoder",
            [helper.make_tensor_value_info(name, kind, shape) for name, (kind, shape) in inputs.items()],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in outputs.items()],
            list(self.constants.values()),
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR_VERSION)
        # Says that shape inference is all the preparation this graph needs; without it the quantiser warns.
        helper.set_model_props(model, {"onnx.quant.pre_process": "onnxruntime.quant"})
        onnx.checker.check_model(model)
        return model


def _embedded(graph: _Graph, words: str) -> str:
    """Word vectors with the place of each added, normalised."""
    length = graph.node("Gather", [graph.node("Shape", [words]), graph.integers(1)])
    places = graph.node("Slice", [graph.weight("positions.weight"), graph.integers(0), length, graph.integers(0)])
    return graph.layer_norm(graph.node("Add", [words, places]), "norm")


def _encoder(graph: _Graph, mask: str) -> str:
    """Word + position + segment, normalised, and the layers upon it."""
    segment = graph.constant("segment_0", graph.weights["segments.weight"][0])
    hidden = _embedded(graph, graph.node("Add", ["words", segment]))
    absent = graph.node("Mul", [graph.node("Sub", [graph.number(1.0), mask]), graph.number(_MASKED)])
    bias = graph.node("Unsqueeze", [absent, graph.integers(1, 2)])
    for number in range(graph.layers):
        hidden = _layer(graph, f"layers.{number}.", hidden, bias)
    return graph.node("Identity", [hidden], "hidden")


def _layer(graph: _Graph, name: str, hidden: str, bias: str = "") -> str:
    attended = graph.linear(_attention(graph, f"{name}qkv", hidden, bias), f"{name}out")
    between = graph.layer_norm(graph.node("Add", [attended, hidden]), f"{name}norm1")
    narrow = graph.linear(_gelu(graph, graph.linear(between, f"{name}wide")), f"{name}narrow")
    return graph.layer_norm(graph.node("Add", [narrow, between]), f"{name}norm2")


def _attention(graph: _Graph, name: str, hidden: str, bias: str) -> str:
    """softmax(QKᵀ / √d + bias) V over the heads; without a bias every token counts."""
    size = graph.hidden // graph.heads
    parts = graph.node("Reshape", [graph.linear(hidden, name), graph.integers(0, 0, 3, graph.heads, size)])

    def part(number: int, order: list[int]) -> str:
        one = graph.node("Gather", [parts, graph.constant(f"part_{number}", number, np.int64)], axis=2)
        return graph.node("Transpose", [one], perm=order)

    scores = graph.node("MatMul", [part(0, [0, 2, 1, 3]), part(1, [0, 2, 3, 1])])
    scaled = graph.node("Mul", [scores, graph.number(float(1 / np.sqrt(size)))])
    weights = graph.node("Softmax", [graph.node("Add", [scaled, bias]) if bias else scaled], axis=-1)
    mixed = graph.node("MatMul", [weights, part(2, [0, 2, 1, 3])])
    together = graph.node("Transpose", [mixed], perm=[0, 2, 1, 3])
    return graph.node("Reshape", [together, graph.integers(0, 0, graph.hidden)])


def _gelu(graph: _Graph, hidden: str) -> str:
    """x · (1 + erf(x / √2)) / 2."""
    erf = graph.node("Erf", [graph.node("Div", [hidden, graph.number(float(np.sqrt(2)))])])
    doubled = graph.node("Mul", [hidden, graph.node("Add", [erf, graph.number(1.0)])])
    return graph.node("Mul", [doubled, graph.number(0.5)])


def _mean_pool(graph: _Graph, hidden: str, mask: str) -> None:
    """Mean over the tokens that are not padding, at unit length."""
    kept = graph.node("Mul", [hidden, graph.node("Unsqueeze", [mask, graph.integers(2)])])
    total = graph.node("ReduceSum", [kept, graph.integers(1)], keepdims=0)
    mean = graph.node("Div", [total, graph.node("ReduceSum", [mask, graph.integers(1)], keepdims=1)])
    graph.node("Div", [mean, graph.node("ReduceL2", [mean, graph.integers(1)], keepdims=1)], "sentence_embedding")
