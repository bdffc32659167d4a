"""Tell pages of documentation, which are kept whole, from articles among other matters of a site.

What the page says of itself decides where it is plain: the program that made it, links to its chapter, marks for social
networks. Elsewhere the two dangers are measured: content that would be lost as an article, and other matters that would
be kept as documentation.
"""

import re
from collections.abc import Sequence
from itertools import islice
from typing import Any, Literal

from crawler.extract.element_text import Line
from crawler.extract.html import names_of
from domain import TABLES

Kind = Literal["documentation", "article", "plain", "unsure"]

_GENERATORS = re.compile(
    r"docbook|docutils|sphinx|asciidoc|texi2|texinfo|makeinfo|latex2html|hevea|tex4ht|doxygen|javadoc|mkdocs|docusaurus|"
    r"gitbook|mdbook|publican|vitepress|vuepress|antora|rustdoc|pandoc|pdoc|yard|exdoc|ex_doc|mediawiki|dokuwiki|yelp|"
    r"groff|man2html|pod2html|help ?& ?manual|robohelp|madcap|dita|oxygen|zensical|bookdown|quarto|jupyter|starlight",
    re.IGNORECASE,
)
_DOCUMENTATION_CLASSES = re.compile(
    r"(?:^|\s)(?:navheader|navfooter|docnav|sphinxsidebar|rst-content|md-content|theme-doc-markdown|mw-parser-output|"
    r"mw-body-content|vp-doc|headerlink|rustdoc|docblock|memitem|memproto|markdown-body|refentry|sectionbody|texinfo|"
    r"manpage|document|nav_table|nav-panel|td-content|docs-content|doc-content|documentation)(?:$|\s)"
)
_CHAPTERS = frozenset("up contents chapter section subsection glossary appendix copyright".split())
_ARTICLES = re.compile(r'"@type"\s*:\s*\[?\s*"(?:\w*Article|BlogPosting|Report|Review|LiveBlogPosting|Recipe)"')
_SOCIAL = ("og:", "twitter:", "article:", "fb:")
_SURE = 2
#: scripts of a page without a shop, adverts or counters; of one with them
_FEW_SCRIPTS, _MANY_SCRIPTS = 3, 12
#: shares of the text: content lost within an article, and in all; other matters and links
#: in a page that is kept whole
_LOST_WITHIN, _LOST, _OTHER, _LINKED = 0.05, 0.2, 0.05, 0.5


def kind_by_signs(tree: Any) -> Kind:
    """Return the kind of a parsed page by what it says of itself; its scripts and its head must still be there."""
    scripts = sum(1 for _ in islice(tree.iter("script"), _MANY_SCRIPTS))
    points = _points_of_head(tree) + _points_of_body(tree)
    points += (scripts <= _FEW_SCRIPTS) - (scripts == _MANY_SCRIPTS)
    if abs(points) >= _SURE:
        return "documentation" if points > 0 else "article"
    return "plain" if points >= 0 else "unsure"


def kind_by_loss(whole: Sequence[Line], article: Sequence[Line], *, is_plain: bool) -> Kind:
    """Return the kind of a page by what it would lose as an article, and keep of other matters as documentation."""
    kept = {line.text for line in article}
    places = [at for at, line in enumerate(whole) if line.text in kept]
    lost = within = short = linked = other = 0
    for at, line in enumerate(whole):
        if line.text in kept:
            continue
        if line.is_aside:
            other += len(line.text)
        elif line.linked > 0.4 * len("".join(line.text.split())):
            linked += len(line.text)
        elif line.kind in ("code", "definition", *TABLES) or len(line.text.split()) >= 8:
            lost += len(line.text)
            within += len(line.text) if places and places[0] < at < places[-1] else 0
        else:
            short += len(line.text)
    total = max(1, sum(len(line.text) for line in whole))
    if within >= _LOST_WITHIN * total or (lost >= _LOST * total and lost > other + linked):
        return "documentation"
    little = other < max(_OTHER * total, lost + short) and linked < _LINKED * total
    return "documentation" if is_plain and little else "article"


def _points_of_head(tree: Any) -> int:
    points = social = 0
    for meta in tree.iter("meta"):
        name = (meta.get("name") or meta.get("property") or "").lower()
        content = meta.get("content") or ""
        if name == "generator" and _GENERATORS.search(content):
            points += 4
        elif name == "article:published_time" or (name == "og:type" and content.lower() == "article"):
            points -= 2
        social += name.startswith(_SOCIAL)
    points -= social > 3
    if any(not _CHAPTERS.isdisjoint((link.get("rel") or "").lower().split()) for link in tree.iter("link")):
        points += 2
    data = (script.text or "" for script in tree.iter("script") if "ld+json" in (script.get("type") or ""))
    return points - 2 * any(_ARTICLES.search(text[:200_000]) for text in data)


def _points_of_body(tree: Any) -> int:
    blocks = tree.iter("div", "section", "main", "article", "a", "table", "body", "p", "td")
    holders = tree.iter("div", "section", "article", "span")
    points = 3 * any(_DOCUMENTATION_CLASSES.search(names_of(element)) for element in blocks)
    points -= 2 * any("articlebody" in (element.get("itemprop") or "").lower() for element in holders)
    for most, *tags in ((0, "pre"), (2, "dt"), (4, "code", "tt", "kbd", "samp", "var")):
        points += next(islice(tree.iter(*tags), most, None), None) is not None
    return points
