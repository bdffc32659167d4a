from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from domain import Passage
from store.passages.errors import PassagesError
from store.passages.writer import PassagesWriter
from tests.store.passages.library import LIBRARY, Letters, found, page, passage


def test_passages_come_back_as_they_were_stored(library: PassagesWriter) -> None:
    assert library.passages_of([2, 1]) == [*LIBRARY[1], *LIBRARY[2]]
    assert (library.count(), library.page_ids()) == (4, {1, 2, 3})


def test_a_text_with_quotes_is_found_by_its_hash(table: PassagesWriter) -> None:
    quoted = passage(1, 0, "it's 'quoted' ''")
    table.write_pages({1: [quoted]}, Letters())
    assert set(table.vectors_for([quoted.content_hash, "other"])) == {quoted.content_hash}


def test_replacing_a_page_leaves_exactly_the_new_passages(library: PassagesWriter) -> None:
    library.write_pages({1: [passage(1, 0, "changed")], 4: [passage(4, 0, "new")]}, Letters())
    assert [p.text for p in library.passages_of([1, 4])] == ["changed", "new"]
    assert library.page_ids() == {1, 2, 3, 4}
    assert found(library, "running") == []
    assert found(library, "changed") == ["1-0"]


def test_a_page_without_passages_goes(library: PassagesWriter) -> None:
    library.write_pages({1: [], 2: LIBRARY[2]}, Letters())
    assert library.page_ids() == {2, 3}
    library.write_pages({2: []}, Letters())
    library.delete_pages([])
    assert library.page_ids() == {3}


def test_pages_are_replaced_in_one_commit(library: PassagesWriter) -> None:
    library.write_pages({10: page(10, "filler", passages=20)}, Letters())
    library.maintain()
    before = library._table().version
    library.write_pages({1: [passage(1, 0, "x")], 2: [], 5: [passage(5, 0, "y")]}, Letters())
    assert library._table().version == before + 1


def test_unchanged_text_is_not_embedded_again(library: PassagesWriter) -> None:
    embedder = Letters()
    written = library.write_pages({1: [*LIBRARY[1], passage(1, 2, "dd new")]}, embedder)
    assert (written.passages, written.embedded) == (3, 1)
    assert embedder.asked == ["dd new"]
    assert library.write_pages({1: LIBRARY[1]}, embedder).embedded == 0


def test_delivered_twice_changes_nothing(library: PassagesWriter) -> None:
    library.write_pages(LIBRARY, Letters())
    assert library.count() == 4


def test_the_title_is_embedded_and_searched_with_the_text(table: PassagesWriter) -> None:
    embedder = Letters()
    table.write_pages({1: [passage(1, 0, "text", title="Gardens")]}, embedder)
    assert embedder.asked == ["Gardens\ntext"]
    assert found(table, "garden") == ["1-0"]


@pytest.mark.parametrize(
    ("pages", "vectors", "message"),
    [
        ({1: [passage(1, 0, "a")]}, {"|a": np.ones(5, dtype=np.float32)}, "shape"),
        ({1: [passage(1, 0, "a")]}, {"|a": np.full(4, np.nan, dtype=np.float32)}, "finite"),
    ],
)
def test_what_cannot_be_stored_is_refused_and_changes_nothing(
    pages: dict[int, list[Passage]], vectors: dict[str, NDArray[np.float32]], message: str, library: PassagesWriter
) -> None:
    with pytest.raises(PassagesError, match=message):
        library.replace_pages(pages, vectors)
    assert library.passages_of([1]) == LIBRARY[1]
