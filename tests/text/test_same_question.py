"""Questions that mean the same have the same form, and hardly any others do."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from itertools import combinations
from pathlib import Path

from text.same_question import form_of
from text.terms import fold

EVALS = Path(__file__).parents[2] / "evals"


def rows() -> list[dict[str, str]]:
    with (EVALS / "sets" / "same_questions.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def test_other_questions_have_another_form_and_two_in_three_of_the_same_have_one() -> None:
    mistaken = [row["other"] for row in rows() if form_of(row["question"]) == form_of(row["other"])]
    found = [row for row in rows() if form_of(row["question"]) == form_of(row["same"])]
    assert mistaken == []
    assert len(found) >= 38  # of 60


def test_questions_written_to_look_alike_have_different_forms() -> None:
    asked = defaultdict(set)  # a form → what is asked in it, and what answers that
    for line in (EVALS / "data" / "squad2-part" / "queries.jsonl").read_text("utf-8").splitlines():
        query = json.loads(line)
        asked[form_of(query["text"], "en")].add((fold(query["text"]).strip(" ?"), tuple(query["answers"])))
    assert not [same for same in asked.values() for one, other in combinations(same, 2) if one[1] != other[1]]


def test_what_distinguishes_questions_stays() -> None:
    distinct = [
        ("What does R1 < 0 and R2 > 0 indicate?", "What does R1 > 0 and R2 < 0 indicate?"),
        ("What was found by Black and later by Watt?", "What was found by Watt and later by Black?"),
        ("Is C++ supported?", "Is C supported?"),
        ("What is complete?", "What is completed?"),
        ("Who plays the piano?", "Who played the piano?"),
        ("Can't I pay by card?", "Can I pay by card?"),
        ("What is vitamin A?", "What is a vitamin?"),
        ("Where is terminal a?", "Where is the terminal?"),
        ("What is the number of Mr Williams?", "What is the number of Mr William?"),
        ("Can you see my data?", "Can I see your data?"),
        ("How do you use my data?", "How do I use your data?"),
        ("When do you delete my files?", "When do I delete my files?"),
        ("How do I sort the table?", "How do I type the table?"),
        ("What does [] mean in Python?", "What does () mean in Python?"),
        ("What does , mean?", "What does : mean?"),
        ("the", "a"),
    ]
    assert [pair for pair in distinct if form_of(pair[0], "en") == form_of(pair[1], "en")] == []
