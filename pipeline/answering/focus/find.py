"""Find the short answer in a sentence: "1596" in "In 1596 the court moved to Warsaw."

A softmax over the runs of words in the sentence, its weights fitted by ``evals/fit/answer_span.py``.
"""

import json
import math
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files

from domain import Focus, Hit
from pipeline.answering.focus.features import candidates
from pipeline.question.analysis import Analysis
from pipeline.question.answer_type import answer_type_of
from pipeline.safety.sanitize import sanitize_line

#: "how to" questions have no short answer
_NOT_SAID_SHORTLY = "way"
#: the least margin of a short answer that is marked: on XQuAD .74 of them are right, and .56 of all are found
_LEAST_MARGIN = -1.5
#: a longer sentence is a quote with code or a table
MAX_CHARACTERS = 600


def read_focus(analysis: Analysis, hit: Hit, within: tuple[int, int], sentence: str) -> Focus | None:
    """Return where ``sentence``, as it is shown, says the short answer that the reader found in the passage.

    None where the hit was not read, where the reader sees no short answer ``within`` these characters of the passage,
    and where none is asked for.
    """
    found = hit.reading.short_answer() if hit.reading else None
    if found is None or found.margin < _LEAST_MARGIN or answer_type_of(analysis.text) == _NOT_SAID_SHORTLY:
        return None
    words = sanitize_line(hit.passage.text[found.start : found.end])
    start = sentence.find(words) if words and within[0] <= found.start and found.end <= within[1] else -1
    confidence = round(1 / (1 + math.exp(_LEAST_MARGIN - found.margin)), 4)
    return Focus(start=start, end=start + len(words), confidence=confidence) if start >= 0 else None


@lru_cache(maxsize=1024)
def find_focus(analysis: Analysis, sentence: str) -> Focus | None:
    """Return the span of the short answer in a sentence, with its confidence; None when no words could be it.

    Cached: the composer and the search for contradictions use the same sentences.
    """
    if answer_type_of(analysis.text) == _NOT_SAID_SHORTLY or len(sentence) > MAX_CHARACTERS:
        return None
    found = list(candidates(analysis, sentence))
    if not found:
        return None
    scores = [score(each.features) for each in found]
    best = max(range(len(found)), key=scores.__getitem__)
    confidence = 1 / sum(math.exp(value - scores[best]) for value in scores)
    return Focus(start=found[best].start, end=found[best].end, confidence=round(confidence, 4))


def score(features: Mapping[str, float]) -> float:
    """Return the log-odds of a run of words, comparable within one sentence."""
    weights = _weights()
    return sum(weights.get(name, 0.0) * value for name, value in features.items() if value)


@cache
def _weights() -> dict[str, float]:
    stored = json.loads(files(__package__).joinpath("focus.json").read_text("utf-8"))
    fitted: dict[str, float] = stored["weights"]
    return fitted
