"""Cite a span of a passage, and check every citation against the stored text of its page.

Sentences with an invalid citation are dropped, whoever composed them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

from domain import Answer, Citation, PageDates, Passage, Sentence
from domain.contradiction import Contradiction

#: page_id → the page's stored text, or None when the page is gone
PageText = Callable[[int], str | None]

DROPPED = "Sentences whose citation is not in the page were left out."
_LEADS_IN = (":", "：")


def cite(passage: Passage, start: int, end: int, *, marker: int) -> Citation:
    """Cite ``passage.text[start:end]``."""
    return Citation(
        marker=marker,
        passage_id=passage.id,
        page_id=passage.page_id,
        url=passage.url,
        title=passage.title,
        quote=passage.text[start:end],
        start=passage.start + start,
        end=passage.start + end,
        published=passage.published,
        read_at=passage.read_at,
    )


def check(answer: Answer, page_text_of: PageText) -> Answer:
    """Return the answer without its unsupported sentences, the markers renumbered from 1.

    A sentence is unsupported when one of its citations is invalid, or when it has none, unless it ends with a colon
    before a supported sentence. With no supported sentence left, the text is empty and the confidence 0.
    """
    valid = {citation.marker for citation in answer.citations if is_verbatim(citation, page_text_of(citation.page_id))}
    followed = zip_longest(answer.sentences, answer.sentences[1:])
    kept = tuple(sentence for sentence, after in followed if sentence and _is_kept(sentence, after, valid))
    if len(kept) == len(answer.sentences) and len(valid) == len(answer.citations):
        return answer
    notice = " ".join(filter(None, (answer.notice, DROPPED)))
    return _without(replace(answer, notice=notice), kept, valid)


def with_dates(answer: Answer, dates: Mapping[int, PageDates]) -> Answer:
    """Return the answer with the current dates of its pages."""
    return replace(answer, citations=tuple(_dated(citation, dates) for citation in answer.citations))


def is_verbatim(citation: Citation, page_text: str | None) -> bool:
    """Return whether the quote is exactly the page's text at its offsets."""
    if page_text is None or not citation.quote or not 0 <= citation.start < citation.end <= len(page_text):
        return False
    return page_text[citation.start : citation.end] == citation.quote


def render(sentences: tuple[Sentence, ...]) -> str:
    """Join sentences into the answer's text, each with its [n] markers."""
    return " ".join(sentence.text + "".join(f" [{marker}]" for marker in sentence.markers) for sentence in sentences)


def _is_kept(sentence: Sentence, after: Sentence | None, valid: set[int]) -> bool:
    if sentence.markers:
        return _is_supported(sentence, valid)
    return sentence.text.endswith(_LEADS_IN) and after is not None and _is_supported(after, valid)


def _is_supported(sentence: Sentence, valid: set[int]) -> bool:
    return bool(sentence.markers) and valid.issuperset(sentence.markers)


def _dated(citation: Citation, dates: Mapping[int, PageDates]) -> Citation:
    known = dates.get(citation.page_id)
    if known is None:
        return citation
    return replace(citation, published=known.published, modified=known.modified, read_at=known.seen_at)


def _renumbered(disputes: Sequence[Contradiction], numbers: Mapping[int, int]) -> Iterator[Contradiction]:
    """Yield the contradictions that still have two sides."""
    for dispute in disputes:
        sides = [
            (numbers[old], value)
            for old, value in zip(dispute.citations, dispute.values, strict=True)
            if old in numbers
        ]
        if len(sides) > 1:
            yield Contradiction(citations=tuple(new for new, _ in sides), values=tuple(value for _, value in sides))


def _without(answer: Answer, kept: tuple[Sentence, ...], valid: set[int]) -> Answer:
    used = {marker for sentence in kept for marker in sentence.markers} & valid
    numbers = {old: new for new, old in enumerate(sorted(used), start=1)}
    sentences = tuple(
        replace(
            sentence,
            markers=tuple(numbers[marker] for marker in sentence.markers),
            contradicts=tuple(numbers[marker] for marker in sentence.contradicts if marker in used),
            disputes=tuple(_renumbered(sentence.disputes, numbers)),
        )
        for sentence in kept
    )
    citations = tuple(
        replace(citation, marker=numbers[citation.marker]) for citation in answer.citations if citation.marker in used
    )
    return replace(
        answer,
        text=render(sentences),
        sentences=sentences,
        citations=citations,
        confidence=answer.confidence if citations else 0.0,
    )
