"""Learn from examples, keep checkpoints and go on from them: how both the encoder and the reader are trained."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator, Sequence, Sized
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from typing import Any, TypeVar

import click
import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel

Group = TypeVar("Group", bound=Sized)
Report = Callable[[dict[str, Any]], None]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How long and how fast to learn."""

    rate: float
    warm_up: int  #: examples
    examples: int  #: to see in all
    seconds: float = inf  #: to learn for, at most
    group: int  #: examples learned from at a time
    seed: int
    save_every: float = 300.0  #: seconds
    measure_every: int  #: examples
    report_every: int = 25  #: groups
    average: float = 0.998  #: share of the weights' running average that each step keeps


def learn(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    plan: Plan,
    folder: Path,
    report: Report,
    *,
    groups: Callable[[int], Iterator[tuple[int, Group]]],
    loss_of: Callable[[Group, random.Random], Tensor | None],
    measure: Callable[[], dict[str, Any]],
) -> None:
    """Train ``model`` in place; keeps ``checkpoint.pt`` in ``folder`` and goes on from it.

    Its weights are measured, and left in it at the end, as their running average (Polyak and Juditsky 1992). ``groups``
    yields groups of examples without end, each with the seed of its draw, from the number already seen.
    """
    torch.manual_seed(plan.seed)
    rates = [part["lr"] for part in optimizer.param_groups]
    average = AveragedModel(model, multi_avg_fn=partial(_average, plan.average))
    checkpoint, seen, before = folder / "checkpoint.pt", 0, 0.0
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        average.load_state_dict(state["average"])
        seen, before = state["seen"], state["seconds"]
        report({"goes on from": seen})
    losses: list[float] = []
    began, first, saved = time.monotonic(), seen, time.monotonic()
    for seed, examples in groups(seen):
        done = max(seen / plan.examples, (before + time.monotonic() - began) / plan.seconds)
        if done >= 1:
            break
        share = min(1.0, (seen + 1) / plan.warm_up) * max(0.02, 1 - done)
        for part, rate in zip(optimizer.param_groups, rates, strict=True):
            part["lr"] = rate * share
        model.train()
        loss = loss_of(examples, random.Random(seed + seen))
        measured, seen = seen // plan.measure_every, seen + len(examples)
        if loss is not None:
            _step(optimizer, loss)
            average.update_parameters(model)
            losses.append(float(loss.detach()))
        if len(losses) == plan.report_every:
            pace = (seen - first) / (time.monotonic() - began)
            report({"seen": seen, "loss": round(sum(losses) / len(losses), 3), "examples a second": round(pace, 1)})
            losses.clear()
        if seen // plan.measure_every > measured:
            with _averaged(model, average):
                report({"seen": seen} | measure())
        if time.monotonic() - saved > plan.save_every:
            saved = time.monotonic()
            parts = {"model": model, "optimizer": optimizer, "average": average}
            kept = {name: part.state_dict() for name, part in parts.items()}
            _save(kept | {"seen": seen, "seconds": before + saved - began}, checkpoint)
    model.load_state_dict(average.module.state_dict())


def _step(optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
    loss.backward()
    nn.utils.clip_grad_norm_([each for part in optimizer.param_groups for each in part["params"]], 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)


@torch.no_grad()
def _average(most: float, averages: Sequence[Tensor], weights: Sequence[Tensor], steps: Tensor | int) -> None:
    """Move the averages to the weights; in the first steps by more, so that the beginning does not count for long."""
    kept = min(most, (1 + int(steps)) / (10 + int(steps)))
    torch._foreach_lerp_(list(averages), list(weights), 1 - kept)


@contextmanager
def _averaged(model: nn.Module, average: AveragedModel) -> Iterator[None]:
    """Give the model the average of its weights for a while."""
    own = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    model.load_state_dict(average.module.state_dict())
    try:
        yield
    finally:
        model.load_state_dict(own)


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
