"""Train the reader: ``make train-reader``. An interrupted run goes on from its last checkpoint."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Final

import click
import numpy as np
import torch
from torch import Tensor, nn

from text.encoder.runtime import ENCODER
from training.examples import DATA
from training.loop import Plan, Report, device, learn, log_to
from training.reader.examples import GIVEN, Example, Laid, groups_of, manuals, public
from training.reader.loss import Choice, loss_of
from training.reader.measure import measure
from training.reader.model import FrozenEncoder, Reader
from training.shipped import start_weights

#: none: no passage is seen so often that it would be learned by heart
DROPOUT: Final = 0.0


@dataclass(frozen=True, kw_only=True)
class ReaderPlan(Plan):
    """How long and how fast the reader learns."""

    rate: float = 2.5e-4  #: of the layers; the heads', which begin with nothing, is three times as high
    scale_rate: float = 0.02  #: of the one number by which nearness counts in the choice
    warm_up: int = 1500
    examples: int = 80_000  #: passages, of which a question has one or several
    group: int = 20
    seed: int = 3
    measure_every: int = 10_000
    measured: int = 300  #: questions on manuals, and as many on an article


def train(
    encoder: FrozenEncoder, reader: Reader, plan: ReaderPlan, folder: Path, report: Report, *, data: Path = DATA
) -> None:
    """Train ``reader`` in place; keeps ``checkpoint.pt`` in ``folder`` and goes on from it."""
    choice = Choice().to(reader.segments.device)
    parts = [
        {"params": list(reader.layers.parameters()), "lr": plan.rate, "weight_decay": 0.01},
        {"params": [*reader.heads(), choice.none], "lr": 3 * plan.rate, "weight_decay": 0.0},
        {"params": [choice.scale], "lr": plan.scale_rate, "weight_decay": 0.0},
    ]

    def loss(group: Sequence[Laid], _: random.Random) -> Tensor:
        return loss_of(encoder, reader, choice, group)

    learn(
        nn.ModuleDict({"reader": reader, "choice": choice}),
        torch.optim.AdamW(parts, betas=(0.9, 0.98), fused=True),
        plan,
        folder,
        report,
        groups=partial(_groups, plan, data),
        loss_of=loss,
        measure=partial(measure, encoder, reader, limit=plan.measured, folder=data),
    )


def _groups(plan: ReaderPlan, data: Path, seen: int) -> Iterator[tuple[int, list[Laid]]]:
    """Yield groups without end: of the public sets, then three on manuals, whose questions have several passages."""
    # a run that goes on draws another order than the one that was interrupted
    seed = plan.seed + seen
    of_public = _epochs(partial(public, data), plan.group, seed)
    on_manuals = _epochs(partial(manuals, data), plan.group // GIVEN, seed)
    while True:
        for source in (of_public, on_manuals, on_manuals, on_manuals):
            yield seed, next(source)


def _epochs(draw: Callable[[random.Random], list[list[Example]]], size: int, seed: int) -> Iterator[list[Laid]]:
    """Yield the groups of one epoch after the other, each drawn by a seed of its own."""
    for epoch in count():
        rng = random.Random(seed + 1000 * epoch)
        yield from groups_of(draw(rng), size, rng)


@click.command()
@click.option("--out", type=click.Path(path_type=Path), default=Path("build/training/reader"), show_default=True)
@click.option(
    "--encoder",
    type=click.Path(path_type=Path, exists=True),
    default=ENCODER,
    help="The encoder's weights, as `make train` writes them; default: those that are shipped.",
)
@click.option(
    "--start",
    type=click.Path(path_type=Path, exists=True),
    help="A reader's weights to start from: an .npz, or text/encoder/reader.onnx.",
)
@click.option("--passages", type=int, default=ReaderPlan.examples, show_default=True, help="How many to see in all.")
@click.option("--rate", type=float, default=ReaderPlan.rate, show_default=True, help="The highest learning rate.")
@click.option("--threads", type=int, default=0, help="Processor threads; default: torch's choice.")
@click.option("--seed", type=int, default=ReaderPlan.seed, show_default=True)
def main(out: Path, encoder: Path, start: Path | None, passages: int, rate: float, threads: int, seed: int) -> None:
    """Train on an accelerator where there is one, else on the processor; write reader.npz and log.jsonl."""
    if threads:
        torch.set_num_threads(threads)
    out.mkdir(parents=True, exist_ok=True)
    plan = ReaderPlan(examples=passages, rate=rate, seed=seed)
    weights = start_weights(encoder)
    torch.manual_seed(seed)
    frozen, reader = FrozenEncoder(weights, on=device()), Reader(dropout=DROPOUT)
    if start:
        reader.take(start_weights(start))
    else:
        reader.begin_with(weights)
    reader.to(device())
    report = log_to(out / "log.jsonl")
    report(asdict(plan))
    train(frozen, reader, plan, out, report)
    weights = reader.weights()
    np.savez(out / "reader.npz", allow_pickle=False, **weights)
    report({"at the end": measure(frozen, reader, limit=1000)})


if __name__ == "__main__":
    main()
