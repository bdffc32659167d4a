"""Check a set: each gold pattern matches the visible text of a gold page, read without the crawler's extraction.

Of a file that is no HTML, the text is what the crawler reads of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lxml import html

from crawler.extract.files.file_text import read_file
from evals.asked.grade import is_right
from evals.asked.questions import Question, QuestionSet

_BLOCKS = frozenset("p div li dt dd h1 h2 h3 h4 h5 h6 td th tr pre table br".split())
#: the kinds whose answer may have parts on several pages
_OF_SEVERAL = frozenset({"multi_hop", "list", "contradiction"})
_CHARSET = re.compile(rb"charset=[\"']?([\w-]+)")


def faults(of: QuestionSet) -> Iterator[str]:
    """Yield a line for each fault of the set."""
    texts: dict[Path, str] = {}
    for question in of.questions:
        root = of.sites[question.site].root
        if not all((root / page).is_file() for page in question.gold_pages):
            yield f"{question.id}: a gold page is missing"
        for path in _gold_paths(of, question):
            texts.setdefault(path, visible_text(path))
        pages = [texts[path] for path in _gold_paths(of, question)]
        if question.kind in _OF_SEVERAL:
            pages.append(" ".join(pages))
        for gold in question.gold:
            if not any(is_right((gold,), page) for page in pages):
                yield f"{question.id}: on no gold page: {gold}"
        for page in question.gold_pages:
            if page not in of.pages[question.site]:
                yield f"{question.id}: not in pages-{question.site}.txt: {page}"
        if bool(question.gold) == (question.kind == "unanswerable"):
            yield f"{question.id}: its kind and its golds disagree"
    wordings = [" ".join((*question.after, question.question)).casefold() for question in of.questions]
    yield from (f"asked twice: {text}" for text in sorted(set(wordings)) if wordings.count(text) > 1)


def visible_text(path: Path) -> str:
    """Return a page's text as a reader sees it, with single spaces."""
    raw = path.read_bytes()
    if path.suffix not in (".html", ".htm", ""):
        return " ".join(read_file(raw, address=path.as_uri()).text.split())
    named = _CHARSET.search(raw[:1500])
    tree: Any = html.fromstring(raw, parser=html.HTMLParser(encoding=named[1].decode() if named else "utf-8"))
    for element in list(tree.iter("script", "style")):
        element.drop_tree()
    for element in tree.iter():
        if element.tag in _BLOCKS:
            element.text, element.tail = f" {element.text or ''}", f" {element.tail or ''}"
    body = tree.find("body")
    return " ".join((tree if body is None else body).text_content().split())


def _gold_paths(of: QuestionSet, question: Question) -> list[Path]:
    work = of.sites[question.site].work
    paths = [site.root / page for site in of.sites.values() if site.work == work for page in question.gold_pages]
    return [path for path in paths if path.is_file()]
