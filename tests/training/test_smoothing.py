"""Channels that are evened out change nothing exact, and lose less to rounding."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray

from tests.training.tiny import HEADS, tiny_weights
from training.onnx_graph import embedder_model, quantise
from training.shipped import shipped_factors, shipped_weights
from training.smoothing import Feed, factors_of, smoothed

Array = NDArray[Any]
HIDDEN = 384


@pytest.fixture
def weights() -> dict[str, Array]:
    """Weights as BERT has them: a few channels of each normalisation are ten times as large as the others."""
    weights = tiny_weights(layers=2)
    for name in weights:
        if name.endswith(("norm1.weight", "norm2.weight")):
            weights[name][[7, 300]] *= 15
    return weights


@pytest.fixture
def feeds() -> list[Feed]:
    chance = np.random.default_rng(4)
    return [
        {
            "words": chance.normal(size=(1, count, HIDDEN)).astype(np.float32),
            "mask": np.ones((1, count), dtype=np.int64),
        }
        for count in (9, 14, 20, 30)
    ]


def hidden_states(model: Any, feed: Feed) -> Array:
    source = str(model) if isinstance(model, Path) else model.SerializeToString()
    session = onnxruntime.InferenceSession(source, providers=["CPUExecutionProvider"])
    states: Array = session.run(["hidden"], dict(feed))[0]
    return states


def test_evened_out_it_computes_the_same(weights: dict[str, Array], feeds: list[Feed]) -> None:
    model = embedder_model(weights, HEADS)
    factors = factors_of(model, feeds[:3])
    assert len(factors) == 8
    even = smoothed(model, factors)
    assert np.allclose(hidden_states(model, feeds[3]), hidden_states(even, feeds[3]), rtol=1e-3, atol=1e-3)


def test_evened_out_it_loses_less_to_rounding(weights: dict[str, Array], feeds: list[Feed], tmp_path: Path) -> None:
    model = embedder_model(weights, HEADS)
    quantise(model, tmp_path / "plain.onnx")
    quantise(model, tmp_path / "even.onnx", factors_of(model, feeds[:3]))
    exact = hidden_states(model, feeds[3])
    plain, even = (
        np.square(hidden_states(tmp_path / name, feeds[3]) - exact).mean() for name in ("plain.onnx", "even.onnx")
    )
    assert even < 0.6 * plain


def test_what_is_evened_out_is_read_back(weights: dict[str, Array], feeds: list[Feed], tmp_path: Path) -> None:
    model = embedder_model(weights, HEADS)
    factors = factors_of(model, feeds)
    quantise(model, tmp_path / "even.onnx", factors)
    again = shipped_factors(tmp_path / "even.onnx")
    assert again.keys() == factors.keys()
    assert all(np.array_equal(again[name], factor) for name, factor in factors.items())
    read = shipped_weights(tmp_path / "even.onnx")
    for name in (name.removesuffix(".T") for name in factors):
        assert np.corrcoef(read[name].ravel(), weights[name].ravel())[0, 1] > 0.95, name


def test_factors_do_not_hang_on_the_last_bits(weights: dict[str, Array], feeds: list[Feed]) -> None:
    factors = factors_of(embedder_model(weights, HEADS), feeds)
    for factor in factors.values():
        steps = 4 * np.log2(factor)
        assert np.allclose(steps, np.round(steps), atol=1e-4)
