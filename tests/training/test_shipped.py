"""Training goes on from the models that are shipped."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from text.encoder.runtime import ENCODER, READER
from training.encoder import HEADS
from training.onnx_graph import embedder_model, quantise, reader_model
from training.reader.export import shapes
from training.shipped import shipped_factors, shipped_weights, start_weights


def test_the_readers_weights_have_their_names_and_shapes() -> None:
    assert {name: array.shape for name, array in shipped_weights(READER).items()} == shapes()


@pytest.mark.parametrize("file", [ENCODER, READER])
def test_what_is_read_back_makes_the_same_model(file: Path, tmp_path: Path) -> None:
    weights = shipped_weights(file)
    model = reader_model(weights, HEADS) if file == READER else embedder_model(weights, HEADS)
    quantise(model, tmp_path / file.name, shipped_factors(file))
    again = shipped_weights(tmp_path / file.name)
    assert again.keys() == weights.keys()
    for name, array in weights.items():
        assert np.allclose(again[name], array, rtol=1e-5, atol=1e-7), name


def test_weights_of_either_kind_of_file_are_taken(tmp_path: Path) -> None:
    weights = shipped_weights(READER)
    np.savez(tmp_path / "reader.npz", allow_pickle=False, **weights)
    again = start_weights(tmp_path / "reader.npz")
    assert all(np.array_equal(again[name], array) for name, array in start_weights(READER).items())
