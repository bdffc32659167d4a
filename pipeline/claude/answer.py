"""What Claude says on its way back: sentences whose citations are the page's text, and nothing else.

Its citations point at blocks of the passages that it was given (:mod:`pipeline.claude.passages`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Literal

from domain import Answer, Citation, Cost, Passage, Sentence
from pipeline.answering.citations import cite, render
from pipeline.answering.unsupported_values import unsupported_values
from pipeline.claude.passages import Given, title_of
from pipeline.safety.sanitize import has_made_up_address, sanitize, without_made_up_tags
from text.sentences import sentence_spans

NOT_FOUND = "The model found no answer in the passages."
_ENDED = re.compile(r"[.!?…。！？।][\"'”’»)\]]*\s*$")

#: how a reply ends: by itself, at the token limit, or not yet
End = Literal["whole", "cut off", "not yet"]


@dataclass(frozen=True, kw_only=True)
class Pointer:
    """Blocks ``start`` to ``end`` (exclusive) of a search result, as a citation names them, and the text it quotes."""

    result: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, kw_only=True)
class Said:
    """A stretch of the reply with what the model cites for it."""

    text: str
    pointers: tuple[Pointer, ...] = ()


def answer_from(
    said: Sequence[Said],
    given: Sequence[Given],
    *,
    composer: str,
    cost: Cost,
    end: End = "whole",
    question: str = "",
    lang: str = "",
) -> Answer:
    """Turn the reply into sentences with citations, each quote exactly the page's text at its offsets.

    A sentence without a citation that holds is left out, except one that leads into a supported sentence (it ends with
    a colon); so is the last one of a reply that was cut off or goes on, one with an address that no passage holds, and
    one with a number or date that neither what it cites nor the question gives. Markup and links are taken out of the
    rest. ``confidence`` is the share of sentences supported.
    """
    numbers = _Numbers(given)
    written = [(_plain(text, given), pointers) for text, pointers in _sentences(said, end)]
    safe = [(text, pointers) for text, pointers in written if text and not _leads_away(text, given)]
    true = [(text, pointers) for text, pointers in safe if not _makes_up_numbers(text, pointers, given, question, lang)]
    sentences = [Sentence(text=text, markers=numbers.of(pointers)) for text, pointers in true]
    kept = tuple(sentence for sentence, following in _with_next(sentences) if _stays(sentence, following))
    supported = sum(bool(sentence.markers) for sentence in kept)
    return Answer(
        text=render(kept),
        sentences=kept,
        citations=tuple(numbers.citations),
        confidence=supported / len(written) if written else 0.0,
        composer=composer,
        notice=_notice(len(sentences) - len(kept), len(written) - len(safe), len(safe) - len(true), bool(kept), end),
        cost=cost,
    )


def _plain(text: str, given: Sequence[Given]) -> str:
    """What the model wrote as words: it was told to write no markup, and what it writes may be an attacker's."""
    return sanitize(without_made_up_tags(text, [item.passage.text for item in given])).strip()


def _leads_away(text: str, given: Sequence[Given]) -> bool:
    return has_made_up_address(text, [f"{item.passage.text}\n{item.passage.url}" for item in given])


def _makes_up_numbers(text: str, pointers: Sequence[Pointer], given: Sequence[Given], question: str, lang: str) -> bool:
    """Return whether a sentence gives a number that is neither in what it cites (or in any passage) nor asked about."""
    cited = [found for pointer in pointers if (found := _cited(pointer, given))]
    sources = [f"{title_of(passage)}\n{passage.text[start:end]}" for passage, start, end in cited]
    if not pointers:
        sources = [item.passage.text for item in given]
    langs = {lang or "en", *(item.passage.lang for item in given)}
    return bool(unsupported_values(text, [*sources, question], langs=sorted(langs)))


@dataclass
class _Numbers:
    """Numbers the spans cited in the order of their first use."""

    given: Sequence[Given]
    citations: list[Citation] = field(default_factory=list)

    def of(self, pointers: Sequence[Pointer]) -> tuple[int, ...]:
        """Return the markers of the pointers that hold, ascending."""
        found = (_cited(pointer, self.given) for pointer in pointers)
        return tuple(sorted({self._number(*span) for span in found if span}))

    def _number(self, passage: Passage, start: int, end: int) -> int:
        at = (passage.page_id, passage.start + start, passage.start + end)
        for citation in self.citations:
            if (citation.page_id, citation.start, citation.end) == at:
                return citation.marker
        self.citations.append(cite(passage, start, end, marker=len(self.citations) + 1))
        return len(self.citations)


def _cited(pointer: Pointer, given: Sequence[Given]) -> tuple[Passage, int, int] | None:
    """Return the passage and the span in its text, or None where the pointer leads nowhere or quotes something else."""
    if not 0 <= pointer.result < len(given):
        return None
    item = given[pointer.result]
    if not 0 <= pointer.start < pointer.end < len(item.bounds):
        return None
    start, end = item.bounds[pointer.start], item.bounds[pointer.end]
    quote = item.passage.text[start:end]
    if "".join("".join(item.blocks()[pointer.start : pointer.end]).split()) != "".join(pointer.text.split()):
        return None
    return item.passage, end - len(quote.lstrip()), start + len(quote.rstrip())


def _sentences(said: Sequence[Said], end_of_reply: End) -> Iterator[tuple[str, tuple[Pointer, ...]]]:
    """Yield each sentence of the reply with the pointers of every stretch it shares a visible character with."""
    text = "".join(stretch.text for stretch in said)
    spans = sentence_spans(text)
    if spans and (end_of_reply == "not yet" or (end_of_reply == "cut off" and not _ENDED.search(text))):
        spans.pop()
    cited = list(_cited_stretches(said))
    for start, end in spans:
        pointers = [pointer for left, right, own in cited if left < end and start < right for pointer in own]
        yield " ".join(text[start:end].split()), tuple(pointers)


def _cited_stretches(said: Sequence[Said]) -> Iterator[tuple[int, int, tuple[Pointer, ...]]]:
    """Yield where each stretch with citations stands in the reply, without the white space around it."""
    start = 0
    for stretch in said:
        end = start + len(stretch.text)
        if stretch.pointers:
            yield end - len(stretch.text.lstrip()), start + len(stretch.text.rstrip()), stretch.pointers
        start = end


def _with_next(sentences: Sequence[Sentence]) -> Iterator[tuple[Sentence, Sentence | None]]:
    return zip_longest(sentences, sentences[1:])


def _stays(sentence: Sentence, following: Sentence | None) -> bool:
    leads_in = sentence.text.endswith((":", "：")) and following is not None and bool(following.markers)
    return bool(sentence.markers) or leads_in


def _notice(unsupported: int, leading_away: int, untrue: int, any_kept: bool, end: End) -> str:
    if not any_kept:
        return NOT_FOUND
    parts = []
    if unsupported:
        parts.append(f"{_sentences_of(unsupported)} without a citation left out.")
    if leading_away:
        parts.append(f"{_sentences_of(leading_away)} with an address that no page gives left out.")
    if untrue:
        parts.append(f"{_sentences_of(untrue)} with a number that the source does not give left out.")
    if end == "cut off":
        parts.append("The answer was cut off at the model's token limit.")
    return " ".join(parts)


def _sentences_of(number: int) -> str:
    return f"{number} {'sentence' if number == 1 else 'sentences'}"
