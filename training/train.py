"""Train the encoder: ``make train``. An interrupted run goes on from its last checkpoint."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
import torch
from torch import nn

from training.encoder import encoder_weights, wheels_weights
from training.examples import DATA, Example, by_site, manual_examples, public_examples
from training.loss import loss_of
from training.measure import measure
from training.model import Encoder


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How long and how fast to learn."""

    rate: float = 1e-4
    warm_up: int = 1000  #: questions
    questions: int = 60_000  #: to see in all
    group: int = 32  #: questions learned from at a time
    frozen: int = 0  #: layers that stay as they are
    public: float = 0.5  #: questions of the public sets for each one on a manual
    seed: int = 1
    save_every: float = 300.0  #: seconds
    measure_every: int = 6000  #: questions
    measured: int = 300  #: questions


def train(
    encoder: Encoder,
    plan: Plan,
    folder: Path,
    report: Callable[[dict[str, Any]], None],
    *,
    data: Path = DATA,
) -> None:
    """Train ``encoder`` in place; keeps ``checkpoint.pt`` in ``folder`` and goes on from it."""
    torch.manual_seed(plan.seed)
    learning = [parameter for parameter in encoder.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(learning, lr=plan.rate, weight_decay=0.01)
    checkpoint, seen = folder / "checkpoint.pt", 0
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True)
        encoder.load_state_dict(state["encoder"])
        optimizer.load_state_dict(state["optimizer"])
        seen = state["seen"]
        report({"goes on from": seen})
    losses: list[float] = []
    began, first, saved = time.monotonic(), seen, time.monotonic()
    for epoch_seed, examples in _groups(plan, data, seen):
        if seen >= plan.questions:
            break
        for part in optimizer.param_groups:
            part["lr"] = plan.rate * min(1.0, (seen + 1) / plan.warm_up) * max(0.02, 1 - seen / plan.questions)
        encoder.train()
        loss = loss_of(encoder, examples, random.Random(epoch_seed + seen))
        measured, seen = seen // plan.measure_every, seen + len(examples)
        if loss is not None:
            loss.backward()
            nn.utils.clip_grad_norm_(learning, 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            losses.append(float(loss.detach()))
        if len(losses) == 25:
            rate = (seen - first) / (time.monotonic() - began)
            report({"seen": seen, "loss": round(sum(losses) / len(losses), 3), "questions a second": round(rate, 1)})
            losses.clear()
        if seen // plan.measure_every > measured:
            report({"seen": seen} | measure(encoder, limit=plan.measured, folder=data))
        if time.monotonic() - saved > plan.save_every:
            saved = time.monotonic()
            state = {"encoder": encoder.state_dict(), "optimizer": optimizer.state_dict(), "seen": seen}
            torch.save(state, checkpoint.with_suffix(".part"))
            checkpoint.with_suffix(".part").replace(checkpoint)


def _groups(plan: Plan, data: Path, seen: int) -> Iterator[tuple[int, list[Example]]]:
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
@click.option("--questions", type=int, default=Plan.questions, show_default=True, help="How many to see in all.")
@click.option("--frozen", type=int, default=Plan.frozen, show_default=True, help="Lower layers that stay as they are.")
@click.option("--threads", type=int, default=0, help="Processor threads; default: torch's choice.")
@click.option("--seed", type=int, default=Plan.seed, show_default=True)
@click.option("--start", type=click.Path(path_type=Path), help="Weights (.npz) to start from; default: MiniLM's.")
def main(out: Path, questions: int, frozen: int, threads: int, seed: int, start: Path | None) -> None:
    """Train on an accelerator where there is one, else on the processor; write encoder.npz and log.jsonl."""
    if threads:
        torch.set_num_threads(threads)
    out.mkdir(parents=True, exist_ok=True)
    plan = Plan(questions=questions, frozen=frozen, seed=seed)
    encoder = Encoder(dropout=0.05, frozen=frozen)
    encoder.take(dict(np.load(start)) if start else encoder_weights(wheels_weights() / "model.safetensors"))
    encoder.to("cuda" if torch.cuda.is_available() else "cpu")
    report = _log(out / "log.jsonl")
    report(asdict(plan))
    train(encoder, plan, out, report)
    np.savez(out / "encoder.npz", **weights_to_ship(encoder))
    report({"at the end": measure(encoder, limit=1000)})


def weights_to_ship(encoder: Encoder) -> dict[str, Any]:
    """Return the trained weights and MiniLM's word vectors, as ``make encoder TRAINED=…`` takes them."""
    words = encoder_weights(wheels_weights() / "model.safetensors")["words.weight"]
    return encoder.weights() | {"words.weight": words}


def _log(path: Path) -> Callable[[dict[str, Any]], None]:
    def report(row: dict[str, Any]) -> None:
        click.echo(json.dumps(row))
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    return report


if __name__ == "__main__":
    main()
