"""The options that a benchmark takes, and its figures, some with a target, as text or as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True, kw_only=True)
class Options:
    """The sizes and folders of a run; each benchmark reads those it needs."""

    passages: int  #: in the knowledge base
    rounds: int  #: questions asked, texts embedded, tasks sent
    folder: Path  #: of knowledge bases, used again by the next run
    embedder: str
    copies: int = 1  #: of each passage, to search among more
    pages: int = 5_000  #: read to watch memory
    days: int = 365  #: of questions
    a_day: int = 200  #: questions on each of the days
    questions: int = 1_000  #: asked among faults
    postgres: bool = False  #: instead of SQLite, among faults
    short: bool = False  #: a minute of load instead of six
    workers: tuple[int, ...] = (50, 100, 200, 500)  #: of the fleets
    embed_s: float = 0.1  #: in which a fleet's writer embeds a page


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One number, and its target where it has one."""

    name: str
    value: float
    unit: str = ""
    at_most: float | None = None  #: the target, where less is better
    at_least: float | None = None  #: the target, where more is better

    @property
    def holds(self) -> bool | None:
        """Return whether the figure reaches its target; None without one."""
        if self.at_most is not None:
            return self.value <= self.at_most
        return None if self.at_least is None else self.value >= self.at_least


@dataclass(frozen=True, kw_only=True)
class Report:
    """The figures of one benchmark."""

    title: str
    figures: Sequence[Figure]
    notes: Sequence[str] = ()  #: how to read the figures
    values: Mapping[str, Any] = field(default_factory=dict)  #: for programs, by stable names

    def as_json(self) -> dict[str, Any]:
        """Return the report as plain values."""
        figures = [
            {**asdict(figure), "value": round(figure.value, 4), "holds": figure.holds} for figure in self.figures
        ]
        return {"title": self.title, "figures": figures, "notes": list(self.notes), **self.values}

    def as_lines(self) -> list[str]:
        """Return the report as lines of text."""
        width = max((len(figure.name) for figure in self.figures), default=0)
        rows = [
            f"  {figure.name:<{width}}  {_text(figure.value):>9} {_target(figure)}".rstrip() for figure in self.figures
        ]
        return [self.title, *rows, *(f"  ({note})" for note in self.notes)]


def spread(name: str, seconds: Sequence[float], *, p50: float | None = None, p95: float | None = None) -> list[Figure]:
    """Return the median and the 95th percentile in milliseconds; ``p50`` and ``p95`` are the targets."""
    middle, late = (float(np.percentile(seconds, at)) * 1e3 for at in (50, 95))
    return [
        Figure(name=f"{name}, p50", value=middle, unit="ms", at_most=p50),
        Figure(name=f"{name}, p95", value=late, unit="ms", at_most=p95),
    ]


def ratio(name: str, of: Sequence[float], to: Sequence[float], *, at_most: float | None = None) -> Figure:
    """Return the ratio of two medians."""
    return Figure(name=name, value=float(np.median(of) / np.median(to)), unit="×", at_most=at_most)


def _text(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}" if abs(value) < 0.1 else f"{value:.2f}"


def _target(figure: Figure) -> str:
    if figure.holds is None:
        return figure.unit
    wanted = f"at most {figure.at_most:g}" if figure.at_most is not None else f"at least {figure.at_least:g}"
    return f"{figure.unit:<4} {'holds' if figure.holds else 'MISSED'}: {wanted}"
