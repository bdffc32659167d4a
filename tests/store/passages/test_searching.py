from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from domain import Scope
from domain.site import SiteScope
from store.passages.writer import PassagesWriter
from tests.store.passages.library import Letters, found, passage


def test_an_empty_table_answers_with_nothing(table: PassagesWriter) -> None:
    assert table.search_text("anything", lang="en", k=5) == []
    assert table.search_vectors(np.eye(4, dtype=np.float32), k=5) == [[], [], [], []]
    assert (table.count(), table.page_ids(), table.passages_of([1])) == (0, set(), [])


@pytest.mark.parametrize(
    ("query", "lang", "expected"),
    [
        ("strasse", "de", {"1-0", "2-0"}),  # ß and case
        ("Haus", "de", {"2-0"}),  # umlaut and plural
        ("house", "en", {"1-1"}),
        ("run", "en", {"1-1"}),
        ("C++", "en", {"1-0"}),
        ("北京", "zh", {"3-0"}),
        ("absent", "en", set()),
        ("", "en", set()),
        ("?!", "en", set()),
        ('"strasse" AND (', "de", {"1-0", "2-0"}),  # nothing in a query is syntax
    ],
)
def test_full_text_finds_a_word_in_its_other_spellings(
    query: str, lang: str, expected: set[str], library: PassagesWriter
) -> None:
    assert set(found(library, query, lang)) == expected


def test_text_hits_carry_bm25_best_first(library: PassagesWriter) -> None:
    hits = library.search_text("strasse Häuser", lang="de", k=2)
    assert [hit.passage.id for hit in hits] == ["2-0", "1-0"]
    assert [hit.rank for hit in hits] == [1, 2]
    assert hits[0].score > hits[1].score > 0
    assert {(hit.scale, hit.similarity, hit.query) for hit in hits} == {("bm25", None, "strasse Häuser")}
    assert [hit.bm25 for hit in hits] == [hit.score for hit in hits]


def test_vector_hits_carry_the_similarity_of_each_query_best_first(library: PassagesWriter) -> None:
    queries = Letters().embed(["aaaa", "dddd"])
    first, second = library.search_vectors(queries, k=4)
    assert (first[0].passage.id, second[0].passage.id) == ("1-0", "3-0")
    for hits, query in ((first, queries[0]), (second, queries[1])):
        scores = [hit.score for hit in hits]
        assert scores == sorted(scores, reverse=True)
        assert {hit.scale for hit in hits} == {"similarity"}
        exact = library.similarities(query[None], [hit.passage.id for hit in hits])
        assert np.allclose(scores, [exact[hit.passage.id][0] for hit in hits], atol=1e-5)


def test_hits_of_the_text_leg_can_be_compared(library: PassagesWriter) -> None:
    assert set(library.similarities(np.eye(4, dtype=np.float32), ["1-0", "9-9"])) == {"1-0"}
    assert library.similarities(np.eye(4, dtype=np.float32), []) == {}


def test_a_score_does_not_depend_on_the_scope(table: PassagesWriter) -> None:
    for number in range(8):
        table.write_pages({number: [passage(number, 0, f"common text {number}")]}, Letters())
    everywhere = {hit.passage.id: hit.score for hit in table.search_text("common", lang="en", k=10)}
    inside = table.search_text("common", lang="en", k=10, scope=Scope(sites=("https://site.example/0",)))
    assert [hit.score for hit in inside] == pytest.approx([everywhere["0-0"]])


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        (Scope(), {1, 2, 3}),
        (Scope(sites=("https://site.example",)), {1, 2}),
        (Scope(sites=("https://site.example/1",)), {1}),
        (Scope(sites=("https://site.exam",)), set()),  # no name begins another
        (Scope(sites=("https://other.example/it's/100%_x",)), {3}),  # a quote and wildcards are only characters
        (Scope(sites=("https://other.example/it's/%",)), set()),
        (Scope(sites=("x' OR 'a' = 'a",)), set()),
        (Scope(sites=(SiteScope.of("http://www.site.example/index.html"),)), {1, 2}),
        (Scope(sites=(SiteScope.of("https://site.example/", exclude=("/2", "*'%_*")),)), {1}),
        (Scope(sites=(SiteScope.of("https://other.example/", include=("/it's/100%_x",)),)), {3}),
        (Scope(sites=(SiteScope.of("https://other.example/", include=("/it's/1000_x",)),)), set()),
        (Scope(sites=(SiteScope.of("https://site.example/1", page_only=True),)), {1}),
        (Scope(sites=("https://site.example/1", "https://other.example/")), {1, 3}),
        (Scope(langs=("de", "zh")), {2, 3}),
        (Scope(langs=("de",), sites=("https://other.example",)), set()),
        (Scope(read_after=datetime(2026, 5, 1, 11, tzinfo=UTC)), {1, 2, 3}),
        (Scope(read_after=datetime(2026, 5, 1, 13)), set()),  # a time without a zone is UTC
    ],
)
def test_a_scope_holds_for_both_legs(scope: Scope, expected: set[int], library: PassagesWriter) -> None:
    by_text = library.search_text("strasse running 大学", lang="zh", k=10, scope=scope)
    [by_vector] = library.search_vectors(np.ones((1, 4), dtype=np.float32), k=10, scope=scope)
    assert {hit.passage.page_id for hit in by_vector} == expected
    assert {hit.passage.page_id for hit in by_text} <= expected


def test_a_scope_is_applied_before_the_best_are_taken(table: PassagesWriter) -> None:
    pages = {number: [passage(number, 0, "common word")] for number in range(1, 31)}
    pages[99] = [passage(99, 0, "common and much longer text about other things", lang="de")]
    table.write_pages(pages, Letters())
    assert found(table, "common", scope=Scope(langs=("de",))) == ["99-0"]
    [hits] = table.search_vectors(np.ones((1, 4), dtype=np.float32), k=1, scope=Scope(langs=("de",)))
    assert [hit.passage.id for hit in hits] == ["99-0"]


def test_a_pasted_page_as_query_is_answered(library: PassagesWriter) -> None:
    assert found(library, "running " + " ".join(f"filler{n}" for n in range(20_000))) == ["1-1"]
