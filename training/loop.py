"""Learn from examples, keep checkpoints and go on from them: how both the encoder and the reader are trained."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click
import torch
from torch import Tensor, nn

Example = TypeVar("Example")
Report = Callable[[dict[str, Any]], None]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How long and how fast to learn."""

    rate: float
    warm_up: int  #: examples
    examples: int  #: to see in all
    group: int  #: examples learned from at a time
    seed: int
    save_every: float = 300.0  #: seconds
    measure_every: int  #: examples
    report_every: int = 25  #: groups


def learn(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    plan: Plan,
    folder: Path,
    report: Report,
    *,
    groups: Callable[[int], Iterator[tuple[int, Sequence[Example]]]],
    loss_of: Callable[[Sequence[Example], random.Random], Tensor | None],
    measure: Callable[[], dict[str, Any]],
) -> None:
    """Train ``model`` in place; keeps ``checkpoint.pt`` in ``folder`` and goes on from it.

    ``groups`` yields groups of examples without end, each with the seed of its draw, from the number already seen.
    """
    torch.manual_seed(plan.seed)
    rates = [part["lr"] for part in optimizer.param_groups]
    checkpoint, seen = folder / "checkpoint.pt", 0
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        seen = state["seen"]
        report({"goes on from": seen})
    losses: list[float] = []
    began, first, saved = time.monotonic(), seen, time.monotonic()
    for seed, examples in groups(seen):
        if seen >= plan.examples:
            break
        share = min(1.0, (seen + 1) / plan.warm_up) * max(0.02, 1 - seen / plan.examples)
        for part, rate in zip(optimizer.param_groups, rates, strict=True):
            part["lr"] = rate * share
        model.train()
        loss = loss_of(examples, random.Random(seed + seen))
        measured, seen = seen // plan.measure_every, seen + len(examples)
        if loss is not None:
            _step(optimizer, loss)
            losses.append(float(loss.detach()))
        if len(losses) == plan.report_every:
            pace = (seen - first) / (time.monotonic() - began)
            report({"seen": seen, "loss": round(sum(losses) / len(losses), 3), "examples a second": round(pace, 1)})
            losses.clear()
        if seen // plan.measure_every > measured:
            report({"seen": seen} | measure())
        if time.monotonic() - saved > plan.save_every:
            saved = time.monotonic()
            _save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "seen": seen}, checkpoint)


def _step(optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
    loss.backward()
    nn.utils.clip_grad_norm_([each for part in optimizer.param_groups for each in part["params"]], 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)


def _save(state: dict[str, Any], checkpoint: Path) -> None:
    part = checkpoint.with_suffix(".part")
    torch.save(state, part)
    part.replace(checkpoint)


def log_to(path: Path) -> Report:
    """Return what writes rows to the terminal, and to a file as JSON lines."""

    def report(row: dict[str, Any]) -> None:
        click.echo(json.dumps(row))
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    return report


def device() -> torch.device:
    """Return the accelerator where there is one, else the processor."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")
