"""Leave out lines about the page and not of it: when it was changed, who owns it, what its reader thinks of it.

Such a line is told by its words alone, so it must be one of these as a whole. A line about rights or about the program
that made the page is furniture only at the page's end; below a heading that names them it is content.
"""

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

from crawler.extract.element_text import Line
from text.languages import expand

MAX_CHARS = 240  #: a longer line is content
_FOOTER_CHARS = 600  #: of a line at the end of a page
_FOOTER_SHARE = 0.25  #: a footer has less of the page's text

_LISTED = tomllib.loads(Path(__file__).with_name("furniture.toml").read_text("utf-8"))


def _any_of(name: str) -> re.Pattern[str]:
    return re.compile(expand("|".join(_LISTED[name]), _LISTED["names"]), re.IGNORECASE)


_CHANGED, _ASKED, _ACTION, _MADE = map(_any_of, ("changed", "asked", "action", "made"))
_FOOTER, _RIGHTS = map(_any_of, ("footer", "rights"))
_IMPRINT = frozenset(_LISTED["imprint"].split())
_DATE = re.compile(r"\b(?:19|20)\d\d\b|\bago\b")
_WORD = re.compile(r"[^\W\d_]+")


def without_furniture(lines: Sequence[Line]) -> list[Line]:
    """Return the lines without those about the page itself, and without the footer at the end."""
    kept = [line for line in lines if not _is_furniture(line)]
    last = len(kept)
    while last and _is_footer(kept[last - 1]):
        last -= 1
    heading = next((line.text for line in reversed(kept[:last]) if line.kind == "heading"), "")
    most = _FOOTER_SHARE * sum(len(line.text) for line in kept)
    is_short = sum(len(line.text) for line in kept[last:]) <= most
    return kept[:last] if is_short and not _RIGHTS.search(heading) else kept


def _is_furniture(line: Line) -> bool:
    if line.kind == "code" or len(line.text) > MAX_CHARS:
        return False
    text = line.text.strip(" .!?:|[]")
    if line.links and _ACTION.fullmatch(text):
        return True
    if line.kind != "heading" and (_MADE.fullmatch(text) or (_DATE.search(text) and _CHANGED.fullmatch(text))):
        return True
    return _ASKED.fullmatch(text) is not None


def _is_footer(line: Line) -> bool:
    if line.kind in ("code", "heading") or len(line.text) > _FOOTER_CHARS:
        return False
    words = [word.casefold() for word in _WORD.findall(line.text)]
    is_imprint = line.links > 0 and bool(words) and all(word in _IMPRINT for word in words)
    return is_imprint or _FOOTER.match(line.text.strip(" |.")) is not None
