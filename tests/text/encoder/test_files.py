"""The shipped models are those their cards describe."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from text.encoder import runtime
from text.encoder.runtime import DIMENSION, ENCODER, FOLDER, ModelFileBroken, open_session, open_tokenizer, word_vectors

CARDS = "".join((FOLDER / name).read_text() for name in ("README.md", "READER.md"))
CHECKSUMS = dict(re.findall(r"^\| `([\w.]+)` \|.* `([0-9a-f]{64})` \|$", CARDS, re.MULTILINE))


def test_every_file_of_the_models_is_on_a_card_with_its_checksum() -> None:
    files = [path for path in FOLDER.iterdir() if path.suffix in (".npy", ".onnx", ".json")]
    assert {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files} == CHECKSUMS


def test_word_vectors_are_looked_up_in_one_mapped_table() -> None:
    table = word_vectors()
    vectors = table.of([101, 2003, 102])
    assert vectors.shape == (3, DIMENSION)
    assert vectors.dtype == np.float32
    assert 0.01 < np.abs(vectors).mean() < 0.1
    assert word_vectors() is table
    assert isinstance(table._table.base, np.memmap) or isinstance(table._table, np.memmap)


def test_the_tokenizer_does_not_cut() -> None:
    assert len(open_tokenizer().encode("word " * 600).ids) == 602


def test_the_runtime_keeps_no_store_of_what_it_is_used_for(tmp_path: Path) -> None:
    code = "from text.encoder.runtime import open_encoder; open_encoder().vector('a'); import onnxruntime"
    own = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    env = {name: value for name, value in os.environ.items() if not name.startswith("ORT_")}
    subprocess.run([sys.executable, "-c", code], env={**env, **own}, check=True, timeout=60)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_missing_or_torn_file_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torn = tmp_path / "torn.onnx"
    torn.write_bytes(ENCODER.read_bytes()[:5000])
    with pytest.raises(ModelFileBroken, match=r"torn\.onnx cannot be read.*Install Wellread again"):
        open_session(torn, 1)
    monkeypatch.setattr(runtime, "FOLDER", tmp_path)
    with pytest.raises(ModelFileBroken, match=r"words\.npy"):
        runtime.WordVectors()
    with pytest.raises(ModelFileBroken, match=r"tokenizer\.json"):
        open_tokenizer()
