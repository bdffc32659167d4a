"""Words of pages and of models as words only: nothing that a program which shows them would fetch, follow or run.

What was taken out of an answer still stands in its citation's quote, which is the page's text to the letter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from text.invisible import strip_invisible

_INSIDE = r"\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)"
_ADDRESS = r"\s*<?(?:[a-z][a-z0-9+.-]*:|//|www\.|[/#?.])"
_IMAGE = re.compile(rf"!\[([^\[\]\n]{{0,500}})\](?:{_INSIDE}|\[[^\[\]\n]{{0,100}}\])")
_LINK = re.compile(rf"\[([^\[\]\n]{{0,500}})\](?=\({_ADDRESS}){_INSIDE}", re.IGNORECASE)
_AUTOLINK = re.compile(r"<([a-z][a-z0-9+.-]*:[^<>\s]*)>", re.IGNORECASE)
#: what is left of an image or a link that was cut in two
_REST = re.compile(rf"!(?=\[)|\](?=\({_ADDRESS})", re.IGNORECASE)
#: the page's own numbers of its sources: they would pass for ours
_MARKER = re.compile(r"(?:(?<=[.!?,;:\"”’)\]])|\s+)\[\d{1,3}\](?![\w(\[=])")
_TAG = re.compile(r"<(?:[a-z/!?][^<>]*>?)", re.IGNORECASE)
_URL = re.compile(
    r"(?:[a-z][a-z0-9+.-]{1,20}://|www\.)[^\s<>\"“”)\]]+|\b(?:javascript|data|vbscript|file|mailto|tel):\S+"
    r"|\b(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}/[^\s<>\"“”)\]]+",
    re.IGNORECASE,
)


def sanitize(text: str, *, markers: bool = False) -> str:
    """Return the text without unseen characters, Markdown images and links: their words stay, their addresses go.

    With ``markers`` numbers in brackets stay that are no citation of ours: code has such.
    """
    text = _LINK.sub(r"\1", _IMAGE.sub(r"\1", strip_invisible(text)))
    text = _REST.sub(lambda found: found[0] + " ", _AUTOLINK.sub(r"\1", text))
    return text if markers else _MARKER.sub("", text)


def sanitize_line(text: str) -> str:
    """Return the harmless text in one line, without needless space."""
    return " ".join(sanitize(text).split())


def strip_unsourced_tags(text: str, sources: Sequence[str]) -> str:
    """Return what a model wrote without the markup that no source holds."""

    def kept(tag: re.Match[str]) -> str:
        if any(tag[0] in source for source in sources):
            return tag[0]
        return "" if tag[0].endswith(">") else tag[0].replace("<", "< ")

    return _TAG.sub(kept, text)


def has_unsourced_url(text: str, sources: Sequence[str]) -> bool:
    """Return whether what a model wrote holds an address that no source holds: it could carry off what the model
    knows.
    """
    folded = [source.casefold() for source in sources]
    addresses = [found[0].rstrip(".,;:!?'’*_/").casefold() for found in _URL.finditer(text)]
    return any(not any(address in source for source in folded) for address in addresses)
