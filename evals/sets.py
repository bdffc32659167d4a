"""Read an evaluation set in BEIR layout: corpus.jsonl, queries.jsonl, qrels.tsv."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from store.types import Passage


@dataclass(frozen=True, kw_only=True)
class EvalQuestion:
    """A question with what is known to answer it."""

    text: str
    gold: frozenset[int]  #: page ids of the passages that hold the answer, or that the question is about
    answers: tuple[str, ...]
    answerable: bool


@dataclass(frozen=True, kw_only=True)
class EvalSet:
    """A corpus, of which every passage is a page of its own, and questions on it."""

    name: str
    lang: str
    passages: tuple[Passage, ...]
    questions: tuple[EvalQuestion, ...]


def read_set(folder: Path) -> EvalSet:
    """Read the set in ``folder``."""
    corpus = list(_lines(folder / "corpus.jsonl"))
    places = {row["_id"]: at for at, row in enumerate(corpus)}
    gold: dict[str, set[int]] = {}
    for line in (folder / "qrels.tsv").read_text("utf-8").splitlines()[1:]:
        query, passage, _ = line.split("\t")
        gold.setdefault(query, set()).add(places[passage])
    return EvalSet(
        name=folder.name,
        lang=corpus[0]["lang"],
        passages=tuple(passage_of(at, row["title"], row["text"], row["lang"]) for at, row in enumerate(corpus)),
        questions=tuple(
            EvalQuestion(
                text=row["text"],
                gold=frozenset(gold.get(row["_id"], ())),
                answers=tuple(row["answers"]),
                answerable=row["answerable"],
            )
            for row in _lines(folder / "queries.jsonl")
        ),
    )


def passage_of(page_id: int, title: str, text: str, lang: str, url: str = "") -> Passage:
    """Make a passage that is a whole page."""
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
    """Say whether everything under this title is fitted on; the rest is tested on. About half, whatever the set."""
    return hashlib.sha256(title.encode()).digest()[-1] % 2 == 0


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def _host(title: str) -> str:
    """Give each title a site of its own."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "untitled"
