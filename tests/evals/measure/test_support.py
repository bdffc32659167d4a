"""The check of a model's sentences is measured: what it keeps of true ones and of lies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from evals.__main__ import main
from evals.model.replay import read_missing
from evals.model.replies import Replies

BUILT = {"text": "The lighthouse was built in 1874. It is not open in winter.", "title": "Lighthouse", "lang": "en"}


def line(claim: str, label: str, **others: Any) -> dict[str, Any]:
    return {"claim": claim, "quotes": [BUILT], "question": "Tell me.", "lang": "en", "label": label, **others}


LINES = (
    line("It went up in 1874.", "supported"),
    line("It was built in 1875.", "lie", kind="wrong_number"),
    line("The lighthouse is open in winter.", "lie", kind="flipped_negation"),
    line("It was built by monks.", "lie", kind="invented_clause"),
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "sentences.jsonl"
    path.write_text("\n".join(map(json.dumps, LINES)) + "\n")
    return path


def run(*arguments: object) -> str:
    done = CliRunner().invoke(main, ["support", *map(str, arguments)])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_nothing_is_measured_without_replies(file: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    assert json.loads(run(file, "--json", "--replies", empty)) == {}
    assert "| lie invented_clause  |" in run(file)


def test_second_call_is_measured_with_stored_replies(file: Path, tmp_path: Path) -> None:
    missing, folder = tmp_path / "missing", tmp_path / "replies"
    run(file, "--missing", missing)
    (written,) = missing.glob("*.json")  # one page, one question: one call
    request, question = read_missing(written)
    assert request.kind == "check"
    assert [sentence["text"] for sentence in json.loads(request.texts[0])["sentences"]] == [
        each["claim"] for each in LINES
    ]
    replies = Replies(folder)
    says = ["contradicted" if each["label"] == "lie" else "supported" for each in LINES]
    replies.add(request, question, {"sentences": [{"n": at, "says": each} for at, each in enumerate(says, 1)]})
    replies.save()
    found = json.loads(run(file, "--json", "--replies", folder))
    assert found["with_second_call"] == {"supported_kept": 1.0, "lies_kept": 0.0, "sentences": 4}
    lines = json.loads(run(file, "--json", "--lines", "--replies", folder))["lines"]
    assert [each["kept"] for each in lines] == [True, False, False, False]
    assert lines[1] == {"id": "2", "label": "lie", "kept": False, "why": "contradicted"}


@pytest.mark.parametrize("broken", ["no json", "[]", '{"claim": "It is."}', json.dumps(line("It is.", "perhaps"))])
def test_line_that_is_no_sentence_is_named(file: Path, broken: str) -> None:
    file.write_text(file.read_text() + broken)
    done = CliRunner().invoke(main, ["support", str(file)])
    assert done.exit_code == 1
    assert f"{file}, line 5" in done.output
    assert "Traceback" not in done.output
