"""Charts as SVG text with a style and no script: bars of named values, and lines of series over x.

A chart has a background of its own, light or dark as the reader's system is, so that it can be read on any page. Its
title and its values are also there for screen readers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from pydantic import ConfigDict

from benchmarks.plots.scale import Scale, number, round_values

_WIDTH, _MARGIN, _CHARACTER = 720, 20, 7.2
#: of a row with its bar, and of the bar; of the plot of lines
_ROW, _BAR, _PLOT = 32, 18, 230
#: so many values of x are all marked
_FEW = 8
_DASHES = ("", "6 4", "2 3", "9 3 2 3")
_STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1d2129 } .title { font-size: 15px; font-weight: 600 }
.back { fill: #ffffff; stroke: #d9dce1 } .unit { fill: #565d68 } .grid { stroke: #d9dce1 } .axis { stroke: #565d68 }
.bar { fill: #1a6fb5 } .target { stroke: #b3261e; stroke-dasharray: 5 4; stroke-width: 2 } .at-target { fill: #b3261e }
.value { paint-order: stroke; stroke: #ffffff; stroke-width: 6 }
.line { fill: none; stroke-width: 2.5 } .s0 { stroke: #1a6fb5 } .s1 { stroke: #b3470f } .s2 { stroke: #22713f }
.s3 { stroke: #7b3aa0 } circle { fill: #ffffff; stroke-width: 2.5 }
@media (prefers-color-scheme: dark) {
text { fill: #d6dae2 } .back, circle { fill: #1d2129 } .back { stroke: #3a404b } .value { stroke: #1d2129 }
.unit { fill: #a9b0ba }
.grid { stroke: #3a404b } .axis { stroke: #a9b0ba } .bar { fill: #8ab4f8 } .target { stroke: #f28b82 }
.at-target { fill: #f28b82 } .s0 { stroke: #8ab4f8 } .s1 { stroke: #fcad70 } .s2 { stroke: #81c995 }
.s3 { stroke: #d7aefb }
}
"""


@dataclass(frozen=True, kw_only=True)
class Bars:
    """Named values of one unit, each a bar."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    title: str
    unit: str
    bars: Mapping[str, float]
    target: float | None = None  #: no value should be larger
    target_name: str = ""  #: with its number

    def svg(self) -> str:
        """Return the chart."""
        top, left = 70, _MARGIN + 12 + round(_CHARACTER * max(map(len, self.bars)))
        bottom = top + _ROW * len(self.bars)
        marks = round_values(max(*self.bars.values(), self.target or 0.0))
        scale = Scale(least=0.0, most=marks[-1], start=left, end=_WIDTH - _MARGIN - 50)
        parts = [
            *_marks_below(scale, marks, top, bottom),
            *(_bar(value, scale, top + _ROW * row) for row, value in enumerate(self.bars.values())),
            _line((left, top), (left, bottom), "axis"),
            _text((left + scale.end) / 2, bottom + 38, self.unit, "unit", "middle"),
        ]
        if self.target is not None:
            at = scale.place(self.target)
            parts += [
                _line((at, top - 4), (at, bottom), "target"),
                _text(at, top - 10, self.target_name, "at-target", "middle"),
            ]
        for row, (name, value) in enumerate(self.bars.items()):
            middle = top + _ROW * row + _ROW / 2 + 4
            parts += [
                _text(left - 10, middle, name, anchor="end"),
                _text(scale.place(value) + 8, middle, number(value), "value"),
            ]
        values = [f"{name}: {number(value)} {self.unit}" for name, value in self.bars.items()]
        return _picture(self.title, [*values, *filter(None, [self.target_name])], bottom + 54, parts)


@dataclass(frozen=True, kw_only=True)
class Lines:
    """Series of values over x, each a line through its points.

    Below it the values of x that have points are marked; round ones where there are many.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    title: str
    x: str  #: what it is, with its unit
    y: str
    series: Mapping[str, Sequence[tuple[float, float]]]  #: at most four
    is_log_x: bool = False  #: equal steps multiply

    def svg(self) -> str:
        """Return the chart."""
        top, left = 104, _MARGIN + 44
        bottom = top + _PLOT
        xs = sorted({x for points in self.series.values() for x, _ in points})
        few = self.is_log_x or len(xs) <= _FEW
        marked = xs if few else [x for x in round_values(xs[-1]) if x <= xs[-1]]
        marks = round_values(max(y for points in self.series.values() for _, y in points))
        across = Scale(
            least=xs[0] if self.is_log_x else 0.0,
            most=xs[-1],
            start=left + (16 if self.is_log_x else 0),
            end=_WIDTH - _MARGIN - 16,
            is_log=self.is_log_x,
        )
        up = Scale(least=0.0, most=marks[-1], start=bottom, end=top)
        parts = [
            *self._legend(),
            _text(_MARGIN, top - 18, self.y, "unit"),
            *_marks_beside(up, marks, left),
            *_marks_below(across, marked, bottom, bottom + 5),
            _line((left, top), (left, bottom), "axis"),
            _text((left + across.end) / 2, bottom + 42, self.x, "unit", "middle"),
            *(
                part
                for place, points in enumerate(self.series.values())
                for part in _points([(across.place(x), up.place(y)) for x, y in points], place)
            ),
        ]
        values = [
            f"{name}: " + ", ".join(f"{number(y)} at {number(x)}" for x, y in points)
            for name, points in self.series.items()
        ]
        return _picture(self.title, [f"{self.y} by {self.x}", *values], bottom + 58, parts)

    def _legend(self) -> Iterator[str]:
        at = float(_MARGIN)
        for place, name in enumerate(self.series):
            yield _line((at, 54), (at + 30, 54), f"line s{place}", _DASHES[place])
            yield _text(at + 38, 58, name)
            at += 64 + _CHARACTER * len(name)


def _bar(value: float, scale: Scale, top: float) -> str:
    length = scale.place(value) - scale.start
    place = f'x="{_px(scale.start)}" y="{_px(top + (_ROW - _BAR) / 2)}"'
    return f'<rect class="bar" {place} width="{_px(length)}" height="{_BAR}"/>'


def _points(points: Sequence[tuple[float, float]], place: int) -> Iterator[str]:
    through = " ".join(f"{_px(x)},{_px(y)}" for x, y in points)
    yield f'<polyline class="line s{place}" points="{through}"{_dashed(_DASHES[place])}/>'
    for x, y in points:
        yield f'<circle class="s{place}" cx="{_px(x)}" cy="{_px(y)}" r="4"/>'


def _marks_below(scale: Scale, values: Iterable[float], top: float, bottom: float) -> Iterator[str]:
    for value in values:
        at = scale.place(value)
        yield _line((at, top), (at, bottom), "grid")
        yield _text(at, bottom + 17, number(value), "unit", "middle")


def _marks_beside(scale: Scale, values: Iterable[float], left: float) -> Iterator[str]:
    for value in values:
        at = scale.place(value)
        yield _line((left, at), (_WIDTH - _MARGIN, at), "grid")
        yield _text(left - 8, at + 4, number(value), "unit", "end")


def _line(start: tuple[float, float], end: tuple[float, float], kind: str, dashes: str = "") -> str:
    (x1, y1), (x2, y2) = start, end
    return f'<line class="{kind}" x1="{_px(x1)}" y1="{_px(y1)}" x2="{_px(x2)}" y2="{_px(y2)}"{_dashed(dashes)}/>'


def _dashed(dashes: str) -> str:
    return f' stroke-dasharray="{dashes}"' if dashes else ""


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "") -> str:
    attributes = f' class="{kind}"' * bool(kind) + f' text-anchor="{anchor}"' * bool(anchor)
    return f'<text x="{_px(x)}" y="{_px(y)}"{attributes}>{escape(text, quote=False)}</text>'


def _px(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _picture(title: str, values: Iterable[str], height: int, parts: Iterable[str]) -> str:
    size = f'width="{_WIDTH}" height="{height}"'
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" {size}',
        '  role="img" aria-labelledby="title values">',
        f'<title id="title">{escape(title, quote=False)}</title>',
        f'<desc id="values">{escape("; ".join(values), quote=False)}</desc>',
        f"<style>{_STYLE}</style>",
        f'<rect class="back" x="0.5" y="0.5" width="{_WIDTH - 1}" height="{height - 1}" rx="8"/>',
        _text(_MARGIN, 30, title, "title"),
        *parts,
        "</svg>\n",
    ])  # fmt: skip
