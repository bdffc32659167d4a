"""Train a large reader that says of every pair what it thinks (``make teach``), and a small one (``make distil``).

Both go on from their last checkpoint where they were interrupted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import click
import numpy as np
import torch
from torch import Tensor, nn

from text.encoder.runtime import ENCODER, word_vectors
from training.examples import DATA
from training.loop import Plan, Report, device, learn, log_to
from training.model import WORDS
from training.reader.labels import Labels, say
from training.reader.loss import Losses
from training.reader.measure import measure
from training.reader.model import STUDENT, TEACHER, Batch, Reader
from training.reader.mpnet import mpnet_weights
from training.reader.pairs import Numbers, Pairs, drawn, pairs_of
from training.shipped import start_weights

#: what the teacher says, as it is kept in the repository
LABELS: Final = "labels*.npz"


@dataclass(frozen=True, kw_only=True)
class ReaderPlan(Plan):
    """How long and how fast a reader learns; its examples are questions, one or four passages each."""

    rate: float
    heads: float  #: how much faster the heads learn, which begin with nothing
    tokens: int  #: of a batch, at most
    warm_up: int = 4000
    examples: int = 10**7
    group: int = 0  #: unused: a batch is as large as its tokens allow
    seed: int
    measure_every: int = 100_000
    measured: int = 1200  #: questions of each kind
    again: bool = False  #: it knows most of the questions


def train(
    reader: Reader, pairs: Pairs, plan: ReaderPlan, folder: Path, report: Report, labels: Labels | None = None
) -> None:
    """Train ``reader`` in place; keeps ``checkpoint.pt`` in ``folder`` and goes on from it."""
    on = next(reader.parameters()).device
    losses = Losses(pairs, labels, on)
    heads = {id(each) for each in reader.heads()}
    layers = [each for each in reader.parameters() if each.requires_grad and id(each) not in heads]
    parts = [
        {"params": layers, "lr": plan.rate, "weight_decay": 0.01},
        {"params": reader.heads(), "lr": plan.heads * plan.rate, "weight_decay": 0.0},
        {"params": [losses.none], "lr": plan.heads * plan.rate, "weight_decay": 0.0},
    ]

    def loss_of(some: Numbers, _: object) -> Tensor:
        batch = Batch.of(pairs, some.reshape(-1), on)
        return losses(reader(batch), batch, some)

    learn(
        nn.ModuleDict({"reader": reader, "none": nn.ParameterList([losses.none])}),
        torch.optim.AdamW(parts, betas=(0.9, 0.98), fused=True),
        plan,
        folder,
        report,
        groups=partial(_groups, pairs, plan),
        loss_of=loss_of,
        measure=partial(measure, reader, pairs, limit=plan.measured),
    )


def _groups(pairs: Pairs, plan: ReaderPlan, seen: int) -> Iterator[tuple[int, Numbers]]:
    # a run that goes on draws another order than the one that was interrupted
    seed = plan.seed + seen
    for batch in drawn(pairs, plan.tokens, seed, again=plan.again):
        yield seed, batch


@click.group()
def main() -> None:
    """Train on an accelerator where there is one, else on the processor."""


def _options(command: Callable[..., None]) -> Callable[..., None]:
    folder = click.Path(path_type=Path)
    for option in (
        click.option("--threads", type=int, default=0, help="Processor threads; default: torch's choice."),
        click.option("--questions", type=int, default=ReaderPlan.examples, help="How many to see in all, at most."),
        click.option(
            "--measured", type=int, default=ReaderPlan.measured, show_default=True, help="Questions measured."
        ),
        click.option("--data", type=folder, default=DATA, help="Folder of questions and passages."),
    ):
        command = option(command)
    return command


@main.command()
@click.option("--out", type=click.Path(path_type=Path), default=Path("build/training/teacher"), show_default=True)
@click.option("--seconds", type=float, default=380.0, show_default=True, help="How long it learns, at most.")
@click.option("--label-seconds", type=float, default=180.0, show_default=True, help="How long it says what it thinks.")
@click.option("--tokens", type=int, default=32_000, show_default=True, help="Of a batch, at most.")
@_options
def teach(
    out: Path, seconds: float, label_seconds: float, tokens: int, threads: int, questions: int, measured: int,
    data: Path,
) -> None:  # fmt: skip
    """Train MPNet on all pairs, then have it say of each what it thinks; write labels.npz and log.jsonl."""
    plan = ReaderPlan(
        rate=5e-5, heads=6.0, tokens=tokens, seed=1, examples=questions, seconds=seconds, measured=measured
    )  # fmt: skip
    laid, report = _begin(out, plan, threads, data)
    weights, words = mpnet_weights()
    reader = Reader(TEACHER, torch.from_numpy(words), dropout=0.1)
    reader.begin_with(weights)
    reader.to(device())
    train(reader, laid, plan, out, report)
    report({"at the end": measure(reader, laid, limit=measured)})
    labels = Labels.read([file] if (file := out / "labels.npz").exists() else [], laid)
    say(reader, laid, labels, seconds=label_seconds, tokens=2 * tokens, report=report)
    labels.save(out / "labels.npz", laid)


@main.command()
@click.option("--out", type=click.Path(path_type=Path), default=Path("build/training/reader"), show_default=True)
@click.option("--seconds", type=float, default=560.0, show_default=True, help="How long it learns, at most.")
@click.option("--tokens", type=int, default=32_000, show_default=True, help="Of a batch, at most.")
@click.option(
    "--labels",
    type=click.Path(path_type=Path, exists=True),
    multiple=True,
    help="What the teacher said; default: what training/data has, and build/training/teacher/labels.npz.",
)
@click.option(
    "--start",
    type=click.Path(path_type=Path, exists=True),
    help="A reader's weights to go on from, slower: an .npz, or text/encoder/reader.onnx; default: the encoder's.",
)
@click.option("--keep", type=click.FloatRange(0, 1), default=0.0, help="How much of those weights stays in the result.")
@_options
def distil(
    out: Path, seconds: float, tokens: int, labels: Sequence[Path], start: Path | None, keep: float, threads: int,
    questions: int, measured: int, data: Path,
) -> None:  # fmt: skip
    """Train the reader that ships on marks and labels; pairs without a label teach by their marks. Write reader.npz.

    What goes on from a reader may be averaged with it: it is better on what it learned, and as good on what it knew
    (Wortsman et al. 2022).
    """
    rate, heads, average = (1e-4, 1.0, 0.995) if start else (3e-4, 3.0, 0.999)
    plan = ReaderPlan(
        rate=rate, heads=heads, average=average, tokens=tokens, seed=2, examples=questions, seconds=seconds,
        measured=measured, again=start is not None,
    )  # fmt: skip
    laid, report = _begin(out, plan, threads, data)
    said = Labels.read(labels or [*sorted(data.glob(LABELS)), *Path("build/training/teacher").glob(LABELS)], laid)
    report({"labels": int(said.known.sum()), "pairs": len(laid)})
    began = start_weights(start) if start else None
    reader = student(began)
    reader.to(device())
    train(reader, laid, plan, out, report, said)
    if began:
        reader.take({name: keep * began[name] + (1 - keep) * own for name, own in reader.weights().items()})
    np.savez(out / "reader.npz", allow_pickle=False, **reader.weights())
    report({"at the end": measure(reader, laid, limit=measured)})


def student(weights: Mapping[str, Any] | None = None) -> Reader:
    """Return the reader that ships, with these weights or with those of the encoder's layers."""
    reader = Reader(STUDENT, torch.from_numpy(word_vectors().of(range(WORDS))), dropout=0.0)
    if weights is None:
        reader.begin_with(start_weights(ENCODER))
    else:
        reader.take(weights)
    return reader


def _begin(out: Path, plan: ReaderPlan, threads: int, data: Path) -> tuple[Pairs, Report]:
    if threads:
        torch.set_num_threads(threads)
    torch.manual_seed(plan.seed)
    out.mkdir(parents=True, exist_ok=True)
    report = log_to(out / "log.jsonl")
    report(asdict(plan))
    return pairs_of(data, out.parent), report


if __name__ == "__main__":
    main()
