"""Make `text/encoder/reader.onnx` from trained weights: ``make reader TRAINED=file.npz``.

The same weights give the same file, byte for byte.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from text.encoder.runtime import DIMENSION
from training.encoder import HEADS, check_names
from training.onnx_graph import HEADS_OF_TOKENS, quantise, reader_model
from training.shipped import start_weights
from training.smoothing import factors_of
from training.typical import pairs_fed

#: a question of 50 tokens and a passage of 256 have each a position
LAYERS, WIDE, POSITIONS = 6, 1536, 320
_SHAPES: Final[dict[str, tuple[int, int]]] = {"qkv": (3 * DIMENSION, DIMENSION), "out": (DIMENSION, DIMENSION)} | {
    "wide": (WIDE, DIMENSION),
    "narrow": (DIMENSION, WIDE),
}


@click.command()
@click.option("--trained", type=click.Path(path_type=Path, exists=True), required=True, help="The weights (.npz).")
@click.option("--out", type=click.Path(path_type=Path), default=Path("text/encoder/reader.onnx"), show_default=True)
def main(trained: Path, out: Path) -> None:
    """Write reader.onnx."""
    weights = start_weights(trained)
    check_names(trained, weights, shapes())
    model = reader_model(weights, HEADS)
    quantise(model, out, factors_of(model, pairs_fed()))


def shapes() -> dict[str, tuple[int, ...]]:
    """Return the names of the reader's weights, and their shapes."""
    linear = {f"layers.{number}.{name}": shape for number in range(LAYERS) for name, shape in _SHAPES.items()}
    linear |= {"pool": (DIMENSION, DIMENSION), "whole": (1, DIMENSION), "tokens": (len(HEADS_OF_TOKENS), DIMENSION)}
    found: dict[str, tuple[int, ...]] = {"segments": (2, DIMENSION), "positions.weight": (POSITIONS, DIMENSION)}
    for name, shape in linear.items():
        found |= {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
    norms = [f"layers.{number}.{name}" for number in range(LAYERS) for name in ("norm1", "norm2")] + ["norm"]
    return found | {f"{name}.{part}": (DIMENSION,) for name in norms for part in ("weight", "bias")}


if __name__ == "__main__":
    main()
