"""A bar chart as SVG, drawn by hand: a bar to the first figure, a mark at the second, the axis always from 0 to 1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

_LEFT, _WIDTH, _ROW, _TOP = 90, 560, 18, 56


@dataclass(frozen=True, kw_only=True)
class Bars:
    """A group of bars under a title."""

    title: str
    rows: Mapping[str, tuple[float, float]]  #: name → (recall@1, recall@10)


def plot(title: str, groups: Sequence[Bars]) -> str:
    """Draw the groups one below the other."""
    height = _TOP + sum(_ROW * (len(group.rows) + 2) for group in groups)
    width = _LEFT + _WIDTH + 110
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif"'
        ' font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="10" y="20" font-size="15">{escape(title)}</text>',
        '<text x="10" y="38" fill="#555">bar: recall@1; mark: recall@10; the axis runs from 0 to 1</text>',
    ]
    top = _TOP
    for group in groups:
        parts += _group(group, top)
        top += _ROW * (len(group.rows) + 2)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _group(group: Bars, top: int) -> Iterator[str]:
    yield f'<text x="10" y="{top + 12}" font-weight="bold">{escape(group.title)}</text>'
    first, last = top + _ROW, top + _ROW * (len(group.rows) + 1)
    for tenth in range(0, 11, 2):
        x = _x(tenth / 10)
        yield f'<line x1="{x}" x2="{x}" y1="{first}" y2="{last}" stroke="#ddd"/>'
        yield f'<text x="{x}" y="{last + 11}" fill="#777" font-size="10" text-anchor="middle">{tenth / 10:g}</text>'
    for at, (name, (length, mark)) in enumerate(group.rows.items()):
        y = first + _ROW * at
        yield f'<text x="{_LEFT - 6}" y="{y + 13}" text-anchor="end">{escape(name)}</text>'
        yield f'<rect x="{_LEFT}" y="{y + 3}" width="{_x(length) - _LEFT:g}" height="12" fill="#4a7ebb"/>'
        yield f'<rect x="{_x(mark) - 1:g}" y="{y + 1}" width="2" height="16" fill="#c0504d"/>'
        yield f'<text x="{_LEFT + _WIDTH + 8}" y="{y + 13}">{length:.3f} / {mark:.3f}</text>'


def _x(share: float) -> float:
    return round(_LEFT + _WIDTH * share, 1)
