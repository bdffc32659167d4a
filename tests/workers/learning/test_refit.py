"""From what readers say to another judge and back, through the real flow."""

from __future__ import annotations

import pytest

from domain import PageText, Status, Tally, Validators
from domain.errors import WellreadError
from domain.record import Record
from store.learned import versions
from store.pages import pages
from store.questions.feedback import outcomes
from store.questions.new_questions import NewQuestion
from store.questions.records import read
from store.sql.tables import StepRow
from tests.fakes import HashingEmbedder
from tests.workers.learning.judged_answers import put_history
from workers import indexing
from workers.learning import feedback, refit
from workers.learning.refit import Lesson
from workers.questions import lookup, submit, transitions
from workers.questions.step import finish, step
from workers.services import Services
from workers.services.learned_versions import LearnedVersions

NAMES = (
    "Adlum", "Bergen", "Corvo", "Dunmore", "Elling", "Fastnet", "Gorran", "Helgo", "Inverey", "Jomsborg", "Kinnard",
    "Lossan", "Morven", "Nidaros", "Orrin", "Pendeen", "Quillan", "Rosslar", "Skerry", "Tarbat", "Ullapool", "Vierburg",
    "Wexmoor", "Yarrow", "Zennor", "Ardlui", "Brodick", "Cullen",
)  # fmt: skip
BUILT, PAINTED = "When was the lighthouse of {} built?", "Which dentist painted the kitchen of {}?"


@pytest.fixture
def site(services: Services) -> Services:
    """A site of lighthouses, each with the year in which it was built."""
    services.__dict__["embedder"] = HashingEmbedder()
    services.__dict__["learned"] = LearnedVersions(services.database, every_s=0.0)
    with services.database.write() as session:
        ids = [
            pages.save(
                session,
                url=f"https://lights.example/{name}",
                host="lights.example",
                page=PageText(title=name, text=f"The lighthouse of {name} was built in {1820 + at}.", lang="en"),
                content_hash=name,
                validators=Validators(),
                depth=0,
                now=services.now(),
            )[0]
            for at, name in enumerate(NAMES)
        ]
    for page_id in ids:
        indexing.embed(services, page_id)
    return services


def ask(services: Services, text: str, *, reuse: bool = False) -> Record:
    """Ask without the web, and do what the workers would."""
    asked, _ = submit.submit(services, NewQuestion(text=text, crawl_enabled=False, reuse=reuse))
    for status, run_pass, decide in (
        (Status.ASKED, lookup.first_pass, transitions.after_first_pass),
        (Status.RETRYING, lookup.second_pass, transitions.after_second_pass),
    ):
        with step(services, asked.id, status) as work:
            if work is not None:
                result = run_pass(services, work.question)
                if finish(services, work, decide(work.question, result)):
                    lookup.learn(services, result)
    with services.database.read() as session:
        return read(session, asked.id, services.now())


def judge_all(services: Services) -> None:
    """Readers find each year right, and confirm that nobody knows who painted."""
    for question in (BUILT, PAINTED):
        for name in NAMES:
            feedback.give(services, ask(services, question.format(name)).id, "right")


def verdict(record: Record) -> tuple[float, int]:
    assert record.verdict is not None
    return record.verdict.confidence, record.verdict.version


def test_feedback_makes_the_judge_surer_and_going_back_gives_the_old_confidence_exactly(site: Services) -> None:
    question = BUILT.format(NAMES[0])
    before = verdict(ask(site, question))
    judge_all(site)
    lessons = {lesson.kind: lesson for lesson in refit.learn(site)}
    assert lessons["judge"].version == 1, lessons["judge"].said
    after = verdict(ask(site, question))
    assert (before[1], after[1]) == (0, 1)
    assert after[0] > before[0]
    refit.rollback(site, "judge", 0)
    assert verdict(ask(site, question)) == before
    refit.rollback(site, "judge", 1)
    assert verdict(ask(site, question)) == after


def test_answer_of_another_version_is_not_given_again_until_that_version_is_back(site: Services) -> None:
    question = BUILT.format(NAMES[0])
    first = ask(site, question, reuse=True)
    assert ask(site, question, reuse=True).cached_from == first.id
    put_history(site)
    refit.learn(site)
    assert ask(site, question, reuse=True).cached_from is None
    refit.rollback(site, "judge", 0)
    assert ask(site, question, reuse=True).cached_from is not None


def test_what_was_put_back_stays_until_it_is_learned_by_hand(services: Services) -> None:
    put_history(services)
    assert judge_versions(refit.learn(services)) == [1]
    refit.rollback(services, "judge", None)
    (left,) = (lesson for lesson in refit.learn(services) if lesson.kind == "judge")
    assert (left.version, left.said) == (None, "left as it was put back")
    assert judge_versions(refit.learn(services, by_hand=True)) == [2]
    with services.database.read() as session:
        assert not any(each.held for each in versions.tries(session))


def test_learning_the_same_twice_keeps_one_version(services: Services) -> None:
    put_history(services)
    assert judge_versions(refit.learn(services)) == [1]
    again = refit.learn(services)
    assert judge_versions(again) == [None]
    assert "no better than the version in use" in again[0].said


def judge_versions(lessons: list[Lesson]) -> list[int | None]:
    """The versions that the judges got."""
    return [lesson.version for lesson in lessons if lesson.kind == "judge"]


def test_trace_and_feedback_hold_what_can_be_learned_from(site: Services) -> None:
    record = ask(site, BUILT.format(NAMES[0]))
    feedback.give(site, record.id, "right")
    with site.database.read() as session:
        (outcome,) = outcomes(session)
    assert outcome.features["embedder"] == "hashing"
    assert outcome.features["evidence"]["passage_coverage"] == 1.0
    assert set(outcome.features["cited"]) <= outcome.features["signals"].keys()
    assert all(len(signals) == 6 for signals in outcome.features["signals"].values())


def test_wrong_answer_takes_the_reward_of_its_variants_back_and_right_gives_it_again(site: Services) -> None:
    record = ask(site, BUILT.format(NAMES[0]))
    with site.database.write() as session:
        step_row = session.query(StepRow).filter_by(question_id=record.id, name="retrieve").one()
        step_row.detail = {**step_row.detail, "rewards": {"paraphrase": True, "keyword_focus": False}}
        kind = step_row.detail["question_type"]
    site.variants.learn(kind, {"paraphrase": True, "keyword_focus": False})
    seen = []
    for said in ("wrong", "citation_wrong", "right", "right"):
        feedback.give(site, record.id, said)  # type: ignore[arg-type]
        seen.append(site.variants.tallies(kind)["paraphrase"])
    assert seen == [Tally(tried=1), Tally(tried=1), Tally(tried=1, rewarded=1), Tally(tried=1, rewarded=1)]


def test_counts_of_variants_become_versions_and_go_back(services: Services) -> None:
    for _ in range(refit.NEW_TRIES):
        services.variants.learn("general", {"paraphrase": True})
    (first,) = (lesson for lesson in refit.learn(services) if lesson.kind == "variants")
    assert first.version == 1
    services.variants.learn("general", {"paraphrase": False})
    refit.rollback(services, "variants", None)
    tried = refit.NEW_TRIES
    assert services.variants.tallies("general") == {"paraphrase": Tally(tried=tried, rewarded=tried)}
    refit.rollback(services, "variants", 0)
    assert services.variants.tallies("general") == {}
    refit.rollback(services, "variants", 2)  # what was counted before the first return was kept
    assert services.variants.tallies("general") == {"paraphrase": Tally(tried=tried + 1, rewarded=tried)}


def test_learning_is_due_at_first_and_then_after_a_day_or_enough_feedback(services: Services) -> None:
    assert refit.is_due(services)
    refit.learn(services)
    assert not refit.is_due(services)
    put_history(services)
    assert refit.is_due(services)


def test_going_back_to_what_was_never_there_is_refused(services: Services) -> None:
    with pytest.raises(WellreadError, match="no version 7 of the reranker"):
        refit.rollback(services, "reranker", 7)
