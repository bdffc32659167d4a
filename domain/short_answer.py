"""Read the short answer and the contradictions out of an answer's sentences."""

from collections.abc import Iterator, Sequence

from domain.answer import Contradiction, Focus, Sentence

#: a focus that is less sure is not given as the short answer
SURE = 0.3


def contradictions_of(sentences: Sequence[Sentence]) -> tuple[Contradiction, ...]:
    """Return the contradictions between the sentences of an answer."""
    found = {each.citations: each for sentence in sentences for each in sentence.disputes}
    said = dict(_values(sentences))
    for sentence in sentences:
        sides = tuple(sorted(marker for marker in {*sentence.markers, *sentence.contradicts} if marker in said))
        if sentence.contradicts and len(sides) > 1:
            found[sides] = Contradiction(citations=sides, values=tuple(said[marker] for marker in sides))
    return tuple(found.values())


def first_said(sentences: Sequence[Sentence]) -> Sentence | None:
    """Return the first sentence that is no heading."""
    return next((sentence for sentence in sentences if sentence.block != "heading"), None)


def short_answer(sentences: Sequence[Sentence]) -> str | None:
    """Return the short answer in the first sentence, or in the code quoted with it; None when it is unsure or disputed.

    It is "Yes" or "No" when the sentence answers a yes/no question.
    """
    first = first_said(sentences)
    if first is None or first.contradicts or first.disputes:
        return None
    if first.says:
        return first.says
    focused = next((each for each in sentences if each.focus and each.markers == first.markers), first)
    return _focused(focused, focused.focus) if focused.focus and focused.focus.confidence >= SURE else None


def _values(sentences: Sequence[Sentence]) -> Iterator[tuple[int, str]]:
    for sentence in sentences:
        if sentence.contradicts and sentence.focus:
            for marker in sentence.markers:
                yield marker, _focused(sentence, sentence.focus)


def _focused(sentence: Sentence, focus: Focus) -> str:
    return sentence.text[focus.start : focus.end]
