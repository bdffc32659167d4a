"""Answer what is asked of a page as a whole: what it says, or what it says about something.

A sentence that answers cannot be told by its words here: "What does this page say about the captain?" is answered by
every sentence on the captain, and a wish for a summary by the first sentence of each part.
"""

import re
from collections.abc import Sequence
from typing import Final

from domain import Answer, Passage
from domain.options import Length
from pipeline.answering.extent import Quote
from pipeline.answering.length import most_quotes
from pipeline.answering.write import write
from pipeline.judging.kinds import ANSWERING
from pipeline.judging.sentences import Span, spans_of
from text.language import detect_language
from text.languages import word_set
from text.terms import content_terms
from text.urls import without_urls

#: quotes of a page; of one topic more would be beside the point
_QUOTES: Final = 5
#: that such quotes are what was asked for
_CONFIDENCE: Final = 0.8
#: from here on, words have no blanks between them
_FIRST_CJK: Final = 0x3000


def topic_of(text: str) -> tuple[str, ...] | None:
    """Return the words of what a page is to say something about, none for all; None if it is not asked of the page."""
    plain = without_urls(text, " ").casefold()
    in_blankless = [word for word in word_set("of_pages") if ord(word[0]) > _FIRST_CJK and word in plain]
    for word in sorted(in_blankless, key=len, reverse=True):
        plain = plain.replace(word, " ")
    asked = re.findall(r"[^\W_]+", plain)
    names_page = bool(in_blankless) or not word_set("of_pages").isdisjoint(asked)
    empty = word_set("of_pages") | word_set("stop_words") | word_set("asking_words") | word_set("ones")
    carrying = content_terms(plain, detect_language(plain)).values() if asked else ()
    topic = [word for word in carrying if not empty.issuperset(re.findall(r"[^\W\d_]+", word))]
    return tuple(dict.fromkeys(topic)) if names_page or not topic else None


def answer_from(pages: Sequence[Sequence[Passage]], topic: Sequence[str], length: Length) -> Answer | None:
    """Return what pages, each its passages in order, say on the topic, or on the whole; None if they say nothing."""
    most = most_quotes(length, _QUOTES)
    each = max(1, most // max(1, len(pages)))
    chosen = [span for passages in pages for span in _chosen(passages, topic, each)][:most]
    return write([Quote(span=span, sentence=span) for span in chosen], _CONFIDENCE) if chosen else None


def _chosen(passages: Sequence[Passage], topic: Sequence[str], most: int) -> list[Span]:
    if not passages:
        return []
    lang = passages[0].lang
    spans = [[span for span in spans_of(each, lang) if span.kind in ANSWERING] for each in passages]
    in_order = [span for of_passage in spans for span in of_passage]
    if topic:
        wanted = set(content_terms(" ".join(topic), lang))
        shared = {id(span): len(wanted & (span.held_terms | span.led_by)) for span in in_order}
        best = max(shared.values(), default=0)
        found = [span for span in in_order if best and shared[id(span)] == best]
        return found[:most]
    first = [of_passage[0] for of_passage in spans if of_passage][:most]
    more = [span for span in in_order if span not in first][: most - len(first)]
    return [span for span in in_order if span in first or span in more]
