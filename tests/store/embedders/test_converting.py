from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from store.embedders import ModelUnusable
from store.embedders.minilm import MiniLM, converted, find_weights, open_minilm
from tests.store.embedders.texts import TEXTS


@pytest.mark.live  # converts twice: some seconds
@pytest.mark.parametrize("damage", [b"", b"\x00" * 1000])
def test_a_torn_model_is_noticed_and_converted_again(damage: bytes, models_dir: Path, minilm: MiniLM) -> None:
    [model] = models_dir.glob("*.onnx")
    whole = model.read_bytes()
    model.write_bytes(whole[:5000] + damage)
    again = open_minilm(models_dir)
    assert model.read_bytes() == whole
    assert np.allclose(again.embed(TEXTS[:1]), minilm.embed(TEXTS[:1]))


def test_nothing_but_the_model_and_its_lock_is_left_behind(models_dir: Path, minilm: MiniLM) -> None:
    assert {path.suffix for path in models_dir.iterdir()} == {".onnx", ".lock"}


@pytest.mark.live
def test_two_processes_that_convert_at_once_end_with_one_model(tmp_path: Path) -> None:
    code = "import sys, pathlib; from store.embedders.minilm import open_minilm; open_minilm(pathlib.Path(sys.argv[1]))"
    started = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path)]) for _ in range(3)]
    assert [process.wait(timeout=100) for process in started] == [0, 0, 0]
    assert len(list(tmp_path.glob("*.onnx"))) == 1
    assert {path.suffix for path in tmp_path.iterdir()} == {".onnx", ".lock"}


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    weights = find_weights()
    assert weights
    with pytest.raises(ModelUnusable, match=f"{blocked}.*Free about"):
        converted(weights, blocked / "models")
