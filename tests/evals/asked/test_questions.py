"""Reading sets; the shipped sets hold together without the packages that their pages come from."""

import re
from pathlib import Path

import pytest

from evals.asked.golds import faults
from evals.asked.packages import install_packages
from evals.asked.questions import (
    SHIPPED,
    PagesMissing,
    QuestionSet,
    Site,
    page_of,
    read_question_set,
    sample,
)
from evals.sets.beir import SetError
from tests.evals.asked.small_site import QUESTIONS, write_site

KINDS = {
    *("own_words", "how_to", "yes_no", "definition", "page_words", "table_or_list", "multi_hop"),
    *("cross_language", "unanswerable"),
    "table",
    "list",
    "follow_up",
    "contradiction",
}
SETS = sorted(file.parent for file in SHIPPED.glob("*/sites.json"))


@pytest.fixture
def sea(tmp_path: Path) -> QuestionSet:
    return read_question_set(write_site(tmp_path / "sea"))


def test_set_is_read_with_its_pages(sea: QuestionSet) -> None:
    assert sea.name == "sea"
    assert [question.id for question in sea.questions] == ["sea-1", "sea-2", "sea-3"]
    assert sea.urls({"sea": "http://h/"}, sea.questions) == ["http://h/index.html", "http://h/lamp.html"]


def test_sample_is_the_same_each_time(sea: QuestionSet) -> None:
    assert sample(sea.questions, 2) == sample(tuple(reversed(sea.questions)), 2)
    assert sample(sea.questions, None) == list(sea.questions)


def test_page_is_gold_in_any_edition_of_its_work(sea: QuestionSet) -> None:
    english = sea.sites["sea"]
    german = english.model_copy(update={"site": "meer", "lang": "de"})
    other = english.model_copy(update={"site": "hill", "work": "hill"})
    both = QuestionSet(
        name="", sites={"sea": english, "meer": german, "hill": other}, questions=sea.questions, pages={}
    )
    question = sea.questions[0]
    assert both.is_gold("sea:index.html", question)
    assert both.is_gold("meer:index.html", question)
    assert not both.is_gold("hill:index.html", question)
    assert not both.is_gold("sea:lamp.html", question)


def test_address_alone_is_the_front_page() -> None:
    assert page_of("http://h/", {"sea": "http://h/"}) == "sea:index.html"
    assert page_of("http://h/a.html#top", {"sea": "http://h/"}) == "sea:a.html"


def test_folder_that_is_no_set_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SetError, match="nothing is not a set"):
        read_question_set(tmp_path / "nothing")


def test_faults_of_a_set_are_found(tmp_path: Path) -> None:
    wrong = [
        {**QUESTIONS[0], "gold": ["Bert Ferrier"]},
        {**QUESTIONS[1], "gold_pages": ["missing.html"]},
        {**QUESTIONS[2], "kind": "how_to"},
        {**QUESTIONS[2], "id": "sea-4"},
    ]
    found = "\n".join(faults(read_question_set(write_site(tmp_path / "sea", questions=wrong))))
    assert "sea-1: on no gold page: Bert Ferrier" in found
    assert "sea-2: a gold page is missing" in found
    assert "sea-3: its kind and its golds disagree" in found
    assert "asked twice: how high is mount fuji?" in found


def test_sound_set_has_no_faults(sea: QuestionSet) -> None:
    assert list(faults(sea)) == []


def test_missing_pages_are_reported_with_the_command_that_installs_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")  # a machine without apt-get
    site = Site(site="s", work="s", lang="en", package="some-doc", root=tmp_path / "none")
    with pytest.raises(PagesMissing, match="apt-get install some-doc"):
        install_packages([site])


@pytest.mark.parametrize("folder", SETS, ids=lambda folder: folder.name)
def test_shipped_set_holds_together(folder: Path) -> None:
    of = read_question_set(folder)
    assert {question.kind for question in of.questions} <= KINDS
    for question in of.questions:
        assert bool(question.gold) == bool(question.gold_pages) == (question.kind != "unanswerable"), question.id
        assert set(question.gold_pages) <= set(of.pages[question.site]), question.id
        for pattern in question.gold:
            re.compile(pattern)
    assert len({question.id for question in of.questions}) == len(of.questions)
    assert len({(question.after, question.question.casefold()) for question in of.questions}) == len(of.questions)


@pytest.mark.parametrize("folder", SETS, ids=lambda folder: folder.name)
def test_golds_of_our_own_pages_hold(folder: Path) -> None:
    of = read_question_set(folder)
    if all(not site.package for site in of.sites.values()):
        assert list(faults(of)) == []
