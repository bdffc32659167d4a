"""Guess the main content of a page that does not mark it, with libraries; hidden elements are removed before."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from itertools import islice
from typing import Any

import lxml.html
import trafilatura

from crawler.extract.element_text import Rendered, render
from crawler.extract.html import parse

#: trafilatura takes 50 µs for an element; articles, for which it is made, have fewer
MAX_ELEMENTS = 20_000


def guess_main_content(tree: Any) -> Iterator[Rendered]:
    """Yield trafilatura's guess as text, then that of resiliparse, which finds what trafilatura misses."""
    if sum(1 for _ in islice(tree.iter(), MAX_ELEMENTS)) == MAX_ELEMENTS:
        return
    for guess in (_by_trafilatura, _by_resiliparse):
        try:
            found = guess(tree)
        except Exception:  # noqa: S112 (a page must not be lost because a library fails on it)
            continue
        if found and (main := parse(found)) is not None:
            yield render(main)


def _by_trafilatura(tree: Any) -> str | None:
    return trafilatura.extract(
        deepcopy(tree),
        fast=True,
        output_format="html",
        include_comments=False,
        include_formatting=True,
        include_tables=True,
    )


def _by_resiliparse(tree: Any) -> str:
    from resiliparse.extract.html2text import extract_plain_text

    return str(
        extract_plain_text(
            lxml.html.tostring(tree, encoding="unicode"),
            preserve_formatting="minimal_html",
            main_content=True,
            list_bullets=False,
            alt_texts=False,
        )
    )
