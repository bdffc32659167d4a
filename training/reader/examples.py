"""The reader's examples: a question with one passage, which answers it or does not."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from training.examples import DATA, HELD_OUT, LEFT_OUT, Span, Text, manual_questions, public_questions, unnamed
from training.tokens import MASK, Sentences, question_ids, sentences_of

#: how many answerable questions of each public set are taken at most, in each epoch others
SHARES: Final = {"qed-nq": 2500, "squadshifts-wiki": 2500, "squadshifts-reddit": 800}
#: how many of a set's twins are taken whose evidence was removed: they are easy
TWINS: Final = 100
#: sets with unanswerable questions that people wrote; they are given as often as this
WRITTEN: Final = {"unansq": 3, "squad2": 3}
#: the article of SQuAD 2.0 that is not learned from: the reader is measured on it
MEASURED_ARTICLE: Final = "Warsaw"
#: passages near a question on a manual that one is drawn from which does not answer it
NEAR: Final = 6
#: passages near a question that none answers, of which one is given beside the nearest
NEAR_NONE: Final = 4
#: how often titles are left out, and words of a question that its passage shares are masked; and their share
UNTITLED, MASKED_QUESTIONS, MASKED_WORDS = 0.2, 0.15, 0.3


@dataclass(frozen=True, slots=True)
class Example:
    """A question, a passage, whether it answers, and the few words that do where they are known."""

    question: str
    text: Text
    answers: bool
    short: Span | None = None


@dataclass(frozen=True, slots=True)
class Laid:
    """An example as tokens; the short answer's first and last token: 0 for "there is none", -1 for not known."""

    question: list[int]
    passage: Sentences
    answers: bool
    start: int
    end: int


def examples(folder: Path = DATA, *, seed: int) -> list[Example]:
    """Return an epoch's examples in random order."""
    rng = random.Random(seed)
    found = [*_public(folder, rng), *_manuals(folder, rng)]
    rng.shuffle(found)
    return found


def public_example(row: dict[str, Any], title: str, text: str) -> Example:
    """Return a question of a public set with its passage."""
    if not row["answerable"]:
        return Example(row["question"], Text(title, text), answers=False)
    answer = row["answers"][0]
    short = (answer["start"], answer["start"] + len(answer["text"]))
    return Example(row["question"], Text(title, text, (short,)), answers=True, short=short)


def _public(folder: Path, rng: random.Random) -> Iterator[Example]:
    sets: dict[tuple[str, str, bool], list[Example]] = defaultdict(list)
    for row, title, text in public_questions(folder):
        if row["source"] not in LEFT_OUT and row.get("article") != MEASURED_ARTICLE:
            sets[row["source"], row["kind"], row["answerable"]].append(public_example(row, title, text))
    for (source, kind, answerable), rows in sets.items():
        most = SHARES.get(source, len(rows)) if answerable else TWINS if kind == "evidence-removed" else len(rows)
        for _ in range(WRITTEN.get(source, 1)):
            yield from rng.sample(rows, min(most, len(rows)))


def _manuals(folder: Path, rng: random.Random) -> Iterator[Example]:
    for row, passages in manual_questions(folder):
        if row["site"] in HELD_OUT:
            continue
        question = unnamed(row["question"], rng)
        if row["evidence"]:
            own = passages[row["passage"]]
            evidence = tuple((start, end) for start, end in row["evidence"])
            short = tuple(row["short"]) if row["short"] else None
            yield Example(question, Text(own["title"], own["text"], evidence), answers=True, short=short)
            others = [id for id in row["near"] if id != row["passage"]][:NEAR]
            none = [rng.choice(others)] if others else []
        else:
            none = [id for id in (row["passage"], rng.choice(row["near"][:NEAR_NONE])) if id in passages]
        for id in dict.fromkeys(none):
            yield Example(question, Text(passages[id]["title"], passages[id]["text"]), answers=False)


def laid_out(example: Example, rng: random.Random) -> Laid | None:
    """Return an example as tokens; None where nothing of its evidence is among them."""
    passage = sentences_of(example.text, titled=rng.random() >= UNTITLED)
    if example.answers and not any(passage.answering):
        return None
    question = question_ids(example.question)
    if rng.random() < MASKED_QUESTIONS:
        shared = set(passage.ids)
        inner = [MASK if id in shared and rng.random() < MASKED_WORDS else id for id in question[1:-1]]
        question = [question[0], *inner, question[-1]]
    start, end = (-1, -1) if example.answers else (0, 0)
    if example.short:
        start, end = passage.tokens(example.short)
    return Laid(question, passage, example.answers, start, end)


def groups_of(some: Sequence[Example], size: int, rng: random.Random) -> Iterator[list[Laid]]:
    """Yield groups of examples of like length, so that padding costs little, in random order."""
    chunk = size * 40
    for at in range(0, len(some), chunk):
        laid = [each for example in some[at : at + chunk] if (each := laid_out(example, rng))]
        laid.sort(key=lambda each: len(each.passage.ids))
        groups = [laid[first : first + size] for first in range(0, len(laid), size)]
        rng.shuffle(groups)
        yield from groups
