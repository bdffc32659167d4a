"""Read an evaluation set in BEIR layout: corpus.jsonl, queries.jsonl, qrels.tsv."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from domain import Passage
from domain.errors import WellreadError

#: the small sets of the repository
SHIPPED = Path(__file__).parents[1] / "data"


class SetError(WellreadError):
    """The folder is not an evaluation set; the message names the file, the line and the error."""


class _Row(BaseModel):
    """A line of a file; other fields are ignored."""

    model_config = ConfigDict(strict=True)
    id: str = Field(alias="_id")
    text: str = Field(pattern=r"\S")


class _Document(_Row):
    title: str
    lang: str


class _Query(_Row):
    answers: tuple[str, ...]
    answerable: bool


R = TypeVar("R", bound=_Row)


@dataclass(frozen=True, kw_only=True)
class EvalQuestion:
    """A question with its gold documents and answers."""

    text: str
    gold: frozenset[int]  #: page ids of the passages that contain the answer, or that the question is about
    answers: tuple[str, ...]
    answerable: bool


@dataclass(frozen=True, kw_only=True)
class EvalSet:
    """A corpus, each passage a page of its own, and questions on it."""

    name: str
    lang: str
    passages: tuple[Passage, ...]
    questions: tuple[EvalQuestion, ...]


def read_set(folder: Path, *, corpus: Path | None = None) -> EvalSet:
    """Read the set in ``folder``, with the corpus of another set of the same ids where one is given. Raises SetError.

    Page ids are line numbers of the corpus, from 0.
    """
    documents = _rows((corpus or folder) / "corpus.jsonl", _Document)
    queries = _rows(folder / "queries.jsonl", _Query)
    places = {row.id: at for at, row in enumerate(documents)}
    gold = _gold(folder / "qrels.tsv", {row.id for row in queries}, places)
    return EvalSet(
        name=folder.name if corpus is None else f"{folder.name} in {corpus.name}",
        lang=documents[0].lang,
        passages=tuple(passage_of(at, row.title, row.text, row.lang) for at, row in enumerate(documents)),
        questions=tuple(
            EvalQuestion(
                text=row.text, gold=frozenset(gold.get(row.id, ())), answers=row.answers, answerable=row.answerable
            )
            for row in queries
        ),
    )


def passage_of(page_id: int, title: str, text: str, lang: str, url: str = "") -> Passage:
    """Return a passage that is a whole page."""
    return Passage(
        id=f"{page_id}-0",
        page_id=page_id,
        ord=0,
        url=url or f"https://{_host(title)}.example/{page_id}",
        title=title.replace("_", " "),
        lang=lang,
        text=text,
        start=0,
        end=len(text),
        content_hash=hashlib.sha256(f"{title}\n{text}".encode()).hexdigest()[:16],
    )


def is_for_fitting(title: str) -> bool:
    """Return whether this title is used to fit, else to test: about half of any set."""
    return hashlib.sha256(title.encode()).digest()[-1] % 2 == 0


def _gold(path: Path, queries: set[str], places: Mapping[str, int]) -> dict[str, set[int]]:
    """Return each question's documents with a score above 0."""
    gold: dict[str, set[int]] = {}
    for number, line in _lines(path):
        parts = line.split("\t")
        if number == 1 and parts[0] == "query-id":
            continue
        if len(parts) != 3 or not re.fullmatch(r"-?\d+", parts[2]):
            raise _wrong(path, number, "expected a question's id, a document's id and a whole number, tab-separated")
        query, document, score = parts
        if query not in queries:
            raise _wrong(path, number, f"there is no question {query!r} in queries.jsonl")
        if document not in places:
            raise _wrong(path, number, f"there is no document {document!r} in the corpus")
        if int(score) > 0:
            gold.setdefault(query, set()).add(places[document])
    return gold


def _rows(path: Path, kind: type[R]) -> list[R]:
    """Read the rows of a file; check their fields and that no id occurs twice."""
    rows: dict[str, R] = {}
    for number, line in _lines(path):
        try:
            row = kind.model_validate_json(line)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise _wrong(path, number, ": ".join(map(str, (*first["loc"][:1], first["msg"])))) from error
        if row.id in rows:
            raise _wrong(path, number, f"the id {row.id!r} occurs a second time")
        rows[row.id] = row
    if not rows:
        raise SetError(f"{path} is empty.")
    return list(rows.values())


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank, numbered from 1."""
    if not path.parent.is_dir():
        raise SetError(f"There is no folder {path.parent}.")
    try:
        # not str.splitlines: a text may contain U+2028
        lines = path.read_text("utf-8").split("\n")
    except FileNotFoundError as error:
        raise SetError(f"{path.parent} has no {path.name}: see evals/README.md for the layout of a set.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise SetError(f"{path} cannot be read: {error}.") from error
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield number, line.rstrip("\r")


def _wrong(path: Path, number: int, what: str) -> SetError:
    return SetError(f"{path}, line {number}: {what}.")


def _host(title: str) -> str:
    """Return a host name for each title."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "untitled"
