"""Find the main content of a page and write it as text.

A page of documentation is kept whole but for its navigation; of other pages what a library takes for the article. What
the page says of itself decides which it is if that is plain, as the program that made it. Elsewhere the two dangers are
measured: content that would be lost as an article, and boilerplate that would be kept as documentation.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Sequence, Set
from copy import deepcopy
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from crawler.extract.bounded_process import forked
from crawler.extract.element_text import Line, Rendered, joined, lines_of
from crawler.extract.html import MAX_NAMES, names_of
from crawler.extract.navigation import drop_menu_cells, drop_navigation, weigh, without_bars
from domain import TABLES
from text.languages import expand

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
_ARTICLES = re.compile(r'"@type"\s*:\s*\[?\s*"(?:\w*Article|BlogPosting|Report|Review|LiveBlogPosting|Recipe)"')
_SURE = 2
#: scripts of a page without a shop, adverts or counters; of one with them
_FEW_SCRIPTS, _MANY_SCRIPTS = 3, 12
#: shares of the text: content lost within an article, and in all; boilerplate and links
#: in a page that is kept whole
_LOST_WITHIN, _LOST, _OTHER, _MOST_LINKED = 0.05, 0.2, 0.05, 0.5
#: where pages mark their content
_MAIN = (".//*[@role='main']", ".//main", ".//article")
#: an element is the main content if it has this share of the text outside of links
_MAIN_SHARE = 0.5
#: an article with fewer words is not believed
MIN_WORDS = 25
_ARTICLE_SHARE = 0.6
INDEX_PAGE_SHARE = 0.6  #: a page with a larger share of links is a list of links, which is kept
#: an index of more links than this, with fewer words for each, is all links
_INDEX_LINKS, _WORDS_PER_LINK = 100, 15
#: articles, for which trafilatura is made, have fewer
MAX_ELEMENTS = 20_000
#: from so many on it may take the square of their time, minutes: it then works in a process that is ended
_MANY_ELEMENTS = 2_000
#: seconds of processor time for each element then: it needs 50 µs
_ELEMENT_S = 100e-6
_LETTERS = re.compile(r"[^\W_]+")
_SHINGLE = 8  #: characters
_PARAGRAPH = 25  #: words of a long paragraph
_SHARE = 0.6  #: of a line's shingles that are in the library's text
_DIGITS = re.compile(r"\S*\d\S*")
_SENTENCE = 10  #: words of a paragraph in another wrapper
_OF_ARTICLE = 0.3  #: least share of an article's paragraphs that are in wrappers of one kind
_LINKED = 0.3  #: a larger share of links is no text
_ABOVE, _DEPTH = 4, 40  #: elements above a line in which its wrapper is looked for, and above a wrapper
_BOILERPLATE_CHARS = 240  #: a longer line is content
_FOOTER_CHARS = 600  #: of a line at the end of a page
_FOOTER_SHARE = 0.25  #: a footer has less of the page's text
_LISTED = tomllib.loads(Path(__file__).with_name("boilerplate.toml").read_text("utf-8"))


def main_content(tree: Any, kind: Kind) -> tuple[Rendered, float]:
    """Return the text of a page's main content and the share of it that is links; hidden elements must be removed."""
    body = tree.find("body") if tree.find("body") is not None else tree
    drop_menu_cells(body)
    text = "" if kind == "documentation" else article_text(tree)
    lines = lines_of(body) if len(text.split()) >= MIN_WORDS else []
    found = with_like_wrappers(lines, chosen(lines, text))
    # without comments, related pages and so on, unless they are most
    own = [line for line in found if not line.is_aside]
    is_most = sum(len(line.text) for line in own) > _ARTICLE_SHARE * sum(len(line.text) for line in found)
    article = _without_boilerplate(own if is_most else found)
    if article and kind == "article":
        return joined(article), _share(article)
    drop_navigation(body)
    lines = lines_of(_main(body))
    whole = lines if _share(lines) > INDEX_PAGE_SHARE else _without_boilerplate(without_bars(lines))
    if article and kind_by_loss(whole, article, is_plain=kind == "plain") == "article":
        return joined(article), _share(article)
    return joined(whole), _share(lines)


def all_content(tree: Any) -> tuple[Rendered, float]:
    """Return the whole text of a page, of which none counts as links."""
    return joined(lines_of(tree.find("body") if tree.find("body") is not None else tree)), 0.0


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
    links = sum(line.links - line.local for line in lines)
    if links > _INDEX_LINKS and sum(len(line.text.split()) for line in lines) < _WORDS_PER_LINK * links:
        return 1.0
    return sum(line.linked for line in lines) / max(1, sum(len("".join(line.text.split())) for line in lines))


def article_text(tree: Any) -> str:
    """Return what the library takes for the main text of a page; "" if it finds none, or the page is too large."""
    count = sum(1 for _ in islice(tree.iter(), MAX_ELEMENTS))
    if count == MAX_ELEMENTS:
        return ""
    try:
        if count < _MANY_ELEMENTS:
            return library_text(deepcopy(tree))
        return forked(lambda: library_text(tree), cpu_s=1 + _ELEMENT_S * count)
    except Exception:  # a page must not be lost because a library fails on it
        return ""


def library_text(page: Any) -> str:
    """Return what the library takes for the main text of HTML, or of a tree, which it changes; "" if it finds none."""
    import trafilatura  # takes a quarter of a second

    found: str | None = trafilatura.extract(
        page, fast=False, favor_precision=True, output_format="txt", include_comments=False, include_tables=True
    )
    return found or ""


def chosen(lines: Sequence[Line], text: str) -> list[Line]:
    """Return the lines that are in a text: whole, or most of the line if the text breaks lines elsewhere."""
    own = [_plain(line.text) for line in lines]
    wanted = Counter(plain for line in text.splitlines() if (plain := _plain(line)))
    taken = set()
    for at, plain in enumerate(own):
        if wanted[plain] > 0:
            wanted[plain] -= 1
            taken.add(at)
    pieces = Counter(piece for line in wanted.elements() for piece in _shingles(line))
    for at in (at for at in range(len(own)) if pieces and at not in taken):
        shingles = _shingles(own[at])
        if shingles and (shingles & pieces).total() >= _SHARE * shingles.total():
            taken.add(at)
            pieces.subtract(shingles)  # a teaser that repeats the line is not the article
    return [lines[at] for at in sorted(taken)]


def with_like_wrappers(lines: Sequence[Line], article: Sequence[Line]) -> list[Line]:
    """Return an article with the rest of what its page wraps in the same way: the library often stops at one wrapper.

    Wrappers are alike by their classes, or without classes by all elements around them.
    """
    paragraphs = [line for line in article if _is_paragraph(line)]
    weights: Counter[tuple[str, ...]] = Counter()
    for line in paragraphs:
        weights[_kind(line.holder)] += len(line.text)
    kinds = {kind for kind, weight in weights.items() if weight >= _OF_ARTICLE * weights.total()}
    wrapper_of = cache(partial(_wrapper, kinds=kinds))
    held = {line.holder for line in article}
    found: dict[Any, list[Line]] = {}
    for line in lines if paragraphs else ():
        wrapper = wrapper_of(line.holder)
        if wrapper is not None and wrapper not in held:
            found.setdefault(wrapper, []).append(line)
    sentences = (
        within
        for within in found.values()
        if any(line.kind == "prose" and not line.is_aside and len(line.text.split()) >= _SENTENCE for line in within)
    )
    texts = (within for within in sentences if _share(within) < _LINKED)
    taken = {id(line) for line in (*article, *(line for within in texts for line in within))}
    return [line for line in lines if id(line) in taken]


def _around(element: Any) -> list[Any]:
    return [] if element is None else [element, *islice(element.iterancestors(), _DEPTH)]


def _wrapper(holder: Any, kinds: Set[tuple[str, ...]]) -> Any:
    """Return the element of one of these kinds that holds a line, a few elements above it; None if there is none."""
    for element in _around(holder)[:_ABOVE]:
        kind = _kind(element)
        classed = [other for other in kinds if kind[0] == other[0] == "."]
        if kind in kinds or any(set(kind) <= set(other) or set(other) <= set(kind) for other in classed):
            return element
    return None


def _kind(element: Any) -> tuple[str, ...]:
    """Return "." and the classes of an element, without those that number it; without any, what is around it."""
    if element is None:
        return ()
    classes = _classes(element)
    return (".", *classes) if classes else tuple(" ".join((each.tag, *_classes(each))) for each in _around(element))


def _classes(element: Any) -> list[str]:
    return _DIGITS.sub("", element.get("class", "")[:MAX_NAMES]).split()


def _is_paragraph(line: Line) -> bool:
    long = line.kind == "prose" and len(line.text.split()) >= _PARAGRAPH
    return long and not line.is_aside and line.linked < _LINKED * len(line.text)


def _plain(text: str) -> str:
    return "".join(_LETTERS.findall(text)).casefold()


def _shingles(plain: str) -> Counter[str]:
    return Counter(plain[at : at + _SHINGLE] for at in range(len(plain) - _SHINGLE + 1))


def _any_of(name: str) -> re.Pattern[str]:
    return re.compile(expand("|".join(_LISTED[name]), _LISTED["names"]), re.IGNORECASE)


_CHANGED, _ASKED, _ACTION, _MADE = map(_any_of, ("changed", "asked", "action", "made"))
_FOOTER, _RIGHTS = map(_any_of, ("footer", "rights"))
_IMPRINT = frozenset(_LISTED["imprint"].split())
_DATE = re.compile(r"\b(?:19|20)\d\d\b|\bago\b")
_WORD = re.compile(r"[^\W\d_]+")


def _without_boilerplate(lines: Sequence[Line]) -> list[Line]:
    """Return the lines without those about the page: when it was changed, who owns it, what its reader thinks of it.

    Only its words show such a line, so they must be one of these as a whole. A line about rights or about the
    program that made the page is left out only at the page's end; below a heading that names them it is content.
    """
    kept = [line for line in lines if not _is_boilerplate(line)]
    last = len(kept)
    while last and _is_footer(kept[last - 1]):
        last -= 1
    heading = next((line.text for line in reversed(kept[:last]) if line.kind == "heading"), "")
    most = _FOOTER_SHARE * sum(len(line.text) for line in kept)
    is_short = sum(len(line.text) for line in kept[last:]) <= most
    return kept[:last] if is_short and not _RIGHTS.search(heading) else kept


def _is_boilerplate(line: Line) -> bool:
    if line.kind == "code" or len(line.text) > _BOILERPLATE_CHARS:
        return False
    text = line.text.strip(" .!?:|[]")
    if line.links and _ACTION.fullmatch(text):
        return True
    if line.kind != "heading" and (_MADE.fullmatch(text) or (_DATE.search(text) and _CHANGED.fullmatch(text))):
        return True
    return _ASKED.fullmatch(text) is not None


def _is_footer(line: Line) -> bool:
    if line.kind in ("code", "heading") or len(line.text) > _FOOTER_CHARS:
        return False
    words = [word.casefold() for word in _WORD.findall(line.text)]
    is_imprint = line.links > 0 and bool(words) and all(word in _IMPRINT for word in words)
    return is_imprint or _FOOTER.match(line.text.strip(" |.")) is not None


def kind_by_signs(tree: Any) -> Kind:
    """Return the kind of a parsed page by what it says of itself; its scripts and its head must still be there."""
    scripts = sum(1 for _ in islice(tree.iter("script"), _MANY_SCRIPTS))
    points = _points_of_head(tree) + _points_of_body(tree)
    points += (scripts <= _FEW_SCRIPTS) - (scripts == _MANY_SCRIPTS)
    if abs(points) >= _SURE:
        return "documentation" if points > 0 else "article"
    return "plain" if points >= 0 else "unsure"


def kind_by_loss(whole: Sequence[Line], article: Sequence[Line], *, is_plain: bool) -> Kind:
    """Return the kind of a page by the content lost as an article, and the boilerplate kept as documentation."""
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
    little = other < max(_OTHER * total, lost + short) and linked < _MOST_LINKED * total
    return "documentation" if is_plain and little else "article"


def _points_of_head(tree: Any) -> int:
    points = 0
    for meta in tree.iter("meta"):
        name = (meta.get("name") or meta.get("property") or "").lower()
        content = meta.get("content") or ""
        if name == "generator" and _GENERATORS.search(content):
            points += 4
        elif name == "article:published_time" or (name == "og:type" and content.lower() == "article"):
            points -= 2
    data = (script.text or "" for script in tree.iter("script") if "ld+json" in (script.get("type") or ""))
    return points - 2 * any(_ARTICLES.search(text[:200_000]) for text in data)


def _points_of_body(tree: Any) -> int:
    blocks = tree.iter("div", "section", "main", "article", "a", "table", "body", "p", "td")
    points = 3 * any(_DOCUMENTATION_CLASSES.search(names_of(element)) for element in blocks)
    for most, *tags in ((0, "pre"), (2, "dt"), (4, "code", "tt", "kbd", "samp", "var")):
        points += next(islice(tree.iter(*tags), most, None), None) is not None
    return points
