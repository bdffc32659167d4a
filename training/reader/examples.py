"""The reader's examples: a question with the passages that are read for it, of which one answers or none."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from training.examples import HELD_OUT, LEFT_OUT, Span, Text, manual_questions, public_questions, unnamed
from training.tokens import MASK, Sentences, question_ids, sentences_of

#: how many answerable questions of each public set are taken at most, in each epoch others
SHARES: Final = {"qed-nq": 2500, "squadshifts-wiki": 2500, "squadshifts-reddit": 800}
#: how many of a set's twins are taken whose evidence was removed: they are easy
TWINS: Final = 100
#: sets with unanswerable questions that people wrote; they are given as often as this
WRITTEN: Final = {"unansq": 3, "squad2": 3}
#: the article of SQuAD 2.0 that is not learned from: the reader is measured on it
MEASURED_ARTICLE: Final = "Warsaw"
#: passages that are given with a question on a manual: that which it was written on, and others near the question
GIVEN: Final = 3
#: how many of the nearest the others are drawn from; fewer where none answers
NEAR, NEAR_NONE = 8, 6
#: how often titles are left out, and words of a question that its passage shares are masked; and their share
UNTITLED, MASKED_QUESTIONS, MASKED_WORDS = 0.2, 0.15, 0.3


@dataclass(frozen=True, slots=True)
class Example:
    """A question, a passage, whether it answers, and the few words that do where they are known."""

    question: str
    text: Text
    answers: bool
    short: Span | None = None
    ranked: float = 0.0  #: the hybrid score of the search that found the passage


@dataclass(frozen=True, slots=True)
class Laid:
    """An example as tokens; the short answer's first and last token: 0 for "there is none", -1 for not known."""

    number: int  #: of the question, the same for all its passages
    question: list[int]
    passage: Sentences
    answers: bool
    start: int
    end: int
    ranked: float


def public(folder: Path, rng: random.Random) -> list[list[Example]]:
    """Return an epoch's questions of the public sets in random order, each with its passage."""
    sets: dict[tuple[str, str, bool], list[list[Example]]] = defaultdict(list)
    for row, title, text in public_questions(folder):
        if row["source"] not in LEFT_OUT and row.get("article") != MEASURED_ARTICLE:
            sets[row["source"], row["kind"], row["answerable"]].append([public_example(row, title, text)])
    found = []
    for (source, kind, answerable), rows in sets.items():
        most = SHARES.get(source, len(rows)) if answerable else TWINS if kind == "evidence-removed" else len(rows)
        for _ in range(WRITTEN.get(source, 1)):
            found += rng.sample(rows, min(most, len(rows)))
    rng.shuffle(found)
    return found


def public_example(row: dict[str, Any], title: str, text: str) -> Example:
    """Return a question of a public set with its passage."""
    if not row["answerable"]:
        return Example(row["question"], Text(title, text), answers=False)
    answer = row["answers"][0]
    short = (answer["start"], answer["start"] + len(answer["text"]))
    return Example(row["question"], Text(title, text, (short,)), answers=True, short=short)


def manuals(folder: Path, rng: random.Random) -> list[list[Example]]:
    """Return the questions on manuals in random order, each with passages that are drawn anew."""
    found = [
        _with_others(row, passages, rng) for row, passages in manual_questions(folder) if row["site"] not in HELD_OUT
    ]
    rng.shuffle(found)
    return found


def _with_others(row: dict[str, Any], passages: dict[str, dict[str, Any]], rng: random.Random) -> list[Example]:
    question, own = unnamed(row["question"], rng), row["passage"]
    scores = dict(zip(row["near"], row["hyb"], strict=True))
    near = [id for id in row["near"][: NEAR if row["evidence"] else NEAR_NONE] if id != own]
    found = []
    for id in (own, *rng.sample(near, min(GIVEN - 1, len(near)))):
        answers = id == own and bool(row["evidence"])
        evidence = tuple((start, end) for start, end in row["evidence"]) if answers else ()
        short = tuple(row["short"]) if answers and row["short"] else None
        text = Text(passages[id]["title"], passages[id]["text"], evidence)
        found.append(Example(question, text, answers, short, scores.get(id, min(row["hyb"]))))
    return found


def laid_out(some: Sequence[Example], number: int, rng: random.Random) -> list[Laid]:
    """Return a question's examples as tokens; none where nothing of its evidence is among them."""
    titled = rng.random() >= UNTITLED
    passages = [sentences_of(example.text, titled=titled) for example in some]
    question = question_ids(some[0].question)
    if rng.random() < MASKED_QUESTIONS:
        shared = set(passages[0].ids)
        inner = [MASK if id in shared and rng.random() < MASKED_WORDS else id for id in question[1:-1]]
        question = [question[0], *inner, question[-1]]
    laid = []
    for example, passage in zip(some, passages, strict=True):
        if example.answers and not any(passage.answering):
            return []
        start, end = (-1, -1) if example.answers else (0, 0)
        if example.short:
            start, end = passage.tokens(example.short)
        if passage.ranges:
            laid.append(Laid(number, question, passage, example.answers, start, end, example.ranked))
    return laid


def groups_of(some: Sequence[Sequence[Example]], size: int, rng: random.Random) -> Iterator[list[Laid]]:
    """Yield the passages of ``size`` questions of like length, so that padding costs little, in random order."""
    chunk = size * 40
    for at in range(0, len(some), chunk):
        numbered = enumerate(some[at : at + chunk])
        laid = [each for number, examples in numbered if (each := laid_out(examples, number, rng))]
        laid.sort(key=lambda each: max(len(one.passage.ids) for one in each))
        groups = [laid[first : first + size] for first in range(0, len(laid), size)]
        rng.shuffle(groups)
        for group in groups:
            yield [one for each in group for one in each]
