"""Convert all-MiniLM-L6-v2 from safetensors to an int8 ONNX model, without torch.

The graph is BERT's encoder with mean pooling and unit length: (input_ids, attention_mask), both int64 (batch, tokens),
to sentence_embedding, float32 (batch, hidden).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.numpy import load_file

_OPSET = 18
_IR_VERSION = 10
#: Added to the attention scores of padding: far below any score, far above the smallest float16.
_MASKED = -10000.0


def convert(weights_dir: Path, out: Path) -> None:
    """Write the int8 model of the weights in ``weights_dir`` to ``out``; scratch files go beside ``out``."""
    weights = load_file(weights_dir / "model.safetensors")
    config = json.loads((weights_dir / "config.json").read_text())
    fp32 = out.with_name("fp32.onnx")
    onnx.save(bert_model(weights, config), fp32)
    # One scale a channel: cosine to fp32 .993, against .948 with one scale a matrix. Seven of the eight bits:
    # processors without VNNI add products in 16 bits and overflow with eight.
    quantize_dynamic(fp32, out, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)


def bert_model(weights: Mapping[str, NDArray[Any]], config: Mapping[str, Any]) -> onnx.ModelProto:
    """Build the fp32 model from BERT's tensors, under their Hugging Face names, and its config."""
    graph = _Graph({name.removeprefix("bert."): tensor for name, tensor in weights.items()}, config)
    mask = graph.node("Cast", ["attention_mask"], to=TensorProto.FLOAT)
    hidden = _embeddings(graph)
    bias = _attention_bias(graph, mask)
    for number in range(config["num_hidden_layers"]):
        hidden = _layer(graph, f"encoder.layer.{number}.", hidden, bias)
    _mean_pool(graph, hidden, mask)
    model = helper.make_model(graph.proto(), opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR_VERSION)
    # Says that shape inference is all the preparation this graph needs; without it the quantiser warns.
    helper.set_model_props(model, {"onnx.quant.pre_process": "onnxruntime.quant"})
    onnx.checker.check_model(model)
    return model


class _Graph:
    """Collects nodes and constants; every method returns the name of the tensor it adds."""

    def __init__(self, weights: Mapping[str, NDArray[Any]], config: Mapping[str, Any]) -> None:
        self.weights = weights
        self.heads: int = config["num_attention_heads"]
        self.hidden: int = config["hidden_size"]
        self.epsilon: float = config["layer_norm_eps"]
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}

    def node(self, op: str, inputs: Sequence[str], output: str = "", **attributes: Any) -> str:
        output = output or f"{op}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [output], **attributes))
        return output

    def constant(self, name: str, value: Any, dtype: type[np.generic]) -> str:
        if name not in self.constants:
            array = np.ascontiguousarray(value, dtype=dtype) if np.ndim(value) else np.array(value, dtype=dtype)
            self.constants[name] = numpy_helper.from_array(array, name)
        return name

    def number(self, value: float) -> str:
        return self.constant(f"float_{value}", value, np.float32)

    def integers(self, *values: int) -> str:
        return self.constant("ints_" + "_".join(map(str, values)), values, np.int64)

    def weight(self, name: str) -> str:
        return self.constant(name, self.weights[name], np.float32)

    def linear(self, hidden: str, name: str) -> str:
        transposed = self.constant(f"{name}.weight.T", self.weights[f"{name}.weight"].T, np.float32)
        return self.node("Add", [self.node("MatMul", [hidden, transposed]), self.weight(f"{name}.bias")])

    def layer_norm(self, hidden: str, name: str) -> str:
        inputs = [hidden, self.weight(f"{name}.weight"), self.weight(f"{name}.bias")]
        return self.node("LayerNormalization", inputs, axis=-1, epsilon=self.epsilon)

    def proto(self) -> onnx.GraphProto:
        tokens = ["batch", "tokens"]
        return helper.make_graph(
            self.nodes,
            "minilm",
            [helper.make_tensor_value_info(name, TensorProto.INT64, tokens) for name in _INPUTS],
            [helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, ["batch", self.hidden])],
            list(self.constants.values()),
        )


_INPUTS = ("input_ids", "attention_mask")
OUTPUT = "sentence_embedding"


def _embeddings(graph: _Graph) -> str:
    """Word + position + segment 0, normalised."""
    words = graph.node("Gather", [graph.weight("embeddings.word_embeddings.weight"), "input_ids"])
    length = graph.node("Gather", [graph.node("Shape", ["input_ids"]), graph.integers(1)])
    table = graph.weight("embeddings.position_embeddings.weight")
    positions = graph.node("Slice", [table, graph.integers(0), length, graph.integers(0)])
    segment_weights = graph.weights["embeddings.token_type_embeddings.weight"][0]
    segment = graph.constant("segment_0", segment_weights, np.float32)
    total = graph.node("Add", [graph.node("Add", [words, positions]), segment])
    return graph.layer_norm(total, "embeddings.LayerNorm")


def _attention_bias(graph: _Graph, mask: str) -> str:
    """0 where there is a token, far below zero where there is padding: (batch, 1, 1, tokens)."""
    absent = graph.node("Sub", [graph.number(1.0), mask])
    return graph.node("Unsqueeze", [graph.node("Mul", [absent, graph.number(_MASKED)]), graph.integers(1, 2)])


def _layer(graph: _Graph, name: str, hidden: str, bias: str) -> str:
    attended = graph.linear(_attention(graph, f"{name}attention.self.", hidden, bias), f"{name}attention.output.dense")
    between = graph.layer_norm(graph.node("Add", [attended, hidden]), f"{name}attention.output.LayerNorm")
    wide = _gelu(graph, graph.linear(between, f"{name}intermediate.dense"))
    narrow = graph.linear(wide, f"{name}output.dense")
    return graph.layer_norm(graph.node("Add", [narrow, between]), f"{name}output.LayerNorm")


def _attention(graph: _Graph, name: str, hidden: str, bias: str) -> str:
    """softmax(QKᵀ / √d + bias) V over the heads."""
    size = graph.hidden // graph.heads
    split = graph.integers(0, 0, graph.heads, size)

    def heads(part: str, order: list[int]) -> str:
        return graph.node("Transpose", [graph.node("Reshape", [graph.linear(hidden, name + part), split])], perm=order)

    scores = graph.node("MatMul", [heads("query", [0, 2, 1, 3]), heads("key", [0, 2, 3, 1])])
    scaled = graph.node("Mul", [scores, graph.number(float(1 / np.sqrt(size)))])
    weights = graph.node("Softmax", [graph.node("Add", [scaled, bias])], axis=-1)
    mixed = graph.node("MatMul", [weights, heads("value", [0, 2, 1, 3])])
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
    graph.node("Div", [mean, graph.node("ReduceL2", [mean, graph.integers(1)], keepdims=1)], output=OUTPUT)
