"""Learns from feedback: refits judge and reranker, saves better versions, and rolls back to earlier ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import structlog

from pipeline.judging.calibration import FEATURES
from pipeline.learning.feedback import JudgedAnswer, RankedHits, Refit
from pipeline.learning.judge import refit_judge
from pipeline.learning.reranker import SIGNALS, refit_reranker
from store.learned import tallies, versions
from store.learned.versions import Kind, Version
from store.questions import feedback
from store.questions.feedback import LabelledAnswer
from workers.services.learned_versions import to_judge, to_reranker

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from workers.services import Services

log = structlog.get_logger()

#: learning is due a day after the last time, or after this much new feedback
EVERY, NEW_FEEDBACK = timedelta(days=1), 25
#: the latest feedback used
AT_MOST = 10_000
#: new tries of variants that make a new version worthwhile
NEW_TRIES = 50
NOTHING_SAID = "no answer was judged yet, or none whose evidence is kept"
#: the composer of "I do not know"
ABSTENTION = "abstention"


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """The result of learning one kind."""

    kind: Kind
    embedder: str  #: "" where it does not matter
    said: str
    version: int | None  #: the new version in use; None: the old one stays


def is_due(services: Services) -> bool:
    """Return whether it is time to learn."""
    with services.database.read() as session:
        last = max((each.tried_at for each in versions.tries(session) if each.tried_at), default=None)
        said = feedback.count_since(session, last)
    return said >= NEW_FEEDBACK or last is None or services.now() - last >= EVERY


def learn(services: Services, *, by_hand: bool = False) -> list[Lesson]:
    """Refit everything; only ``by_hand`` also the kinds that an operator rolled back."""
    with services.database.read() as session:
        outcomes = feedback.outcomes(session, AT_MOST)
        held = {(each.kind, each.embedder) for each in versions.tries(session) if each.held and not by_hand}
    of_embedder = judged(outcomes)
    lessons_learned = [
        _judge(services, embedder, judged, held=("judge", embedder) in held) for embedder, judged in of_embedder.items()
    ]
    if not of_embedder:
        lessons_learned.append(Lesson(kind="judge", embedder="", said=NOTHING_SAID, version=None))
    lessons_learned.append(_reranker(services, ranked(outcomes), held=("reranker", "") in held))
    lessons_learned.append(_variants(services))
    for lesson in lessons_learned:
        log.info("learned", kind=lesson.kind, embedder=lesson.embedder, version=lesson.version, said=lesson.said)
    return lessons_learned


def rollback(services: Services, kind: Kind, number: int | None) -> list[Version]:
    """Use an earlier version of a kind (None: the one before, 0: the shipped one); return the versions in use.

    Judge and reranker stay at it until they are learned by hand. Raises UnknownVersion.
    """
    with services.database.write() as session:
        used = [version.embedder for version in versions.active(session) if version.kind == kind]
        versions.lock(session, kind)
        if kind == "variants":
            _save_counts(session, services, least=1)
        in_use = versions.rollback(session, kind, number)
        if kind == "variants":
            tallies.restore(session, in_use[0].parameters["counts"] if in_use else {})
        else:
            for embedder in {*used, *(version.embedder for version in in_use)}:
                versions.lock(session, kind, embedder).held = True
    log.info("rolled_back", kind=kind, in_use=[version.number for version in in_use])
    return in_use


def _judge(services: Services, embedder: str, judged: Sequence[JudgedAnswer], *, held: bool) -> Lesson:
    if held:
        return _left_alone("judge", embedder)
    with services.database.read() as session:
        now = versions.in_use(session, "judge", embedder)
    serving = to_judge(now).calibrations if now else {}
    by_lang: dict[str, list[JudgedAnswer]] = {}
    for each in judged:
        by_lang.setdefault(each.lang, []).append(each)
    refits = {
        lang: refit_judge(embedder, lang, some, serving=serving.get(lang)) for lang, some in sorted(by_lang.items())
    }
    taken = {lang: refit for lang, refit in refits.items() if refit.parameters is not None}
    before = now.parameters["calibrations"] if now else {}
    return _save(
        services,
        "judge",
        embedder,
        now=now,
        parameters={"calibrations": {**before, **{lang: refit.parameters for lang, refit in taken.items()}}},
        taken=taken,
        said="; ".join(f"{lang or 'language unknown'}: {refit.reason}" for lang, refit in refits.items()),
    )


def _reranker(services: Services, ranked: Sequence[Any], *, held: bool) -> Lesson:
    if held:
        return _left_alone("reranker", "")
    with services.database.read() as session:
        now = versions.in_use(session, "reranker")
    refit = refit_reranker(ranked, serving=to_reranker(now).weights if now else None)
    taken = {"all": refit} if refit.parameters is not None else {}
    return _save(services, "reranker", "", now=now, parameters=refit.parameters or {}, taken=taken, said=refit.reason)


def _variants(services: Services) -> Lesson:
    with services.database.write() as session:
        mine = versions.lock(session, "variants")
        version = _save_counts(session, services, least=NEW_TRIES)
        mine.tried_at = services.now()
        mine.said = "the counts are kept" if version else f"fewer than {NEW_TRIES} new tries"
        return Lesson(kind="variants", embedder="", said=mine.said, version=version.number if version else None)


def _save_counts(session: Session, services: Services, *, least: int) -> Version | None:
    """Save the counts that order the variants as a version, if at least this many tries are new."""
    now, last = tallies.counts(session), versions.in_use(session, "variants")
    before = last.parameters["counts"] if last else {}
    tried, tried_before = _sums(now), _sums(before)
    if tried[0] - tried_before[0] < least:
        return None
    share = {"before": _share(tried_before), "after": _share(tried)}
    return versions.add(
        session,
        "variants",
        parameters={"counts": now},
        metrics={"all": {"rewarded": share}},
        examples=tried[0],
        now=services.now(),
    )


def _save(
    services: Services,
    kind: Kind,
    embedder: str,
    *,
    now: Version | None,
    parameters: Mapping[str, Any],
    taken: Mapping[str, Refit],
    said: str,
) -> Lesson:
    """Save the fitted parameters as the version in use, unless another process chose one meanwhile."""
    with services.database.write() as session:
        mine = versions.lock(session, kind, embedder)
        in_use = versions.in_use(session, kind, embedder)
        if (in_use and in_use.number) != (now and now.number):
            return Lesson(kind=kind, embedder=embedder, said="another version was chosen meanwhile", version=None)
        mine.held, mine.tried_at, mine.said = False, services.now(), said
        if not taken:
            return Lesson(kind=kind, embedder=embedder, said=said, version=None)
        version = versions.add(
            session,
            kind,
            embedder=embedder,
            parameters=parameters,
            metrics={part: refit.metrics for part, refit in taken.items()},
            examples=sum(refit.examples for refit in taken.values()),
            now=services.now(),
        )
        return Lesson(kind=kind, embedder=embedder, said=said, version=version.number)


def _left_alone(kind: Kind, embedder: str) -> Lesson:
    return Lesson(kind=kind, embedder=embedder, said="left as it was put back", version=None)


def _sums(counts: Mapping[str, Mapping[str, Sequence[int]]]) -> tuple[int, int]:
    each = [pair for kinds in counts.values() for pair in kinds.values()]
    return sum(pair[0] for pair in each), sum(pair[1] for pair in each)


def _share(sums: tuple[int, int]) -> float:
    tried, rewarded = sums
    return round(rewarded / tried, 4) if tried else 0.0


def judged(outcomes: Iterable[LabelledAnswer]) -> dict[str, list[JudgedAnswer]]:
    """Return the judge's examples by embedder; equal lookups of a question count once, with the latest feedback.

    A wrong citation means that the hits did not show the answer. A right "I do not know" means that they do not hold
    it; a wrong one teaches the judge nothing, as the answer may be in the hits or nowhere.
    """
    found: dict[str, dict[tuple[object, ...], JudgedAnswer]] = {}
    for outcome in outcomes:
        evidence, embedder = outcome.features.get("evidence") or {}, outcome.features.get("embedder")
        unknown = outcome.features.get("composer") == ABSTENTION
        if not embedder or not evidence.keys() >= set(FEATURES) or (unknown and outcome.verdict != "right"):
            continue
        example = JudgedAnswer(
            question=outcome.question,
            lang=outcome.lang,
            evidence=evidence,
            beside_the_point=bool(evidence.get("beside_the_point")),
            right=outcome.verdict == "right" and not unknown,
        )
        key = (outcome.question, outcome.lang, *(evidence[name] for name in FEATURES))
        found.setdefault(embedder, {}).setdefault(key, example)
    return {embedder: list(examples.values()) for embedder, examples in found.items()}


def ranked(outcomes: Iterable[LabelledAnswer]) -> list[RankedHits]:
    """Return the reranker's examples: a right answer's citations rank above the other hits, wrong ones below."""
    found: dict[tuple[object, ...], RankedHits] = {}
    for outcome in outcomes:
        signals: dict[str, Sequence[float]] = outcome.features.get("signals") or {}
        cited = set(outcome.features.get("cited") or ()) & signals.keys()
        if not cited or outcome.verdict == "wrong" or any(len(values) != len(SIGNALS) for values in signals.values()):
            continue
        right = [(passage in cited) == (outcome.verdict == "right") for passage in signals]
        example = RankedHits(question=outcome.question, signals=list(signals.values()), right=right)
        found.setdefault((outcome.question, *signals), example)
    return list(found.values())
