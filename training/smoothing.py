"""Even out the channels of a matrix's inputs before they are rounded (SmoothQuant, Xiao et al. 2023).

Dynamic quantisation has one scale for all inputs of a matrix. A few of BERT's channels are ten times as large as the
others, which lose their last bits to them: so each channel is divided by a number, by which the matrix's row is
multiplied.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

Feed = Mapping[str, NDArray[Any]]
#: a matrix's name → by what each channel of its inputs is multiplied
Factors = Mapping[str, NDArray[np.float32]]

#: how much of the evening out the inputs get, and the matrix the rest; of .3 to 1, this keeps the states nearest
_SHARE: Final = 0.75
#: factors are powers of 2 ** (1 / 4): the same on every processor, though peaks differ in their last bits
_STEPS: Final = 4
#: what is added to a matrix's name
FACTOR: Final = "_factor"


def factors_of(model: onnx.ModelProto, feeds: Sequence[Feed]) -> Factors:
    """Return the factors of each matrix, from the largest inputs that ``feeds`` give its channels."""
    matrices = dict(_matrices(model))
    inputs = {node.input[1]: node.input[0] for node in model.graph.node if node.name in matrices}
    watched = onnx.ModelProto()
    watched.CopyFrom(model)
    names = sorted(set(inputs.values()))
    known = {output.name for output in model.graph.output}
    watched.graph.output.extend(
        helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names if name not in known
    )
    session = onnxruntime.InferenceSession(watched.SerializeToString(), providers=["CPUExecutionProvider"])
    peaks: dict[str, NDArray[np.float32]] = {}
    for feed in feeds:
        for name, states in zip(names, session.run(names, dict(feed)), strict=True):
            peak = np.abs(states).reshape(-1, states.shape[-1]).max(0)
            peaks[name] = np.maximum(peaks.get(name, peak), peak)
    return {name: _factors(peaks[inputs[name]], matrix) for _, (name, matrix) in matrices.items()}


def smoothed(model: onnx.ModelProto, factors: Factors) -> onnx.ModelProto:
    """Return a model that computes the same, with the inputs of each matrix multiplied by its factors."""
    changed = onnx.ModelProto()
    changed.CopyFrom(model)
    graph = changed.graph
    constants = {constant.name: constant for constant in graph.initializer}
    matrices = dict(_matrices(model))
    nodes: list[onnx.NodeProto] = []
    for node in model.graph.node:
        name, matrix = matrices.get(node.name, ("", None))
        factor = factors.get(name)
        if factor is None or matrix is None:
            nodes.append(node)
            continue
        constants[name].CopyFrom(numpy_helper.from_array((matrix / factor[:, None]).astype(np.float32), name))
        graph.initializer.append(numpy_helper.from_array(factor, name + FACTOR))
        even = f"{node.name}.even"
        nodes.append(helper.make_node("Mul", [node.input[0], name + FACTOR], [even], name=even))
        nodes.append(helper.make_node("MatMul", [even, name], list(node.output), name=node.name))
    del graph.node[:]
    graph.node.extend(nodes)
    return changed


def _matrices(model: onnx.ModelProto) -> Iterator[tuple[str, tuple[str, NDArray[np.float32]]]]:
    """Yield the name of each node that multiplies with a constant matrix, with its name and the matrix (in, out)."""
    constants = {constant.name: constant for constant in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "MatMul" and node.input[1] in constants:
            yield node.name, (node.input[1], numpy_helper.to_array(constants[node.input[1]]))


def _factors(peaks: NDArray[np.float32], matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return max|W| ** (1 − share) / max|x| ** share of each channel, with a geometric mean of one."""
    least = 1e-5
    steps = (1 - _SHARE) * np.log2(np.maximum(np.abs(matrix).max(1), least)) - _SHARE * np.log2(
        np.maximum(peaks, least)
    )
    even: NDArray[np.float32] = np.exp2(np.round(_STEPS * (steps - steps.mean())) / _STEPS).astype(np.float32)
    return even
