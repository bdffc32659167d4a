"""Two real sites with questions: the demonstration's, and the Python documentation, which is an evaluation set too.

The documentation is a local copy (Debian: python3.11-doc), extracted and chunked as the crawler does.
``python_docs.tsv`` holds the questions of the set, each with the page that answers it, or none.
"""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass, replace
from pathlib import Path

from crawler.extract.chunk import chunk
from crawler.extract.document import extract
from domain import Passage
from evals.sets.beir import EvalQuestion, EvalSet

_HERE = Path(__file__).parent
_DEMO = _HERE.parents[1] / "api" / "cli" / "demo"
_CONTENT_TYPE = "text/html; charset=utf-8"
#: pages of the documentation that answer no question
_BESIDE = (
    "library: abc ast asyncio-task base64 bisect calendar configparser concurrent.futures dataclasses difflib"
    " email.message enum fractions glob graphlib gzip html http.client http.server inspect io ipaddress locale math"
    " multiprocessing operator platform queue select signal smtplib socket ssl string sys timeit typing urllib.parse"
    " urllib.request warnings weakref",
    "howto: argparse descriptor functional regex sockets unicode urllib2",
    "tutorial: classes controlflow errors inputoutput interpreter modules stdlib",
)


@dataclass(frozen=True, kw_only=True)
class SiteQuestion:
    """A question with the page that answers it and the expected text; both empty where no page answers."""

    text: str
    page: str
    expected: tuple[str, ...]
    half: str


@dataclass(frozen=True, kw_only=True)
class Site:
    """A site's pages by name, each as its passages; the first is the front page."""

    name: str
    pages: dict[str, list[Passage]]
    questions: tuple[SiteQuestion, ...]

    @property
    def front(self) -> str:
        """The name of the front page."""
        return next(iter(self.pages))


def read_demo(folder: Path = _DEMO) -> Site:
    """Read the bundled site and its questions; a page answers when it contains the expected text."""
    site = folder / "site"
    files = sorted(site.rglob("*.html"), key=lambda file: (file != site / "index.html", str(file)))
    pages = _pages({str(file.relative_to(site)): file for file in files if "drafts" not in file.parts})
    asked = json.loads((folder / "questions.json").read_text("utf-8"))
    answered = [
        (asked["question"], asked["expected"]),
        (asked["paraphrase"], asked["expected"]),
        *((each["question"], each["expected"]) for each in asked["more"]),
    ]
    questions = [
        SiteQuestion(text=text, page=_pages_with(expected, pages), expected=(expected,), half="tune")
        for text, expected in answered
    ]
    questions += [
        SiteQuestion(text=text, page="", expected=(), half="tune")
        for text in (asked["unanswered"], *asked["more_unanswered"])
    ]
    return Site(name="demo", pages=pages, questions=tuple(questions))


def read_documentation(html: Path) -> Site:
    """Read the documentation's pages and their questions."""
    rows = read_tsv(_HERE / "site_questions.tsv")
    beside = [f"{folder}/{page}" for folder, pages in (part.split(": ") for part in _BESIDE) for page in pages.split()]
    names = ["index", *sorted({*beside, *(row["page"] for row in rows)})]
    questions = tuple(
        SiteQuestion(text=row[wording], page=row["page"], expected=tuple(row["expected"].split("|")), half=row["half"])
        for row in rows
        for wording in ("question", "paraphrase")
    )
    pages = _pages({name: html / f"{name}.html" for name in names})
    return Site(name="python", pages=pages, questions=questions)


def read_python_docs(html: Path) -> EvalSet:
    """Read as a set the pages of the documentation in the folder ``html`` that the questions name."""
    rows = read_tsv(_HERE / "python_docs.tsv")
    passages: list[Passage] = []
    gold: dict[str, frozenset[int]] = {"": frozenset()}
    for page in sorted({row["page"] for row in rows} - {""}):
        url, start = f"https://docs.example/{page}.html", len(passages)
        text = extract((html / "library" / f"{page}.html").read_bytes(), url=url, content_type=_CONTENT_TYPE)
        for at, passage in enumerate(chunk(text, page_id=0, url=url), start=start):
            # the page's title alone: passages of one title are taken in or out together
            passages.append(replace(passage, title=text.title, id=f"{at}-0", page_id=at, lang="en"))
        gold[page] = frozenset(range(start, len(passages)))
    questions = tuple(
        EvalQuestion(text=row["question"], gold=gold[row["page"]], answers=(), answerable=bool(row["page"]))
        for row in rows
    )
    return EvalSet(name="python-docs", lang="en", passages=tuple(passages), questions=questions)


def read_tsv(file: Path) -> list[dict[str, str]]:
    """Return the rows of a table by the names of its columns."""
    with file.open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened, delimiter="\t", quoting=csv.QUOTE_NONE))


def contains_expected(text: str, expected: str) -> bool:
    """Return whether a text contains the expected one, whatever the white space and case."""
    return " ".join(expected.split()).casefold() in " ".join(text.split()).casefold()


def read_folder(folder: Path) -> dict[str, list[Passage]]:
    """Return the passages of a folder's pages by their names."""
    return _pages({str(file.relative_to(folder)): file for file in sorted(folder.rglob("*.html"))})


def _pages(files: dict[str, Path]) -> dict[str, list[Passage]]:
    """Chunk each file; like the crawler's reader, store nothing of a page that is only links."""
    pages: dict[str, list[Passage]] = {}
    for page_id, (name, file) in enumerate(files.items(), start=1):
        url = f"https://site.example/{name.removesuffix('.html')}.html"
        text = extract(file.read_bytes(), url=url, content_type=_CONTENT_TYPE)
        pages[name] = [] if text.is_hub else chunk(text, page_id=page_id, url=url)
    return pages


def _pages_with(expected: str, pages: dict[str, list[Passage]]) -> str:
    """Return the names of all pages that contain the expected text."""
    return " ".join(
        name for name, passages in pages.items() if any(contains_expected(p.text, expected) for p in passages)
    )
