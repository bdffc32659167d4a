"""Weights of a small encoder and of a reader's heads, drawn at random."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

HEADS = 12


def tiny_weights(*, layers: int = 1, hidden: int = 384, wide: int = 96, seed: int = 1) -> dict[str, NDArray[Any]]:
    """Return weights under the names of `training.onnx_graph`."""
    chance = np.random.default_rng(seed)

    def linear(name: str, size: int, of: int) -> dict[str, NDArray[Any]]:
        scale = 1 / np.sqrt(of)
        return {f"{name}.weight": chance.normal(0, scale, (size, of)), f"{name}.bias": chance.normal(0, 0.1, size)}

    def norm(name: str) -> dict[str, NDArray[Any]]:
        return {f"{name}.weight": chance.normal(1, 0.1, hidden), f"{name}.bias": chance.normal(0, 0.1, hidden)}

    weights = {
        "positions.weight": chance.normal(size=(512, hidden)),
        "segments.weight": chance.normal(size=(2, hidden)),
    }
    weights |= norm("norm")
    for number in range(layers):
        name = f"layers.{number}."
        weights |= linear(f"{name}qkv", 3 * hidden, hidden) | linear(f"{name}out", hidden, hidden)
        weights |= norm(f"{name}norm1") | linear(f"{name}wide", wide, hidden)
        weights |= linear(f"{name}narrow", hidden, wide) | norm(f"{name}norm2")
    return {name: value.astype(np.float32) for name, value in weights.items()}


def tiny_heads(*, hidden: int = 384, seed: int = 1) -> dict[str, NDArray[Any]]:
    """Return what a reader has beside its layers."""
    chance = np.random.default_rng(seed)
    weights = {"segments": chance.normal(size=(2, hidden))}
    for name, size in (("pool", hidden), ("whole", 1), ("tokens", 3)):
        weights |= {f"{name}.weight": chance.normal(0, 0.05, (size, hidden)), f"{name}.bias": chance.normal(size=size)}
    return {name: value.astype(np.float32) for name, value in weights.items()}
