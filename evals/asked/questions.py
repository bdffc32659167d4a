"""Read a set of questions about sites: sites.json, questions.jsonl and a pages-SITE.txt for each site."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from domain.errors import WellreadError
from evals.sets.beir import SetError
from evals.sets.pages import read_pages

#: the sets of the repository
SHIPPED = Path(__file__).with_name("sets")
#: the shipped sets that choices are made and judges fitted on; the others only report
CHOOSE = ("law", "health", "games", "services", "pages", "readmes", "games-faq", "finance-privacy")
#: the name of the set that a model is measured with, and its questions
MODEL = "model"
MODEL_QUESTIONS = Path(__file__).parents[1] / "model" / "questions.jsonl"
#: a site made of pages of many manuals, and where its files are written
HANDBOOKS = "handbooks"
BUILD = Path(__file__).parents[2] / "build" / "evals"
#: the kinds whose questions are not in the words of the page
OWN_WORDS = frozenset({"own_words", "how_to", "yes_no", "definition"})

_CHARSET = re.compile(r"charset=[\w-]+", re.IGNORECASE)
#: copies of other pages under the name of a language they are not in, and pages that forbid being indexed
_LEFT_OUT = ("debmake-doc/html/ch01.ja", "debian-handbook/ko-KR", "harden-doc/pt-BR", "homebank-data")


class PagesMissing(WellreadError):
    """The folder of a site's pages is not on this machine; the message names the packages that hold them."""


class Site(BaseModel):
    """A folder of pages that is served as a site."""

    model_config = ConfigDict(frozen=True)
    site: str
    work: str  #: its editions in other languages have the same
    lang: str
    package: str = ""  #: of Debian, that installs the folder; "": the folder is in the set's own
    root: Path


class Question(BaseModel):
    """A question about a site, and what a right answer contains."""

    model_config = ConfigDict(frozen=True)
    id: str
    site: str
    lang: str
    kind: str
    question: str
    gold: tuple[str, ...]  #: regular expressions; none for a question that nothing answers
    gold_pages: tuple[str, ...]
    note: str = ""
    also: tuple[str, ...] = ()  #: regular expressions of right answers in other words, which no page has
    part: str = ""  #: of the set: fit, choose or report
    after: tuple[str, ...] = ()  #: the questions asked before it in its thread, which it follows up

    @property
    def golds(self) -> tuple[str, ...]:
        """Return every pattern of a right answer."""
        return self.gold + self.also


@dataclass(frozen=True, kw_only=True)
class QuestionSet:
    """The questions of a set, and the pages of its sites that are put into the knowledge base."""

    name: str
    sites: dict[str, Site]
    questions: tuple[Question, ...]
    pages: dict[str, tuple[str, ...]]  #: by site: paths below its root

    def is_gold(self, page: str, question: Question) -> bool:
        """Return whether "site:path" is a gold page, in this edition of the work or in another."""
        site, _, path = page.partition(":")
        same_work = site in self.sites and self.sites[site].work == self.sites[question.site].work
        return same_work and unquote(path) in question.gold_pages

    def urls(self, addresses: dict[str, str], asked: Sequence[Question]) -> list[str]:
        """Return the URLs of the pages that questions need: those of their works' editions."""
        works = {self.sites[question.site].work for question in asked}
        sites = [name for name, site in self.sites.items() if site.work in works]
        return [addresses[site] + quote(path) for site in sites for path in self.pages[site]]


def open_question_set(name: str) -> QuestionSet:
    """Read a set of the repository by its name, or one in a folder; raise SetError where there is none."""
    if name == MODEL:
        return read_model_set()
    return read_question_set(SHIPPED / name if (SHIPPED / name).is_dir() else Path(name))


def read_model_set(file: Path = MODEL_QUESTIONS) -> QuestionSet:
    """Read the questions that a model is measured with: chosen from the other sets, and more about their sites.

    A line names its ``set`` and ``part``. One without a ``question`` stands for the set's own of that ``id``.
    """
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]
    names = dict.fromkeys(line["set"] for line in lines)
    sets = {name: read_handbooks() if name == HANDBOOKS else read_question_set(SHIPPED / name) for name in names}
    own = {question.id: question for of in sets.values() for question in of.questions}
    try:
        questions = tuple(
            Question.model_validate(line if "question" in line else own[line["id"]].model_dump() | line)
            for line in lines
        )
    except (KeyError, ValidationError) as error:
        raise SetError(f"{file} names a question that its set does not have, or lacks a field: {error}") from error
    used = {question.site for question in questions}
    works = {site.work for of in sets.values() for site in of.sites.values() if site.site in used}
    return QuestionSet(
        name=MODEL,
        sites={name: site for of in sets.values() for name, site in of.sites.items() if site.work in works},
        questions=questions,
        pages={name: pages for of in sets.values() for name, pages in of.pages.items()},
    )


def read_handbooks(build: Path = BUILD) -> QuestionSet:
    """Return a site of the manuals' pages in evals/data/pages, which are written to files for it, without questions."""
    root = build / HANDBOOKS
    pages = {page.id: page.html for page in read_pages("manuals") if not page.id.startswith(_LEFT_OUT)}
    for name, source in pages.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(_CHARSET.sub("charset=utf-8", source), "utf-8")
    site = Site(site=HANDBOOKS, work=HANDBOOKS, lang="en", root=root)
    return QuestionSet(name=HANDBOOKS, sites={HANDBOOKS: site}, questions=(), pages={HANDBOOKS: tuple(sorted(pages))})


def read_question_set(folder: Path) -> QuestionSet:
    """Read a set; raise SetError where the folder is none."""
    try:
        sites = TypeAdapter(list[Site]).validate_json((folder / "sites.json").read_bytes())
        lines = (folder / "questions.jsonl").read_text("utf-8").splitlines()
        questions = TypeAdapter(list[Question]).validate_python([json.loads(line) for line in lines if line.strip()])
        pages = {site.site: _lines(folder / f"pages-{site.site}.txt") for site in sites}
    except (OSError, ValueError, ValidationError) as error:
        raise SetError(f"{folder} is not a set of questions about sites: {error}") from error
    here = [site if site.package else site.model_copy(update={"root": folder / site.root}) for site in sites]
    return QuestionSet(
        name=folder.resolve().name,
        sites={site.site: site for site in here},
        questions=tuple(questions),
        pages=pages,
    )


def sample(questions: Sequence[Question], most: int | None) -> list[Question]:
    """Return all questions, or ``most`` of them: the same each time, in an order that says nothing."""
    if most is None:
        return list(questions)
    return sorted(questions, key=lambda question: hashlib.sha256(question.id.encode()).hexdigest())[:most]


def page_of(url: str, addresses: dict[str, str]) -> str:
    """Return a URL as "site:path"."""
    for site, address in addresses.items():
        if url.startswith(address):
            return f"{site}:{url[len(address) :].partition('#')[0] or 'index.html'}"
    return url


def _lines(file: Path) -> tuple[str, ...]:
    return tuple(line for line in file.read_text("utf-8").splitlines() if line)
