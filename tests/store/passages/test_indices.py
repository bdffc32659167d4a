from __future__ import annotations

import numpy as np
import pytest

from store.passages import maintenance
from store.passages.connect import connect
from store.passages.writer import COMMITS_BETWEEN_TENDING, PassagesWriter
from tests.store.passages.library import Letters, found, passage


def test_rows_are_found_before_and_after_they_are_indexed(library: PassagesWriter) -> None:
    before = library.search_text("strasse", lang="de", k=5)
    library.maintain()
    assert library.search_text("strasse", lang="de", k=5) == before
    library.write_pages({8: [passage(8, 0, "late Straße")]}, Letters())
    assert set(found(library, "strasse", "de")) == {"1-0", "2-0", "8-0"}


def test_the_writer_tends_the_table_itself(table: PassagesWriter) -> None:
    for turn in range(COMMITS_BETWEEN_TENDING):
        table.write_pages({turn: [passage(turn, 0, f"word{turn}")]}, Letters())
    statistics = table._table().index_stats("search_text_idx")
    assert statistics.num_unindexed_rows * 4 <= statistics.num_indexed_rows
    assert table._table().stats()["fragment_stats"]["num_fragments"] < COMMITS_BETWEEN_TENDING / 2


def test_a_writer_that_restarts_often_still_tends(uri: str) -> None:
    for turn in range(COMMITS_BETWEEN_TENDING + 2):
        table = PassagesWriter.open(uri, embedder_id="test", dimension=4)
        table.write_pages({turn: [passage(turn, 0, f"word{turn}")]}, Letters())
    assert table._table().stats()["fragment_stats"]["num_fragments"] < COMMITS_BETWEEN_TENDING


@pytest.mark.parametrize(
    ("rows", "kind"), [(0, ""), (4_999, ""), (5_000, "IVF_FLAT"), (99_999, "IVF_FLAT"), (100_000, "IVF_RQ")]
)
def test_the_vector_index_follows_the_size(rows: int, kind: str) -> None:
    assert maintenance.vector_index(rows) == kind


@pytest.mark.parametrize(("kind", "compressed"), [("IVF_FLAT", False), ("IVF_RQ", True)])
def test_only_an_index_that_compresses_gives_estimates(kind: str, compressed: bool, uri: str) -> None:
    rows = np.random.default_rng(1).standard_normal((300, 16), dtype=np.float32)
    table = connect(uri).create_table("passages", [{"vector": row} for row in rows])
    assert not maintenance.is_compressed(table)
    from lancedb.index import IvfFlat, IvfRq

    configs = {"IVF_FLAT": IvfFlat, "IVF_RQ": IvfRq}
    table.create_index("vector", config=configs[kind](distance_type="cosine"))
    assert maintenance.is_compressed(table) is compressed


def test_every_key_has_its_index(table: PassagesWriter) -> None:
    assert {index.columns[0] for index in table._table().list_indices()} == {
        "id",
        "page_id",
        "content_hash",
        "private",
        "tags",
        "search_text",
    }
