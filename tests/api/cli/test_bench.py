"""`wellread bench`: a user's own questions are graded, summed up and compared with an earlier run."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from api.cli import questions
from api.operations.bench import BadBench, Expected, grade, summary
from domain import Status
from domain.options import QuestionFilter
from store.questions import listing
from tests.api import walk
from tests.api.cli.command import wellread
from tests.api.conftest import serving
from tests.tables import each_row
from workers.services import Services


@pytest.fixture
def url(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An API that the command line is pointed at."""
    monkeypatch.setattr(questions, "_EVERY_S", 0.02)
    with serving(app) as url:
        monkeypatch.setenv("WELLREAD_API_URL", url)
        yield url


@contextmanager
def answering(services: Services) -> Iterator[list[str]]:
    """Questions are answered meanwhile by what they ask for; yields the most that were open at once."""
    page_id, ended, most = walk.keep_page(services), threading.Event(), list[int]()
    moves = {"Who": walk.answered, "Maybe": walk.unsure}

    def work() -> None:
        while not ended.wait(0.02):
            with services.database.read() as session:
                wanted = listing.meant(session, QuestionFilter(status=[Status.ASKED]))
                found = listing.find(session, wanted, limit=100)[0]
            most.append(len(found))
            for row in found:
                kind = moves.get(row.text.split()[0])
                walk.move(services, row.id, kind(page_id) if kind else walk.abstained())

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield most  # type: ignore[misc]
    finally:
        ended.set()
        thread.join(10)


LINES: list[dict[str, Any]] = [
    {"id": "a", "question": "Who built it?", "expected": "robert tallis", "url": "https://example.org/tower"},
    {"id": "b", "question": "Who built the tower?", "expected": ["Anna Berg", "the keeper"]},
    {"id": "c", "question": "Who paid?", "unanswerable": True},
    {"id": "d", "question": "How deep is it?", "unanswerable": True},
    {"id": "e", "question": "How old is it?", "expected": "90"},
    {"id": "f", "question": "Maybe who built it?", "expected": "Tallis"},
    {"id": "g", "question": "Who built it, then?", "expected": "Tallis", "url": "https://example.org/other/"},
]
GRADES = ["right", "wrong", "wrong", "right", "unknown", "unsure", "wrong"]


def written(tmp_path: Path, lines: list[dict[str, Any]]) -> Path:
    file = tmp_path / "asked.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def test_each_answer_is_graded_and_summed_up(url: str, services: Services, tmp_path: Path) -> None:
    file, out = written(tmp_path, LINES), tmp_path / "run.jsonl"
    with answering(services) as most:
        ran = wellread("bench", str(file), "--out", str(out), "--json", "--parallel", "2")
    found = json.loads(ran.stdout)
    assert [line["grade"] for line in found["lines"]] == GRADES
    assert [json.loads(line)["grade"] for line in out.read_text().splitlines()] == GRADES
    assert (found["right"], found["wrong"], found["unsure"], found["unsure_right"], found["unknown"]) == (2, 3, 1, 1, 1)
    assert found["seconds_p50"] <= found["seconds_p95"]
    assert sum(tenth["answers"] for tenth in found["calibration"]) == 5
    assert (max(most) <= 2, ran.exit_code) == (True, 0)
    why = {line["id"]: line["why"] for line in found["lines"]}
    assert why["b"] == "it does not say 'Anna Berg' or 'the keeper'"
    assert why["g"] == "it does not cite https://example.org/other/"


def test_a_run_is_compared_with_an_earlier_one(url: str, services: Services, tmp_path: Path) -> None:
    out, file = tmp_path / "before.jsonl", written(tmp_path, LINES)
    with answering(services):
        assert wellread("bench", str(file), "--out", str(out)).exit_code == 0
        now = [
            LINES[0] | {"expected": "Nobody"},
            LINES[1] | {"expected": "Tallis"},
            {"question": "Who?", "expected": "Tallis"},
        ]
        ran = wellread("bench", str(written(tmp_path, now)), "--baseline", str(out))
    assert ran.exit_code == 1  # one got worse
    assert "compared with the baseline (2 questions in both)" in ran.stdout
    assert "better   line 2: Who built the tower?: wrong → right" in ran.stdout
    assert "worse    line 1: Who built it?: right → wrong" in ran.stdout


def test_a_table_has_alternatives_between_bars(url: str, services: Services, tmp_path: Path) -> None:
    file = tmp_path / "asked.csv"
    file.write_text("question,expected,unanswerable,team\nWho built it?,Anna | Robert Tallis,,a\nHow deep?,,true,b\n")
    with answering(services):
        ran = wellread("bench", str(file))
    assert "right         2  100%" in ran.stdout
    with services.database.read() as session:
        kept = {row.caller_metadata["bench"] for row in listing.latest(session)}
    assert kept == {"asked"}


def test_what_cannot_be_graded_is_refused_before_anything_is_asked(
    url: str, services: Services, tmp_path: Path
) -> None:
    for line, says in (
        ({"question": "Who?"}, "line 1: it needs either `expected` or `unanswerable`"),
        ({"question": "Who?", "expected": "x", "unanswerable": True}, "line 1: it needs either"),
        ({"question": "Who?", "expected": {"a": 1}}, "neither a text nor a list"),
        ({"question": "Who?", "expected": "?!"}, "has no word"),
        ({"question": "Who?", "expected": "x", "url": "http://"}, "`url` cannot be read"),
        ({"expected": "x"}, "it has no `question`"),
        ({"question": "Who?", "expected": "x", "metadata": [1]}, "`metadata` is not an object"),
    ):
        ran = wellread("bench", str(written(tmp_path, [line])))
        assert (ran.exit_code, says in ran.stderr) == (1, True), ran.stderr
    broken = tmp_path / "broken.jsonl"
    broken.write_text("{}\n")
    assert (
        "is not what `wellread bench --out` writes"
        in wellread("bench", str(written(tmp_path, LINES)), "--baseline", str(broken)).stderr
    )
    with services.database.read() as session:
        assert listing.latest(session) == []


@each_row(
    "answer, expected, is_right",
    [
        ("It was built in 1874 [1].", "1874", True),
        ("It was built in 1874 [1].", "18", False),  # part of a number
        ("Die STRASSE ist lang.", "straße", True),
        ("It is known.", "no", False),  # part of a word
        ("The fee is 1,000 euros.", "1000 euros", True),
        ("東京都にあります。", "東京都", True),
        ("Rob [1] Tallis", "rob tallis", True),  # a marker in between
    ],
)
def test_texts_are_found_as_whole_words_in_any_spelling(answer: str, expected: str, is_right: bool) -> None:
    line = {"line": 1, "question": "?", "outcome": "answered", "answer": answer, "confidence": 0.7}
    assert grade(line, Expected(texts=("zebra", expected))).holds == is_right


def test_nothing_given_has_no_curve() -> None:
    assert summary([])["calibration"] == []
    with pytest.raises(BadBench):
        Expected.of(expected=[])
    assert Expected.of(expected=0).texts == ("0",)
