"""Fits text to a terminal: counts columns, breaks lines, removes control characters; writes times and numbers."""

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime
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
    from wcwidth import width

    return width(text)


def cut(text: str, width: int) -> str:
    """Return the text, cut with … if it is wider than ``width`` columns."""
    from wcwidth import clip

    return text if columns(text) <= width else f"{clip(text, 0, max(1, width - 1)).rstrip()}…"


def wrap(text: str, width: int, *, indent: str = "", first: str | None = None) -> list[str]:
    """Break into lines of at most ``width`` columns, at spaces where there are any; ``indent`` counts.

    The first line begins with ``first`` if that is given.

    Keeps paragraphs. A word wider than a line is broken, so that text without spaces wraps as well.
    """
    from wcwidth import wrap as broken  # takes 20 ms, which the help needs not

    lines: list[str] = []
    for paragraph in text.split("\n"):
        begins = indent if lines or first is None else first
        lines += broken(
            clean(paragraph), width, initial_indent=begins, subsequent_indent=indent, break_on_hyphens=False
        ) or [begins.rstrip()]
    return lines
