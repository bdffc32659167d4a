"""Weights of another model are refused by name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from training.reader import export


@pytest.fixture
def weights() -> dict[str, np.ndarray]:
    chance = np.random.default_rng(1)
    return {name: chance.normal(0, 0.02, shape).astype(np.float32) for name, shape in export.shapes().items()}


def test_weights_become_a_model(weights: dict[str, np.ndarray], tmp_path: Path) -> None:
    np.savez(tmp_path / "reader.npz", **weights)
    made = tmp_path / "reader.onnx"
    result = CliRunner().invoke(export.main, ["--trained", str(tmp_path / "reader.npz"), "--out", str(made)])
    assert result.exit_code == 0, result.output
    assert 11_000_000 < made.stat().st_size < 12_500_000


def test_weights_of_another_model_are_refused(weights: dict[str, np.ndarray], tmp_path: Path) -> None:
    weights["pool.weight"] = weights["pool.weight"][:5]
    del weights["segments"]
    np.savez(tmp_path / "other.npz", **weights)
    result = CliRunner().invoke(export.main, ["--trained", str(tmp_path / "other.npz"), "--out", str(tmp_path / "x")])
    assert result.exit_code == 1
    assert "pool.weight, segments differ" in result.output
    assert not (tmp_path / "x").exists()
