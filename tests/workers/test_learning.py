"""From what readers say to another confidence and back, through the real flow."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from domain import PageText, Status, Tally, Validators
from domain.answer import ABSTENTION
from domain.outcome import Judged, Learned, Recalibration, logit
from domain.record import FeedbackVerdict, Record
from pipeline.judging.calibration import SHOWN
from pipeline.judging.recalibrate import INTERCEPTS, SLOPES
from store.learned import RecalibrationsInUse
from store.pages import pages
from store.questions import feedback
from store.questions.feedback import LabelledAnswer
from store.questions.new_questions import NewQuestion
from store.questions.records import read
from store.sql.tables import StepRow
from tests.tables import each_row
from tests.workers.judged_answers import evidence, put_history
from workers import indexing, learning
from workers.questions import lookup, submit, transitions
from workers.questions.step import finish, step
from workers.services import Services

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
#: no answer is right; or the less sure the judge is, the likelier
NEVER, CONTRARY = Recalibration(intercept=-30.0, slope=0.0), Recalibration(slope=-1.0)
LIGHTS = ("Adlum", "Bergen", "Corvo", "Dunmore")
ASKED, ASKED_IN_GERMAN = (
    "In what year did Corvo get its light?",
    "In welchem Jahr wurde der Leuchtturm von Corvo gebaut?",
)


@pytest.fixture
def site(services: Services) -> Services:
    """A site of lighthouses, each with the year in which it was built, with the bundled models."""
    services.__dict__["learned"] = RecalibrationsInUse(services.database, every_s=0.0)
    _save(services, "en", "The lighthouse of {} was built in {}.")
    return services


def _save(services: Services, lang: str, sentence: str) -> None:
    host = f"{lang}.example"
    ids = [
        services.write(
            pages.save,
            url=f"https://{host}/{name}",
            host=host,
            page=PageText(title=name, text=sentence.format(name, 1820 + at), lang=lang),
            content_hash=f"{lang} {name}",
            validators=Validators(),
            depth=0,
            now=services.now(),
        )[0]
        for at, name in enumerate(LIGHTS)
    ]
    for page_id in ids:
        indexing.embed(services, page_id)


def ask(services: Services, text: str = ASKED, *, reuse: bool = False) -> Record:
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
    return services.read(read, asked.id, services.now())


def confidence(record: Record) -> float:
    assert record.verdict is not None
    return record.verdict.confidence


def say(services: Services, question_id: str, verdict: FeedbackVerdict) -> None:
    services.write(feedback.give, question_id, verdict, comment="", revision=None, now=services.now())


def learn(services: Services) -> Learned:
    (learned,) = learning.learn(services)
    return learned


@pytest.mark.parametrize(("question", "lang"), [(ASKED, "en"), (ASKED_IN_GERMAN, "de")])
def test_feedback_changes_confidence_in_english_too_and_a_reset_gives_the_shipped_one(
    site: Services, question: str, lang: str
) -> None:
    if lang == "de":
        _save(site, "de", "Der Leuchtturm von {} wurde im Jahr {} gebaut.")
    before = confidence(ask(site, question))
    put_history(site, embedder=site.embedder.id, lang=lang, calibration=SHOWN)
    learned = learn(site)
    assert (learned.lang, learned.calibration, learned.said) == (lang, SHOWN, "in use")
    verdict = ask(site, question).verdict
    assert verdict is not None
    assert verdict.shipped_confidence == pytest.approx(before)
    assert verdict.confidence == pytest.approx(learned.recalibration.apply(before))
    assert 1 - verdict.confidence > 1.2 * (1 - before)  # readers found it too sure
    assert [each.said for each in learning.reset(site)] == ["reset"]
    assert confidence(ask(site, question)) == pytest.approx(before)


def test_an_answer_judged_otherwise_is_not_given_again_until_that_is_so_again(site: Services) -> None:
    first = ask(site, reuse=True)
    assert ask(site, reuse=True).cached_from == first.id
    put_history(site, embedder=site.embedder.id, calibration=SHOWN)
    learn(site)
    assert ask(site, reuse=True).cached_from is None
    learning.reset(site)
    assert ask(site, reuse=True).cached_from is not None


def test_feedback_from_before_a_reset_teaches_nothing_and_later_feedback_does(services: Services) -> None:
    put_history(services)
    learning.reset(services)
    learned = learn(services)
    assert (learned.right, learned.wrong, learned.said[:7]) == (0, 0, "too few")
    services.__dict__["now"] = lambda: datetime.now(UTC) + timedelta(minutes=1)
    put_history(services)
    assert learn(services).said == "in use"


def test_200_wrong_judgements_move_a_confidence_within_the_bounds_and_contradiction_is_refused(
    site: Services,
) -> None:
    before = confidence(ask(site))
    put_history(site, 300, embedder=site.embedder.id, calibration=SHOWN, truth=Recalibration())
    put_history(site, 200, embedder=site.embedder.id, calibration=SHOWN, truth=NEVER, seed=2)
    assert learn(site).said == "in use"
    after = confidence(ask(site))
    assert logit(after) >= min(slope * logit(before) for slope in SLOPES) + INTERCEPTS[0]
    put_history(site, 600, embedder=site.embedder.id, calibration=SHOWN, truth=CONTRARY, seed=3)
    assert learn(site).said == "refused: the feedback contradicts the judge altogether"
    assert confidence(ask(site)) == pytest.approx(before)


def test_learning_the_same_twice_changes_nothing(services: Services) -> None:
    put_history(services)
    once, twice = learn(services), learn(services)
    assert once.said == "in use"
    assert replace(twice, learned_at=once.learned_at) == once


def test_feedback_holds_what_can_be_learned_from(site: Services) -> None:
    record = ask(site)
    say(site, record.id, "right")
    (outcome,) = site.read(feedback.outcomes)
    ((key, (answer,)),) = learning.examples([outcome], {}).items()
    assert key == Judged(site.embedder.id, "en", SHOWN)
    assert (answer.question, answer.right) == (ASKED, True)
    assert answer.confidence == pytest.approx(confidence(record), abs=1e-3)


def test_wrong_answer_takes_the_reward_of_its_variants_back_and_right_gives_it_again(site: Services) -> None:
    record = ask(site)
    with site.database.write() as session:
        step_row = session.query(StepRow).filter_by(question_id=record.id, name="retrieve").one()
        step_row.detail = {**step_row.detail, "rewards": {"paraphrase": True, "keyword_focus": False}}
        kind = step_row.detail["question_type"]
    site.variants.learn(kind, {"paraphrase": True, "keyword_focus": False})
    seen = []
    said: tuple[FeedbackVerdict, ...] = ("wrong", "citation_wrong", "right", "right")
    for verdict in said:
        say(site, record.id, verdict)
        seen.append(site.variants.tallies(kind)["paraphrase"])
    assert seen == [Tally(tried=1), Tally(tried=1), Tally(tried=1, rewarded=1), Tally(tried=1, rewarded=1)]


def test_learning_is_due_after_enough_feedback_or_after_a_day_with_some(services: Services) -> None:
    assert not learning.is_due(services)
    put_history(services, 3)
    assert learning.is_due(services)
    learning.learn(services)
    assert not learning.is_due(services)
    now = services.now() + timedelta(hours=1)
    services.__dict__["now"] = lambda: now
    put_history(services, learning.NEW_FEEDBACK - 1)
    assert not learning.is_due(services)
    put_history(services, 1)
    assert learning.is_due(services)
    learning.learn(services)
    now += timedelta(days=2)
    assert not learning.is_due(services)
    put_history(services, 1)
    assert learning.is_due(services)


def outcome(verdict: FeedbackVerdict, question: str = "When?", **features: Any) -> LabelledAnswer:
    known = {"embedder": "e", "evidence": evidence(0.5).to_store(), "composer": "extractive"}
    return LabelledAnswer(question=question, lang="en", verdict=verdict, features={**known, **features}, at=NOW)


@each_row(
    ("verdict", "features", "right"),
    [
        ("right", {}, [True]),
        ("wrong", {}, [False]),
        ("citation_wrong", {}, [False]),  # what was found did not show the answer
        ("right", {"composer": ABSTENTION}, [False]),  # nobody knows: the hits did not hold it
        ("wrong", {"composer": ABSTENTION}, []),  # somebody knows: perhaps from the hits, perhaps not
        ("right", {"evidence": None}, []),  # judged by another judge
        ("right", {"evidence": {"similarity": 0.5}}, []),  # judged by a version with other features
        ("right", {"evidence": {**evidence(0.5).to_store(), "gone": 1.0}}, [True]),
        ("right", {"embedder": None}, []),
    ],
)
def test_judge_learns_whether_the_hits_held_the_answer(
    verdict: FeedbackVerdict, features: dict[str, Any], right: list[bool]
) -> None:
    found = learning.examples([outcome(verdict, **features)], {})
    assert [each.right for each in found.get(Judged("e", "en", "en"), [])] == right


def test_equal_looks_at_one_question_count_once_as_what_was_said_last() -> None:
    said = [outcome("wrong"), outcome("right"), outcome("right", "Who?"), outcome("right", embedder="other")]
    found = learning.examples(said, {})
    assert [(each.question, each.right) for each in found[Judged("e", "en", "en")]] == [
        ("When?", False),
        ("Who?", True),
    ]
    assert len(found[Judged("other", "en", "en")]) == 1
