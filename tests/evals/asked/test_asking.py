"""A small set asked in this process, and of the product over HTTP; the command's report."""

import json
import shutil
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner

from evals.asked.__main__ import main
from evals.asked.every import main as every
from evals.asked.every import tables
from evals.asked.grade import FAILURES, Reply, grade_all
from evals.asked.over_http import ask_by_crawling, ask_over_http, served
from evals.asked.questions import SHIPPED, QuestionSet, read_question_set
from evals.asked.quick import ask_quickly, best_passes, first_passes
from evals.asked.report import PUBLISHED, Asked, ReportError, publish, publish_text, read_replies, save_report
from store.embedders import Embedder, open_embedder
from tests.evals.asked.small_site import write_site


@pytest.fixture
def sea(tmp_path: Path) -> QuestionSet:
    return read_question_set(write_site(tmp_path / "sea"))


@pytest.fixture
def embedder() -> Embedder:
    return open_embedder("multilingual", threads=1)


def saved(sea: QuestionSet, folder: Path) -> Path:
    replies = [
        Reply(id="sea-1", status="ANSWERED", answer="It was Ada Ferrier.", confidence=0.9),
        Reply(id="sea-2", status="ABSTAINED", withheld="Whale oil."),
        Reply(id="sea-3", status="ABSTAINED"),
    ]
    asked = Asked(name="sea", how="over HTTP", graded=grade_all(replies, sea))
    return next(file for file in save_report(asked, folder) if file.suffix == ".json")


def crawled(sea: QuestionSet, *, whole: bool) -> Asked:
    replies = [Reply(id=question.id, status="ABSTAINED") for question in sea.questions]
    by_crawling = [
        Reply(id="sea-1", status="ANSWERED", answer="It was Ada Ferrier.", confidence=0.9, pages_read=1, seconds=2.0),
        Reply(id="sea-2", status="ANSWERED", answer="It burns coal.", confidence=0.9, pages_read=4, seconds=8.0),
    ]
    return Asked(
        name="sea",
        how="over HTTP",
        graded=grade_all(replies, sea) if whole else (),
        crawled=grade_all(by_crawling, sea),
    )


def test_set_is_asked_in_this_process(sea: QuestionSet, embedder: Embedder, tmp_path: Path) -> None:
    graded = grade_all(ask_quickly(sea, sea.questions, embedder, cache=tmp_path / "cache"), sea)
    assert [one.outcome for one in graded] == ["right", "right", "right"]
    assert graded[0].gold_rank == 1
    assert graded[0].gold_in_context


@pytest.mark.live
@pytest.mark.nightly
def test_set_is_asked_over_http(sea: QuestionSet) -> None:
    with served(sea) as addresses:
        replies = ask_over_http(sea, sea.questions, addresses, jobs=2, tell=lambda line: None)
        crawled = ask_by_crawling(sea, sea.questions[:1], addresses, tell=lambda line: None)
    graded = grade_all([*replies, *crawled], sea)
    assert [one.outcome for one in graded] == ["right", "right", "right", "right"]
    assert graded[0].gold_rank == 1
    assert graded[3].reply.pages_read >= 1


def test_replies_are_graded_again(sea: QuestionSet, tmp_path: Path) -> None:
    how, replies, crawled = read_replies(saved(sea, tmp_path / "build"))
    assert how == "over HTTP"
    assert crawled == []
    assert [one.outcome for one in grade_all(replies, sea)] == ["right", "abstained", "right"]


def test_command_grades_again_and_shows_what_went_wrong(sea: QuestionSet, tmp_path: Path) -> None:
    file = saved(sea, tmp_path / "build")
    command = [str(tmp_path / "sea"), "--again", str(file), "--misses", "--build", str(tmp_path / "again")]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output
    assert "sea-2 [own_words] What does the lamp burn?" in done.output
    assert "| own_words    |         1 |" in done.output
    assert json.loads((tmp_path / "again" / "asked-sea.json").read_text())["figures"]["asked"]["right"] == 0.5


def test_command_checks_golds(sea: QuestionSet, tmp_path: Path) -> None:
    done = CliRunner().invoke(main, [str(tmp_path / "sea"), "--check"])
    assert (done.exit_code, done.output) == (0, "3 questions hold.\n")


def test_unknown_set_is_refused_in_a_line(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, [str(tmp_path / "nowhere")])
    assert done.exit_code == 1
    assert "nowhere is not a set of questions" in done.output
    assert "Traceback" not in done.output


def test_tables_are_written_between_their_marks(sea: QuestionSet, tmp_path: Path) -> None:
    _, replies, _ = read_replies(saved(sea, tmp_path / "build"))
    asked = Asked(name="sea", how="over HTTP", graded=grade_all(replies, sea))
    page = tmp_path / "evals.md"
    page.write_text("before\n<!-- asked: sea -->\nthose of last year\n<!-- end -->\nafter\n")
    publish(asked, date(2026, 1, 2), [page])
    text = page.read_text()
    assert text.startswith("before\n<!-- asked: sea -->\nOn 2026-01-02, over HTTP.\n")
    assert text.endswith("<!-- end -->\nafter\n")
    assert "last year" not in text
    page.write_text("no marks")
    with pytest.raises(ReportError, match="has no lines <!-- asked: sea -->"):
        publish(asked, date(2026, 1, 2), [page])


def test_questions_asked_by_crawling_have_a_table_of_their_own(sea: QuestionSet, tmp_path: Path) -> None:
    page = tmp_path / "evals.md"
    page.write_text(
        "<!-- asked: sea -->\n<!-- end -->\n<!-- asked: sea, crawled -->\nof last year\n<!-- end -->\nafter\n"
    )
    publish(crawled(sea, whole=True), date(2026, 1, 2), [page])
    asked, _, by_crawling = page.read_text().partition("<!-- asked: sea, crawled -->\n")
    assert "pages_read" not in asked
    assert by_crawling.startswith("On 2026-01-02, over HTTP.\n")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in by_crawling.splitlines() if line[:1] == "|"]
    assert ["right", "0.500"] in rows
    assert ["pages_read", "2.500"] in rows
    assert ["seconds", "5.000"] in rows
    assert ["1", FAILURES["page_not_found"]] in rows
    assert by_crawling.endswith("<!-- end -->\nafter\n")


def test_questions_asked_by_crawling_alone_leave_the_other_table_as_it_is(sea: QuestionSet, tmp_path: Path) -> None:
    page = tmp_path / "evals.md"
    page.write_text("<!-- asked: sea -->\nof today\n<!-- end -->\n<!-- asked: sea, crawled -->\n<!-- end -->\n")
    publish(crawled(sea, whole=False), date(2026, 1, 2), [page])
    assert page.read_text().startswith("<!-- asked: sea -->\nof today\n<!-- end -->\n")
    assert "pages_read" in page.read_text()


def test_questions_asked_by_crawling_alone_pin_nothing(sea: QuestionSet, tmp_path: Path) -> None:
    file, _ = save_report(crawled(sea, whole=False), tmp_path / "build")
    command = [str(tmp_path / "sea"), "--again", str(file), "--pin", "--build", str(tmp_path / "again")]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 1
    assert "Only the whole set, asked over HTTP, is pinned." in done.output


def test_report_has_the_classes_of_failure_of_both_parts(sea: QuestionSet, tmp_path: Path) -> None:
    as_json, as_text = save_report(crawled(sea, whole=True), tmp_path)
    assert json.loads(as_json.read_text())["failures"] == {
        "asked": {"page_not_found": 2, "sure_and_wrong": 0},
        "crawled": {"page_not_found": 1, "sure_and_wrong": 1},
    }
    assert as_text.read_text().count("what went wrong") == 2


@pytest.mark.parametrize("name", sorted(path.parent.name for path in SHIPPED.glob("*/questions.jsonl")))
def test_tables_of_each_set_have_a_place_in_the_docs(name: str, sea: QuestionSet, tmp_path: Path) -> None:
    pages = _copies(tmp_path)
    publish(replace(crawled(sea, whole=True), name=name), date(2001, 1, 2), pages)
    assert sum(page.read_text("utf-8").count("On 2001-01-02") for page in pages) == 2


def test_every_set_has_a_row(sea: QuestionSet, tmp_path: Path) -> None:
    done = CliRunner().invoke(every, [str(tmp_path / "sea"), "--cache", str(tmp_path / "cache")])
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert lines[0].split(" | ")[1].strip() == "right"
    assert lines[2].startswith(f"| {tmp_path / 'sea'} | 1.000 ")
    assert lines[3].startswith("| all that only report ")
    assert lines[4].startswith("| wanted")


def test_what_went_wrong_stands_below_the_table_of_every_set(sea: QuestionSet) -> None:
    asked = crawled(sea, whole=True)
    figures, _, failures = tables({"sea": asked.graded, "sea too": asked.crawled}).partition("\n\nwhat went wrong")
    assert " ece |" in figures.splitlines()[0]
    head, _, first, second = failures.splitlines()[2:]
    assert [cell.strip() for cell in head.split("|")[2:4]] == ["page_not_found", "sure_and_wrong"]
    assert [cell.strip() for cell in first.split("|")[1:4]] == ["sea", "2", "0"]
    assert [cell.strip() for cell in second.split("|")[1:4]] == ["sea too", "1", "1"]


def test_table_of_every_set_has_a_place_in_the_docs(tmp_path: Path) -> None:
    pages = _copies(tmp_path)
    publish_text("every set", "By hand.\n", pages)
    assert "<!-- asked: every set -->\nBy hand.\n<!-- end -->" in pages[0].read_text("utf-8")


def _copies(folder: Path) -> list[Path]:
    """Copies of the pages that hold the tables."""
    return [Path(shutil.copy(page, folder / f"{at}-{page.name}")) for at, page in enumerate(PUBLISHED)]


def test_lookups_of_all_questions_are_made(sea: QuestionSet, embedder: Embedder, tmp_path: Path) -> None:
    for look_up in (first_passes, best_passes):
        results = look_up(sea, embedder, cache=tmp_path / "cache")
        assert [result.verdict.sufficient for result in results] == [True, True, False]
