"""Grade the answers to questions whose answers are known, sum them up, and compare two runs.

A right answer holds one of the expected texts, as whole words in any spelling of capitals and accents, and cites the
URL if one is named. To a question that nothing answers, not to answer is right.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from pathlib import Path
from statistics import fmean
from typing import Any, Final, Literal

from crawler import urls
from domain.errors import WellreadError
from domain.outcome import Outcome
from domain.site import is_under
from text.terms import spaced_words, words

Grade = Literal["right", "wrong", "unsure", "unknown", "failed"]
GRADES: Final[tuple[Grade, ...]] = ("right", "wrong", "unsure", "unknown", "failed")
#: what a grade is worth when two runs are compared; an unsure answer that is wrong is worth as much as an unknown one
_WORTH: Final[Mapping[Grade, int]] = {"right": 3, "unsure": 2, "unknown": 1, "failed": 0, "wrong": 0}
_MARKERS: Final = re.compile(r"\s*\[\d+\]")


class BadBench(WellreadError):
    """A file of questions with their answers, or of an earlier run, cannot be used; the message says why."""


@dataclass(frozen=True, kw_only=True)
class Expected:
    """What a right answer says."""

    texts: tuple[str, ...] = ()  #: one of them
    url: str = ""  #: that must be cited, or a page below it; canonical
    unanswerable: bool = False

    @classmethod
    def of(cls, *, expected: Any = None, url: Any = None, unanswerable: Any = None) -> "Expected":
        """Return what a line of a file says; a table's cell has alternatives between bars. Raises BadBench."""
        texts = [expected] if isinstance(expected, str | int | float) else expected or []
        if not isinstance(texts, list) or not all(isinstance(each, str | int | float) for each in texts):
            raise BadBench("`expected` is neither a text nor a list of texts.")
        found = tuple(text for each in texts if (text := str(each).strip()))
        is_unanswerable = str(unanswerable or "").strip().lower() in ("true", "1", "yes")
        if bool(found) == is_unanswerable:
            raise BadBench("it needs either `expected` or `unanswerable`: true.")
        if empty := [text for text in found if not words(text)]:
            raise BadBench(f"{empty[0]!r} in `expected` has no word.")
        try:
            return cls(texts=found, url=urls.typed(str(url)) if url else "", unanswerable=is_unanswerable)
        except urls.BadUrl as error:
            raise BadBench(f"`url` cannot be read: {error}") from error


@dataclass(frozen=True, kw_only=True)
class Graded:
    """A question with what it got and what that is worth."""

    line: int
    id: str | None
    question: str
    grade: Grade
    holds: bool  #: whether the text given is right, sure or not; nothing else can be right of a question without answer
    why: str = ""  #: if it is not right
    outcome: Outcome | None = None
    confidence: float | None = None
    seconds: float | None = None
    answer: str | None = None
    citations: tuple[str, ...] = ()
    question_id: str | None = None

    @property
    def worth(self) -> int:
        """Return what it is worth beside another run."""
        return _WORTH["unknown"] if self.grade == "unsure" and not self.holds else _WORTH[self.grade]


def plain(text: str) -> str:
    """Return a text without its [n] markers, with single spaces."""
    return " ".join(_MARKERS.sub("", text).split())


def grade(written: Mapping[str, Any], expected: Expected) -> Graded:
    """Grade what one question got, as a line of ``QuestionLine`` with its own ``line`` and ``id``."""
    outcome: Outcome | None = written.get("outcome")
    answer, cited = plain(written.get("answer") or ""), tuple(each["url"] for each in written.get("citations") or ())
    why = written.get("error") or ""
    if outcome in ("answered", "unsure"):
        why = _fault(answer, cited, expected)
    elif outcome == "unknown" and not expected.unanswerable:
        why = "it was not answered"
    elif outcome is None:
        why = why or f"it ended as {written.get('status')}"
    grades: Mapping[Outcome | None, Grade] = {
        "answered": "wrong" if why else "right",
        "unsure": "unsure",
        "unknown": "right" if expected.unanswerable else "unknown",
    }
    return Graded(
        **{name: written.get(name) for name in ("id", "confidence", "answer", "question_id")},
        line=written["line"],
        question=written.get("question") or "",
        grade=grades.get(outcome, "failed"),
        holds=not why,
        why=why,
        outcome=outcome,
        seconds=_seconds(written),
        citations=cited,
    )


def summary(graded: Sequence[Graded]) -> dict[str, Any]:
    """Return the counts and shares of the grades, the seconds, and how far the confidence can be trusted by tenths."""
    counts = Counter(one.grade for one in graded)
    unsure = [one for one in graded if one.grade == "unsure"]
    given = [one for one in graded if one.outcome in ("answered", "unsure") and one.confidence is not None]
    seconds = sorted(one.seconds for one in graded if one.seconds is not None)
    return {
        "questions": len(graded),
        **{name: counts[name] for name in GRADES},
        **{f"{name}_share": round(counts[name] / len(graded), 4) for name in GRADES if graded},
        "unsure_right": sum(one.holds for one in unsure),
        "seconds_p50": _percentile(seconds, 0.5),
        "seconds_p95": _percentile(seconds, 0.95),
        "calibration": [_tenth(tenth, given) for tenth in range(10) if any(_is_in(one, tenth) for one in given)],
    }


def compare(now: Sequence[Graded], before: Sequence[Graded]) -> dict[str, Any]:
    """Return which questions got better and worse; they are the same by their ids, or else by their words."""
    known = {_key(one): one for one in before}
    pairs = [(known[_key(one)], one) for one in now if _key(one) in known]
    return {
        "compared": len(pairs),
        **{
            name: [
                {"line": one.line, "question": one.question, "before": was.grade, "now": one.grade, "why": one.why}
                for was, one in pairs
                if (one.worth - was.worth) * sign > 0
            ]
            for name, sign in (("better", 1), ("worse", -1))
        },
        "before": {name: value for name, value in summary(before).items() if name != "calibration"},
    }


def read_run(file: Path) -> list[Graded]:
    """Return the graded questions of an earlier run, which ``--out`` or ``--json`` wrote; raises BadBench."""
    try:
        text = file.read_text("utf-8")
        whole = json.loads(text) if text.lstrip().startswith("{\n") else None
        lines = whole["lines"] if whole else [json.loads(line) for line in text.splitlines() if line.strip()]
        return [Graded(**{**line, "citations": tuple(line["citations"])}) for line in lines]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadBench(f"{file} is not what `wellread bench --out` writes ({error}).") from error


def _fault(answer: str, cited: Sequence[str], expected: Expected) -> str:
    if expected.unanswerable:
        return "nothing answers it"
    text = spaced_words(answer)
    if not any(spaced_words(each) in text for each in expected.texts):
        return f"it does not say {' or '.join(map(repr, expected.texts))}"
    if expected.url and not any(is_under(url, [expected.url]) for url in cited):
        return f"it does not cite {expected.url}"
    return ""


def _seconds(written: Mapping[str, Any]) -> float | None:
    asked, ended = written.get("created_at"), written.get("finished_at")
    if not asked or not ended:
        return None
    return round((datetime.fromisoformat(ended) - datetime.fromisoformat(asked)).total_seconds(), 3)


def _percentile(ordered: Sequence[float], share: float) -> float | None:
    """Return the smallest value that so large a share does not exceed."""
    return ordered[max(0, ceil(share * len(ordered)) - 1)] if ordered else None


def _is_in(one: Graded, tenth: int) -> bool:
    return min(9, int((one.confidence or 0.0) * 10)) == tenth


def _tenth(tenth: int, given: Sequence[Graded]) -> dict[str, Any]:
    here = [one for one in given if _is_in(one, tenth)]
    return {
        "from": tenth / 10,
        "answers": len(here),
        "confidence": round(fmean(one.confidence or 0.0 for one in here), 3),
        "right": round(fmean(one.holds for one in here), 3),
    }


def _key(one: Graded) -> str:
    return f"id {one.id}" if one.id else " ".join(words(one.question))
