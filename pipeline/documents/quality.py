"""Score how much a passage can say about a question; use the pages' text when no passage says enough.

The formula is the design document's [_score_section_quality, CONTENT_QUALITY_THRESHOLD, _fetch_source_text]: length
counts up to .8 and the question's words up to .2; fewer than 20 words are a stub and score 0.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from domain import Hit
from pipeline.retrieval.context import MAX_CONTEXT_CHARACTERS
from text.terms import stop_words, words

QUALITY_THRESHOLD = 0.3
STUB_WORDS = 20
BASE, PER_LENGTH, FULL_LENGTH_WORDS, MOST_FOR_LENGTH, MOST_FOR_KEYWORDS = 0.2, 0.6, 200, 0.8, 0.2
#: pages whose text is taken when no passage passes [max_articles]
MAX_PAGES = 5
#: of all pages' texts together, of which 100 are left for what comes before each [max_context_length]
MAX_CHARACTERS = MAX_CONTEXT_CHARACTERS - 100

#: page ids → their stored texts; a deleted page is left out
PageTexts = Callable[[Sequence[int]], Mapping[int, str]]

#: scripts written without spaces, and how many characters make a word in them, about
_WITHOUT_SPACES = (
    (re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd]"), 2),
    (re.compile("[\u0e01-\u0e4e\u0e81-\u0ecd\u1000-\u104f\u1780-\u17d3]"), 5),
)


def score_quality(text: str, question: str, *, lang: str = "en") -> float:
    """Score a passage for a question, [0, 1] [_score_section_quality]."""
    count = count_words(text)
    if count < STUB_WORDS:
        return 0.0
    length = min(MOST_FOR_LENGTH, BASE + count / FULL_LENGTH_WORDS * PER_LENGTH)
    return min(1.0, length + MOST_FOR_KEYWORDS * keyword_overlap(text, question, lang=lang))


def keyword_overlap(text: str, question: str, *, lang: str = "en") -> float:
    """Return the share of the question's words, without those that carry no topic, that the text holds; 0: no words."""
    keywords = set(words(question)) - stop_words(lang)
    return len(keywords & set(words(text))) / len(keywords) if keywords else 0.0


def count_words(text: str) -> int:
    """Count the words of a text: those between spaces, and characters by their script where it has no spaces."""
    count = 0
    for script, characters in _WITHOUT_SPACES:
        text, found = script.subn(" ", text)
        count += -(-found // characters)
    return count + sum(any(char.isalnum() for char in token) for token in text.split())


def filter_by_quality(hits: Sequence[Hit], question: str, *, lang: str, page_texts: PageTexts | None) -> list[Hit]:
    """Return the hits at or above the threshold; when there are none, all hits with their pages' text.

    The fallback is global: one hit that passes is enough to drop the others. Without ``page_texts``
    the hits stay as they were.
    """
    good = [hit for hit in hits if score_quality(hit.passage.text, question, lang=lang) >= QUALITY_THRESHOLD]
    if good or not hits:
        return good
    return list(hits) if page_texts is None else widen_to_pages(hits, page_texts)


def widen_to_pages(hits: Sequence[Hit], page_texts: PageTexts) -> list[Hit]:
    """Return the best hit of each of the first pages, its passage widened to the page's text [_fetch_source_text].

    The text is the page's whole one while all of them fit into a context; what is longer than its share is cut around
    the passage. A hit whose page was deleted, or does not contain the passage at its place, stays as it is.
    """
    first: dict[int, Hit] = {}
    for hit in hits:
        first.setdefault(hit.passage.page_id, hit)
    chosen = list(first.values())[:MAX_PAGES]
    texts = page_texts([hit.passage.page_id for hit in chosen])
    pages = [_page_of(hit, texts) for hit in chosen]
    shares = _shares([len(page) for page in pages], MAX_CHARACTERS)
    return [_widened(*each) for each in zip(chosen, pages, shares, strict=True)]


def _page_of(hit: Hit, texts: Mapping[int, str]) -> str:
    """Return the text of the hit's page; "" if that does not hold the passage any more."""
    page, passage = texts.get(hit.passage.page_id, ""), hit.passage
    return page if page[passage.start : passage.end] == passage.text else ""


def _shares(lengths: Sequence[int], total: int) -> list[int]:
    """Divide ``total`` among texts of these lengths: what the short ones leave goes to the longer ones."""
    shares = [0] * len(lengths)
    for left, at in zip(range(len(lengths), 0, -1), sorted(range(len(lengths)), key=lengths.__getitem__), strict=True):
        shares[at] = min(lengths[at], total // left)
        total -= shares[at]
    return shares


def _widened(hit: Hit, page: str, characters: int) -> Hit:
    passage = hit.passage
    if not page:
        return hit
    room = max(0, characters - len(passage.text))
    start = max(0, min(passage.start - room // 2, len(page) - len(passage.text) - room))
    end = min(len(page), max(passage.end, start + len(passage.text) + room))
    return replace(hit, passage=replace(passage, text=page[start:end], start=start, end=end))
