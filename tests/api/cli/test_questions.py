"""`wellread ask --file` and `wellread questions`: a file's questions are each answered once, in its order."""

from __future__ import annotations

import csv
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from api.cli import questions
from domain import Status
from domain.options import QuestionFilter
from store.questions import listing
from tests.api import walk
from tests.api.cli.command import wellread
from tests.api.conftest import serving
from workers.questions import submit
from workers.services import Services


@pytest.fixture
def url(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An API that the command line is pointed at."""
    monkeypatch.setattr(questions, "_EVERY_S", 0.02)
    monkeypatch.setattr(questions, "_LONGEST_S", 0.1)
    with serving(app) as url:
        monkeypatch.setenv("WELLREAD_API_URL", url)
        yield url


@contextmanager
def answering(services: Services, *, most: int = 1_000) -> Iterator[list[str]]:
    """Questions are answered meanwhile, the last asked first; yields those that were."""
    page_id, ended, done = walk.keep_page(services), threading.Event(), list[str]()

    def work() -> None:
        while not ended.wait(0.02) and len(done) < most:
            with services.database.read() as session:
                wanted = listing.meant(session, QuestionFilter(status=[Status.ASKED]))
                found = listing.find(session, wanted, limit=1)[0]
            for row in found:
                walk.move(services, row.id, walk.answered(page_id))
                done.append(row.text)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield done
    finally:
        ended.set()
        thread.join(10)


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_every_line_is_answered_once_in_the_order_of_the_file(url: str, services: Services, tmp_path: Path) -> None:
    file, out = tmp_path / "questions.jsonl", tmp_path / "answers.jsonl"
    asked = [{"id": f"t-{n}", "question": f"Who built number {n}?", "metadata": {"n": n}} for n in range(12)]
    file.write_text(
        "\n".join([*map(json.dumps, asked), "{broken", json.dumps("Who else?"), "[1]", json.dumps(asked[0])])
    )
    with answering(services) as answered:
        ran = wellread("ask", "--file", str(file), "--out", str(out))
    assert ran.exit_code == 1  # some lines could not be asked
    found = lines_of(out)
    assert [each["line"] for each in found] == list(range(1, 17))
    assert [each["metadata"]["n"] for each in found[:12]] == list(range(12))
    assert all(each["answer"].startswith("Robert Tallis") for each in (*found[:12], found[13]))
    assert (found[12]["question_id"], found[14]["question_id"]) == (None, None)
    assert "it is not JSON" in found[12]["error"]
    assert found[15]["question_id"] == found[0]["question_id"]
    assert len(answered) == len(set(answered)) == 13
    assert not out.with_name("answers.jsonl.part").exists()
    assert "line 13: it is not JSON" in ran.stderr


def test_run_that_broke_off_goes_on_where_it_was(url: str, services: Services, tmp_path: Path) -> None:
    file, out, part = tmp_path / "q.jsonl", tmp_path / "a.jsonl", tmp_path / "a.jsonl.part"
    file.write_text("".join(json.dumps(f"Who built number {n}?") + "\n" for n in range(6)))
    with answering(services) as answered:
        assert wellread("ask", "--file", str(file), "--out", str(out), "--no-crawl").exit_code == 0
        before = lines_of(out)
        run, _ = questions._begun(part, file, {"crawl_enabled": False})
        kept = [json.dumps(run), *map(json.dumps, before[:2]), json.dumps(before[2])[:40]]
        part.write_text("\n".join(kept))  # the last line was cut off
        out.unlink()
        assert "other options" in wellread("ask", "--file", str(file), "--out", str(out)).stderr
        assert wellread("ask", "--file", str(file), "--out", str(out), "--no-crawl").exit_code == 0
    assert [each["line"] for each in lines_of(out)] == [1, 2, 3, 4, 5, 6]
    assert lines_of(out)[:2] == before[:2]
    assert len(answered) == 6  # the answers of the first run are reused: equal questions


def test_output_that_is_there_or_of_another_file_is_kept(url: str, tmp_path: Path) -> None:
    file, out = tmp_path / "q.jsonl", tmp_path / "a.jsonl"
    file.write_text('"Who?"\n')
    out.write_text("mine\n")
    assert "is there already" in wellread("ask", "--file", str(file), "--out", str(out)).stderr
    part = tmp_path / "b.jsonl.part"
    part.write_text('{"run": "x", "file": "y"}\n')
    assert "of another file" in wellread("ask", "--file", str(file), "--out", str(tmp_path / "b.jsonl")).stderr
    assert out.read_text() == "mine\n"


def test_columns_of_a_table_are_options_or_metadata(url: str, services: Services, tmp_path: Path) -> None:
    file, out = tmp_path / "q.csv", tmp_path / "a.csv"
    rows = [
        ["id", "question", "priority", "langs", "crawl_enabled", "team"],
        ["1", "Who built it?", "5", "en de", "false", "support"],
        ["2", "Who else?", "high", "", "", ""],
        ["3", "Who, again?", "", "", "", "sales", "one too many"],
    ]
    with file.open("w", newline="") as written:
        csv.writer(written).writerows(rows)
    with answering(services):
        assert wellread("ask", "--file", str(file), "--out", str(out)).exit_code == 1
    with out.open(newline="") as read:
        found = list(csv.DictReader(read))
    assert (found[0]["outcome"], json.loads(found[0]["metadata"])) == ("answered", {"team": "support"})
    assert [each["error"] for each in found[1:]] == [
        "priority: 'high' is not of the type integer.",
        "it has more cells than there are columns.",
    ]
    with services.database.read() as session:
        (row,) = listing.latest(session)
        assert (row.priority, row.langs, row.crawl_enabled) == (5, ["en", "de"], False)


def test_line_goes_on_behind_what_unicode_calls_the_end_of_one(url: str, services: Services, tmp_path: Path) -> None:
    file, out = tmp_path / "q.jsonl", tmp_path / "a.csv"
    rows = [{"question": f"Who{mark}built it?", "metadata": {"mark": mark}} for mark in "\u2028\x85"]
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    with answering(services):
        assert wellread("ask", "--file", str(file), "--out", str(out)).exit_code == 0
    with out.open(newline="") as read:
        assert [json.loads(row["metadata"])["mark"] for row in csv.DictReader(read)] == ["\u2028", "\x85"]


def test_lines_wait_where_there_is_no_room_and_stay_in_order(url: str, services: Services, tmp_path: Path) -> None:
    services.settings = services.settings.model_copy(update={"max_open_questions": 3})
    file, out = tmp_path / "q.jsonl", tmp_path / "a.jsonl"
    file.write_text("".join(f'"Who built number {n}?"\n' for n in range(8)) + "{broken\n")
    with answering(services):
        assert wellread("ask", "--file", str(file), "--out", str(out)).exit_code == 1
    assert [each["line"] for each in lines_of(out)] == list(range(1, 10))
    with services.database.read() as session:
        (row, *_) = listing.latest(session)
        assert (row.deadline - row.created_at).days == 1, "the last waits long until its turn"


@pytest.mark.parametrize(
    ("content", "said"),
    [("question\n", "no question"), ("a,b\n1,2\n", "`question`"), (b"\xff\xfe\x00", "cannot be read")],
)
def test_file_that_cannot_be_used_is_refused(tmp_path: Path, content: str | bytes, said: str) -> None:
    file = tmp_path / "q.csv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert said in wellread("ask", "--file", str(file), "--out", str(tmp_path / "a")).stderr


def test_file_of_too_many_questions_is_refused_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "MOST_LINES", 3)
    file = tmp_path / "q.jsonl"
    file.write_text('"Who?"\n' * 4)
    assert "more than 3 questions" in wellread("ask", "--file", str(file), "--out", str(tmp_path / "a")).stderr


def test_asking_needs_one_question_or_a_file_with_an_output() -> None:
    for arguments in ((), ("Who?", "--file", __file__), ("--file", __file__)):
        assert wellread("ask", *arguments).exit_code == 2


def test_questions_are_listed_exported_and_changed(here: Services, tmp_path: Path) -> None:
    for text in ("Who waits?", "Who knows?"):
        new = submit.to_new(questions_asked(text), submit.default_budget(here))
        question, _ = submit.submit(here, new)
    walk.move(here, question.id, walk.abstained())
    assert "Who knows?" in (shown := wellread("questions", "list", "--unanswered").stdout)
    assert "Who waits?" not in shown
    assert "There are more" in wellread("questions", "list", "--limit", "1").stdout
    out = tmp_path / "all.csv"
    assert wellread("questions", "export", "--format", "csv", "--out", str(out)).exit_code == 0
    assert out.read_text().count("Who ") == 2
    assert "1 question meant" in wellread("questions", "cancel", "--text", "waits", "--dry-run").stdout
    assert "1 question cancelled" in wellread("questions", "cancel", "--text", "waits", "--yes").stdout
    assert "1 question replayed" in wellread("questions", "replay", "--status", "CANCELLED", "--yes").stdout
    assert "every question" in wellread("questions", "cancel", "--yes").stderr
    assert "No question is meant" in wellread("questions", "list", "--text", "nothing").stdout


def questions_asked(text: str) -> Any:
    from domain.options import Asked

    return Asked(question=text)
