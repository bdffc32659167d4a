"""Reduce text of pages and models to plain words: nothing that a viewer would fetch, follow or run.

The quote of a citation is not sanitised: it is the page's text to the letter.
"""

import re
from collections.abc import Sequence

from text.invisible import strip_invisible

_INSIDE = r"\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)"
_ADDRESS = r"\s*<?(?:[a-z][a-z0-9+.-]*:|//|www\.|[/#?.])"
_IMAGE = re.compile(rf"!\[([^\[\]\n]{{0,500}})\](?:{_INSIDE}|\[[^\[\]\n]{{0,100}}\])")
_LINK = re.compile(rf"\[([^\[\]\n]{{0,500}})\](?=\({_ADDRESS}){_INSIDE}", re.IGNORECASE)
_AUTOLINK = re.compile(r"<([a-z][a-z0-9+.-]*:[^<>\s]*)>", re.IGNORECASE)
#: the rest of an image or a link that was cut in two
_REST = re.compile(rf"!(?=\[)|\](?=\({_ADDRESS})", re.IGNORECASE)
#: the page's own source numbers: they would look like our citations
_MARKER = re.compile(r"(?:(?<=[.!?,;:\"”’)\]])|(?<!\s)\s++)\[\d{1,3}\](?![\w(\[=])")
_TAG = re.compile(r"<(?:[a-z/!?][^<>]*>?)", re.IGNORECASE)
_URL = re.compile(
    r"(?:[a-z][a-z0-9+.-]{1,20}://|www\.)[^\s<>\"“”)\]]+|\b(?:javascript|data|vbscript|file|mailto|tel):\S+"
    r"|\b(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}/[^\s<>\"“”)\]]+",
    re.IGNORECASE,
)


def sanitize(text: str, *, markers: bool = False) -> str:
    """Return the text without invisible characters and without the addresses of Markdown images and links.

    With ``markers``, keeps numbers in brackets: code has them.
    """
    text = _LINK.sub(r"\1", _IMAGE.sub(r"\1", strip_invisible(text)))
    text = _REST.sub(lambda found: found[0] + " ", _AUTOLINK.sub(r"\1", text))
    return text if markers else _MARKER.sub("", text)


def sanitize_line(text: str) -> str:
    """Return the sanitised text on one line, without needless space."""
    return " ".join(sanitize(text).split())


def strip_unsourced_tags(text: str, sources: Sequence[str]) -> str:
    """Return a model's text without the tags that no source holds."""

    def kept(tag: re.Match[str]) -> str:
        if any(tag[0] in source for source in sources):
            return tag[0]
        return "" if tag[0].endswith(">") else tag[0].replace("<", "< ")

    return _TAG.sub(kept, text)


def has_unsourced_url(text: str, sources: Sequence[str]) -> bool:
    """Return whether a model's text has an address that no source holds: it could leak data."""
    folded = [source.casefold() for source in sources]
    addresses = [found[0].rstrip(".,;:!?'’*_/").casefold() for found in _URL.finditer(text)]
    return any(not any(address in source for source in folded) for address in addresses)
