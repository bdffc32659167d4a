"""The training examples: questions, each with the passage that answers it and with rivals that do not."""

from __future__ import annotations

import json
import lzma
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

DATA: Final = Path(__file__).parent / "data"
#: sites whose questions are not learned from: choices are measured on four; a set of `evals` asks about the fifth
HELD_OUT: Final = frozenset({"kicad", "homebank", "nut", "harden", "wesnoth"})
#: and sites with other pages, a kind each; choices are measured on them
HELD_OUT_PAGES: Final = frozenset(
    {
        "get-into-teaching", "govuk-visas", "sourdough-framework", "cncf", "gbfs", "us-regulations", "openaps",
        "microbit-hardware", "rki-offene-daten", "code-civil",
    }
)  # fmt: skip
#: how many questions of each public set are taken at most: fewer where they are many of one kind
SHARES: Final = {"squadshifts-wiki": 5000, "squadshifts-reddit": 2500}
#: public sets that are left out: reviews, and questions on single sentences
LEFT_OUT: Final = frozenset({"squadshifts-amazon", "qamr", "quoref-contrast"})
#: passages that are near a question but do not answer it, given with each question on a manual
RIVALS: Final = 2
#: the nearest passages that rivals are drawn from
NEAR: Final = 8
#: the share of questions on manuals whose program's name is left out: who asks a manual need not name it
UNNAMED: Final = 0.4

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Text:
    """A passage under its title; ``evidence`` are the spans of the sentences that answer, none in a rival."""

    title: str
    text: str
    evidence: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Example:
    """A question with the passage that answers it and with rivals; ``site`` is where all of them come from."""

    question: str
    answer: Text
    rivals: tuple[Text, ...]
    site: str


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of an xz-compressed JSON-lines file."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def public_examples(folder: Path = DATA, *, seed: int) -> list[Example]:
    """Return the answerable questions of the public sets, each with the evidence-removed twin that some have."""
    rng = random.Random(seed)
    answered: dict[str, list[tuple[dict[str, Any], str, str]]] = defaultdict(list)
    twins: dict[tuple[str, str], Text] = {}
    for row, title, text in public_questions(folder, ("public",)):
        if row["source"] in LEFT_OUT:
            continue
        if row["answerable"]:
            answered[row["source"]].append((row, title, text))
        elif row["kind"] == "evidence-removed":
            twins[row["source"], row["question"]] = Text(title, text)
    examples = []
    for source, rows in sorted(answered.items()):
        rng.shuffle(rows)
        for row, title, text in rows[: SHARES.get(source, len(rows))]:
            answer = row["answers"][0]
            own = Text(title, text, ((answer["start"], answer["start"] + len(answer["text"])),))
            twin = twins.get((source, row["question"]))
            rivals = () if twin is None else (twin,)
            examples.append(Example(row["question"], own, rivals, source))
    return examples


def public_questions(
    folder: Path = DATA, names: Sequence[str] = ("public", "squad2")
) -> Iterator[tuple[dict[str, Any], str, str]]:
    """Yield the questions of public sets as they are stored, each with the title and the text of its passage."""
    for name in names:
        passages = [(_plain(row["title"]), row["text"]) for row in read_lines(folder / f"{name}-passages.jsonl.xz")]
        for row in read_lines(folder / f"{name}-questions.jsonl.xz"):
            yield row, *passages[row["passage"]]


def manual_examples(
    folder: Path = DATA, *, seed: int, sites: frozenset[str] | None = None, but: frozenset[str] = HELD_OUT
) -> list[Example]:
    """Return the answerable questions on manuals; rivals and left-out names are drawn anew for each seed."""
    rng = random.Random(seed)
    examples = []
    for row, passages in manual_questions(folder):
        if row["evidence"] and row["site"] not in but and (sites is None or row["site"] in sites):
            own = passages[row["passage"]]
            near = [id for id in row["near"] if id != row["passage"]][:NEAR]
            rivals = tuple(_text(passages[id]) for id in rng.sample(near, min(RIVALS, len(near))))
            question = unnamed(row["question"], rng)
            answer = Text(own["title"], own["text"], tuple((a, b) for a, b in row["evidence"]))
            examples.append(Example(question, answer, rivals, row["site"]))
    return examples


def manual_questions(
    folder: Path = DATA, name: str = "manuals"
) -> Iterator[tuple[dict[str, Any], dict[str, dict[str, Any]]]]:
    """Yield the questions on manuals, or on other ``pages``, as stored, each with all passages by their ids."""
    passages = {row["id"]: row for row in read_lines(folder / f"{name}-passages.jsonl.xz")}
    for row in read_lines(folder / f"{name}-questions.jsonl.xz"):
        yield row, passages


def unnamed(question: str, rng: random.Random) -> str:
    """Return a question, at times without its program's name."""
    return _NAMES.sub("", question) if rng.random() < UNNAMED else question


def _text(row: dict[str, Any]) -> Text:
    return Text(row["title"], row["text"])


def _plain(title: str) -> str:
    """Return a title that a reader would see, or none."""
    return "" if ":" in title or "_" in title else title


def by_site(examples: Sequence[Example], size: int, rng: random.Random) -> Iterator[list[Example]]:
    """Yield groups of ``size`` examples of one site, in random order, no passage twice in a group.

    What answers another question of the site is a harder rival than what any other site says.
    """
    sites: dict[str, list[Example]] = defaultdict(list)
    for example in examples:
        sites[example.site].append(example)
    groups = []
    for some in sites.values():
        rng.shuffle(some)
        groups += [some[at : at + size] for at in range(0, len(some) - 1, size)]
    rng.shuffle(groups)
    for group in groups:
        yield list({example.answer.text: example for example in group}.values())


_NAMES = re.compile(
    r",? (?:in|with|for|of|on|from|by) (?:the )?"
    r"(?:GIMP|LibreOffice(?: \w+)?|KiCad|LilyPond|Debian(?: Edu)?|HomeBank|[Mm]utt|FontForge|WeeChat|Wesnoth|Postfix"
    r"|Exim|[Gg]it|NUT|Bacula|NTP(?:sec)?|ntpd|[Bb]ash|aptitude|Writer|Calc|Dia|Python|PostgreSQL)(?=[ ?,.]|$)"
)
