"""Finds the names of a page, and those in its passages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from domain import Fact, Page, Passage
from store.graph.entities import PageNames
from text.names import name_key, names_in, names_of, proper_nouns
from text.stopwords import stop_words


def names_of_page(page: Page, passages: Sequence[Passage], facts: Sequence[Fact] = ()) -> PageNames:
    """Return a page's names; none without passages, as such a page is gone or a list of links."""
    if not passages:
        return PageNames()
    empty = stop_words(page.lang)
    return PageNames(
        bears=names_of(page.title),
        mentions=_with_subjects(passages, {p.ord: proper_nouns(p.text, empty=empty) for p in passages}, facts),
        maybe={p.ord: names_in(p.text, empty=empty) for p in passages},
        private=page.private,
    )


def _with_subjects(
    passages: Sequence[Passage], mentions: Mapping[int, Sequence[str]], facts: Sequence[Fact]
) -> dict[int, Sequence[str]]:
    """Add the subjects of the page's facts (from JSON-LD and tables) to the passages that state them."""
    found = {ord: dict.fromkeys(names) for ord, names in mentions.items()}
    for fact in facts:
        at = next((p.ord for p in passages if fact.start is not None and p.start <= fact.start < p.end), 0)
        if name := name_key(fact.subject):
            found.setdefault(at, {}).setdefault(name)
    return {ord: tuple(names) for ord, names in found.items()}
