"""Turn a model's reply into an answer, also while it is written: only sentences whose citations are the page's text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from domain import Answer, Citation, Cost, Sentence
from pipeline.answering.citations import cite, leads_in, render, supported
from pipeline.answering.support.check import Quoted, adds_nothing, why_unsupported
from pipeline.llm import OnAnswer
from pipeline.models.passages import PassageBlocks, title_of
from pipeline.models.provider import CitedText, PassageSpan
from pipeline.phrases import Phrase, say
from pipeline.safety.sanitize import has_unsourced_url, sanitize, strip_unsourced_tags
from text.sentences import sentence_spans

#: the most updates of one answer; each checks the whole answer again
MAX_UPDATES = 20
_ENDED = re.compile(r"[.!?…。！？।][\"'”’»)\]]*\s*$")

#: a sentence with what it cites
Cited = tuple[str, tuple[PassageSpan, ...]]
#: complete, cut off at the token limit, or still being written
ReplyState = Literal["complete", "cut off", "partial"]


def answer_from(
    parts: Sequence[CitedText],
    passages: Sequence[PassageBlocks],
    *,
    composer: str,
    cost: Cost,
    state: ReplyState = "complete",
    question: str = "",
    lang: str = "",
) -> Answer:
    """Turn the reply into sentences with citations, each quote exactly the page's text at its offsets.

    Leaves out a sentence without a valid citation (unless it ends with a colon and says nothing beyond the question and
    the quotes of the supported sentence behind it), the unfinished last one of a reply that is not complete, one with
    an address that no passage holds, and one that its citations do not support
    (:mod:`pipeline.answering.support.check`).
    Removes markup and links from the others.
    ``confidence`` is the share of sentences supported.
    """
    markers = _Markers()
    written = [(_plain(text, passages), cited) for text, cited in _sentences(parts, state)]
    safe = [(text, cited) for text, cited in written if text and not _leads_away(text, passages)]
    why = [_why_unsupported(text, cited, question, lang) for text, cited in safe]
    true = _without_claims_before(
        [each for each, wrong in zip(safe, why, strict=True) if not wrong], question=question, lang=lang
    )
    sentences = [Sentence(text=text, markers=markers.of(own)) for text, own in true]
    cited = supported(sentences, {citation.marker for citation in markers.citations})
    return Answer(
        text=render(cited),
        sentences=cited,
        citations=tuple(markers.citations),
        confidence=sum(bool(sentence.markers) for sentence in cited) / len(written) if written else 0.0,
        composer=composer,
        notice=_notice(
            {
                "cites_nothing": sum(not (each in cited or leads_in(each.text)) for each in sentences),
                "strange_address": len(written) - len(safe),
                "made_up": why.count("number"),
                "unsupported": sum(map(bool, why)) - why.count("number"),
            },
            any_left=bool(cited),
            state=state,
            lang=lang,
        ),
        cost=cost,
    )


@dataclass(kw_only=True)
class AnswerStream:
    """Receives the reply so far and calls ``on_answer`` whenever a further supported sentence is complete."""

    on_answer: OnAnswer
    passages: Sequence[PassageBlocks]
    composer: str
    question: str
    lang: str
    _sentences: int = field(default=1, init=False)  # the last one is not complete before the next begins
    _published: list[str] = field(default_factory=list, init=False)

    def __call__(self, parts: Sequence[CitedText]) -> None:
        """Receive the complete parts, each with its citations."""
        sentences = len(sentence_spans("".join(part.text for part in parts)))
        if sentences <= self._sentences or len(self._published) == MAX_UPDATES:
            return
        self._sentences = sentences
        answer = answer_from(
            parts,
            self.passages,
            composer=self.composer,
            cost=Cost(),
            state="partial",
            question=self.question,
            lang=self.lang,
        )
        if answer.text and answer.text not in self._published:
            self._published.append(answer.text)
            self.on_answer(answer)


def _plain(text: str, passages: Sequence[PassageBlocks]) -> str:
    """Remove markup: the model was told to write none, and its text may be an attacker's."""
    return sanitize(strip_unsourced_tags(text, [item.passage.text for item in passages])).strip()


def _leads_away(text: str, passages: Sequence[PassageBlocks]) -> bool:
    return has_unsourced_url(text, [f"{item.passage.text}\n{item.passage.url}" for item in passages])


def _why_unsupported(text: str, citations: Sequence[PassageSpan], question: str, lang: str) -> str:
    """Return why the citations do not support a sentence; "" where they do or it has none."""
    quotes = _quotes(citations)
    return why_unsupported(text, quotes, question, lang=lang or quotes[0].lang) if quotes else ""


def _without_claims_before(sentences: Sequence[Cited], *, question: str, lang: str) -> list[Cited]:
    """Leave out what leads to a sentence with citations and says more than they do."""
    kept = []
    for (text, citations), (_, following) in zip(sentences, [*sentences[1:], ("", ())], strict=False):
        quotes = _quotes(following) if not citations and leads_in(text) else []
        if not quotes or adds_nothing(text, quotes, question, lang=lang or quotes[0].lang):
            kept.append((text, citations))
    return kept


def _quotes(citations: Sequence[PassageSpan]) -> list[Quoted]:
    return [
        Quoted(
            text=span.passage.text[span.start : span.end],
            title=title_of(span.passage),
            lang=span.passage.lang,
        )
        for span in citations
    ]


@dataclass
class _Markers:
    """Numbers the cited spans in the order of their first use."""

    citations: list[Citation] = field(default_factory=list)

    def of(self, citations: Sequence[PassageSpan]) -> tuple[int, ...]:
        """Return the markers of the citations, ascending."""
        return tuple(sorted({self._marker(span) for span in citations}))

    def _marker(self, span: PassageSpan) -> int:
        passage = span.passage
        at = (passage.page_id, passage.start + span.start, passage.start + span.end)
        for citation in self.citations:
            if (citation.page_id, citation.start, citation.end) == at:
                return citation.marker
        self.citations.append(cite(passage, span.start, span.end, marker=len(self.citations) + 1))
        return len(self.citations)


def _sentences(parts: Sequence[CitedText], state: ReplyState) -> Iterator[Cited]:
    """Yield each sentence of the reply with the citations of every part it shares a visible character with."""
    text = "".join(part.text for part in parts)
    spans = sentence_spans(text)
    if spans and (state == "partial" or (state == "cut off" and not _ENDED.search(text))):
        spans.pop()
    cited = list(_cited_parts(parts))
    for start, end in spans:
        citations = [citation for left, right, own in cited if left < end and start < right for citation in own]
        yield " ".join(text[start:end].split()), tuple(citations)


def _cited_parts(parts: Sequence[CitedText]) -> Iterator[tuple[int, int, tuple[PassageSpan, ...]]]:
    """Yield the offsets in the reply of each part with citations, without the white space around it."""
    start = 0
    for part in parts:
        end = start + len(part.text)
        if part.citations:
            yield end - len(part.text.lstrip()), start + len(part.text.rstrip()), part.citations
        start = end


def _notice(left_out: Mapping[Phrase, int], *, any_left: bool, state: ReplyState, lang: str) -> str:
    """Return how many sentences were left out, by the phrase that says why."""
    if not any_left:
        return say("not_found", lang)
    parts = [say(why, lang, count=count) for why, count in left_out.items() if count]
    return " ".join([*parts, say("cut_off", lang)] if state == "cut off" else parts)
