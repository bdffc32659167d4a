"""The copy in memory gives what the table gives, and never an older state."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import Hit, Scope
from store.passages.connect import versions_of
from store.passages.in_memory import Copy
from store.passages.schema import scope_condition
from store.passages.table import Passages
from store.passages.writer import PassagesWriter
from tests.store.passages.library import page, vectors_of

_ENOUGH = 2**20
#: for the vectors and the short columns, not for the texts
_ENOUGH_WITHOUT_TEXTS = 100_000
_PAGES = {number: page(number, f"page {number}", passages=3) for number in range(1, 40)}


@pytest.fixture(scope="module")
def copy(uri: str) -> Copy:
    made = copied(uri)._cached._copy
    assert made is not None
    return made


@pytest.fixture(scope="module")
def uri(tmp_path_factory: pytest.TempPathFactory) -> str:
    uri = str(tmp_path_factory.mktemp("copied"))
    written(uri).replace_pages(_PAGES, vectors_of(_PAGES, np.random.default_rng(5)))
    return uri


def opened(uri: str, *, memory_bytes: int = 0) -> Passages:
    return Passages.open(uri, embedder_id="test", dimension=4, memory_bytes=memory_bytes)


def written(uri: str) -> PassagesWriter:
    return PassagesWriter.open(uri, embedder_id="test", dimension=4)


def copied(uri: str, *, memory_bytes: int = _ENOUGH) -> Passages:
    """A reader whose copy is made."""
    table = opened(uri, memory_bytes=memory_bytes)
    wait_for_copy(table)
    return table


def wait_for_copy(table: PassagesWriter) -> None:
    deadline = time.monotonic() + 30
    while table._copy() is None:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def told(hits: Sequence[Hit]) -> list[tuple[str, int, float | None]]:
    return [(hit.passage.id, hit.rank, round(hit.similarity or 0.0, 4)) for hit in hits]


@pytest.mark.parametrize("memory_bytes", [_ENOUGH, _ENOUGH_WITHOUT_TEXTS])
def test_the_copy_finds_what_the_table_finds(uri: str, memory_bytes: int) -> None:
    table, copy = opened(uri), copied(uri, memory_bytes=memory_bytes)
    made = copy._cached._copy
    assert made is not None
    assert made._is_whole == (memory_bytes == _ENOUGH)
    vectors = np.random.default_rng(6).standard_normal((20, 4)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    for k in (1, 7, 500):
        assert list(map(told, copy.search_vectors(vectors, k=k))) == list(map(told, table.search_vectors(vectors, k=k)))
        assert copy.search_text("page 7", lang="en", k=k) == table.search_text("page 7", lang="en", k=k) != []
    assert copy.search_vectors(vectors[:1], k=5)[0][0].passage == table.search_vectors(vectors[:1], k=5)[0][0].passage
    near = {"page_ids": {3, 5}, "ids": {"9-1", "404-0"}, "k": 5}
    assert told(copy.nearest(vectors, **near)) == told(table.nearest(vectors, **near))
    exact, stored = (each.similarities(vectors, {"1-0", "2-1", "404-0"}) for each in (copy, table))
    assert exact.keys() == stored.keys() == {"1-0", "2-1"}
    assert all(np.allclose(exact[id], stored[id], atol=1e-5) for id in exact)
    assert made.sentences([]) == {}
    assert made.sentences({"1-0", "404-0"}).keys() == {"1-0"}


def test_what_the_table_lost_since_it_was_copied_is_left_out(tmp_path: Path) -> None:
    writer = written(str(tmp_path))
    writer.replace_pages(_PAGES, vectors_of(_PAGES, np.random.default_rng(5)))
    reader = copied(str(tmp_path), memory_bytes=_ENOUGH_WITHOUT_TEXTS)
    copy = reader._cached._copy
    assert copy is not None
    writer.delete_pages({number for number in _PAGES if number > 3})
    writer.maintain()
    hits = copy.search_vectors(np.ones((1, 4), dtype=np.float32) / 2, k=500)[0]
    assert {hit.passage.page_id for hit in hits} == {1, 2, 3}
    reader._cached.current = lambda: copy  # type: ignore[method-assign]
    found = reader.search_text("page", lang="en", k=500)
    assert {hit.passage.page_id for hit in found} == {1, 2, 3}


class _Counted:
    """A table that counts how often its version is asked for."""

    def __init__(self, table: Any) -> None:
        self._table, self.asked = table, 0

    @property
    def version(self) -> int:
        self.asked += 1
        return int(self._table.version)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)


def let_time_pass(uri: str, hours: int) -> None:
    """Have the last commit to the table be that many hours after 1970: another one has another time."""
    os.utime(versions_of(uri), (3600 * hours, 3600 * hours))


def test_search_of_all_public_passages_finds_them_in_the_copy_though_the_table_changes(tmp_path: Path) -> None:
    uri = str(tmp_path)
    writer = written(uri)
    writer.replace_pages(_PAGES, vectors_of(_PAGES, np.random.default_rng(5)))
    copy = copied(uri)._cached._copy
    assert copy is not None
    writer.delete_pages(list(_PAGES))
    [hits] = copy.search_vectors(np.ones((1, 4), dtype=np.float32), k=5, within=scope_condition(Scope()))
    assert len(hits) == 5


def test_the_table_is_asked_for_its_version_once_for_each_commit(tmp_path: Path) -> None:
    writer = written(str(tmp_path))
    writer.replace_pages(_PAGES, vectors_of(_PAGES, np.random.default_rng(5)))
    reader = copied(str(tmp_path))
    counted = reader._cached._table = _Counted(reader._table())
    let_time_pass(str(tmp_path), 1)
    assert all(reader._copy() is not None for _ in range(5))
    assert counted.asked == 1
    writer.delete_pages({1})
    let_time_pass(str(tmp_path), 2)
    reader._cached._next_at = float("inf")  # no other copy is made
    assert [reader._copy() for _ in range(5)] == [None] * 5
    assert counted.asked == 2


def test_two_commits_in_one_tick_of_the_clock_are_both_seen(tmp_path: Path) -> None:
    writer = written(str(tmp_path))
    reader = copied(str(tmp_path))
    reader._cached._next_at = float("inf")
    writer.replace_pages(_PAGES, vectors_of(_PAGES, np.random.default_rng(5)))
    changed = versions_of(str(tmp_path)).stat()
    first = reader._cached._version()
    writer.delete_pages({1})
    os.utime(versions_of(str(tmp_path)), ns=(changed.st_atime_ns, changed.st_mtime_ns))
    assert reader._cached._version() > first


def test_empty_table_is_copied_and_nothing_is_found_in_it(tmp_path: Path) -> None:
    written(str(tmp_path))
    assert copied(str(tmp_path)).search_vectors(np.ones((1, 4), dtype=np.float32), k=5) == [[]]


def test_nothing_is_found_of_nothing(uri: str) -> None:
    copy = copied(uri)
    assert copy.search_vectors(np.empty((0, 4), dtype=np.float32), k=5) == []
    assert copy.nearest(np.ones((1, 4), dtype=np.float32), page_ids=set(), ids={"404-0"}, k=5) == []
    assert copy.search_vectors(np.ones((1, 4), dtype=np.float32), k=0) == [[]]


@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 200))
def test_the_best_are_those_of_a_whole_sort(copy: Copy, seed: int, k: int) -> None:
    vector = np.random.default_rng(seed).choice([-1.0, 0.0, 1.0], size=(1, 4)).astype(np.float32)
    every = copy.search_vectors(vector, k=10_000)[0]
    assert told(copy.search_vectors(vector, k=k)[0]) == told(every[:k])
    assert [(-hit.score, hit.passage.id) for hit in every] == sorted((-hit.score, hit.passage.id) for hit in every)


def test_a_commit_of_another_handle_is_seen_at_once_and_copied_again(tmp_path: Path) -> None:
    pages = {1: page(1, "old", passages=1)}
    writer = written(str(tmp_path))
    writer.replace_pages(pages, vectors_of(pages, np.random.default_rng(1)))
    reader = copied(str(tmp_path))
    vector = np.ones((1, 4), dtype=np.float32) / 2
    for number in range(2, 6):
        pages = {number: page(number, "new", passages=1)}
        writer.replace_pages(pages, vectors_of(pages, np.random.default_rng(number)))
        assert {hit.passage.page_id for hit in reader.search_vectors(vector, k=10)[0]} == set(range(1, number + 1))
    wait_for_copy(reader)
    assert len(reader.search_vectors(vector, k=10)[0]) == 5


@pytest.mark.parametrize("memory_bytes", [_ENOUGH, _ENOUGH_WITHOUT_TEXTS])
def test_the_copy_finds_within_a_scope_what_the_table_does(tmp_path: Path, memory_bytes: int) -> None:
    writer = written(str(tmp_path))
    tagged = {
        number: [
            replace(each, tags=("document", f"n={number % 5}", f"even={number % 2 == 0}") if number % 3 else ())
            for each in passages
        ]
        for number, passages in _PAGES.items()
    }
    writer.replace_pages(tagged, vectors_of(_PAGES, np.random.default_rng(5)))
    table, copy = opened(str(tmp_path)), copied(str(tmp_path), memory_bytes=memory_bytes)
    vectors = np.random.default_rng(6).standard_normal((3, 4)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    for scope, meant in (
        (Scope(sites=("https://site.example/7",)), lambda n, tags: n == 7),
        (Scope(any_tags=(("n=1", "n=2"),)), lambda n, tags: bool(tags) and n % 5 in (1, 2)),
        (
            Scope(any_tags=(("n=1", "n=2"), ("even=True",))),
            lambda n, tags: bool(tags) and n % 5 in (1, 2) and n % 2 == 0,
        ),
        (Scope(no_tags=("n=1",)), lambda n, tags: not tags or n % 5 != 1),
        (Scope(any_tags=((),)), lambda n, tags: False),
        (Scope(kinds=("document",)), lambda n, tags: bool(tags)),
        (Scope(kinds=("web", "file")), lambda n, tags: not tags),
        (Scope(kinds=("file",)), lambda n, tags: False),
        (Scope(any_tags=(("it's",),)), lambda n, tags: False),
    ):
        assert copy._copy(scope) is not None
        assert table._copy(scope) is None
        for _ in range(2):  # the second time its places are known
            for k in (3, 500):
                ours, theirs = (
                    copy.search_vectors(vectors, k=k, scope=scope),
                    table.search_vectors(vectors, k=k, scope=scope),
                )
                assert list(map(told, ours)) == list(map(told, theirs))
        wanted = {f"{n}-{ord}" for n in _PAGES if meant(n, tagged[n][0].tags) for ord in range(3)}
        assert {hit.passage.id for hit in ours[0]} == wanted, scope
        assert {hit.passage.id for hit in copy.search_text("page part", lang="en", k=500, scope=scope)} == wanted
        near = {"page_ids": {3, 5, 7}, "ids": {"9-1", "404-0", "11-0"}, "k": 50, "scope": scope}
        assert told(copy.nearest(vectors, **near)) == told(table.nearest(vectors, **near))


def test_a_time_of_reading_or_private_pages_ask_the_table(uri: str) -> None:
    copy = copied(uri)
    assert copy._copy(Scope(private_pages=(1,))) is None
    assert copy._copy(Scope(read_after=datetime(2026, 1, 1, tzinfo=UTC))) is None


def test_a_table_that_is_too_large_is_not_copied(uri: str) -> None:
    table = opened(uri, memory_bytes=1_000)
    assert table._copy() is None
    deadline = time.monotonic() + 30
    while table._cached._making.locked() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert table._cached._copy is None
    assert len(table.search_vectors(np.ones((1, 4), dtype=np.float32), k=9)[0]) == 9
