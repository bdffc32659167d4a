"""Measure the check of a model's sentences: how many true ones it keeps, and how many lies.

A file of cases has a JSON line for each sentence: ``claim``, ``quotes`` (a list of ``text``, ``title``, ``lang``),
``question``, ``lang``, ``label`` ("supported" or "lie") and, if it likes, ``id``, ``kind``, ``page`` and ``part``.

The small model is asked about answers of a few sentences on one question, as the product asks it; its replies are
stored as those of a replay are (:mod:`evals.model.replies`).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final, Literal

from domain import Answer, Citation, Sentence
from domain.errors import WellreadError
from evals.model.replay import save_missing
from evals.model.replies import Replies
from evals.model.requests import Request, request_of
from pipeline.answering.citations import render
from pipeline.models.claude import ClaudeProvider
from pipeline.models.prompts import check_prompt
from pipeline.models.replies import read_check
from workers.settings import CLAUDE_SMALL_MODEL

SENTENCES: Final = Path(__file__).parents[1] / "model" / "sentences.jsonl"
#: what was replied to the second call about those of ``report``
SENTENCE_REPLIES: Final = SENTENCES.parent / "sentence-replies"
#: sentences that one call checks here: an answer has one to five
_A_CALL: Final = 4
#: no page is dated so: dates in a request stay as they are
_TODAY: Final = date(1, 1, 2)


class CaseError(WellreadError):
    """A line of a file is no sentence with its quotes."""


@dataclass(frozen=True, kw_only=True)
class Quote:
    """What a sentence cites."""

    text: str
    title: str = ""
    lang: str = ""


@dataclass(frozen=True, kw_only=True)
class Case:
    """A sentence with its quotes."""

    id: str
    claim: str
    quotes: tuple[Quote, ...]
    label: Literal["supported", "lie"]
    question: str = ""
    lang: str = ""
    kind: str = ""
    page: str = ""
    part: str = ""


@dataclass(frozen=True, kw_only=True)
class Checked:
    """What the second call found of a case."""

    case: Case
    second: str | None  #: "" for nothing; None: its reply is not stored

    def told(self) -> dict[str, Any]:
        """Return it as it is printed."""
        return {"id": self.case.id, "label": self.case.label, "kept": not self.second, "why": self.second}


def read_sentences(file: Path, part: str = "") -> list[Case]:
    """Return the cases of a file, or those of one part; fields that are not known are left aside."""
    cases = []
    for at, line in enumerate(file.read_text("utf-8").splitlines(), 1):
        try:
            cases += [_case(json.loads(line), at)] if line.strip() else []
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise CaseError(f"{file}, line {at}: no sentence with its quotes ({error!r}).") from error
    return [case for case in cases if part in ("", case.part)]


def check_sentences(cases: Sequence[Case], replies: Replies) -> list[Checked]:
    """Check each case by the stored replies to the second call."""
    second = _second(cases, replies)
    return [Checked(case=case, second=second.get(at)) for at, case in enumerate(cases)]


def shares_kept(checked: Sequence[Checked]) -> dict[str, Any]:
    """Return the shares of supported sentences and of lies that are kept.

    Those are of the sentences whose call has a stored reply; nothing where none has.
    """
    told = [each for each in checked if each.second is not None]
    labels = {"supported_kept": "supported", "lies_kept": "lie"}
    of = {name: [each for each in told if each.case.label == label] for name, label in labels.items()}
    kept = {name: _kept(each) for name, each in of.items() if each}
    return {"with_second_call": {**kept, "sentences": len(told)}} if told else {}


def by_kind(checked: Sequence[Checked]) -> dict[str, dict[str, float]]:
    """Return for each kind of sentence how many there are, and the share that the check keeps."""
    kinds: dict[str, list[Checked]] = defaultdict(list)
    for each in checked:
        kinds[f"{each.case.label} {each.case.kind}".strip()].append(each)
    return {
        kind: {"sentences": len(of)}
        | ({"with_second_call": _kept(of)} if all(each.second is not None for each in of) else {})
        for kind, of in sorted(kinds.items(), reverse=True)
    }


def save_requests(cases: Sequence[Case], replies: Replies, folder: Path) -> int:
    """Write the requests of the second call that have no reply; return how many."""
    missing = [(request, few) for request, _, few in _calls(cases) if replies.get(request) is None]
    for request, few in missing:
        save_missing(request, cases[few[0]].id, folder)
    return len(missing)


def _case(line: Mapping[str, Any], at: int) -> Case:
    quotes = tuple(
        Quote(**{name: quote.get(name) or "" for name in ("text", "title", "lang")}) for quote in line["quotes"]
    )
    known = {name: line[name] for name in ("id", "question", "lang", "kind", "page", "part") if name in line}
    if line["label"] not in ("supported", "lie") or not quotes:
        raise ValueError("a label is supported or lie, and there is a quote")
    return Case(**{"id": str(at), **known, "claim": line["claim"], "label": line["label"], "quotes": quotes})


def _kept(checked: Sequence[Checked]) -> float:
    """Return the share in which nothing was found."""
    return sum(not each.second for each in checked) / len(checked)


def _answer(cases: Sequence[Case]) -> Answer:
    """Return an answer of the cases' sentences."""
    quotes = list(dict.fromkeys(quote for case in cases for quote in case.quotes))
    citations = tuple(
        Citation(
            marker=at,
            passage_id=str(at),
            page_id=at,
            url="",
            title=quote.title,
            quote=quote.text,
            start=0,
            end=len(quote.text),
        )
        for at, quote in enumerate(quotes, 1)
    )
    sentences = tuple(
        Sentence(text=case.claim, markers=tuple(sorted({1 + quotes.index(quote) for quote in case.quotes})))
        for case in cases
    )
    return Answer(text=render(sentences), sentences=sentences, citations=citations, confidence=1.0, composer="model")


def _calls(cases: Sequence[Case]) -> Iterator[tuple[Request, Answer, Sequence[int]]]:
    """Yield the request for each few sentences on one question about one page, with their answer and their places."""
    claude = ClaudeProvider(api_key="none")
    groups: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for at, case in enumerate(cases):
        groups[case.page or case.quotes[0].title, case.question, case.lang].append(at)
    for (_, question, lang), group in groups.items():
        for few in (group[at : at + _A_CALL] for at in range(0, len(group), _A_CALL)):
            answer = _answer([cases[at] for at in few])
            prompt = check_prompt(question, answer, lang=lang)
            if prompt:
                yield request_of(claude.request(CLAUDE_SMALL_MODEL, prompt, 0), {}, _TODAY), answer, few


def _second(cases: Sequence[Case], replies: Replies) -> dict[int, str]:
    """Return what the stored replies find, by the case's place; nothing of cases whose call has none."""
    told: dict[int, str] = {}
    for request, answer, few in _calls(cases):
        reply = replies.get(request)
        if reply is not None:
            found = {finding.sentence: finding.why for finding in read_check(reply.fields or {}, answer)}
            told |= {place: found.get(at, "") for at, place in enumerate(few)}
    return told
