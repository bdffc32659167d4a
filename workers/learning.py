"""Learns from readers' feedback how much to trust the judge's confidence, and forgets it when an operator asks."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import datetime, timedelta

import structlog

from domain.answer import ABSTENTION
from domain.outcome import Judged, Learned
from pipeline.judging.calibration import calibration_of, from_store
from pipeline.judging.recalibrate import Fit, JudgedAnswer, recalibrate
from store.learned import all_learned, save_learned
from store.questions import feedback
from store.questions.feedback import LabelledAnswer
from workers.services import Services

log = structlog.get_logger()

#: learning is due after this much new feedback, or with less a day after the last time
NEW_FEEDBACK, EVERY = 25, timedelta(days=1)
#: the latest feedback used
AT_MOST = 10_000


def is_due(services: Services) -> bool:
    """Return whether it is time to learn."""
    with services.database.read() as session:
        last = max((each.learned_at for each in all_learned(session)), default=None)
        said = feedback.count_since(session, last)
    return said >= NEW_FEEDBACK or (said > 0 and (last is None or services.now() - last >= EVERY))


def learn(services: Services) -> list[Learned]:
    """Fit all recalibrations anew; processes that run take them up within seconds."""
    with services.database.read() as session:
        known = {each.judged: each.since for each in all_learned(session)}
        outcomes = feedback.outcomes(session, AT_MOST)
    answers = examples(outcomes, known)
    fitted = [
        _learned(services, key, recalibrate(answers.get(key, [])), since=known.get(key))
        for key in known.keys() | answers.keys()
    ]
    with services.database.write() as session:
        for learned in fitted:
            save_learned(session, learned)
            log.info("learned", **asdict(learned))
        return all_learned(session)


def reset(services: Services) -> list[Learned]:
    """Return to the shipped judge; feedback given so far teaches nothing from now on."""
    nothing = Fit(said="reset", right=0, wrong=0, held_out=0)
    with services.database.write() as session:
        known = {each.judged for each in all_learned(session)}
        for key in known | examples(feedback.outcomes(session, AT_MOST), {}).keys():
            save_learned(session, _learned(services, key, nothing, since=services.now()), resets=True)
        log.info("learning_reset")
        return all_learned(session)


def examples(
    outcomes: Iterable[LabelledAnswer], since: Mapping[Judged, datetime | None]
) -> dict[Judged, list[JudgedAnswer]]:
    """Return what is learned from; equal lookups of a question count once, with the latest feedback.

    A wrong citation means that the hits did not show the answer. A right "I do not know" means that they do not hold
    it; a wrong one teaches nothing, as the answer may be in the hits or nowhere. Nor does feedback from before a reset.
    """
    found: dict[Judged, dict[tuple[str, float], JudgedAnswer]] = defaultdict(dict)
    for outcome in outcomes:
        unknown = outcome.features.get("composer") == ABSTENTION
        evidence, embedder = from_store(outcome.features.get("evidence") or {}), outcome.features.get("embedder")
        if not embedder or evidence is None or (unknown and outcome.verdict != "right"):
            continue
        shipped = calibration_of(embedder, outcome.lang, evidence)
        key = Judged(embedder, outcome.lang, shipped.lang)
        reset_at = since.get(key)
        if reset_at and outcome.at <= reset_at:
            continue
        right = outcome.verdict == "right" and not unknown
        answer = JudgedAnswer(question=outcome.question, confidence=shipped.probability(evidence), right=right)
        found[key].setdefault((answer.question, answer.confidence), answer)
    return {key: list(answers.values()) for key, answers in found.items()}


def _learned(services: Services, key: Judged, fit: Fit, *, since: datetime | None) -> Learned:
    values = {name: value for name, value in vars(fit).items() if name != "recalibration"}
    return Learned(**key._asdict(), **vars(fit.recalibration), **values, since=since, learned_at=services.now())
