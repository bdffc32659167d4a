"""Read weights back from the eight-bit models that are shipped, so that training can go on from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper

from training.smoothing import FACTOR, Factors

_MATRIX: Final = ".weight.T_quantized"


def start_weights(file: Path) -> dict[str, NDArray[Any]]:
    """Return the weights of an .npz, or of a shipped .onnx, by the names of `training.onnx_graph`."""
    if file.suffix == ".onnx":
        return shipped_weights(file)
    return {name: tensor.astype(np.float32) for name, tensor in np.load(file).items()}


def shipped_factors(file: Path) -> Factors:
    """Return by what the inputs of an encoder's or a reader's matrices are multiplied."""
    stored = {each.name: numpy_helper.to_array(each) for each in onnx.load(file).graph.initializer}
    return {name.removesuffix(FACTOR): array for name, array in stored.items() if name.endswith(FACTOR)}


def shipped_weights(file: Path) -> dict[str, NDArray[Any]]:
    """Return the weights of an encoder or a reader as its model multiplies with them: (out, in) for a matrix."""
    stored = {each.name: numpy_helper.to_array(each) for each in onnx.load(file).graph.initializer}
    weights = {name: array for name, array in stored.items() if name.endswith((".weight", ".bias"))}
    for name in [name for name in stored if name.endswith(_MATRIX)]:
        base = name.removesuffix("_quantized")
        exact = (stored[name].astype(np.float32) - stored[f"{base}_zero_point"]) * stored[f"{base}_scale"]
        weights[base.removesuffix(".T")] = (
            exact * stored[base + FACTOR][:, None] if base + FACTOR in stored else exact
        ).T
    segments = [stored[name] for name in ("segment_0", "segment_1") if name in stored]
    # the encoder's second segment is not in its model: no text has one
    key = "segments.weight" if len(segments) == 1 else "segments"
    weights[key] = np.stack([*segments, np.zeros_like(segments[0])][:2])
    return {name: np.ascontiguousarray(array, dtype=np.float32) for name, array in weights.items()}
