"""Rank the known links for a question: the frontier of candidates to fetch, best first; or those of a whole site.

A link ranks by the words that its anchors, path and context share with the question, and by how near they are to it in
meaning. Links that have neither come last, contents pages first among them, so that a site with bare anchors is
explored too. Endless families of URLs are bounded.
"""

import re
from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final
from urllib.parse import unquote

from crawler import urls
from crawler.discovery.relevance import LinkWords, Rarity, Similarity, nearness, relevance
from crawler.file_kinds import NOT_READ
from crawler.urls import BadUrl, is_trap
from domain import LIST_KINDS, Candidate, CandidateKind, Link
from domain.site import SiteScope

#: URLs that differ only in their query's values, as those of calendars and search forms
MAX_PER_PATTERN: Final = 5
#: one in so many places may go to sitemaps and feeds
DISCOVERY_SHARE: Final = 5

#: pages that consist of links
_INDEX_PAGE: Final = re.compile(
    r"(?:^|/)(?:index|overview|archives?|browse|categor(?:y|ies)|topics|docs?|documentation|library|reference|guides?"
    r"|help|faq|wiki|uebersicht)"
    r"(?:\.\w{2,5})?/?$",
    re.IGNORECASE,
)
#: pages that list a whole site or book
_LIST: Final = re.compile(
    r"(?:^|/)(?:(?:table-of-)?contents?|toc|(?:gen|book|(?:py-)?mod|full|site|a-z)-?index|site-?map|all|inhalt)"
    r"(?:\.\w{2,5})?/?$",
    re.IGNORECASE,
)
#: the file behind a folder's own URL
_FRONT: Final = re.compile(r"/(?:index|default)\.(?:html?|php|aspx?)$", re.IGNORECASE)
#: pages with no text of their own, or with a little of everything
_POOR: Final = re.compile(
    r"/(?:_sources|_static|_modules|_images|_downloads|cdn-cgi|wp-(?:admin|json|login\.php)"
    r"|(?:log|sign)-?(?:in|out|up)|register|account|cart|checkout|privacy|terms|cookies?|imprint|impressum|datenschutz"
    r"|copyright|licen[cs]e|share|print|search|tags?|authors?|users?|revisions?|history|edit|diff"
    r"|what-?s-?new|change-?log|release-?notes|releases|news)(?:[/._?-]|$)",
    re.IGNORECASE,
)

_INDEX_PAGE_SCORE: Final = 0.08  #: so a contents page outranks a link that covers less of the question
#: for a list of the whole site, scaled by how little of the question any link covers; half for the second, …
_LIST_SCORE: Final = 0.2
_INHERITED: Final = 0.3  #: share of the score of the page with the link
_ENGINE_SCORE: Final = 0.3  #: for an engine's first result: the engine knows its text, the frontier only its title
_POOR_FACTOR: Final = 0.5
_TEXT_CHARS: Final = 300


def rank(
    links: Sequence[Link],
    *,
    question: str,
    lang: str,
    queries: Sequence[str],
    seen: Container[str],
    limit: int,
    rarity: Rarity = lambda term: 1.0,
    parents: Mapping[str, Collection[str]] = MappingProxyType({}),
    similarity: Similarity | None = None,
) -> list[Candidate]:
    """Rank the URLs that are not in ``seen``: at most ``limit`` candidates, one for each URL.

    ``links`` may name a URL several times, with other words; an engine's links are ordered best first. Sitemaps and
    feeds come before pages, on at most a fifth of the places. ``rarity`` weighs an analysed term of the question.
    ``parents`` has the pages that link to each URL: a link inherits a share of their score. ``similarity`` compares
    texts with the question in meaning; without it only words rank.
    """
    known = _merge((link for link in links if not link.nofollow), seen)
    shared = relevance(known, question=question, queries=queries, lang=lang, rarity=rarity)
    of_url = {entry.link.url: share for entry, share in zip(known, shared, strict=True)}
    new = [entry for entry in known if not entry.is_read]
    inherited = {url: max((of_url.get(parent, 0.0) for parent in on), default=0.0) for url, on in parents.items()}
    by_words = [of_url[entry.link.url] for entry in new]
    near = nearness(new, by_words, similarity) if similarity else [0.0] * len(new)
    scores = [
        _score(entry, shared + more, inherited.get(entry.link.url, 0.0))
        for entry, shared, more in zip(new, by_words, near, strict=True)
    ]
    doubt = 1 - min(1.0, max(by_words, default=0.0))
    scored = _with_lists(list(zip(new, scores, strict=True)), doubt)
    files = [entry.candidate(score) for entry, score in scored if entry.kind != "page"]
    pages = (entry.candidate(score) for entry, score in scored if entry.kind == "page")
    first = files[: max(1, limit // DISCOVERY_SHARE)]
    return [*first, *_readable(pages, limit - len(first))][: max(0, limit)]


def candidate_kind(link: Link) -> CandidateKind:
    """Return the kind of a link's target: a page, or a list of pages."""
    return LIST_KINDS.get(link.origin, "page")


def leads_to_text(url: str) -> bool:
    """Return whether a URL may lead to text: not to an image, program or archive, and not into a trap."""
    try:
        return NOT_READ.search(url.partition("?")[0]) is None and not is_trap(url)
    except BadUrl:
        return False


@dataclass(kw_only=True)
class _Entry(LinkWords):
    link: Link
    engine_rank: int | None = None  #: its best at an engine

    @property
    def kind(self) -> CandidateKind:
        return candidate_kind(self.link)

    def candidate(self, score: float) -> Candidate:
        anchors = self.anchors
        return Candidate(
            url=self.link.url,
            kind=self.kind,
            score=round(score, 4),
            origin=self.link.origin,
            text=max(anchors, key=len)[:_TEXT_CHARS] if anchors else "",
        )


def _merge(links: Iterable[Link], seen: Container[str]) -> list[_Entry]:
    known: dict[str, _Entry] = {}
    engines = 0
    for link in links:
        entry = known.get(link.url)
        if entry is None:
            path = re.sub(r"[/\-_.?=&+,;:~]+", " ", unquote(_path(link.url)))
            # seen itself, or as the folder whose front page it is
            is_read = link.url in seen or (_FRONT.search(link.url) is not None and _FRONT.sub("/", link.url) in seen)
            entry = known[link.url] = _Entry(link=link, path=path, is_read=is_read)
        if link.origin.startswith("engine:") and entry.engine_rank is None:
            entry.engine_rank, engines = engines, engines + 1
        entry.anchors |= dict.fromkeys(filter(None, link.text.split("\n")))
        if link.context:
            entry.contexts[link.context] = None
    return list(known.values())


def _score(entry: _Entry, shared: float, inherited: float) -> float:
    score = shared + _INHERITED * inherited
    if entry.engine_rank is not None:
        score += _ENGINE_SCORE / (1 + entry.engine_rank / 5)
    path = _path(entry.link.url)
    if not path or _INDEX_PAGE.search(path) or _LIST.search(path):
        score += _INDEX_PAGE_SCORE
    return score * _POOR_FACTOR if _POOR.search(entry.link.url) else score


def _with_lists(scored: Iterable[tuple[_Entry, float]], doubt: float) -> list[tuple[_Entry, float]]:
    """Order best first; raise the lists of a whole site if no link covers the question."""
    ordered, lists = sorted(scored, key=_best_first), 0
    for at, (entry, score) in enumerate(ordered):
        if _LIST.search(_path(entry.link.url)):
            lists += 1
            ordered[at] = entry, score + _LIST_SCORE * doubt / lists
    return sorted(ordered, key=_best_first)


def _best_first(scored: tuple[_Entry, float]) -> tuple[float, int]:
    return -scored[1], scored[0].link.url.count("/")


def _path(url: str) -> str:
    return url.split("/", 3)[3] if url.count("/") > 2 else ""


def _readable(candidates: Iterable[Candidate], limit: int) -> Iterator[Candidate]:
    """Yield the candidates that may be text and are not of an endless family, up to ``limit``."""
    patterns: Counter[str] = Counter()
    for candidate in filter(lambda candidate: leads_to_text(candidate.url), candidates):
        if limit <= 0:
            return
        address, _, query = candidate.url.partition("?")
        pattern = address + "?" + "&".join(sorted(part.partition("=")[0] for part in query.split("&")))
        patterns[pattern] += bool(query)
        if patterns[pattern] <= MAX_PER_PATTERN:
            limit -= 1
            yield candidate


#: URLs that differ only in their query, as those of calendars and search forms
MAX_PER_ADDRESS: Final = 200
_LISTS_SCORE: Final = 2.0  #: of a whole site: a sitemap or feed is read before any page


def belongs(link: Link, scope: SiteScope, *, depth: int = 0) -> bool:
    """Return whether a link leads to a page of a site, or to a list of its pages: that may be anywhere at its host.

    ``depth`` is the page's distance from the front page.
    """
    if candidate_kind(link) == "page":
        return (scope.depth is None or depth <= scope.depth) and scope.covers(link.url)
    return not scope.is_page and urls.origin(link.url) in scope.origins


def candidates_of_site(links: Iterable[Link], *, scope: SiteScope, depth: int, max_depth: int) -> list[Candidate]:
    """Return candidates for the links that belong to the site, each URL once: lists of pages first, near pages next.

    ``depth`` is the links' distance from the front page. Links that are not to be followed, lead to no text or into a
    trap are left out.
    """
    found: dict[str, Candidate] = {}
    for link in links:
        kind = candidate_kind(link)
        if link.nofollow or link.url in found or not belongs(link, scope):
            continue
        if kind != "page":
            found[link.url] = Candidate(url=link.url, kind=kind, score=_LISTS_SCORE, depth=depth, origin=link.origin)
        elif depth <= max_depth and leads_to_text(link.url):
            found[link.url] = Candidate(
                url=link.url, score=1 / (1 + depth), depth=depth, origin=link.origin, text=link.text[:300]
            )
    return list(found.values())
