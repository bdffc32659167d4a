"""Questions on the Python library's documentation, and its pages as a set.

The pages are a local copy's (Debian: python3.11-doc), extracted and chunked as the crawler does. ``python_docs.tsv``
holds the questions, each with the page that answers it, or none.
"""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

from crawler.extract.chunk import chunk
from crawler.extract.document import extract
from domain import Passage
from evals.sets.beir import EvalQuestion, EvalSet

_QUESTIONS = Path(__file__).with_name("python_docs.tsv")
_SITE = "https://docs.example"


def read_python_docs(html: Path) -> EvalSet:
    """Read the pages that the questions name from the documentation's folder ``html``."""
    with _QUESTIONS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    pages = sorted({row["page"] for row in rows if row["page"]})
    passages = [passage for page in pages for passage in _passages(html / "library" / f"{page}.html", page)]
    of_page: dict[str, frozenset[int]] = {
        page: frozenset(at for at, passage in enumerate(passages) if passage.url == _url(page)) for page in pages
    }
    return EvalSet(
        name="python-docs",
        lang="en",
        passages=tuple(replace(passage, id=f"{at}-0", page_id=at, lang="en") for at, passage in enumerate(passages)),
        questions=tuple(
            EvalQuestion(
                text=row["question"],
                gold=of_page.get(row["page"], frozenset()),
                answers=(),
                answerable=bool(row["page"]),
            )
            for row in rows
        ),
    )


def _passages(path: Path, page: str) -> list[Passage]:
    text = extract(path.read_bytes(), url=_url(page), content_type="text/html; charset=utf-8")
    # the page's title alone: passages of one title are taken in or out together
    return [replace(passage, title=text.title) for passage in chunk(text, page_id=0, url=_url(page))]


def _url(page: str) -> str:
    return f"{_SITE}/{page}.html"
