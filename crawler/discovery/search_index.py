"""Read the search index of a manual as a map of it: each page with its title and those of its sections.

Sphinx writes ``searchindex.js``, MkDocs ``search/search_index.json``. One fetch names all pages of a manual.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import urljoin

_SPHINX: Final = b"Search.setIndex("
_TAG: Final = re.compile(r"<[^>]{0,200}>")
_MAX_TEXT: Final = 500


def is_search_index(body: bytes, url: str) -> bool:
    """Return whether the file is the search index of a manual."""
    return body.startswith(_SPHINX) or url.endswith("/search_index.json")


def pages_of_index(body: bytes, url: str) -> Iterator[tuple[str, str]]:
    """Yield the address of each page with its titles as lines; raises ValueError where the index is not readable."""
    plain = body.decode("utf-8", "replace").strip()
    titles: dict[str, dict[str, None]] = {}
    try:
        if body.startswith(_SPHINX):
            entries = _sphinx(json.loads(plain[len(_SPHINX) :].rstrip(";").removesuffix(")")))
        else:
            entries = _mkdocs(json.loads(plain), url)
        for address, title in entries:
            titles.setdefault(address, {})[" ".join(_TAG.sub("", title).split())] = None
    except (AttributeError, IndexError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"it has another form ({type(error).__name__})") from error
    for address, named in titles.items():
        yield urljoin(url, address), _lines(named)


def _sphinx(index: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    addresses = [f"{name}.html" for name in index["docnames"]]
    yield from zip(addresses, index["titles"], strict=False)
    for title, places in index.get("alltitles", {}).items():
        for document, _ in places:
            yield addresses[document], title


def _mkdocs(index: Mapping[str, Any], url: str) -> Iterator[tuple[str, str]]:
    root = urljoin(url, "..")
    for entry in index["docs"]:
        yield urljoin(root, entry["location"].partition("#")[0]), entry["title"]


def _lines(titles: Mapping[str, None]) -> str:
    text = ""
    for title in titles:
        if title and len(text) + len(title) < _MAX_TEXT:
            text = f"{text}\n{title}" if text else title
    return text
