"""A few dozen questions about who keeps a thing, and where: of two passages that name it, one answers."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

from training.examples import HELD_OUT, HELD_OUT_PAGES

Row = dict[str, Any]

_LEARNED = "apple bread chair door engine flower garden hammer island jacket kettle lemon mirror needle orange paper"
_HELD_OUT = "bottle candle violin window umbrella basket button clock"
_PEOPLE, _PLACES = ("Anna", "Peter", "Maria", "Thomas"), ("Paris", "Berlin", "Madrid", "Vienna")


def write(folder: Path) -> Path:
    """Write the files that training reads; a held-out site asks about other things, every second time in vain."""
    learned, held_out = _site("learned", _LEARNED.split()), _site(sorted(HELD_OUT)[0], _HELD_OUT.split())
    for number, row in enumerate(held_out[1]):
        if number % 4 > 1:
            row["near"] = [id for id in row["near"] if id != row["passage"]]
            row["evidence"], row["short"] = [], None
    _save(folder, "manuals", [*learned[0], *held_out[0]], [*learned[1], *held_out[1]])
    leaflet, held_out_leaflet = (
        _site("leaflet", ["ladder", "rope"]),
        _site(sorted(HELD_OUT_PAGES)[0], ["bucket", "lamp"]),
    )
    _save(folder, "pages", [*leaflet[0], *held_out_leaflet[0]], [*leaflet[1], *held_out_leaflet[1]])
    for name, article in (("public", None), ("squad2", "Warsaw")):
        _save(folder, name, *_public(name, article))
    return folder


def _site(site: str, things: list[str]) -> tuple[list[Row], list[Row]]:
    passages, questions = [], []
    for number, thing in enumerate(things):
        person, place = _PEOPLE[number % 4], _PLACES[number % 4]
        who, where = f"{person} keeps the {thing}.", f"The {thing} is in {place}."
        for kind, answer, text in (("who", person, who), ("where", place, where)):
            id, other = f"{site}#{thing}-{kind}", "where" if kind == "who" else "who"
            question = f"Who keeps the {thing}?" if kind == "who" else f"Where is the {thing}?"
            start = text.index(answer)
            passages.append({"id": id, "title": "", "text": text})
            questions.append(
                {
                    "site": site,
                    "passage": id,
                    "question": question,
                    "evidence": [[0, len(text)]],
                    "short": [start, start + len(answer)],
                    "near": [f"{site}#{thing}-{other}", id],
                    "hyb": [0.5, 0.5],
                }
            )
    return passages, questions


def _public(source: str, article: str | None) -> tuple[list[Row], list[Row]]:
    passages = [{"title": "A mill", "text": "The mill was built by Crane. It burnt down."}]
    row = {"passage": 0, "source": source, "article": article, "kind": "native"}
    answer = {"start": 22, "text": "Crane"}
    return passages, [
        {**row, "question": "Who built the mill?", "answerable": True, "answers": [answer]},
        {**row, "question": "Who sold the mill?", "answerable": False, "answers": []},
    ]


def _save(folder: Path, name: str, passages: list[Row], questions: list[Row]) -> None:
    for kind, rows in (("passages", passages), ("questions", questions)):
        with lzma.open(folder / f"{name}-{kind}.jsonl.xz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
