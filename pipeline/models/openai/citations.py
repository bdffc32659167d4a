"""Read the sentences of a reply with their citations: JSON with quotes, or prose with [n] markers.

A quote must stand in the passage that it names, white space aside; the citation is the whole sentence around it, so
that no half of it is taken for its meaning. A marker cites the sentence of its passage that says most of the claim.
"""

import re
from collections.abc import Iterator, Sequence

from domain import Passage
from pipeline.models.json_reply import find_object, whole_objects, without_thoughts
from pipeline.models.passages import LONG, PassageBlocks, narrow, sentences_of
from pipeline.models.provider import CitedText, Json, PassageSpan
from text.language import detect_language
from text.sentences import sentence_spans

#: sentences longer than this are not taken whole
MAX_QUOTE_CHARACTERS = 700
#: citations of one sentence that are read
MAX_CITATIONS = 5
_MARKERS = re.compile(r"\[\d+(?:\s*,\s*\d+)*\](?:\s*\[\d+(?:\s*,\s*\d+)*\])*([.!?…。！？]?)")
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_NUMBER = re.compile(r"\d+")
_JSON_BEGINS = re.compile(r"\s*(?:```\w*\s*)?\{")


def cited_texts(reply: str, passages: Sequence[PassageBlocks]) -> tuple[CitedText, ...]:
    """Return the reply's sentences, also while it is written; citations that do not hold are left out."""
    reply = without_thoughts(reply)
    written = list(whole_objects(reply, "sentences"))
    if written or find_object(reply) is not None or _JSON_BEGINS.match(reply):
        # a paragraph each: sentences stay apart whatever they end with
        return tuple(CitedText(text=f"{text}\n\n", citations=spans) for text, spans in _quoted(written, passages))
    return tuple(_marked(reply, passages))


def locate(quote: str, passage: PassageBlocks) -> PassageSpan | None:
    """Return the sentences of the passage that hold the quote, white space aside; None when it is not there."""
    text = passage.passage.text
    pattern = r"\s+".join(map(re.escape, quote.split()))
    found = re.search(rf"(?<!\w){pattern}(?!\w)" if _is_word_bound(quote) else pattern, text) if pattern else None
    if found is None:
        return None
    spans = sentences_of(passage.passage, 0, len(text))
    held = [(start, end) for start, end in spans if start < found.end() and found.start() < end]
    if not held:
        return None
    start, end = held[0][0], held[-1][1]
    if end - start > MAX_QUOTE_CHARACTERS:
        start, end = found.span()
    return PassageSpan(passage=passage.passage, start=start, end=end)


def _quoted(
    written: Sequence[Json], passages: Sequence[PassageBlocks]
) -> Iterator[tuple[str, tuple[PassageSpan, ...]]]:
    for entry in written:
        text = entry.get("text", entry.get("sentence"))
        if not isinstance(text, str) or not text.strip():
            continue
        listed = entry.get("citations", [entry])  # some write the citation beside the sentence
        own = [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
        spans = (_span(item, passages) for item in own[:MAX_CITATIONS])
        # a quote that does not hold is no slip: the sentence rests on it
        found = tuple(spans)
        yield text.strip(), tuple(span for span in found if span) if all(found) else ()


def _span(item: Json, passages: Sequence[PassageBlocks]) -> PassageSpan | None:
    number, quote = item.get("passage"), item.get("quote")
    if isinstance(number, str) and number.strip().isdecimal():
        number = int(number)
    if not isinstance(number, int) or not isinstance(quote, str) or not 1 <= number <= len(passages):
        return None
    return locate(quote, passages[number - 1])


def _marked(reply: str, passages: Sequence[PassageBlocks]) -> Iterator[CitedText]:
    """Yield prose; a marker cites for the sentence before it alone."""
    code = [found.span() for found in _CODE.finditer(reply)]
    at = 0
    for match in _MARKERS.finditer(reply):
        if any(start < match.start() < end for start, end in code):
            continue
        text = reply[at : match.start()].rstrip() + match[1]
        at = match.end()
        spans = sentence_spans(text)
        if not spans:
            continue
        start = spans[-1][0]
        yield CitedText(text=text[:start])
        claim = text[start:]
        numbers = dict.fromkeys(int(number) for number in _NUMBER.findall(match[0]) if len(number) < 4)
        cited = [passages[number - 1].passage for number in numbers if 1 <= number <= len(passages)]
        found = ((passage, _says(claim, passage)) for passage in cited[:MAX_CITATIONS])
        yield CitedText(
            text=f"{claim} ",
            citations=tuple(PassageSpan(passage=own, start=span[0], end=span[1]) for own, span in found if span),
        )
    yield CitedText(text=reply[at:])


def _says(claim: str, passage: Passage) -> tuple[int, int] | None:
    """Return what a passage says of a claim: all of a short one in another language; None for nothing."""
    whole = 0, len(passage.text)
    is_foreign = detect_language(claim) not in (passage.lang, "und")
    return narrow(claim, passage, *whole) or (whole if is_foreign and len(passage.text) <= LONG else None)


def _is_word_bound(quote: str) -> bool:
    """Return whether the quote begins and ends with a letter or digit of a script that has spaces."""
    ends = quote.strip()[:1] + quote.strip()[-1:]
    return ends.isascii() and ends.isalnum()
