"""Train the encoder: ``make train``. An interrupted run goes on from its last checkpoint."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
import torch

from training.encoder import encoder_weights, wheels_weights
from training.examples import DATA, Example, by_site, manual_examples, public_examples
from training.loop import Plan, Report, device, learn, log_to
from training.loss import loss_of
from training.measure import measure
from training.model import Encoder
from training.shipped import start_weights


@dataclass(frozen=True, kw_only=True)
class EncoderPlan(Plan):
    """How long and how fast the encoder learns."""

    rate: float = 1e-4
    warm_up: int = 1000
    examples: int = 60_000
    group: int = 32
    seed: int = 1
    measure_every: int = 6000
    frozen: int = 0  #: layers that stay as they are
    public: float = 0.5  #: questions of the public sets for each one on a manual
    measured: int = 300  #: questions


def train(encoder: Encoder, plan: EncoderPlan, folder: Path, report: Report, *, data: Path = DATA) -> None:
    """Train ``encoder`` in place; keeps ``checkpoint.pt`` in ``folder`` and goes on from it."""
    learning = [parameter for parameter in encoder.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(learning, lr=plan.rate, weight_decay=0.01)
    learn(
        encoder,
        optimizer,
        plan,
        folder,
        report,
        groups=partial(_groups, plan, data),
        loss_of=partial(loss_of, encoder),
        measure=partial(measure, encoder, limit=plan.measured, folder=data),
    )


def _groups(plan: EncoderPlan, data: Path, seen: int) -> Iterator[tuple[int, list[Example]]]:
    """Yield groups of examples without end, each epoch's drawn by a seed of its own."""
    public = public_examples(data, seed=plan.seed)
    epoch = 0
    while True:
        # a run that goes on draws another order than the one that was interrupted
        seed = plan.seed + 1000 * epoch + seen
        rng = random.Random(seed)
        manuals = manual_examples(data, seed=seed)
        some = rng.sample(public, min(len(public), int(len(manuals) * plan.public)))
        for group in by_site([*manuals, *some], plan.group, rng):
            yield seed, group
        epoch += 1


@click.command()
@click.option("--out", type=click.Path(path_type=Path), default=Path("build/training"), show_default=True)
@click.option("--questions", type=int, default=EncoderPlan.examples, show_default=True, help="How many to see in all.")
@click.option("--frozen", type=int, default=0, show_default=True, help="Lower layers that stay as they are.")
@click.option("--threads", type=int, default=0, help="Processor threads; default: torch's choice.")
@click.option("--seed", type=int, default=EncoderPlan.seed, show_default=True)
@click.option(
    "--start",
    type=click.Path(path_type=Path),
    help="Weights to start from: an .npz, or text/encoder/encoder.onnx; default: MiniLM's.",
)
def main(out: Path, questions: int, frozen: int, threads: int, seed: int, start: Path | None) -> None:
    """Train on an accelerator where there is one, else on the processor; write encoder.npz and log.jsonl."""
    if threads:
        torch.set_num_threads(threads)
    out.mkdir(parents=True, exist_ok=True)
    plan = EncoderPlan(examples=questions, frozen=frozen, seed=seed)
    encoder = Encoder(dropout=0.05, frozen=frozen)
    encoder.take(start_weights(start) if start else encoder_weights(wheels_weights() / "model.safetensors"))
    encoder.to(device())
    report = log_to(out / "log.jsonl")
    report(asdict(plan))
    train(encoder, plan, out, report)
    np.savez(out / "encoder.npz", **weights_to_ship(encoder))
    report({"at the end": measure(encoder, limit=1000)})


def weights_to_ship(encoder: Encoder) -> dict[str, Any]:
    """Return the trained weights and MiniLM's word vectors, as ``make encoder TRAINED=…`` takes them."""
    words = encoder_weights(wheels_weights() / "model.safetensors")["words.weight"]
    return encoder.weights() | {"words.weight": words}


if __name__ == "__main__":
    main()
