"""The graphs compute what BERT's encoder computes, in eight bits nearly so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray
from scipy.special import erf, softmax

from tests.training.tiny import HEADS, tiny_heads, tiny_weights
from training.onnx_graph import embedder_model, quantise, reader_model

Array = NDArray[Any]
WEIGHTS = tiny_weights(layers=2)
READER = tiny_weights(layers=1, seed=2) | tiny_heads(seed=3)
HIDDEN = WEIGHTS["norm.weight"].shape[0]


def run(model: Any, **inputs: Array) -> dict[str, Array]:
    source = model if isinstance(model, str) else model.SerializeToString()
    session = onnxruntime.InferenceSession(source, providers=["CPUExecutionProvider"])
    return dict(zip((each.name for each in session.get_outputs()), session.run(None, inputs), strict=True))


def linear(weights: dict[str, Array], hidden: Array, name: str) -> Array:
    return hidden @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def norm(weights: dict[str, Array], hidden: Array, name: str) -> Array:
    centred = hidden - hidden.mean(-1, keepdims=True)
    unit = centred / np.sqrt(centred.var(-1, keepdims=True) + 1e-12)
    return unit * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def layer(weights: dict[str, Array], hidden: Array, number: int) -> Array:
    """One layer of one text without padding, written out: (tokens, hidden)."""
    name = f"layers.{number}."
    q, k, v = linear(weights, hidden, f"{name}qkv").reshape(len(hidden), 3, HEADS, -1).transpose(1, 2, 0, 3)
    mixed = softmax(q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1]), axis=-1) @ v
    attended = linear(weights, mixed.transpose(1, 0, 2).reshape(len(hidden), -1), f"{name}out")
    between = norm(weights, attended + hidden, f"{name}norm1")
    wide = linear(weights, between, f"{name}wide")
    narrow = linear(weights, wide * (1 + erf(wide / np.sqrt(2))) / 2, f"{name}narrow")
    return norm(weights, narrow + between, f"{name}norm2")


def encoded(words: Array) -> Array:
    """The states of one text after the second layer."""
    places = WEIGHTS["positions.weight"][: len(words)] + WEIGHTS["segments.weight"][0]
    return layer(WEIGHTS, layer(WEIGHTS, norm(WEIGHTS, words + places, "norm"), 0), 1)


@pytest.fixture
def words() -> Array:
    return np.random.default_rng(5).normal(size=(7, HIDDEN)).astype(np.float32)


def test_the_embedder_gives_the_states_and_their_mean_at_unit_length(words: Array) -> None:
    outputs = run(embedder_model(WEIGHTS, HEADS), words=words[None], mask=np.ones((1, 7), dtype=np.int64))
    hidden = encoded(words)
    assert np.allclose(outputs["hidden"], hidden[None], atol=1e-4)
    mean = hidden.mean(0)
    assert np.allclose(outputs["sentence_embedding"], mean / np.linalg.norm(mean), atol=1e-4)


def test_padding_changes_nothing(words: Array) -> None:
    model = embedder_model(WEIGHTS, HEADS)
    alone = run(model, words=words[None, :4], mask=np.ones((1, 4), dtype=np.int64))
    padded = run(model, words=words[None], mask=np.array([[1, 1, 1, 1, 0, 0, 0]]))
    assert np.allclose(alone["sentence_embedding"], padded["sentence_embedding"], atol=1e-4)


def test_eight_bits_stay_close(words: Array, tmp_path: Path) -> None:
    model = embedder_model(WEIGHTS, HEADS)
    quantise(model, tmp_path / "int8.onnx")
    inputs = {"words": words[None], "mask": np.ones((1, 7), dtype=np.int64)}
    exact, rounded = run(model, **inputs), run(str(tmp_path / "int8.onnx"), **inputs)
    assert (exact["sentence_embedding"] * rounded["sentence_embedding"]).sum() > 0.98
    assert np.corrcoef(exact["hidden"].ravel(), rounded["hidden"].ravel())[0, 1] > 0.98


def test_the_reader_reads_question_and_passage_together(words: Array) -> None:
    question, passage = words[:3], words[3:]
    outputs = run(reader_model(READER, HEADS), question=question[None], passage=passage[None])
    both = np.concatenate([question + READER["segments"][0], passage + READER["segments"][1]])
    hidden = layer(READER, norm(READER, both + READER["positions.weight"][: len(both)], "norm"), 0)
    whole = linear(READER, np.tanh(linear(READER, hidden[0], "pool")), "whole")
    assert np.allclose(outputs["answers"], whole, atol=1e-4)
    of_tokens = linear(READER, hidden[3:], "tokens")
    for number, name in enumerate(("start", "end", "evidence")):
        assert np.allclose(outputs[name], of_tokens[None, :, number], atol=1e-4)


def test_quantising_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        quantise(embedder_model(WEIGHTS, HEADS), tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
