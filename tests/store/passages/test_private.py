"""Passages of private pages are found by those alone who name the page."""

from __future__ import annotations

from dataclasses import replace

import lancedb
import numpy as np
import pytest

from domain import Scope
from store.passages.table import Passages
from store.passages.writer import PassagesWriter
from tests.store.passages.library import LIBRARY, Letters, found, passage
from tests.store.passages.test_memory import wait_for_copy

SECRET = replace(passage(7, 0, "aa the secret Straße"), private=True)
VECTOR = np.ones((1, 4), dtype=np.float32) / 2
EVERY_PUBLIC = {"1-0", "1-1", "2-0", "3-0"}


def told(table: PassagesWriter, scope: Scope) -> set[str]:
    return {hit.passage.id for hit in table.search_vectors(VECTOR, k=9, scope=scope)[0]}


@pytest.fixture
def secret(library: PassagesWriter) -> PassagesWriter:
    library.write_pages({7: [SECRET]}, Letters())
    return library


@pytest.mark.parametrize("pages", [(), (7,), (1, 3), (7, 8)])
def test_private_page_is_found_only_where_it_is_named(secret: Passages, pages: tuple[int, ...]) -> None:
    scope, own = Scope(private_pages=pages), {"7-0"} if 7 in pages else set()
    assert set(found(secret, "straße", scope=scope)) == {"1-0", "2-0"} | own
    assert told(secret, scope) == EVERY_PUBLIC | own
    near = secret.nearest(VECTOR, page_ids=[1, 7], ids=["7-0"], k=9, scope=scope)
    assert {hit.passage.id for hit in near} == {"1-0", "1-1"} | own


def test_what_was_found_is_scored_whether_private_or_not(secret: Passages) -> None:
    assert secret.similarities(VECTOR, ["1-0", "7-0"]).keys() == {"1-0", "7-0"}
    assert secret.passages_of([7]) == [SECRET]


def test_copy_in_memory_holds_public_passages_and_the_table_gives_the_others(secret: Passages, uri: str) -> None:
    reader = Passages.open(uri, embedder_id="test", dimension=4, memory_bytes=2**20)
    wait_for_copy(reader)
    assert told(reader, Scope()) == EVERY_PUBLIC
    assert told(reader, Scope(private_pages=(7,))) == EVERY_PUBLIC | {"7-0"}
    similar = reader.similarities(VECTOR, ["1-0", "7-0"])
    assert {id: float(value[0]) for id, value in similar.items()} == pytest.approx(
        {id: float(value[0]) for id, value in secret.similarities(VECTOR, ["1-0", "7-0"]).items()}, abs=1e-5
    )


def test_copy_of_a_table_without_public_passages_is_empty(table: PassagesWriter, uri: str) -> None:
    table.write_pages({7: [SECRET]}, Letters())
    reader = Passages.open(uri, embedder_id="test", dimension=4, memory_bytes=2**20)
    wait_for_copy(reader)
    assert told(reader, Scope()) == set()


def test_page_that_becomes_public_keeps_its_vectors(secret: Passages) -> None:
    letters = Letters()
    secret.write_pages({7: [replace(SECRET, private=False)]}, letters)
    assert letters.asked == []
    assert told(secret, Scope()) == EVERY_PUBLIC | {"7-0"}


def test_table_of_an_older_version_gets_the_column(library: PassagesWriter, uri: str) -> None:
    lancedb.connect(uri).open_table("passages").drop_columns(["private"])
    again = PassagesWriter.open(uri, embedder_id="test", dimension=4)
    assert told(again, Scope()) == EVERY_PUBLIC
    assert again.passages_of([1])[:1] == [LIBRARY[1][0]]
    again.write_pages({7: [SECRET]}, Letters())
    again.maintain()
    assert set(found(again, "straße")) == {"1-0", "2-0"}


def test_table_of_before_documents_gets_their_tags(library: PassagesWriter, uri: str) -> None:
    lancedb.connect(uri).open_table("passages").drop_columns(["tags"])
    again = PassagesWriter.open(uri, embedder_id="test", dimension=4)
    assert told(again, Scope(no_tags=("team=sales",))) == told(again, Scope(kinds=("web",))) == EVERY_PUBLIC
    again.write_pages({7: [replace(SECRET, private=False, tags=("document", "team=sales"))]}, Letters())
    again.maintain()
    assert told(again, Scope(no_tags=("team=sales",))) == EVERY_PUBLIC
    assert (
        told(again, Scope(any_tags=(("team=sales", "team=ops"),))) == told(again, Scope(kinds=("document",))) == {"7-0"}
    )
