"""Measure what extraction keeps of pages whose main text is known, and what it keeps of the rest."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from crawler.extract.document import NothingToRead, extract
from domain import PageText
from evals.sets.pages import GoldPage

_WORD = re.compile(r"\w+")
_ENDS = re.compile(r"[.!?:;…。！？：)\]\"”»]\s*$")
_SHINGLE = 4

Shingles = Counter[tuple[str, ...]]


@dataclass(frozen=True, kw_only=True)
class _Read:
    gold: GoldPage
    page: PageText


def measure_manuals(pages: Iterable[GoldPage]) -> Mapping[str, float]:
    """Return what pages of documentation keep.

    words_kept: the median share of the main text's words; words_kept_10th: the share that nine of ten pages reach.
    mid_sentence: the share of paragraphs that begin within a sentence. navigation_kept: the share of the runs of four
    words that stand only around the main text.
    """
    read = [_read(page) for page in pages]
    kept = sorted(_words_kept(each) for each in read)
    return {
        "pages": float(len(read)),
        "words_kept": statistics.median(kept),
        "words_kept_10th": kept[len(kept) // 10],
        "mid_sentence": _mid_sentence([each.page for each in read]),
        "navigation_kept": _around_kept(read),
    }


def measure_articles(pages: Iterable[GoldPage]) -> Mapping[str, float]:
    """Return how well articles are found: precision, recall and F1 of runs of four words, each page counting the same.

    This is the measure of the article extraction benchmark (github.com/scrapinghub/article-extraction-benchmark).
    """
    read = [_read(page) for page in pages]
    pairs = [(_shingles(each.gold.main), _shingles(each.page.text)) for each in read]
    precision = statistics.mean((main & found).total() / max(1, found.total()) for main, found in pairs)
    recall = statistics.mean((main & found).total() / max(1, main.total()) for main, found in pairs)
    return {
        "pages": float(len(read)),
        "f1": 2 * precision * recall / (precision + recall),
        "precision": precision,
        "recall": recall,
        "mid_sentence": _mid_sentence([each.page for each in read]),
        "navigation_kept": _around_kept(read),
    }


def _read(gold: GoldPage) -> _Read:
    try:
        page = extract(
            gold.html.encode(), url="http://a.example/docs/page.html", content_type="text/html; charset=utf-8"
        )
    except NothingToRead:
        page = PageText(title="", text="", lang="und")
    return _Read(gold=gold, page=page)


def _words_kept(read: _Read) -> float:
    main = Counter(_words(read.gold.main))
    return (main & Counter(_words(read.page.text))).total() / max(1, main.total())


def _mid_sentence(pages: Sequence[PageText]) -> float:
    """Return the share of paragraphs in lower case below text that does not end a sentence."""
    paragraphs = within = 0
    for page in pages:
        above = None
        for block in page.blocks:
            text = page.text[block.start : block.end]
            goes_on = page.text[: block.start].endswith("\n\n") and above is not None
            if block.kind == "prose":
                paragraphs += 1
                is_below_text = above is not None and above.kind != "heading"
                within += (
                    goes_on
                    and is_below_text
                    and text[0].islower()
                    and (above is not None and _ENDS.search(page.text[: above.end]) is None)
                )
            above = block
    return within / max(1, paragraphs)


def _around_kept(read: Sequence[_Read]) -> float:
    kept = whole = 0
    for each in read:
        around = set(_shingles(each.gold.around)) - set(_shingles(each.gold.main))
        whole += len(around)
        kept += len(around & set(_shingles(each.page.text)))
    return kept / max(1, whole)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _shingles(text: str) -> Shingles:
    words = _words(text)
    return Counter(tuple(words[at : at + _SHINGLE]) for at in range(max(1, len(words) - _SHINGLE + 1)))
