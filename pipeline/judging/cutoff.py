"""Choose how many of the hits to keep: as many as make the judge about as sure as all of them do.

A rule takes the hits of one search, best first, and stops at the first hits that suffice. The default asks the judge
for its confidence in the first hits; it stops only if the remaining hits add nothing to that confidence and no kept hit
names the page of a remaining one. The design document's rule is in :mod:`pipeline.documents.adaptive`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from domain import Hit, Verdict
from pipeline.judging.judge import Judge
from pipeline.question.analysis import Analysis
from pipeline.question.strategy import RetrievalStrategy
from text.analyser import spaced_words

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

    def __call__(
        self, analysis: Analysis, hits: Sequence[Hit], *, strategy: RetrievalStrategy, judge: Judge, k: int
    ) -> Cutoff:
        """Keep as many ``hits`` as the rule says; ``k`` is how many were asked for."""


def keep_all(analysis: Analysis, hits: Sequence[Hit], *, strategy: RetrievalStrategy, judge: Judge, k: int) -> Cutoff:
    """Keep all hits."""
    return _keep_all(hits, judge(analysis, hits, strategy.threshold).confidence, k)


def cut_off_by_judge(
    analysis: Analysis, hits: Sequence[Hit], *, strategy: RetrievalStrategy, judge: Judge, k: int
) -> Cutoff:
    """Keep the first hits that make the judge about as sure as all of them do.

    Hits that do not suffice together are all kept: each may matter to a second look or to a model.
    """
    verdict = judge(analysis, hits, strategy.threshold)
    if not verdict.sufficient:
        return _keep_all(hits, verdict.confidence, k)
    sure = max(SURE, strategy.threshold)
    least = max(ALWAYS_KEPT, strategy.min_k, _last_named(hits))
    for count in range(least, min(len(hits), least + TRIES * STRIDE), STRIDE):
        confidence = judge(analysis, hits[:count], strategy.threshold).confidence
        if confidence >= sure and verdict.confidence - confidence <= NO_GAIN:
            return _cutoff(
                hits, hits[:count], confidence, "threshold" if confidence >= verdict.confidence else "no_gain"
            )
    return _keep_all(hits, verdict.confidence, k)


def remember_verdicts(judge: Judge) -> Judge:
    """Return the judge with a memory of its verdicts, for one question and one threshold."""
    known: dict[tuple[str, ...], Verdict] = {}

    def judged(analysis: Analysis, hits: Sequence[Hit], threshold: float) -> Verdict:
        key = tuple(hit.passage.id for hit in hits)
        if key not in known:
            known[key] = judge(analysis, hits, threshold)
        return known[key]

    return judged


def _last_named(hits: Sequence[Hit]) -> int:
    """Return the rank of the last hit whose page a better hit names; 0: none."""
    titles = [spaced_words(hit.passage.title.partition(" (")[0]) for hit in hits]
    texts = [spaced_words(hit.passage.text) for hit in hits]
    for at in range(len(hits) - 1, 0, -1):
        if titles[at].strip() and any(titles[at] in texts[b] and titles[at] != titles[b] for b in range(at)):
            return at + 1
    return 0


def _keep_all(hits: Sequence[Hit], confidence: float, k: int) -> Cutoff:
    return _cutoff(hits, hits, confidence, "no_results" if not hits else "max_k" if len(hits) >= k else "exhausted")


def _cutoff(found: Sequence[Hit], hits: Sequence[Hit], confidence: float, reason: StopReason) -> Cutoff:
    return Cutoff(hits=tuple(hits), confidence=confidence, stop_reason=reason, found=len(found))
