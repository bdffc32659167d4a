"""Lay out every question with the passages that are read for it as numbers, and draw batches of them by tokens."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from training.examples import (
    DATA,
    HELD_OUT,
    HELD_OUT_PAGES,
    LEFT_OUT,
    Span,
    Text,
    manual_questions,
    public_questions,
    unnamed,
)
from training.tokens import question_ids, sentences_of

Numbers = NDArray[Any]
#: of a passage, the first so many sentences count
SENTENCES: Final = 48
#: the article of SQuAD 2.0 that is not learned from: readers are measured on it
MEASURED_ARTICLE: Final = "Warsaw"
#: sets with unanswerable questions that people wrote; an epoch has each of their questions so often
WRITTEN: Final = frozenset({"unansq", "squad2"})
WRITTEN_TIMES: Final = 3
#: the share of twins taken whose evidence was removed: they are easy
TWINS: Final = 0.4
#: how often titles are left out of what is learned from
UNTITLED: Final = 0.2
#: passages near a question on a manual: those that are laid out, of which a batch has so many beside its own
NEAR, NEAR_NONE, OTHERS = 8, 6, 3
#: passages that are read for a question when a reader is measured
MEASURED: Final = 5
#: what a question is for: learning from, or measuring
PUBLIC, PEOPLE, MANUAL, HELD_OUT_MANUAL, HELD_OUT_ARTICLE, PAGE, HELD_OUT_PAGE = range(7)
#: how many questions of these kinds an epoch has for a reader that knows them
KNOWN: Final = {PUBLIC: 3000, PEOPLE: 3000, MANUAL: 8000}
#: pairs of like length are looked for among so many questions, and a batch has at most so many
_AMONG, _MOST = 6000, 400


@dataclass(frozen=True)
class Rows:
    """Rows of numbers of different lengths."""

    flat: Numbers
    begins: Numbers  #: (rows + 1,)

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]], kind: type[np.generic]) -> Rows:
        """Return the rows as numbers of a kind."""
        begins = np.zeros(len(rows) + 1, dtype=np.int64)
        begins[1:] = np.cumsum([len(row) for row in rows])
        return cls(np.array([number for row in rows for number in row], dtype=kind), begins)

    def __len__(self) -> int:
        return len(self.begins) - 1

    def __getitem__(self, row: int) -> Numbers:
        numbers: Numbers = self.flat[self.begins[row] : self.begins[row + 1]]
        return numbers

    @property
    def lengths(self) -> Numbers:
        """Return the length of each row."""
        return np.diff(self.begins)

    def padded(self, rows: Numbers, length: int, lead: Numbers) -> Numbers:
        """Return (len(rows), length): of each row its numbers behind ``lead`` zeros, and zeros after them."""
        at = np.arange(length) - lead[:, None]
        inside = (at >= 0) & (at < self.lengths[rows][:, None])
        where = np.where(inside, self.begins[rows][:, None] + at, 0)
        return np.where(inside, self.flat[where], 0).astype(np.int64)


@dataclass(frozen=True, kw_only=True)
class Pairs:
    """All pairs of a question and a passage; each question and each passage is stored once."""

    questions: Rows  #: tokens
    passages: Rows  #: tokens
    sentences: Rows  #: of each passage the first token of each sentence and the one after its last
    asked: Numbers  #: of each pair its question
    read: Numbers  #: and its passage
    answers: Numbers  #: whether the passage answers
    short: Numbers  #: (pairs, 2): the short answer's first and last token; 0: there is none, -1: not known
    right: Numbers  #: (pairs, SENTENCES): whether each sentence answers
    groups: Rows  #: the pairs of a question as it was asked once; those of a manual begin with its own passage
    parts: Numbers  #: of each group: what it is for
    answerable: Numbers  #: and whether anything answers

    def __len__(self) -> int:
        return len(self.asked)

    def lengths(self, pairs: Numbers) -> Numbers:
        """Return how many tokens pairs have."""
        found: Numbers = self.questions.lengths[self.asked[pairs]] + self.passages.lengths[self.read[pairs]]
        return found

    def of_parts(self, *parts: int) -> Numbers:
        """Return the groups that are for one of ``parts``."""
        return np.flatnonzero(np.isin(self.parts, parts))

    def save(self, file: Path) -> None:
        """Save the pairs: to lay them out takes minutes."""
        stored: dict[str, Numbers] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            stored |= (
                {field.name: value.flat, f"{field.name}.begins": value.begins}
                if isinstance(value, Rows)
                else {field.name: value}
            )
        np.savez(file, allow_pickle=False, **stored)

    @classmethod
    def load(cls, file: Path) -> Pairs:
        """Return what was saved."""
        kept = np.load(file)
        values: dict[str, Any] = {name: kept[name] for name in kept.files if not name.endswith(".begins")}
        for name in kept.files:
            if name.endswith(".begins"):
                of = name.removesuffix(".begins")
                values[of] = Rows(values[of], kept[name])
        return cls(**values)


def pairs_of(folder: Path = DATA, kept: Path | None = None) -> Pairs:
    """Return all pairs of a folder's questions, the same each time; ``kept`` is a folder to keep them in."""
    content = b"".join(file.read_bytes() for file in sorted(folder.glob("*.jsonl.xz")))
    file = kept / f"pairs-{hashlib.blake2b(content, digest_size=8).hexdigest()}.npz" if kept else None
    if file and file.exists():
        return Pairs.load(file)
    laid, rng = _Laid(), random.Random(1)
    for row, title, text in public_questions(folder):
        is_measured = row.get("article") == MEASURED_ARTICLE
        is_left_out = row["source"] in LEFT_OUT or (row["kind"] == "evidence-removed" and rng.random() >= TWINS)
        if is_measured or not is_left_out:
            people = PEOPLE if row["source"] in WRITTEN else PUBLIC
            titled = is_measured or rng.random() >= UNTITLED
            laid.add_public(row, title, text, HELD_OUT_ARTICLE if is_measured else people, titled=titled)
    for row, passages in manual_questions(folder):
        laid.add_manual(row, passages, rng, (MANUAL, HELD_OUT_MANUAL), held_out=row["site"] in HELD_OUT)
    for row, passages in manual_questions(folder, "pages"):
        laid.add_manual(row, passages, rng, (PAGE, HELD_OUT_PAGE), held_out=row["site"] in HELD_OUT_PAGES)
    pairs = laid.pairs()
    if file:
        pairs.save(file)
    return pairs


class _Laid:
    """Collects pairs."""

    def __init__(self) -> None:
        self._questions: dict[tuple[int, ...], int] = {}
        self._passages: dict[tuple[int, ...], int] = {}
        self._sentences: list[list[int]] = []
        self._pairs: list[tuple[int, int, bool, Span, list[bool]]] = []
        self._groups: list[tuple[list[int], int, bool]] = []

    def add_public(self, row: dict[str, Any], title: str, text: str, part: int, *, titled: bool) -> None:
        """Add a question of a public set with its passage."""
        spans = [(each["start"], each["start"] + len(each["text"])) for each in row["answers"][:1] if row["answerable"]]
        pair = self._pair(row["question"], Text(title, text, tuple(spans)), spans[0] if spans else None, titled=titled)
        if pair is not None:
            self._groups.append(([pair], part, row["answerable"]))

    def add_manual(
        self,
        row: dict[str, Any],
        passages: dict[str, dict[str, Any]],
        rng: random.Random,
        parts: tuple[int, int],
        *,
        held_out: bool,
    ) -> None:
        """Add a question of a site with its own passage and those near it; with the first five if it is held out.

        ``parts`` are what it is for, learned from and held out.
        """
        own = row["passage"]
        titled = held_out or rng.random() >= UNTITLED
        others = [id for id in row["near"] if id != own][: NEAR if row["evidence"] else NEAR_NONE]
        pairs = []
        for id in row["near"][:MEASURED] if held_out else [own, *others]:
            evidence = tuple((start, end) for start, end in row["evidence"]) if id == own else ()
            text = Text(passages[id]["title"], passages[id]["text"], evidence)
            question = row["question"] if held_out else unnamed(row["question"], random.Random(row["question"]))
            pairs.append(self._pair(question, text, row["short"] if evidence else None, titled=titled))
        if held_out or pairs[0] is not None:
            kept = [pair for pair in pairs if pair is not None]
            self._groups.append((kept, parts[held_out], bool(row["evidence"])))

    def pairs(self) -> Pairs:
        """Return what was added."""
        asked, read, answers, short, right = zip(*self._pairs, strict=True)
        flags = np.zeros((len(right), SENTENCES), dtype=bool)
        for number, row in enumerate(right):
            flags[number, : len(row)] = row[:SENTENCES]
        return Pairs(
            questions=Rows.of(list(self._questions), np.uint16),
            passages=Rows.of(list(self._passages), np.uint16),
            sentences=Rows.of(self._sentences, np.uint16),
            asked=np.array(asked),
            read=np.array(read),
            answers=np.array(answers),
            short=np.array(short),
            right=flags,
            groups=Rows.of([pairs for pairs, _, _ in self._groups], np.int64),
            parts=np.array([part for _, part, _ in self._groups]),
            answerable=np.array([answerable for _, _, answerable in self._groups]),
        )

    def _pair(self, question: str, text: Text, short: Sequence[int] | None, *, titled: bool) -> int | None:
        """Return the number of a new pair; None if nothing of its evidence can be read."""
        passage = sentences_of(text, titled=titled)
        if not passage.ranges or (text.evidence and not any(passage.answering)):
            return None
        ids, asked = tuple(passage.ids), tuple(question_ids(question))
        if ids not in self._passages:
            self._passages[ids] = len(self._passages)
            self._sentences.append([token for span in passage.ranges[:SENTENCES] for token in span])
        where = (-1, -1) if text.evidence else (0, 0)
        if short:
            where = passage.tokens((short[0], short[1]))
        number = self._questions.setdefault(asked, len(self._questions))
        self._pairs.append((number, self._passages[ids], bool(text.evidence), where, passage.answering))
        return len(self._pairs) - 1


def drawn(pairs: Pairs, tokens: int, seed: int, *, again: bool = False) -> Iterator[Numbers]:
    """Yield batches of at most so many tokens, without end: (questions, pairs of each), padded to like lengths.

    For a reader that knows most of the questions and learns ``again``, an epoch has fewer of these and of their rivals.
    """
    rng = np.random.default_rng(seed)
    others = OTHERS - again
    while True:
        parts = {part: rng.permutation(pairs.of_parts(part)) for part in (PUBLIC, PEOPLE, MANUAL, PAGE)}
        if again:
            parts = {part: groups[: KNOWN.get(part)] for part, groups in parts.items()}
        rows = [pairs.groups[group][:1] for group in parts[PUBLIC]]
        rows += [pairs.groups[group][:1] for group in parts[PEOPLE]] * (1 if again else WRITTEN_TIMES)
        for own in (pairs.groups[group] for group in np.concatenate([parts[MANUAL], parts[PAGE]])):
            rows.append(np.concatenate([own[:1], rng.choice(own[1:], min(others, len(own) - 1), replace=False)]))
        counts = sorted({len(row) for row in rows})
        batches = [
            batch for count in counts for batch in _cut(pairs, [row for row in rows if len(row) == count], tokens)
        ]
        for number in rng.permutation(len(batches)):
            yield batches[number]


def _cut(pairs: Pairs, rows: Sequence[Numbers], tokens: int) -> Iterator[Numbers]:
    for at in range(0, len(rows), _AMONG):
        some = np.stack(rows[at : at + _AMONG])
        longest = pairs.lengths(some).max(1)
        order = np.argsort(longest)
        first = 0
        for last in range(1, len(order) + 1):
            count = last + 1 - first
            is_full = last == len(order) or count > _MOST or count * some.shape[1] * longest[order[last]] > tokens
            if is_full:
                yield some[order[first:last]]
                first = last
