"""Decide whether hits suffice to answer a question, with the reason in a sentence, and how many of them to keep.

"Sufficient" is a calibrated probability at or above the strategy's threshold. As many hits are kept as make the judge
about as sure as all of them do: the default stops at the first hits that suffice only if the remaining ones add nothing
to the confidence and no kept hit names the page of a remaining one. The design document's own rules are in
:mod:`pipeline.documents.judge`.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Literal, Protocol

from domain import Hit, Verdict
from domain.outcome import Judged, Recalibrations, is_far
from pipeline.judging.calibration import FIRST_QUOTE, calibration_for, calibration_of, features_of
from pipeline.judging.evidence import Evidence
from pipeline.phrases import say
from pipeline.question.analysis import Analysis
from pipeline.safety.sanitize import sanitize_line
from pipeline.strategies import RetrievalStrategy
from text.sentences import quoted
from text.terms import spaced_words

#: (evidence, threshold) → verdict
Judge = Callable[[Evidence, float], Verdict]

#: pages that the reason names
_NAMED = 3
_WORD, _YEAR = re.compile(r"[^\W_]+"), re.compile(r"1[5-9]\d\d|20\d\d")
#: languages that write every noun as English writes a name
_NOUNS_AS_NAMES = frozenset({"de"})
#: least confidence at which the default stops: with the threshold alone, 1 question in 100 lost its answering passage
SURE = 0.9
#: confidence that the remaining hits may add at most
NO_GAIN = 0.02
#: hits the default keeps in any case
ALWAYS_KEPT = 3
#: how often the judge is asked about the first hits, about 2 ms each time, and how many hits each time adds
TRIES, STRIDE = 2, 2

#: threshold: sure enough; max_k: the most that are allowed; exhausted: the knowledge base has no more hits;
#: no_gain: sure enough, and the remaining hits add nothing; no_results: there are no hits
StopReason = Literal["threshold", "max_k", "no_results", "exhausted", "no_gain"]


def calibrated_judge(embedder_id: str, learned: Recalibrations = MappingProxyType({})) -> Judge:
    """Return the judge that weighs coverage and similarity with the embedder's own calibration.

    Its confidence is corrected by what was ``learned`` from feedback for that calibration.
    """

    @lru_cache(maxsize=8)  # a pass asks about the same evidence again
    def judge(evidence: Evidence, threshold: float) -> Verdict:
        analysis, features = evidence.analysis, features_of(evidence)
        if features is None:
            return Verdict(
                sufficient=False,
                confidence=0.0,
                reason=say("nothing_near", analysis.lang),
                missing=tuple(dict.fromkeys(analysis.terms.values())),
                judge="calibrated",
            )
        stored = features.to_store()
        fitted = calibration_of(embedder_id, analysis.lang, features)
        first = calibration_for(embedder_id, FIRST_QUOTE).probability(features) if features.is_read else None
        shipped = confidence = fitted.probability(features)
        if recalibration := learned.get(Judged(embedder_id, analysis.lang, fitted.lang)):
            confidence = recalibration.apply(shipped)
        absent = _not_mentioned(analysis, evidence.hits) if features.is_read and not features.is_crossed else ""
        sufficient = confidence >= threshold and not absent
        return Verdict(
            sufficient=sufficient,
            confidence=confidence,
            first_quote=first,
            reason=_reason(analysis, evidence.hits, sufficient=sufficient, far=is_far(stored), absent=absent),
            not_mentioned=absent,
            missing=features.missing,
            judge="calibrated",
            shipped_confidence=shipped if recalibration else None,
            embedder=embedder_id,
            evidence=stored,
        )

    return judge


def _not_mentioned(analysis: Analysis, hits: Sequence[Hit]) -> str:
    """Return the first name or year of the question that is in no hit; "" if all are.

    In German every noun begins like a name, so only years count. On seven sets the rule acts on five answers that
    would have been sure or likely: four are wrong, one is right.
    """
    text = " ".join(f" {hit.passage.title} {hit.passage.text}" for hit in hits).casefold()
    has_names = analysis.lang not in _NOUNS_AS_NAMES
    for entity in analysis.entities:
        words = [word for word in _WORD.findall(entity) if _YEAR.fullmatch(word) or (has_names and word[0].isupper())]
        stems = [word.casefold()[: max(4, len(word) - 3)] for word in words]  # what a name's other forms share
        if not all(f" {stem}" in text or any(w.startswith(stem) for w in _WORD.findall(text)) for stem in stems):
            return entity
    return ""


def _reason(analysis: Analysis, hits: Sequence[Hit], *, sufficient: bool, far: bool, absent: str) -> str:
    """Say in the asker's language whether the hits answer, or else which pages are near."""
    if sufficient:
        return say("answers", analysis.lang)
    if far:
        return say("nothing_near", analysis.lang)
    if absent:
        return say("not_mentioned", analysis.lang, name=quoted(absent, analysis.lang))
    titles = list(dict.fromkeys(sanitize_line(hit.passage.title) or hit.passage.url for hit in hits))
    return say("near_but", analysis.lang, titles=", ".join(quoted(title, analysis.lang) for title in titles[:_NAMED]))


@dataclass(frozen=True, kw_only=True)
class Cutoff:
    """The hits that are kept, and why no more are [results + metadata]."""

    hits: tuple[Hit, ...] = field(repr=False)
    confidence: float  #: by the rule itself, in the kept hits
    stop_reason: StopReason
    found: int  #: hits there were to choose from

    @property
    def chunks_retrieved(self) -> int:
        """Return how many are kept."""
        return len(self.hits)


class Stop(Protocol):
    """A rule that says how many hits are enough."""

    def __call__(self, evidence: Evidence, *, strategy: RetrievalStrategy, judge: Judge, k: int) -> Cutoff:
        """Keep as many hits as the rule says; ``k`` is how many were asked for."""


def keep_all(evidence: Evidence, *, strategy: RetrievalStrategy, judge: Judge, k: int) -> Cutoff:
    """Keep all hits."""
    return _keep_all(evidence.hits, judge(evidence, strategy.threshold).confidence, k)


def cut_off_by_judge(evidence: Evidence, *, strategy: RetrievalStrategy, judge: Judge, k: int) -> Cutoff:
    """Keep the first hits that make the judge about as sure as all of them do.

    Hits that do not suffice together are all kept: each may matter to a second look or to a model.
    """
    verdict, hits = judge(evidence, strategy.threshold), evidence.hits
    if not verdict.sufficient:
        return _keep_all(hits, verdict.confidence, k)
    sure = max(SURE, strategy.threshold)
    least = max(ALWAYS_KEPT, strategy.min_k, _last_named(hits))
    for count in range(least, min(len(hits), least + TRIES * STRIDE), STRIDE):
        confidence = judge(evidence.of(hits[:count]), strategy.threshold).confidence
        if confidence >= sure and verdict.confidence - confidence <= NO_GAIN:
            reason: StopReason = "threshold" if confidence >= verdict.confidence else "no_gain"
            return Cutoff(hits=hits[:count], confidence=confidence, stop_reason=reason, found=len(hits))
    return _keep_all(hits, verdict.confidence, k)


def _last_named(hits: Sequence[Hit]) -> int:
    """Return the rank of the last hit whose page a better hit names; 0: none."""
    titles = [spaced_words(hit.passage.title.partition(" (")[0]) for hit in hits]
    texts = [spaced_words(hit.passage.text) for hit in hits]
    for at in range(len(hits) - 1, 0, -1):
        if titles[at].strip() and any(titles[at] in texts[b] and titles[at] != titles[b] for b in range(at)):
            return at + 1
    return 0


def _keep_all(hits: tuple[Hit, ...], confidence: float, k: int) -> Cutoff:
    reason: StopReason = "no_results" if not hits else "max_k" if len(hits) >= k else "exhausted"
    return Cutoff(hits=hits, confidence=confidence, stop_reason=reason, found=len(hits))
