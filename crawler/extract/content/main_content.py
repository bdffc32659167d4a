"""Find the main content of a page and write it as text.

A page of documentation is kept whole but for its navigation; of other pages what a library takes for the article.
"""

from __future__ import annotations

from typing import Any

from crawler.extract.content.article import article_text, chosen
from crawler.extract.content.furniture import without_furniture
from crawler.extract.content.navigation import drop_menu_cells, drop_navigation, without_bars
from crawler.extract.content.page_kind import Kind, kind_by_loss
from crawler.extract.content.weights import weigh
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
