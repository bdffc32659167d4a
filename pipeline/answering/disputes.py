"""Show contradictions between pages in a model's answer: cite every side, and mark the sides as contradicting.

A side that the answer does not cite is quoted after it, in its page's words.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from domain import Answer, Passage, Sentence
from domain.answer import Contradiction, Dispute, Side
from domain.short_answer import contradictions_of
from pipeline.answering.citations import cite, render
from pipeline.safety.sanitize import sanitize_line


def disputes_of(answer: Answer) -> tuple[Dispute, ...]:
    """Return what the citations of an answer dispute."""
    cited = {citation.marker: citation for citation in answer.citations}
    return tuple(
        Dispute(
            sides=tuple(
                Side(value=value, passage_id=cited[at].passage_id, start=cited[at].start, end=cited[at].end)
                for at, value in zip(found.citations, found.values, strict=True)
            )
        )
        for found in contradictions_of(answer.sentences)
        if cited.keys() >= set(found.citations)
    )


def add_disputes(answer: Answer, disputes: Sequence[Dispute], passages: Mapping[str, Passage]) -> Answer:
    """Return the answer with all sides of each dispute that it takes a side in; ignore the other disputes.

    ``passages`` are those of the sides, by id.
    """
    seen: set[frozenset[str]] = set()
    for dispute in disputes:
        about = frozenset(side.passage_id for side in dispute.sides)
        if about <= passages.keys() and about not in seen:
            seen.add(about)
            answer = _shown(answer, dispute, passages)
    return answer


def _shown(answer: Answer, dispute: Dispute, passages: Mapping[str, Passage]) -> Answer:
    cited = {side: _marker(answer, side, passages[side.passage_id]) for side in dispute.sides}
    if not any(cited.values()):
        return answer
    for side in [side for side, marker in cited.items() if not marker]:
        cited[side] = len(answer.citations) + 1
        answer = _with_quote(answer, side, passages[side.passage_id])
    sides = sorted((marker, side.value) for side, marker in cited.items())
    found = Contradiction(citations=tuple(marker for marker, _ in sides), values=tuple(value for _, value in sides))
    return replace(answer, sentences=tuple(_disputed(sentence, found) for sentence in answer.sentences))


def _marker(answer: Answer, side: Side, passage: Passage) -> int:
    """Return the marker of the citation that holds a side's text; 0 for none."""
    return next(
        (
            citation.marker
            for citation in answer.citations
            if citation.page_id == passage.page_id and citation.start < side.end and side.start < citation.end
        ),
        0,
    )


def _with_quote(answer: Answer, side: Side, passage: Passage) -> Answer:
    marker = len(answer.citations) + 1
    citation = cite(passage, side.start - passage.start, side.end - passage.start, marker=marker)
    quoted = Sentence(text=sanitize_line(citation.quote), markers=(marker,))
    sentences = (*answer.sentences, quoted)
    return replace(answer, text=render(sentences), sentences=sentences, citations=(*answer.citations, citation))


def _disputed(sentence: Sentence, found: Contradiction) -> Sentence:
    if set(sentence.markers).isdisjoint(found.citations):
        return sentence
    others = {*sentence.contradicts, *found.citations} - set(sentence.markers)
    return replace(sentence, contradicts=tuple(sorted(others)), disputes=(*sentence.disputes, found))
