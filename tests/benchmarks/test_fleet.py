"""A fleet's answers cite the page that is stored; its report says at how many questions a minute each part is full."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.fleet.driver import AGAIN, CITED, OF, READ, Times, _found, kind, page
from benchmarks.fleet.measure import Run, report
from benchmarks.report import Options


def test_of_ten_questions_most_are_known() -> None:
    kinds = [kind(f"How does the lamp burn all night in house {number}?") for number in range(10, 10 + OF)]
    assert kinds.count("read") == READ
    assert kinds.count("again") == AGAIN


def test_an_answer_quotes_the_page_it_cites() -> None:
    passages, answer = _found(1)
    (citation,) = answer.citations
    assert page(CITED).text[citation.start : citation.end] == citation.quote
    assert passages[0].id == citation.passage_id


def test_two_pages_differ() -> None:
    assert page("https://a.example/").text != page("https://b.example/").text


def test_each_part_is_full_where_a_question_takes_all_its_time(tmp_path: Path) -> None:
    options = Options(passages=1_000, rounds=1, folder=tmp_path, embedder="minilm", embed_s=0.05)
    did = dict.fromkeys(
        ("ended", "tasks", "workers", "API and upkeep", "the one writer", "commands", "statements", "opened"), 100.0
    )
    did |= {"PostgreSQL": 2.0, "Valkey's thread": 0.2}
    seen = dict.fromkeys(("sweep", "open", "in use", "locked", "syncing"), 1.0)
    run = Run(workers=50, slower=10.0, seconds=10.0, did=did, seen=seen)
    found = {figure.name: figure.value for figure in report(options, 500.0, [run]).figures}
    assert found["full: a core of PostgreSQL, at"] == pytest.approx(3_000)
    assert found["full: a core of Valkey's thread, at"] == pytest.approx(30_000)
    assert found["full: the one writer, at"] == pytest.approx(60 / Times(embed=0.05).of_question[2])
    assert found["50 workers whose steps sleep 10 times as long"] == pytest.approx(600)
    assert found["  as many at full speed"] == pytest.approx(6_000)
