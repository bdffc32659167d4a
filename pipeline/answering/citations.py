"""Cite a span of a passage, check every citation against the stored text of its page, and write the answer's notices.

Sentences with an invalid citation are dropped, whoever composed them.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import pairwise

from domain import Answer, Citation, CitedPage, Passage, Sentence, blocks_within, titled
from domain.answer import LEADS_IN, Part, cells_of, fence_for, parts_of
from pipeline.phrases import Phrase, say

#: page_id → the page's stored text, or None when the page is gone
PageText = Callable[[int], str | None]

_WORD = re.compile(r"\w")
#: missing parts of a document that a notice names
_NAMED = 3


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
        blocks=blocks_within(passage.blocks, start, end),
    )


def check(answer: Answer, page_text_of: PageText, *, lang: str = "") -> Answer:
    """Return the answer without its unsupported sentences, the markers renumbered from 1, with a notice in ``lang``.

    With no supported sentence left, the text is empty and the confidence 0.
    """
    valid = {citation.marker for citation in answer.citations if is_verbatim(citation, page_text_of(citation.page_id))}
    kept = supported(answer.sentences, valid)
    if len(kept) == len(answer.sentences) and len(valid) == len(answer.citations):
        return answer
    return with_sentences(with_notices(answer, say("misquoted", lang)), kept, valid)


def supported(sentences: Sequence[Sentence], valid: set[int]) -> tuple[Sentence, ...]:
    """Return the sentences whose citations are all valid, with those that announce one and what is said to be missing.

    A sentence announces the next one if it ends with a colon, the header of a table its row, a heading its section.
    """
    kept: list[Sentence] = []
    following: Sentence | None = None  # the next sentence, if it is kept
    for at in reversed(range(len(sentences))):
        sentence, before = sentences[at], sentences[at - 1] if at else None
        if sentence.markers:
            keeps = valid.issuperset(sentence.markers)
        elif sentence.block == "heading":
            keeps = bool(kept) and kept[-1].block != "heading"
        elif sentence.block == "row":
            keeps = following is not None and following.block == "row" and (before is None or before.block != "row")
        else:
            keeps = sentence.origin == "missing" or (following is not None and sentence.text.endswith(LEADS_IN))
        following = sentence if keeps else None
        kept += [sentence] if keeps else []
    return tuple(reversed(kept)) if any(sentence.markers for sentence in kept) else ()


def located(answer: Answer, pages: Mapping[int, CitedPage]) -> Answer:
    """Return the answer whose citations say where their quotes are in their pages, with the pages' current dates."""
    return replace(
        answer,
        citations=tuple(
            _located(citation, pages[citation.page_id]) if citation.page_id in pages else citation
            for citation in answer.citations
        ),
    )


def is_verbatim(citation: Citation, page_text: str | None) -> bool:
    """Return whether the quote is exactly the page's text at its offsets."""
    if page_text is None or not citation.quote or not 0 <= citation.start < citation.end <= len(page_text):
        return False
    return page_text[citation.start : citation.end] == citation.quote


def render(sentences: Sequence[Sentence]) -> str:
    """Write the sentences as Markdown, each with its [n] markers: prose in paragraphs, other blocks by themselves."""
    return "\n\n".join(map(_written, parts_of(sentences)))


def with_sentences(answer: Answer, kept: tuple[Sentence, ...], valid: set[int]) -> Answer:
    """Return the answer with these sentences and the valid citations that they use, renumbered from 1."""
    used = {marker for sentence in kept for marker in sentence.markers} & valid
    numbers = {old: new for new, old in enumerate(sorted(used), start=1)}
    sentences = tuple(
        replace(sentence, markers=tuple(numbers[marker] for marker in sentence.markers)) for sentence in kept
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


def _written(part: Part) -> str:
    marks = {"item": "- ", "heading": "## "}
    texts = [each.text for each in part.sentences]
    markers = ["".join(f" [{marker}]" for marker in each.markers) for each in part.sentences]
    said = [f"{text}{own}" for text, own in zip(texts, markers, strict=True)]
    if part.block == "code":
        fence = fence_for(texts[0])
        return f"{fence}\n{texts[0]}\n{fence}{markers[0].replace(' ', chr(10), 1)}"
    if part.block == "row":
        rows = [f"| {each} |" for each in said]
        return "\n".join((rows[0], "|" + " --- |" * len(cells_of(texts[0])), *rows[1:]))
    if part.block == "step":
        return "\n".join(f"{number}. {each}" for number, each in enumerate(said, start=part.first))
    if part.block:
        return "\n".join(marks[part.block] + each for each in said)
    apart = ("\n\n" if "\n" in one + other else " " for one, other in pairwise(texts))
    return said[0] + "".join(f"{between}{each}" for between, each in zip(apart, said[1:], strict=True))


def _located(citation: Citation, page: CitedPage) -> Citation:
    """Return the citation below its own heading: its passage may hold several short sections."""
    word = _WORD.search(citation.quote)
    first = citation.start + (word.start() if word else 0)  # a heading is found behind its marks
    above = [heading for at, heading in page.headings if at <= first]
    return replace(
        citation,
        title=titled(page.title, above[-1] if above else ""),
        place=_place(citation, page.places),
        published=page.published,
        modified=page.modified,
        read_at=page.seen_at,
    )


def _place(citation: Citation, places: Sequence[tuple[int, str]]) -> str:
    """Return the page, slide or row of its file that the quote is on, or those that it spans."""
    before = [name for at, name in places if at < citation.end]
    within = [name for at, name in places if citation.start < at < citation.end]
    if not before:
        return citation.place
    first, last = before[max(0, len(before) - 1 - len(within))], before[-1]
    if first == last:
        return first
    kind, _, number = first.rpartition(" ")
    return f"{kind}s {number}–{last.rpartition(' ')[2]}"


def outdated_notice(answer: Answer, oldest: datetime | None, lang: str) -> str:
    """Return which citations are of pages published and last changed before ``oldest``, as a notice; "" for none."""
    old = [citation for citation in answer.citations if oldest and _is_older(citation, oldest)]
    pages = ", ".join(f"[{citation.marker}]{_dated(citation, lang)}" for citation in old)
    return say("old", lang, pages=pages) if pages else ""


def partly_read_notice(answer: Answer, cited: Mapping[int, CitedPage], lang: str) -> str:
    """Return which citations are of documents that were read in part, and what is missing, as a notice; "" for none."""
    missing = {page_id: ", ".join(page.missing[:_NAMED]) for page_id, page in cited.items() if page.missing}
    of_page = {citation.page_id: citation.marker for citation in reversed(answer.citations)}
    pages = ", ".join(f"[{marker}] (− {missing[page]})" for page, marker in of_page.items() if page in missing)
    return say("partly", lang, pages=pages) if pages else ""


def with_notices(answer: Answer, *notices: str) -> Answer:
    """Return the answer with the notices added, each once."""
    return replace(answer, notice=" ".join(dict.fromkeys(filter(None, (answer.notice, *notices)))))


def _is_older(citation: Citation, oldest: datetime) -> bool:
    dates = [when for when in (citation.published, citation.modified) if when is not None]
    return bool(dates) and max(dates) < oldest


def _dated(source: Citation, lang: str) -> str:
    """Return the first known date of a source, with what it is."""
    dates: tuple[tuple[Phrase, datetime | None], ...] = (
        ("modified", source.modified),
        ("published", source.published),
        ("read", source.read_at),
    )
    return next((f" ({say(phrase, lang)} {when:%Y-%m-%d})" for phrase, when in dates if when is not None), "")
