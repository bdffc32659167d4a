"""Questions on the Python library's documentation, and its pages as a set.

The pages are those of a local copy (Debian: python3.11-doc); the questions stand in ``python_docs.tsv``, each with the
page that answers it, or without one where no page does.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

import trafilatura

from evals.sets import EvalQuestion, EvalSet, passage_of

_QUESTIONS = Path(__file__).with_name("python_docs.tsv")
_WORDS_A_PASSAGE = 120


def read_python_docs(html: Path) -> EvalSet:
    """Read the pages that the questions name from the documentation's folder ``html``."""
    with _QUESTIONS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    pages = sorted({row["page"] for row in rows if row["page"]})
    cut = [(page, title, text) for page in pages for title, text in _passages(html / "library" / f"{page}.html")]
    of_page: dict[str, frozenset[int]] = {
        page: frozenset(at for at, (name, _, _) in enumerate(cut) if name == page) for page in pages
    }
    return EvalSet(
        name="python-docs",
        lang="en",
        passages=tuple(passage_of(at, title, text, "en", url=page) for at, (page, title, text) in enumerate(cut)),
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


def _passages(path: Path) -> Iterator[tuple[str, str]]:
    html = path.read_text("utf-8")
    found = re.search(r"<title>(.*?) &#8212;", html, re.DOTALL)
    title = found.group(1) if found else path.stem
    paragraphs: list[str] = []
    for paragraph in (trafilatura.extract(html) or "").splitlines():
        paragraphs.append(paragraph)
        if sum(len(text.split()) for text in paragraphs) >= _WORDS_A_PASSAGE:
            yield title, "\n".join(paragraphs)
            paragraphs = []
    if paragraphs:
        yield title, "\n".join(paragraphs)
