"""The set that a model is measured with, and what is counted of a run with a model and one without."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from evals.asked.golds import faults
from evals.asked.grade import Reply, grade_all
from evals.asked.packages import missing_packages
from evals.asked.questions import MODEL, QuestionSet, open_question_set, read_question_set
from evals.asked.with_model import Compared, ask_with_model, bases, figures, lost_by_model, without_packages
from evals.model.replay import Call, read_missing
from evals.model.replies import Part
from evals.model.replies import Reply as Written
from tests.evals.asked.small_site import write_site


@pytest.fixture
def sea(tmp_path: Path) -> QuestionSet:
    return read_question_set(write_site(tmp_path / "sea"))


@pytest.fixture(scope="module")
def questions() -> QuestionSet:
    return open_question_set(MODEL)


def call(question: str, kind: Any, text: str | None, tokens: int = 100) -> Call:
    reply = None if text is None else Written(parts=(Part(text=text),))
    return Call(question=question, kind=kind, hash="", model="m", tokens_in=tokens, tokens_out=10, reply=reply)


def compared(of: QuestionSet, *, calls: Sequence[Call], **answers: tuple[str, str]) -> Compared:
    """Return answers with a model and without to each question; "" is an abstention."""

    def reply(name: str, text: str) -> Reply:
        return Reply(id=name, status="ANSWERED" if text else "ABSTAINED", answer=text, confidence=0.9 if text else 0.0)

    pairs = {name.replace("_", "-"): pair for name, pair in answers.items()}
    graded = [grade_all([reply(name, pair[at]) for name, pair in pairs.items()], of) for at in (0, 1)]
    return Compared(with_model=graded[0], without=graded[1], calls=calls)


def test_what_a_model_gains_and_loses_is_counted(sea: QuestionSet) -> None:
    calls = [
        call("sea-1", "answer", "Ada Ferrier did."),
        call("sea-1", "check", "{}", 50),
        call("sea-2", "verdict", "{}"),
        call("sea-2", "answer", "It burns whale oil."),
    ]
    run = compared(
        sea, calls=calls, sea_1=("Ada Ferrier.", "Dogs may come."), sea_2=("", "Whale oil."), sea_3=("", "In 1841.")
    )
    found = figures(run)
    assert (found["right"], found["right_without"], found["right_replies"]) == (0.5, 0.5, 1.0)
    assert (found["unanswerable_withheld"], found["unanswerable_withheld_without"]) == (1.0, 0.0)
    assert lost_by_model(run) == ["sea-2"]
    assert found["calls_before_answer"] == pytest.approx(3 / 3)
    assert found["calls"] == pytest.approx(4 / 3)
    assert (found["tokens_in_before_answer"], found["tokens_in"]) == (pytest.approx(100), pytest.approx(350 / 3))


def test_questions_that_lack_a_reply_are_left_out_of_the_figures(sea: QuestionSet) -> None:
    calls = [call("sea-1", "answer", "Ada Ferrier did."), call("sea-2", "answer", None)]
    run = compared(sea, calls=calls, sea_1=("Ada Ferrier.", ""), sea_2=("Whale oil.", ""), sea_3=("", ""))
    assert run.missing == {"sea-2"}
    assert figures(run.parts["all"])["answerable"] == 1


def test_a_right_answer_in_other_words_than_the_pages(sea: QuestionSet) -> None:
    question = sea.questions[0].model_copy(update={"also": (r"Mrs\.? Ferrier",)})
    of = QuestionSet(name="", sites=sea.sites, questions=(question,), pages=sea.pages)
    (graded,) = grade_all([Reply(id="sea-1", status="ANSWERED", answer="Mrs Ferrier had it built.")], of)
    assert graded.outcome == "right"


def test_set_for_a_model_is_large_and_of_many_kinds(questions: QuestionSet) -> None:
    asked = questions.questions
    assert len(asked) >= 150
    assert sum(not question.gold for question in asked) >= 30
    assert sum(len(question.gold_pages) > 1 and question.kind == "multi_hop" for question in asked) >= 15
    assert {question.lang for question in asked} == {"en", "de", "fr"}
    assert sum(not questions.sites[question.site].package for question in asked) >= 150
    for pattern in (pattern for question in asked for pattern in question.golds):
        re.compile(pattern)


def test_no_page_of_that_set_is_in_two_parts(questions: QuestionSet) -> None:
    parts: dict[tuple[str, str], set[str]] = {}
    for question in questions.questions:
        for page in question.gold_pages:
            parts.setdefault((questions.sites[question.site].work, page), set()).add(question.part)
    assert {page: of for page, of in parts.items() if len(of) > 1} == {}


def test_golds_of_that_set_hold_where_its_pages_are_here(questions: QuestionSet) -> None:
    missing = missing_packages(questions.sites.values())
    here = [base for base in bases(questions) if not {site.package for site in base.sites.values()} & set(missing)]
    assert [fault for base in here for fault in faults(base)] == []


def test_without_packages_the_pages_of_the_repository_stay(questions: QuestionSet) -> None:
    packages = {site.package for site in questions.sites.values()} - {""}
    left = without_packages(questions, packages)
    assert {site.package for site in left.sites.values()} == {""}
    assert len(left.questions) >= 150
    assert len(bases(left)) == 1
    assert len(bases(questions)) == len(packages) + 1


@pytest.mark.live
@pytest.mark.nightly
def test_replies_are_replayed_over_http_and_missing_ones_are_named(sea: QuestionSet, tmp_path: Path) -> None:
    """The whole way through the product: with no reply stored, each request is kept, and the answers are as without."""
    run, told = ask_with_model(sea, sea.questions, "replies", tmp_path, lambda line: None)
    requests = [read_missing(file) for file in (tmp_path / "model" / "missing").glob("*.json")]
    assert requests
    assert all("127.0.0.1" not in json.dumps(request.texts + request.system) for request, _ in requests)
    assert {one.source for request, _ in requests for one in request.results} <= {
        "http://sea.example/index.html",
        "http://sea.example/lamp.html",
    }
    assert "have no stored reply" in told
    assert [one.outcome for one in run.with_model] == [one.outcome for one in run.without]
