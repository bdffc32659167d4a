"""Read the short answer out of an answer's sentences."""

from collections.abc import Sequence

from domain.answer import Focus, Sentence

#: a focus that is less sure is not given as the short answer
SURE = 0.3


def first_said(sentences: Sequence[Sentence]) -> Sentence | None:
    """Return the first sentence that is no heading."""
    return next((sentence for sentence in sentences if sentence.block != "heading"), None)


def short_answer(sentences: Sequence[Sentence]) -> str | None:
    """Return the short answer in the first sentence, or in the code quoted with it; None when it is unsure.

    It is "Yes" or "No" when the sentence answers a yes/no question.
    """
    first = first_said(sentences)
    if first is None:
        return None
    if first.says:
        return first.says
    focused = next((each for each in sentences if each.focus and each.markers == first.markers), first)
    return _focused(focused, focused.focus) if focused.focus and focused.focus.confidence >= SURE else None


def _focused(sentence: Sentence, focus: Focus) -> str:
    return sentence.text[focus.start : focus.end]
