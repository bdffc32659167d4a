"""Figures as text: a row a part, a column a figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evals.measures import Figures


def table(figures: Figures) -> str:
    """Return the figures as a Markdown table: a row a part where there are parts, else a row a figure."""
    if not all(isinstance(part, Mapping) for part in figures.values()):
        return _table(["", "value"], [[name, _shown(name, value)] for name, value in figures.items()])
    names = list(dict.fromkeys(name for part in figures.values() for name in part))
    rows = [[part, *(_shown(n, of[n]) if n in of else "" for n in names)] for part, of in figures.items()]
    return _table(["", *names], rows)


def flat(figures: Figures, prefix: str = "") -> dict[str, float | None]:
    """Return the figures by their dotted names: {"final.recall@1": …}."""
    found: dict[str, float | None] = {}
    for name, value in figures.items():
        if isinstance(value, Mapping):
            found |= flat(value, f"{prefix}{name}.")
        else:
            found[f"{prefix}{name}"] = value
    return found


def rounded(figures: Figures) -> Figures:
    """Return the figures to four places."""
    return {
        name: rounded(value) if isinstance(value, Mapping) else round(value, 4) if isinstance(value, float) else value
        for name, value in figures.items()
    }


def _shown(name: str, value: float | None) -> str:
    if value is None:
        return "–"
    if isinstance(value, int):
        return str(value)
    return f"{value:.1f}" if name == "ms" else f"{value:.3f}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[at]) for row in (head, *rows)) for at in range(len(head))]
    line = "| " + " | ".join("-" * width for width in widths) + " |"
    shown = ["| " + " | ".join(_padded(row, widths)) + " |" for row in (head, *rows)]
    return "\n".join([shown[0], line, *shown[1:]])


def _padded(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    first, *rest = widths
    return [row[0].ljust(first), *(cell.rjust(width) for cell, width in zip(row[1:], rest, strict=True))]
