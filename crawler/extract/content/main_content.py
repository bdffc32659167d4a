"""Find the main content of a page and write it as text.

A page of documentation is kept whole but for its navigation; of other pages what a library takes for the article.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence, Set
from copy import deepcopy
from itertools import islice
from typing import Any

import trafilatura

from crawler.extract.content.furniture import without_furniture
from crawler.extract.content.navigation import drop_menu_cells, drop_navigation, weigh, without_bars
from crawler.extract.content.page_kind import Kind, kind_by_loss
from crawler.extract.element_text import Line, Rendered, joined, lines_of

#: where pages mark their content
_MAIN = (".//*[@role='main']", ".//main", ".//article")
#: an element is the main content if it has this share of the text outside of links
_MAIN_SHARE = 0.5
#: an article with fewer words is not believed
MIN_WORDS = 25
_ARTICLE_SHARE = 0.6
HUB_SHARE = 0.6  #: a page with a larger share of links is a list of links, which is kept
#: an index of more links than this, with fewer words for each, is all links
_INDEX_LINKS, _WORDS_PER_LINK = 100, 15
#: trafilatura takes 50 µs for an element; articles, for which it is made, have fewer
MAX_ELEMENTS = 20_000
_MARKS = re.compile(r"\W+|_+")
_SHINGLE = 8  #: characters
_LONG = 40  #: characters of a line that stands nowhere else on the page
_PARAGRAPH, _REST = 25, 5  #: words of a long paragraph; so many of them are the rest of an article
_SHARE = 0.6  #: of a line's shingles that stand in the library's text
_AROUND = 3  #: short lines are looked for so many lines beyond the first and the last long one


def main_content(tree: Any, kind: Kind) -> tuple[Rendered, float]:
    """Return the text of a page's main content and the share of it that is links; hidden elements must be removed."""
    body = tree.find("body") if tree.find("body") is not None else tree
    drop_menu_cells(body)
    text = "" if kind == "documentation" else article_text(tree)
    article = _without_asides(chosen(lines_of(body), text)) if len(text.split()) >= MIN_WORDS else []
    article = without_furniture(article)
    if article and kind == "article":
        return joined(article), _share(article)
    drop_navigation(body)
    lines = lines_of(_main(body))
    whole = lines if _share(lines) > HUB_SHARE else without_furniture(without_bars(lines))
    if article and kind_by_loss(whole, article, is_plain=kind == "plain") == "article":
        return joined(article), _share(article)
    return joined(whole), _share(lines)


def _without_asides(lines: list[Line]) -> list[Line]:
    """Return an article without what names itself comments, related pages and so on; all if that is most."""
    kept = [line for line in lines if not line.is_aside]
    return (
        kept if sum(len(line.text) for line in kept) > _ARTICLE_SHARE * sum(len(line.text) for line in lines) else lines
    )


def _main(body: Any) -> Any:
    """Return the element that holds most of the text outside of links, if the page marks one as its content."""
    weights = weigh(body)
    least = _MAIN_SHARE * weights[body].unlinked
    found = body
    for path in _MAIN:
        for element in body.findall(path):
            if weights[element].unlinked >= least and element in weights:
                found = element
                break
    return found


def _share(lines: list[Line]) -> float:
    """Return the share of links in some lines; 1.0 for an index: many links with few words for each."""
    links = sum(line.links - line.local for line in lines)
    if links > _INDEX_LINKS and sum(len(line.text.split()) for line in lines) < _WORDS_PER_LINK * links:
        return 1.0
    return sum(line.linked for line in lines) / max(1, sum(len("".join(line.text.split())) for line in lines))


def article_text(tree: Any) -> str:
    """Return what the library takes for the main text of a page; "" if it finds none, or the page is too large."""
    if sum(1 for _ in islice(tree.iter(), MAX_ELEMENTS)) == MAX_ELEMENTS:
        return ""
    try:
        return library_text(deepcopy(tree))
    except Exception:  # a page must not be lost because a library fails on it
        return ""


def library_text(page: Any) -> str:
    """Return what the library takes for the main text of HTML, or of a tree, which it changes; "" if it finds none."""
    found: str | None = trafilatura.extract(
        page, fast=False, favor_precision=True, output_format="txt", include_comments=False, include_tables=True
    )
    return found or ""


def chosen(lines: Sequence[Line], text: str) -> list[Line]:
    """Return the lines that stand in a text: whole, or most of it where the text's lines are other ones."""
    own = [_plain(line.text) for line in lines]
    wanted = Counter(plain for line in text.splitlines() if (plain := _plain(line)))
    taken = _take(own, wanted, range(len(own)), least=_LONG)
    own_range = range(len(own))
    if sum(len(own[at]) for at in taken) > 0.5 * len(_plain(text)):
        own_range = range(max(0, min(taken) - _AROUND), min(len(own), max(taken) + _AROUND + 1))
    taken |= _take(own, wanted, own_range, least=1)
    pieces = Counter(piece for line in wanted.elements() for piece in _shingles(line))
    for at in own_range if pieces else ():
        if at in taken:
            continue
        shingles = _shingles(own[at])
        if shingles and (shingles & pieces).total() >= _SHARE * shingles.total():
            taken.add(at)
            pieces.subtract(shingles)  # a teaser that repeats the line is not the article
    return [lines[at] for at in sorted(taken | _rest(lines, taken))]


def _rest(lines: Sequence[Line], taken: Set[int]) -> set[int]:
    """Return the places of an article's rest, where the library stopped early: long paragraphs just below it."""
    if not taken:
        return set()
    rest: set[int] = set()
    gaps = 0
    for at in range(max(taken) + 1, len(lines)):
        if _is_paragraph(lines[at]):
            rest.add(at)
        else:
            gaps += 1
        if gaps > 1 + len(rest) // _REST:  # other matters have a short line for each paragraph: a name, a title
            break
    return rest if len(rest) >= _REST else set()


def _is_paragraph(line: Line) -> bool:
    long = line.kind == "prose" and len(line.text.split()) >= _PARAGRAPH
    return long and not line.is_aside and line.linked < 0.3 * len(line.text)


def _take(own: Sequence[str], wanted: Counter[str], places: range, *, least: int) -> set[int]:
    """Return the places of lines that are wanted, and want them no more."""
    taken = set()
    for at in places:
        if len(own[at]) >= least and wanted[own[at]] > 0:
            wanted[own[at]] -= 1
            taken.add(at)
    return taken


def _plain(text: str) -> str:
    return _MARKS.sub("", text).casefold()


def _shingles(plain: str) -> Counter[str]:
    return Counter(plain[at : at + _SHINGLE] for at in range(len(plain) - _SHINGLE + 1))
