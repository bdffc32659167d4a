from __future__ import annotations

import numpy as np
import pytest

from store.passages.errors import EmbedderMismatch
from store.passages.table import Passages
from store.passages.writer import PassagesWriter, reindex
from tests.store.passages.library import LIBRARY, Letters, batches, found, passage


def test_another_embedder_is_refused_with_both_names(library: PassagesWriter, uri: str) -> None:
    for embedder_id, dimension in (("other", 4), ("test", 5)):
        with pytest.raises(EmbedderMismatch, match="wellread reindex") as caught:
            Passages.open(uri, embedder_id=embedder_id, dimension=dimension)
        assert "test (4 numbers)" in str(caught.value)
        assert f"{embedder_id} ({dimension} numbers)" in str(caught.value)
    assert library.count() == 4


def test_reindex_gives_the_table_to_another_embedder(library: PassagesWriter, uri: str) -> None:
    assert reindex(uri, batches(LIBRARY), Letters("other", "abcde")) == 4
    again = PassagesWriter.open(uri, embedder_id="other", dimension=5)
    assert again.passages_of([1, 2, 3]) == [p for passages in LIBRARY.values() for p in passages]
    assert set(found(again, "strasse", "de")) == {"1-0", "2-0"}
    assert len(again.search_vectors(np.ones((1, 5), dtype=np.float32), k=9)[0]) == 4
    again.write_pages({1: []}, Letters("other", "abcde"))
    assert again.page_ids() == {2, 3}


def test_a_handle_from_before_the_reindex_says_so(library: PassagesWriter, uri: str) -> None:
    reindex(uri, batches(LIBRARY), Letters("other", "dcba"))
    with pytest.raises(EmbedderMismatch, match="other"):
        library.search_vectors(np.ones((1, 4), dtype=np.float32), k=1)
    with pytest.raises(EmbedderMismatch, match="other"):
        library.delete_pages([1])


def test_reindex_holds_what_it_was_given_and_nothing_else(library: PassagesWriter, uri: str) -> None:
    assert reindex(uri, batches({2: LIBRARY[2], 9: [passage(9, 0, "nine")]}), Letters()) == 2
    assert Passages.open(uri, embedder_id="test", dimension=4).page_ids() == {2, 9}


def test_reindex_of_nothing_leaves_an_empty_table(library: PassagesWriter, uri: str) -> None:
    assert reindex(uri, [], Letters()) == 0
    assert Passages.open(uri, embedder_id="test", dimension=4).count() == 0
