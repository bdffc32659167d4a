"""Write figures as Markdown tables, as JSON and by dotted names."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evals.modes import Figures


@dataclass(frozen=True, kw_only=True)
class Measured:
    """The figures of a run."""

    name: str
    embedder: str  #: its id
    figures: dict[str, Figures]  #: by mode


def table(figures: Figures) -> str:
    """Return the figures as a Markdown table: a row for each part if all are parts, else for each figure."""
    if not all(isinstance(part, Mapping) for part in figures.values()):
        return _markdown(["", "value"], [[name, _text(name, value)] for name, value in flat(figures).items()])
    names = list(dict.fromkeys(name for part in figures.values() for name in part))
    rows = [[part, *(_text(n, of[n]) if n in of else "" for n in names)] for part, of in figures.items()]
    return _markdown(["", *names], rows)


def flat(figures: Figures, prefix: str = "") -> dict[str, float | None]:
    """Return the figures by their dotted names: {"final.recall@1": …}."""
    numbers: dict[str, float | None] = {}
    for name, value in figures.items():
        numbers |= flat(value, f"{prefix}{name}.") if isinstance(value, Mapping) else {f"{prefix}{name}": value}
    return numbers


def rounded(figures: Figures) -> Figures:
    """Return the figures to four places."""
    return {
        name: rounded(value) if isinstance(value, Mapping) else round(value, 4) if isinstance(value, float) else value
        for name, value in figures.items()
    }


def write_report(measured: Sequence[Measured], folder: Path) -> list[Path]:
    """Write the figures as JSON and as Markdown tables; return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    figures = {each.name: {"embedder": each.embedder, **rounded(each.figures)} for each in measured}
    texts = {
        "figures.json": json.dumps(figures, indent=1, ensure_ascii=False) + "\n",
        "figures.md": _page(measured),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
    return [folder / name for name in texts]


def _page(measured: Sequence[Measured]) -> str:
    parts = ["# Quality\n"]
    for each in measured:
        parts.append(f"## {each.name}, {each.embedder}\n")
        parts += [f"{mode}\n\n{table(figures)}\n" for mode, figures in each.figures.items()]
    return "\n".join(parts)


def _text(name: str, value: float | None) -> str:
    if value is None:
        return "–"
    if isinstance(value, int):
        return str(value)
    return f"{value:.1f}" if name in ("ms", "cpu_ms") else f"{value:.3f}"


def _markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of padded cells: the first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = []
    for row in (head, ["-" * width for width in widths], *rows):
        first, *others = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        lines.append(f"| {' | '.join([row[0].ljust(len(first)), *others])} |")
    return "\n".join(lines)
