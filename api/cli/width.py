"""Fits text to a terminal: counts columns, breaks lines, removes control characters; writes times and numbers."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Any

import click

#: but those that no line is broken at, as between a French quotation mark and its word
_SPACES = re.compile(r"[^\S\u00a0\u202f]+")
#: Cc: control, Cf: format (direction overrides among them), Cs: lone surrogates
_UNSHOWN = ("Cc", "Cf", "Cs")


@dataclass(frozen=True, kw_only=True)
class Style:
    """The width and colours that a terminal can show."""

    width: int = 80  #: columns
    colour: bool = False

    def paint(self, text: str, **style: Any) -> str:
        """Return the text in a style if the terminal has colours."""
        return click.style(text, **style) if self.colour and style else text

    def wrap(self, text: str, *, indent: str = "", first: str | None = None, **style: Any) -> list[str]:
        """Return the text in lines that fit the terminal, as :func:`wrap` does, painted in a style."""
        return [self.paint(line, **style) for line in wrap(text, self.width, indent=indent, first=first)]


def when(time: datetime | None) -> str:
    """Return a time of this machine's zone, to the minute."""
    return time.astimezone().strftime("%Y-%m-%d %H:%M") if time else "at an unknown time"


def counted(number: int, noun: str) -> str:
    """Return a number with an English noun: "1 page", "1,200 pages"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def clean(text: str) -> str:
    """Return the text on one line, without control and direction characters."""
    return without_control(_SPACES.sub(" ", text)).strip()


def without_control(text: str) -> str:
    """Return the text with its lines and spaces, without control and direction characters."""
    return "".join(char for char in text.expandtabs(4) if char == "\n" or unicodedata.category(char) not in _UNSHOWN)


def columns(text: str) -> int:
    """Return how many columns the text takes: wide characters two, combining ones none."""
    return sum(map(_columns_of, text))


def cut(text: str, width: int) -> str:
    """Return the text, cut with … if it is wider than ``width`` columns."""
    if columns(text) <= width:
        return text
    return next(_pieces(text, max(1, width - 1))) + "…"


def wrap(text: str, width: int, *, indent: str = "", first: str | None = None) -> list[str]:
    """Break into lines of at most ``width`` columns, at spaces where there are any; ``indent`` counts.

    The first line begins with ``first`` if that is given.

    Keeps paragraphs. A word wider than a line is broken, so that text without spaces wraps as well.
    """
    lines: list[str] = []
    for paragraph in text.split("\n"):
        prefix = indent if lines or first is None else first
        lines += _wrap_paragraph(clean(paragraph), width, prefix, indent)
    return lines


def _wrap_paragraph(text: str, width: int, first: str, indent: str) -> list[str]:
    lines: list[str] = []
    line = ""
    room = max(2, width - max(columns(first), columns(indent)))
    words = ((each,) if columns(each) <= room else _pieces(each, room) for each in text.split(" "))
    for word in chain.from_iterable(words):
        prefix = indent if lines else first
        if line and columns(prefix) + columns(line) + 1 + columns(word) > width:
            lines.append(prefix + line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, ((indent if lines else first) + line).rstrip()]


def _pieces(text: str, width: int) -> Iterator[str]:
    piece = ""
    for char in text:
        if piece and columns(piece) + _columns_of(char) > width:
            yield piece
            piece = ""
        piece += char
    yield piece


def _columns_of(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
