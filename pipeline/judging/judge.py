"""Decide whether hits suffice to answer a question, with the reason in a sentence.

"Sufficient" is a calibrated probability at or above the strategy's threshold. The design document's own rule is in
:mod:`pipeline.documents.judge`.
"""

import re
from collections.abc import Callable, Sequence
from types import MappingProxyType

from domain import Hit, Verdict
from domain.outcome import Judged, Recalibrations, is_far
from pipeline.judging.calibration import calibration_of, first_quote_calibration
from pipeline.judging.features import features_of, gather_evidence
from pipeline.phrases import say
from pipeline.question.analysis import Analysis
from pipeline.safety.sanitize import sanitize_line
from text.quotation import quoted

#: (analysis, hits, threshold) → verdict
Judge = Callable[[Analysis, Sequence[Hit], float], Verdict]

#: pages that the reason names
_NAMED = 3
_WORD, _YEAR = re.compile(r"[^\W_]+"), re.compile(r"1[5-9]\d\d|20\d\d")
#: languages that write every noun as English writes a name
_NOUNS_AS_NAMES = frozenset({"de"})


def calibrated_judge(embedder_id: str, learned: Recalibrations = MappingProxyType({})) -> Judge:
    """Return the judge that weighs coverage and similarity with the embedder's own calibration.

    Its confidence is corrected by what was ``learned`` from feedback for that calibration.
    """

    def judge(analysis: Analysis, hits: Sequence[Hit], threshold: float) -> Verdict:
        evidence = gather_evidence(analysis, hits)
        if evidence is None:
            return _nothing_found(analysis)
        features = features_of(evidence)
        fitted = calibration_of(embedder_id, analysis.lang, evidence)
        shipped = confidence = fitted.probability(evidence)
        if recalibration := learned.get(Judged(embedder_id, analysis.lang, fitted.lang)):
            confidence = recalibration.apply(shipped)
        absent = _not_mentioned(analysis, hits) if evidence.is_read and not evidence.is_crossed else ""
        sufficient = confidence >= threshold and not absent
        return Verdict(
            sufficient=sufficient,
            confidence=confidence,
            first_quote=first_quote_calibration(embedder_id).probability(evidence) if evidence.is_read else None,
            reason=_reason(analysis, hits, sufficient=sufficient, far=is_far(features), absent=absent),
            not_mentioned=absent,
            missing=evidence.missing,
            judge="calibrated",
            shipped_confidence=shipped if recalibration else None,
            embedder=embedder_id,
            evidence=features,
        )

    return judge


def _nothing_found(analysis: Analysis) -> Verdict:
    return Verdict(
        sufficient=False,
        confidence=0.0,
        reason=say("nothing_near", analysis.lang),
        missing=tuple(dict.fromkeys(analysis.terms.values())),
        judge="calibrated",
    )


def _not_mentioned(analysis: Analysis, hits: Sequence[Hit]) -> str:
    """Return the first name or year of the question that stands in no hit; "" if all do.

    In German every noun begins like a name, so only years count. On seven sets the rule acts on five answers that
    would have been sure or likely: four are wrong, one is right.
    """
    found = set(_WORD.findall(" ".join(f"{hit.passage.title} {hit.passage.text}" for hit in hits).casefold()))
    for entity in analysis.entities:
        words = [word for word in _WORD.findall(entity) if _YEAR.fullmatch(word) or _is_name(word, analysis.lang)]
        if not all(any(each.startswith(_stem(word)) for each in found) for word in words):
            return entity
    return ""


def _stem(word: str) -> str:
    """Return the beginning that a name's other forms share."""
    return word.casefold()[: max(4, len(word) - 3)]


def _is_name(word: str, lang: str) -> bool:
    return lang not in _NOUNS_AS_NAMES and word[0].isupper()


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
