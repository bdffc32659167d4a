from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from store import passages_indices as indices
from store.passages import COMMITS_BETWEEN_TENDING, Passages, connect
from store.passages_errors import EmbedderMismatch, PassagesError
from store.passages_reindex import reindex
from store.types import Passage, Scope

READ = datetime(2026, 5, 1, 12, tzinfo=UTC)


def passage(page_id: int, ord: int, text: str, *, title: str = "", lang: str = "en", url: str = "") -> Passage:
    return Passage(
        id=f"{page_id}-{ord}",
        page_id=page_id,
        ord=ord,
        url=url or f"https://site.example/{page_id}",
        title=title,
        lang=lang,
        text=text,
        start=0,
        end=len(text),
        content_hash=f"{title}|{text}",
        read_at=READ,
    )


def page(page_id: int, text: str, *, passages: int) -> list[Passage]:
    return [passage(page_id, ord, f"{text} part {ord} of {passages}") for ord in range(passages)]


def vectors_of(
    pages: Mapping[int, Sequence[Passage]], random: np.random.Generator, dimension: int = 4
) -> dict[str, NDArray[np.float32]]:
    hashes = [p.content_hash for passages in pages.values() for p in passages]
    rows = random.standard_normal((len(hashes), dimension)).astype(np.float32)
    return dict(zip(hashes, rows / np.linalg.norm(rows, axis=1, keepdims=True), strict=True))


class Letters:
    """A small embedder of counts of letters; remembers what it was asked to embed."""

    def __init__(self, id: str = "test", letters: str = "abcd") -> None:
        self.id = id
        self.dimension = len(letters)
        self.asked: list[str] = []
        self._letters = letters

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        counts = np.array([[text.count(letter) + 0.1 for letter in self._letters] for text in texts], dtype=np.float32)
        counts = counts.reshape(len(texts), self.dimension)
        unit: NDArray[np.float32] = counts / np.linalg.norm(counts, axis=1, keepdims=True)
        return unit


@pytest.fixture
def uri(tmp_path: Path) -> str:
    return str(tmp_path / "lance")


@pytest.fixture
def table(uri: str) -> Passages:
    return Passages.open(uri, embedder_id="test", dimension=4, writer=True)


LIBRARY = {
    1: [passage(1, 0, "aa The Straße in C++"), passage(1, 1, "bb running houses")],
    2: [passage(2, 0, "cc Häuser an der STRASSE", lang="de")],
    3: [passage(3, 0, "dd 北京大学是一所大学", lang="zh", url="https://other.example/it's/100%_x")],
}


@pytest.fixture
def library(table: Passages) -> Passages:
    table.write_pages(LIBRARY, Letters())
    return table


def found(table: Passages, text: str, lang: str = "en", scope: Scope | None = None) -> list[str]:
    return [hit.passage.id for hit in table.search_text(text, lang=lang, k=10, scope=scope or Scope())]


# --- searching


def test_an_empty_table_answers_with_nothing(table: Passages) -> None:
    assert table.search_text("anything", lang="en", k=5) == []
    assert table.search_vectors(np.eye(4, dtype=np.float32), k=5) == [[], [], [], []]
    assert (table.count(), table.page_ids(), table.get(["1-0"]), table.passages_of([1])) == (0, set(), [], [])


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
    query: str, lang: str, expected: set[str], library: Passages
) -> None:
    assert set(found(library, query, lang)) == expected


def test_text_hits_carry_bm25_best_first(library: Passages) -> None:
    hits = library.search_text("strasse Häuser", lang="de", k=2)
    assert [hit.passage.id for hit in hits] == ["2-0", "1-0"]
    assert [hit.rank for hit in hits] == [1, 2]
    assert hits[0].score > hits[1].score > 0
    assert {(hit.scale, hit.similarity, hit.query) for hit in hits} == {("bm25", None, "strasse Häuser")}
    assert [hit.bm25 for hit in hits] == [hit.score for hit in hits]


def test_vector_hits_carry_the_similarity_of_each_query_best_first(library: Passages) -> None:
    queries = Letters().embed(["aaaa", "dddd"])
    first, second = library.search_vectors(queries, k=4)
    assert (first[0].passage.id, second[0].passage.id) == ("1-0", "3-0")
    for hits, query in ((first, queries[0]), (second, queries[1])):
        scores = [hit.score for hit in hits]
        assert scores == sorted(scores, reverse=True)
        assert {hit.scale for hit in hits} == {"similarity"}
        exact = library.similarities(query[None], [hit.passage.id for hit in hits])
        assert np.allclose(scores, [exact[hit.passage.id][0] for hit in hits], atol=1e-5)


def test_either_leg_can_score_the_others_hits(library: Passages) -> None:
    scores = {hit.passage.id: hit.score for hit in library.search_text("strasse running", lang="en", k=10)}
    assert set(scores) == {"1-0", "1-1", "2-0"}
    del scores["1-1"]
    assert library.bm25s("strasse running", lang="en", ids=["1-0", "2-0", "3-0"]) == pytest.approx(scores)
    assert set(library.similarities(np.eye(4, dtype=np.float32), ["1-0", "9-9"])) == {"1-0"}
    assert library.bm25s("strasse", lang="de", ids=[]) == {}
    assert library.similarities(np.eye(4, dtype=np.float32), []) == {}


def test_a_score_does_not_depend_on_the_scope(table: Passages) -> None:
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
        (Scope(sites=("https://site.example/1", "https://other.example/")), {1, 3}),
        (Scope(langs=("de", "zh")), {2, 3}),
        (Scope(langs=("de",), sites=("https://other.example",)), set()),
        (Scope(read_after=datetime(2026, 5, 1, 11, tzinfo=UTC)), {1, 2, 3}),
        (Scope(read_after=datetime(2026, 5, 1, 13)), set()),  # a time without a zone is UTC
    ],
)
def test_a_scope_holds_for_both_legs(scope: Scope, expected: set[int], library: Passages) -> None:
    by_text = library.search_text("strasse running 大学", lang="zh", k=10, scope=scope)
    [by_vector] = library.search_vectors(np.ones((1, 4), dtype=np.float32), k=10, scope=scope)
    assert {hit.passage.page_id for hit in by_vector} == expected
    assert {hit.passage.page_id for hit in by_text} <= expected


def test_a_scope_is_applied_before_the_best_are_taken(table: Passages) -> None:
    pages = {number: [passage(number, 0, "common word")] for number in range(1, 31)}
    pages[99] = [passage(99, 0, "common and much longer text about other things", lang="de")]
    table.write_pages(pages, Letters())
    assert found(table, "common", scope=Scope(langs=("de",))) == ["99-0"]
    [hits] = table.search_vectors(np.ones((1, 4), dtype=np.float32), k=1, scope=Scope(langs=("de",)))
    assert [hit.passage.id for hit in hits] == ["99-0"]


def test_a_pasted_page_as_query_is_answered(library: Passages) -> None:
    assert found(library, "running " + " ".join(f"filler{n}" for n in range(20_000))) == ["1-1"]


# --- looking up


def test_passages_come_back_as_they_were_stored(library: Passages) -> None:
    assert library.get(["3-0", "unknown", "1-1"]) == [LIBRARY[3][0], LIBRARY[1][1]]
    assert library.passages_of([2, 1]) == [*LIBRARY[1], *LIBRARY[2]]
    assert (library.count(), library.page_ids()) == (4, {1, 2, 3})


def test_a_text_with_quotes_is_found_by_its_hash(table: Passages) -> None:
    quoted = passage(1, 0, "it's 'quoted' ''")
    table.write_pages({1: [quoted]}, Letters())
    assert set(table.vectors_for([quoted.content_hash, "other"])) == {quoted.content_hash}


# --- writing


def test_replacing_a_page_leaves_exactly_the_new_passages(library: Passages) -> None:
    library.write_pages({1: [passage(1, 0, "changed")], 4: [passage(4, 0, "new")]}, Letters())
    assert [p.text for p in library.passages_of([1, 4])] == ["changed", "new"]
    assert library.page_ids() == {1, 2, 3, 4}
    assert found(library, "running") == []
    assert found(library, "changed") == ["1-0"]


def test_a_page_without_passages_goes(library: Passages) -> None:
    library.write_pages({1: [], 2: LIBRARY[2]}, Letters())
    assert library.page_ids() == {2, 3}
    library.write_pages({2: []}, Letters())
    library.delete_pages([])
    assert library.page_ids() == {3}


def test_pages_are_replaced_in_one_commit(library: Passages) -> None:
    library.write_pages({10: page(10, "filler", passages=20)}, Letters())
    library.tend()
    before = library.version()
    library.write_pages({1: [passage(1, 0, "x")], 2: [], 5: [passage(5, 0, "y")]}, Letters())
    assert library.version() == before + 1


def test_unchanged_text_is_not_embedded_again(library: Passages) -> None:
    embedder = Letters()
    written = library.write_pages({1: [*LIBRARY[1], passage(1, 2, "dd new")]}, embedder)
    assert (written.passages, written.embedded) == (3, 1)
    assert embedder.asked == ["dd new"]
    assert library.write_pages({1: LIBRARY[1]}, embedder).embedded == 0


def test_delivered_twice_changes_nothing(library: Passages) -> None:
    library.write_pages(LIBRARY, Letters())
    assert library.count() == 4


def test_the_title_is_embedded_and_searched_with_the_text(table: Passages) -> None:
    embedder = Letters()
    table.write_pages({1: [passage(1, 0, "text", title="Gardens")]}, embedder)
    assert embedder.asked == ["Gardens\ntext"]
    assert found(table, "garden") == ["1-0"]


@pytest.mark.parametrize(
    ("pages", "vectors", "message"),
    [
        ({1: [passage(2, 0, "a")]}, {}, "another page"),
        ({1: [passage(1, 0, "a"), passage(1, 0, "b")]}, {}, "same id"),
        ({1: [passage(1, 0, "a")]}, {}, "no vector"),
        ({1: [passage(1, 0, "a")]}, {"|a": np.ones(5, dtype=np.float32)}, "shape"),
        ({1: [passage(1, 0, "a")]}, {"|a": np.full(4, np.nan, dtype=np.float32)}, "finite"),
    ],
)
def test_what_cannot_be_stored_is_refused_and_changes_nothing(
    pages: dict[int, list[Passage]], vectors: dict[str, NDArray[np.float32]], message: str, library: Passages
) -> None:
    with pytest.raises(PassagesError, match=message):
        library.replace_pages(pages, vectors)
    assert library.passages_of([1]) == LIBRARY[1]


def test_a_reader_cannot_write(library: Passages, uri: str) -> None:
    reader = Passages.open(uri, embedder_id="test", dimension=4)
    with pytest.raises(PassagesError, match="writer=True"):
        reader.delete_pages([1])
    with pytest.raises(PassagesError, match="writer=True"):
        reader.tend()


# --- versions, indices, threads


def test_a_reader_sees_a_commit_within_a_second(library: Passages, uri: str) -> None:
    reader = Passages.open(uri, embedder_id="test", dimension=4)
    assert found(reader, "fresh") == []
    library.write_pages({7: [passage(7, 0, "fresh")]}, Letters())
    time.sleep(1.05)
    assert found(reader, "fresh") == ["7-0"]
    assert reader.version() == library.version()


def test_rows_are_found_before_and_after_they_are_indexed(library: Passages) -> None:
    before = library.search_text("strasse", lang="de", k=5)
    library.tend()
    assert library.search_text("strasse", lang="de", k=5) == before
    library.write_pages({8: [passage(8, 0, "late Straße")]}, Letters())
    assert set(found(library, "strasse", "de")) == {"1-0", "2-0", "8-0"}


def test_the_writer_tends_the_table_itself(table: Passages) -> None:
    for turn in range(COMMITS_BETWEEN_TENDING):
        table.write_pages({turn: [passage(turn, 0, f"word{turn}")]}, Letters())
    statistics = table._table().index_stats("search_text_idx")
    assert statistics.num_unindexed_rows * 4 <= statistics.num_indexed_rows
    assert table._table().stats()["fragment_stats"]["num_fragments"] < COMMITS_BETWEEN_TENDING / 2


def test_a_writer_that_restarts_often_still_tends(uri: str) -> None:
    for turn in range(COMMITS_BETWEEN_TENDING + 2):
        table = Passages.open(uri, embedder_id="test", dimension=4, writer=True)
        table.write_pages({turn: [passage(turn, 0, f"word{turn}")]}, Letters())
    assert table._table().stats()["fragment_stats"]["num_fragments"] < COMMITS_BETWEEN_TENDING


@pytest.mark.parametrize(
    ("rows", "kind"), [(0, ""), (4_999, ""), (5_000, "IVF_FLAT"), (99_999, "IVF_FLAT"), (100_000, "IVF_RQ")]
)
def test_the_vector_index_follows_the_size(rows: int, kind: str) -> None:
    assert indices.vector_index(rows) == kind


@pytest.mark.parametrize(("kind", "compressed"), [("IVF_FLAT", False), ("IVF_RQ", True)])
def test_only_an_index_that_compresses_gives_estimates(kind: str, compressed: bool, uri: str) -> None:
    rows = np.random.default_rng(1).standard_normal((300, 16), dtype=np.float32)
    table = connect(uri, None).create_table("passages", [{"vector": row} for row in rows])
    assert not indices.is_compressed(table)
    table.create_index("vector", config=indices._vector_config(kind))
    assert indices.is_compressed(table) is compressed


def test_every_key_has_its_index(table: Passages) -> None:
    assert {index.columns[0] for index in table._table().list_indices()} == {
        "id",
        "page_id",
        "content_hash",
        "search_text",
    }


def test_threads_search_while_the_writer_writes(library: Passages) -> None:
    failures: list[str] = []
    done = threading.Event()

    def search() -> None:
        while not done.is_set():
            hits = library.search_text("straße", lang="de", k=5)
            [near] = library.search_vectors(np.ones((1, 4), dtype=np.float32), k=2)
            if not {"1-0", "2-0"} <= {hit.passage.id for hit in hits} or len(near) != 2:
                failures.append(f"{hits} {near}")

    threads = [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    for turn in range(10):
        library.write_pages({50 + turn: [passage(50 + turn, 0, "bb other")]}, Letters())
    done.set()
    for thread in threads:
        thread.join()
    assert not failures


def test_importing_opens_nothing() -> None:
    code = "import sys, store.passages, store.passages_reindex; print('lancedb' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


# --- another embedder, and building again


def test_another_embedder_is_refused_with_both_names(library: Passages, uri: str) -> None:
    for embedder_id, dimension in (("other", 4), ("test", 5)):
        with pytest.raises(EmbedderMismatch, match="wellread reindex") as caught:
            Passages.open(uri, embedder_id=embedder_id, dimension=dimension)
        assert "test (4 numbers)" in str(caught.value)
        assert f"{embedder_id} ({dimension} numbers)" in str(caught.value)
    assert library.count() == 4


def batches(embedded: Mapping[int, Sequence[Passage]]) -> Iterator[Mapping[int, Sequence[Passage]]]:
    for number, passages in embedded.items():
        yield {number: passages}


def test_reindex_gives_the_table_to_another_embedder(library: Passages, uri: str) -> None:
    assert reindex(uri, batches(LIBRARY), Letters("other", "abcde")) == 4
    again = Passages.open(uri, embedder_id="other", dimension=5, writer=True)
    assert again.passages_of([1, 2, 3]) == [p for passages in LIBRARY.values() for p in passages]
    assert set(found(again, "strasse", "de")) == {"1-0", "2-0"}
    assert len(again.search_vectors(np.ones((1, 5), dtype=np.float32), k=9)[0]) == 4
    again.write_pages({1: []}, Letters("other", "abcde"))
    assert again.page_ids() == {2, 3}


def test_a_handle_from_before_the_reindex_says_so(library: Passages, uri: str) -> None:
    reindex(uri, batches(LIBRARY), Letters("other", "dcba"))
    time.sleep(1.05)
    with pytest.raises(EmbedderMismatch, match="other"):
        library.search_vectors(np.ones((1, 4), dtype=np.float32), k=1)
    with pytest.raises(EmbedderMismatch, match="other"):
        library.delete_pages([1])


def test_reindex_holds_what_it_was_given_and_nothing_else(library: Passages, uri: str) -> None:
    assert reindex(uri, batches({2: LIBRARY[2], 9: [passage(9, 0, "nine")]}), Letters()) == 2
    assert Passages.open(uri, embedder_id="test", dimension=4).page_ids() == {2, 9}


def test_reindex_of_nothing_leaves_an_empty_table(library: Passages, uri: str) -> None:
    assert reindex(uri, [], Letters()) == 0
    assert Passages.open(uri, embedder_id="test", dimension=4).count() == 0
